//! The moves played in a position: from the tree file, from what is known of the games, and by
//! reading games.

#[cfg(feature = "threads")]
use std::cmp::Reverse;
#[cfg(feature = "threads")]
use std::collections::HashMap;
use std::iter::Peekable;
use std::vec;

#[cfg(feature = "threads")]
use chessdb_core::{Board, Color, PackedMove};
use chessdb_files::error::Result;
#[cfg(feature = "threads")]
use chessdb_query::{GameTraces, SeenGame, TraceAnswer, TraceSearch};
use chessdb_query::{OpeningTree, Tally, TreeLine};

use crate::database::Database;
#[cfg(feature = "threads")]
use crate::database::add_read;
#[cfg(feature = "threads")]
use crate::game::Game;
#[cfg(feature = "threads")]
use crate::selection::Selection;
use crate::tree_index::{PlayedMove, PositionMoves};

/// A tree to which the moves from tree files and the games that are not counted there are added.
/// The result is the same as if all games had been added in their order.
#[derive(Clone, Debug)]
pub struct MoveCounter {
    tree: OpeningTree,
    /// The moves from the tree file that are not in the tree yet.
    known: Peekable<vec::IntoIter<PlayedMove>>,
}

impl MoveCounter {
    /// Starts with an empty tree.
    pub fn new(tree: OpeningTree) -> MoveCounter {
        MoveCounter {
            tree,
            known: Vec::new().into_iter().peekable(),
        }
    }

    /// Adds what the tree file of the next database counts. Games that it does not count are added
    /// afterwards.
    pub fn add_known(&mut self, found: PositionMoves) {
        self.add_known_before(u32::MAX);
        self.tree.add_tallies(&found.ended, []);
        self.known = found.moves.into_iter().peekable();
    }

    /// Adds the contribution of game `index`, counted from 0. Games must be added in ascending
    /// order. `db` is read if the half-moves of the game must be counted.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Database::game`].
    pub fn add(&mut self, db: &Database, index: u32, line: &TreeLine) -> Result<()> {
        self.add_known_before(index);
        let mut counted = None;
        if self.tree.needs_count(line) {
            let game = db.game(index)?;
            counted = self.tree.line(&game);
        }
        self.tree.add(counted.as_ref().unwrap_or(line));
        Ok(())
    }

    /// Adds the known moves whose first game comes before this one: the order of moves with equally
    /// many games is that of their first games.
    fn add_known_before(&mut self, index: u32) {
        let is_before = |played: &PlayedMove| played.first_game < index;
        while let Some(played) = self.known.next_if(is_before) {
            let moves = [(played.mv, played.tally)];
            self.tree.add_tallies(&Tally::default(), moves);
        }
    }

    /// Returns the tree.
    pub fn finish(mut self) -> OpeningTree {
        self.add_known_before(u32::MAX);
        self.tree
    }
}

/// Counts the moves played in one position of a database after another. It uses the tree file, and
/// keeps the first positions of the games that it reads ([`GameTraces`]), so that further positions
/// are counted without reading most games again.
///
/// ```
/// use chessdb::core::Board;
/// use chessdb::explorer::Explorer;
///
/// # fn main() -> Result<(), chessdb::Error> {
/// # let bytes = &b"1. e4 e5 1-0\n\n1. d4 *\n\n1. e4 c5 *\n"[..];
/// # let db = chessdb::Database::options().open_files([("games.pgn", bytes)])?;
/// let mut explorer = Explorer::new(Explorer::STANDARD_BYTES);
/// let found = explorer.count(&db, &Board::standard(), None)?;
/// let tree = found.tree();
/// let moves = tree.moves(tree.root());
/// let games: Vec<(String, u64)> = moves.map(|mv| (tree.san(mv), tree.tally(mv).games)).collect();
/// assert_eq!(games, [("e4".to_owned(), 2), ("d4".to_owned(), 1)]);
/// # Ok(()) }
/// ```
#[cfg(feature = "threads")]
#[derive(Debug)]
pub struct Explorer {
    most_bytes: usize,
    traces: Option<GameTraces>,
    /// The number of games of the database, and of those that were read.
    games: u32,
    kept: u32,
}

/// The moves played in a position, counted by an [`Explorer`].
#[cfg(feature = "threads")]
#[derive(Clone, Debug)]
pub struct Explored {
    tree: OpeningTree,
    best: BestGames,
}

#[cfg(feature = "threads")]
impl Explored {
    /// Returns the tree, which is one half-move deep.
    pub fn tree(&self) -> &OpeningTree {
        &self.tree
    }

    /// Returns up to three games with a move, counted from 0 ([`PlayedMove::best`]).
    pub fn best(&self, mv: PackedMove) -> impl Iterator<Item = u32> {
        let best = self.best.0.get(&mv).into_iter().flatten();
        best.map(|(_, game)| *game)
    }
}

/// Of each move the sums of both ratings and the games, the best first.
#[cfg(feature = "threads")]
#[derive(Clone, Default, Debug)]
struct BestGames(HashMap<PackedMove, Vec<(u32, u32)>>);

#[cfg(feature = "threads")]
impl BestGames {
    /// Maximum number of games of a move, as in the tree file.
    const MOST: usize = 3;

    fn add(&mut self, mv: PackedMove, ratings: [Option<u16>; 2], game: u32) {
        let sum: u32 = ratings.into_iter().flatten().map(u32::from).sum();
        let best = self.0.entry(mv).or_default();
        let is_better = |known: &(u32, u32)| (Reverse(known.0), known.1) < (Reverse(sum), game);
        let place = best.partition_point(is_better);
        if place < BestGames::MOST {
            best.insert(place, (sum, game));
            best.truncate(BestGames::MOST);
        }
    }
}

/// A position that is being counted.
#[cfg(feature = "threads")]
struct PendingCount<'d> {
    db: &'d Database,
    counter: MoveCounter,
    best: BestGames,
}

#[cfg(feature = "threads")]
impl PendingCount<'_> {
    fn add_known(&mut self, found: PositionMoves) {
        let mut header = Game::new();
        for played in &found.moves {
            for &game in &played.best {
                let read = self.db.header_into(game, &mut header);
                let rating = |color| header.rating(color).map(|rating| rating.value);
                let ratings = Color::ALL.map(rating);
                let ratings = read.map_or_else(|_| [None; 2], |()| ratings);
                self.best.add(played.mv, ratings, game);
            }
        }
        self.counter.add_known(found);
    }

    fn add(&mut self, index: u32, line: &TreeLine) -> Result<()> {
        if let Some(mv) = line.first_move() {
            self.best.add(mv, line.ratings(), index);
        }
        self.counter.add(self.db, index, line)
    }

    fn finish(self) -> Explored {
        Explored {
            tree: self.counter.finish(),
            best: self.best,
        }
    }
}

#[cfg(feature = "threads")]
impl Explorer {
    /// A limit for [`Explorer::new`] that fits the memory of a personal computer: 2.8 million games.
    pub const STANDARD_BYTES: usize = 512 << 20;

    /// Creates an explorer that keeps at most this many bytes, or nothing if a database needs more:
    /// [`GameTraces::BYTES_PER_GAME`] for each game.
    pub fn new(most_bytes: usize) -> Explorer {
        Explorer {
            most_bytes,
            traces: None,
            games: 0,
            kept: 0,
        }
    }

    /// Returns whether the positions of a database with this many games can be kept.
    pub fn can_keep(&self, games: u32) -> bool {
        games as usize * GameTraces::BYTES_PER_GAME <= self.most_bytes
    }

    /// Returns the number of bytes that are kept.
    pub fn bytes(&self) -> u64 {
        self.traces.as_ref().map_or(0, GameTraces::bytes)
    }

    /// Counts the moves played in a position, when it first occurs, in all games or those with these
    /// indexes, counted from 0 and ascending. Unreadable games count nowhere. All calls must be about
    /// the same database, which must not be changed. Of a stream all games are counted.
    ///
    /// # Errors
    ///
    /// Returns an error if the database cannot be read as a whole.
    pub fn count(
        &mut self,
        db: &Database,
        board: &Board,
        games: Option<&[u32]>,
    ) -> Result<Explored> {
        let tree = OpeningTree::new(board.clone(), 1);
        let mut pending = PendingCount {
            db,
            counter: MoveCounter::new(tree.clone()),
            best: BestGames::default(),
        };
        let Ok(len) = db.len() else {
            let line = |game: &mut Game, read: Result<()>| -> Result<ReadLine> {
                read.map(|()| (game.index(), None, tree.line(game)))
            };
            add_read(db.scan(), line, |(index, _, line)| match line {
                Some(line) => pending.add(index, &line),
                None => Ok(()),
            })?;
            return Ok(pending.finish());
        };
        let found = match games {
            None => db.position_moves(board),
            Some(_) => None,
        };
        let uncounted = found.map(|mut found| {
            let uncounted = std::mem::take(&mut found.uncounted);
            pending.add_known(found);
            uncounted
        });
        let games = uncounted.as_deref().or(games);
        let search = TraceSearch::new(board);
        let unread = self.unread(db, &tree, &search, asked(games, len), games.is_none());
        // A small part is read again as fast as it is kept.
        if unread.len() > len as usize / 64 && self.games != len {
            (self.games, self.kept) = (len, 0);
            self.traces = self.can_keep(len).then(|| GameTraces::new(len));
        }
        let keeps = self.traces_of(len).is_some();
        let line = |game: &mut Game, read: Result<()>| -> Result<ReadLine> {
            read?;
            let index = game.index();
            if !keeps {
                return Ok((index, None, db.tree_line_by_signature(&tree, game)?));
            }
            let mut observer = GameTraces::observer(&tree);
            db.observe_mainline(index, game, &mut observer)?;
            let (seen, line) = observer.finish(game);
            Ok((index, Some(seen), line))
        };
        let mut asked = asked(games, len).peekable();
        // Adds the known games before this one, which is read, and passes over it.
        let mut add_known = |traces: Option<&GameTraces>,
                             pending: &mut PendingCount<'_>,
                             read: u32|
         -> Result<()> {
            while let Some(index) = asked.next_if(|index| *index <= read) {
                let known = traces.map(|traces| traces.look(index, &search));
                match known {
                    Some(TraceAnswer::Found(line)) if index != read => pending.add(index, &line)?,
                    _ => {}
                }
            }
            Ok(())
        };
        if !unread.is_empty() {
            let selection = match unread.len() == len as usize {
                true => Selection::all(),
                false => Selection::in_order(unread),
            };
            add_read(db.scan().select(selection).headers(), line, |read| {
                let (index, seen, line) = read;
                add_known(self.traces_of(len), &mut pending, index)?;
                if let (Some(seen), Some(traces)) = (seen, &mut self.traces) {
                    self.kept += u32::from(traces.keep(index, &seen));
                }
                match line {
                    Some(line) => pending.add(index, &line),
                    None => Ok(()),
                }
            })?;
        }
        add_known(self.traces_of(len), &mut pending, u32::MAX)?;
        Ok(pending.finish())
    }

    /// Returns what was kept of a database with this many games.
    fn traces_of(&self, games: u32) -> Option<&GameTraces> {
        self.traces.as_ref().filter(|_| self.games == games)
    }

    /// Returns the numbers, from 1, of the games that must be read.
    fn unread(
        &self,
        db: &Database,
        tree: &OpeningTree,
        search: &TraceSearch,
        games: impl Iterator<Item = u32>,
        is_all: bool,
    ) -> Vec<u32> {
        let traces = self.traces_of(db.len().unwrap_or(0));
        if let (true, None) = (is_all, traces)
            && let Some(candidates) = db.tree_candidates(tree)
        {
            return candidates.into_iter().map(|index| index + 1).collect();
        }
        let may_exclude = db.has_index();
        let mut block = (u32::MAX, 0);
        let must_read = |index: &u32| {
            let known = traces.map(|traces| traces.look(*index, search));
            if !matches!(known, None | Some(TraceAnswer::Unknown)) {
                return false;
            }
            if !may_exclude {
                return true;
            }
            let first = index & !63;
            if block.0 != first {
                let mask = tree.candidates(&|feature| db.may_have(first, feature));
                block = (first, mask);
            }
            block.1 >> (index & 63) & 1 != 0
        };
        let unread = games.filter(must_read);
        unread.map(|index| index.saturating_add(1)).collect()
    }

    /// Returns the games that may have a position, according to what was kept. `None` if most games
    /// were not read yet.
    pub fn candidates(&self, board: &Board) -> Option<Selection> {
        let traces = self.traces.as_ref();
        let traces = traces.filter(|_| self.kept > self.games / 2)?;
        let search = TraceSearch::new(board);
        let games = (0..self.games).filter(|index| traces.may_have(*index, &search));
        Some(Selection::in_order(games.map(|index| index + 1).collect()))
    }
}

/// A game that was read: its index, what is to be kept, and its contribution.
#[cfg(feature = "threads")]
type ReadLine = (u32, Option<SeenGame>, Option<TreeLine>);

/// Returns the indexes of these games, or of all.
#[cfg(feature = "threads")]
fn asked(games: Option<&[u32]>, len: u32) -> impl Iterator<Item = u32> {
    let all = 0..games.map_or(len, |_| 0);
    games.into_iter().flatten().copied().chain(all)
}
