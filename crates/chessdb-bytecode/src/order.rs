//! The order of games: the rows of each, in as little memory as the tables permit.
//!
//! Rows mostly are in the order of the games, and games and moves have the same numbers. Such a
//! database of any size takes a single entry.

use std::cell::Cell as Flag;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::iter;

use crate::raw::{Cell, TableRead};
use crate::row::{Column, ColumnMap};

/// The locations of a game's rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct GameRows {
    /// `None` if only the moves are left.
    pub(crate) game: Option<u32>,
    pub(crate) moves: Option<u32>,
}

impl GameRows {
    /// Returns the rows of the game that is `by` games later, if all rows are consecutive.
    fn advanced(self, by: u32) -> GameRows {
        let advance = |row: Option<u32>| row.map(|row| row.saturating_add(by));
        GameRows {
            game: advance(self.game),
            moves: advance(self.moves),
        }
    }
}

/// The rows of all games: stretches of games with consecutive rows.
#[derive(Clone, Default, PartialEq, Debug)]
pub(crate) struct GameOrder {
    /// The number of the first game of each stretch, and its rows.
    stretches: Vec<(u32, GameRows)>,
    len: u32,
}

impl GameOrder {
    pub(crate) fn len(&self) -> u32 {
        self.len
    }

    pub(crate) fn get(&self, n: u32) -> Option<GameRows> {
        if n >= self.len {
            return None;
        }
        let after = self.stretches.partition_point(|&(first, _)| first <= n);
        let &(first, rows) = self.stretches.get(after.checked_sub(1)?)?;
        Some(rows.advanced(n - first))
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = GameRows> {
        let ends = self.stretches.iter().skip(1).map(|&(first, _)| first);
        self.stretches
            .iter()
            .zip(ends.chain([self.len]))
            .flat_map(|(&(first, rows), end)| (0..end - first).map(move |n| rows.advanced(n)))
    }

    fn push(&mut self, rows: GameRows) {
        let next = self
            .stretches
            .last()
            .map(|&(first, start)| start.advanced(self.len - first));
        if next != Some(rows) {
            self.stretches.push((self.len, rows));
        }
        // The model counts games with this type.
        self.len = self.len.saturating_add(1);
    }
}

/// The place of a game among the others.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct GamePlace {
    collection: i64,
    index: i64,
    id: i64,
}

/// The tables whose rows are joined.
pub(crate) struct OrderedTables<'r, 't> {
    pub(crate) games: &'r (dyn TableRead + 't),
    /// The table of moves, and its column with the numbers of games.
    pub(crate) moves: Option<(&'r (dyn TableRead + 't), Option<usize>)>,
    pub(crate) map: &'r ColumnMap,
}

/// The result of joining games and moves.
#[derive(Default, Debug)]
pub(crate) struct Joined {
    pub(crate) order: GameOrder,
    /// The number of rows of moves without a game.
    pub(crate) without: u64,
    /// The number of rows with a number that is already in use.
    pub(crate) double: u64,
}

impl<'r> OrderedTables<'r, '_> {
    /// Finds the rows of each game and sorts the games by collection.
    ///
    /// Ids are unique. If two rows have the same id because of damage, it is unknown which one is
    /// right. Each is delivered, with the row of the other table if there is only one.
    pub(crate) fn join(&self) -> Joined {
        let Some((moves, key)) = self.moves else {
            let mut joined = Joined::default();
            for n in 0..self.games.len() {
                joined.order.push(GameRows {
                    game: Some(n),
                    moves: None,
                });
            }
            joined.order = self.sorted(joined.order);
            return joined;
        };
        let state = JoinState::default();
        let mut joined = join(
            self.game_ids(&state),
            self.move_ids(moves, key, &state),
            &state,
        );
        // Tables in order, nearly all, need no memory for their numbers.
        if state.has_descended.get() {
            let state = JoinState::default();
            let mut games: Vec<_> = self.game_ids(&state).collect();
            let mut moves: Vec<_> = self.move_ids(moves, key, &state).collect();
            games.sort_unstable();
            moves.sort_unstable();
            joined = join(games.into_iter(), moves.into_iter(), &state);
        }
        joined.order = self.sorted(joined.order);
        joined
    }

    /// Returns the id and the number of each row of games; those without an id are set aside.
    fn game_ids<'s>(&'s self, state: &'s JoinState) -> impl Iterator<Item = (i64, u32)> + 's {
        let mut row = Vec::new();
        let cells = self.map.cells_to(&[Column::Id]);
        (0..self.games.len()).filter_map(move |n| {
            // Errors of a row are reported when its game is read.
            row.clear();
            let _ = self.games.first_cells(n, cells, &mut row);
            let id = self.map.cell(&row, Column::Id).as_int();
            if id.is_none() {
                state.games_without_id.borrow_mut().push(GameRows {
                    game: Some(n),
                    moves: None,
                });
            }
            Some((id?, n))
        })
    }

    fn move_ids<'s>(
        &'s self,
        table: &'s (dyn TableRead + 's),
        key: Option<usize>,
        state: &'s JoinState,
    ) -> impl Iterator<Item = (i64, u32)> + 's {
        let mut row = Vec::new();
        (0..table.len()).filter_map(move |n| {
            let id = move_id(table, key, n, &mut row);
            if id.is_none() {
                state.moves_without_id.set(state.moves_without_id.get() + 1);
            }
            Some((id?, n))
        })
    }

    /// Sorts games by their place. The stretches of games that are in order are merged, so that only
    /// their number takes memory.
    fn sorted(&self, order: GameOrder) -> GameOrder {
        let mut row = Vec::new();
        let mut place = |rows: GameRows| self.place(rows, &mut row);
        let mut before = None;
        // The first game of each stretch in order.
        let mut starts = Vec::new();
        for (n, rows) in (0..).zip(order.iter()) {
            let key = (place(rows), rows.game, rows.moves);
            if before.is_none_or(|before| key < before) {
                starts.push(n);
            }
            before = Some(key);
        }
        if starts.len() < 2 {
            return order;
        }
        let ends = starts.iter().copied().skip(1).chain([order.len()]);
        let mut entry = |n: u32, end: u32| {
            let rows = order.get(n).filter(|_| n < end)?;
            Some(Reverse((place(rows), rows.game, rows.moves, n, end)))
        };
        let first: Vec<_> = starts
            .iter()
            .zip(ends)
            .filter_map(|(&n, end)| entry(n, end))
            .collect();
        let mut heap = BinaryHeap::from(first);
        let mut sorted = GameOrder::default();
        while let Some(Reverse((_, game, moves, n, end))) = heap.pop() {
            sorted.push(GameRows { game, moves });
            heap.extend(entry(n + 1, end));
        }
        sorted
    }

    fn place<'c>(&self, rows: GameRows, row: &mut Vec<Cell<'c>>) -> GamePlace
    where
        'r: 'c,
    {
        let Some(n) = rows.game else {
            let id = self
                .moves
                .zip(rows.moves)
                .and_then(|((table, key), n)| move_id(table, key, n, row))
                .unwrap_or(i64::MAX);
            // After the games with more data.
            return GamePlace {
                collection: i64::MAX,
                index: id,
                id,
            };
        };
        let wanted = [Column::Id, Column::CollectionId, Column::Index];
        let cells = self.map.cells_to(&wanted);
        row.clear();
        if cells > 0 {
            let _ = self.games.first_cells(n, cells, row);
        }
        let int = |column| self.map.cell(row, column).as_int();
        GamePlace {
            // A game with an unreadable row keeps its place.
            collection: int(Column::CollectionId).unwrap_or(0),
            index: int(Column::Index).unwrap_or_else(|| n.into()),
            id: int(Column::Id).unwrap_or_else(|| n.into()),
        }
    }
}

/// Returns the number of the game to which a row of moves belongs.
fn move_id<'t>(
    table: &'t (dyn TableRead + 't),
    key: Option<usize>,
    n: u32,
    row: &mut Vec<Cell<'t>>,
) -> Option<i64> {
    let column = key?;
    row.clear();
    let _ = table.first_cells(n, column + 1, row);
    row.get(column).and_then(Cell::as_int)
}

/// What is noticed while rows are joined.
#[derive(Default)]
struct JoinState {
    has_descended: Flag<bool>,
    moves_without_id: Flag<u64>,
    games_without_id: std::cell::RefCell<GameOrder>,
}

/// Joins the rows of games with those of their moves; both are in ascending order of their ids.
/// Otherwise it ends early and notes that in `state`.
fn join(
    games: impl Iterator<Item = (i64, u32)>,
    moves: impl Iterator<Item = (i64, u32)>,
    state: &JoinState,
) -> Joined {
    let mut joined = Joined::default();
    let mut orphans = GameOrder::default();
    let mut games = ascending(games, &state.has_descended).peekable();
    let mut moves = ascending(moves, &state.has_descended).peekable();
    // The rows with one id; nearly always one of each.
    let (mut of_games, mut of_moves) = (Vec::new(), Vec::new());
    loop {
        let ids = [games.peek(), moves.peek()];
        let Some(id) = ids.into_iter().flatten().map(|&(id, _)| id).min() else {
            break;
        };
        of_games.clear();
        of_moves.clear();
        of_games.extend(iter::from_fn(|| games.next_if(|next| next.0 == id)).map(|next| next.1));
        of_moves.extend(iter::from_fn(|| moves.next_if(|next| next.0 == id)).map(|next| next.1));
        if of_games.is_empty() {
            for &row in &of_moves {
                joined.without += 1;
                // These are also games.
                orphans.push(GameRows {
                    game: None,
                    moves: Some(row),
                });
            }
            continue;
        }
        if !of_moves.is_empty() {
            joined.double += (of_games.len() + of_moves.len() - 2) as u64;
        }
        for n in 0..of_games.len().max(of_moves.len()) {
            joined.order.push(GameRows {
                game: of_games.get(n).or(of_games.last()).copied(),
                moves: of_moves.get(n).or(of_moves.last()).copied(),
            });
        }
    }
    for rows in state.games_without_id.take().iter().chain(orphans.iter()) {
        joined.order.push(rows);
    }
    joined.without += state.moves_without_id.get();
    joined
}

/// Ends `rows` where an id is lower than the one before, and notes that.
fn ascending(
    rows: impl Iterator<Item = (i64, u32)>,
    has_descended: &Flag<bool>,
) -> impl Iterator<Item = (i64, u32)> {
    let mut last = i64::MIN;
    rows.take_while(move |&(id, _)| {
        if id < last {
            has_descended.set(true);
        }
        last = id;
        !has_descended.get()
    })
}

#[cfg(test)]
mod tests;
