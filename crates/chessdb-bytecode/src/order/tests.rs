use chessdb_core::Charset;
use proptest::prelude::*;

use super::*;
use crate::raw::{MemoryTable, Naming};

/// A row of games: its id, collection and index; `None` is NULL.
type GameRow = (Option<i64>, Option<i64>, Option<i64>);

fn table(columns: &[&str], rows: impl Iterator<Item = Vec<Option<i64>>>) -> MemoryTable {
    let columns = columns.iter().map(|&name| name.to_owned()).collect();
    let mut table = MemoryTable::new(columns, Charset::LATIN_1);
    for row in rows {
        table.push(&row.into_iter().map(Cell::number).collect::<Vec<_>>());
    }
    table
}

fn joined(games: &[GameRow], moves: &[Option<i64>]) -> Joined {
    let games = games.iter().map(|&(id, cid, idx)| vec![id, cid, idx]);
    let games = table(&["Id", "CId", "Idx", "WhiteId", "BlackId"], games);
    let moves = table(&["GId", "Bin"], moves.iter().map(|&id| vec![id]));
    let map = ColumnMap::new(&Naming::jose(), &games, Some(&moves));
    let tables = OrderedTables {
        games: &games,
        moves: Some((&moves, Some(0))),
        map: &map,
    };
    tables.join()
}

/// Joins by comparing every row with every other, and sorts everything at once.
fn plainly_joined(games: &[GameRow], moves: &[Option<i64>]) -> (Vec<GameRows>, u64, u64) {
    let mut places = Vec::new();
    let (mut without, mut double) = (0, 0);
    let rows = |id: i64, of: &mut dyn Iterator<Item = Option<i64>>| -> Vec<u32> {
        let rows = (0..).zip(of).filter(|&(_, own)| own == Some(id));
        rows.map(|(row, _)| row).collect()
    };
    for (n, &(id, cid, idx)) in (0..).zip(games) {
        let number = i64::from(n);
        let key = (
            cid.unwrap_or(0),
            idx.unwrap_or(number),
            id.unwrap_or(number),
        );
        let Some(id) = id else {
            places.push((key, Some(n), None));
            continue;
        };
        let alike = rows(id, &mut games.iter().map(|game| game.0));
        let own = rows(id, &mut moves.iter().copied());
        let at = alike.iter().position(|&row| row == n).unwrap();
        places.push((key, Some(n), own.get(at).or(own.last()).copied()));
        if at + 1 == alike.len() {
            let more = own.iter().skip(alike.len());
            places.extend(more.map(|&row| (key, Some(n), Some(row))));
            if !own.is_empty() {
                double += alike.len() + own.len() - 2;
            }
        }
    }
    for (n, &id) in (0..).zip(moves) {
        if id.is_none_or(|id| games.iter().all(|game| game.0 != Some(id))) {
            without += 1;
            places.extend(id.map(|id| ((i64::MAX, id, id), None, Some(n))));
        }
    }
    places.sort_unstable();
    let places = places.into_iter();
    let places = places.map(|(_, game, moves)| GameRows { game, moves });
    (places.collect(), without, double as u64)
}

fn number(below: i64) -> impl Strategy<Value = Option<i64>> {
    prop_oneof![1 => Just(None), 12 => (0..below).prop_map(Some)]
}

/// Ids that mostly follow one another.
fn ids() -> impl Strategy<Value = Vec<Option<i64>>> {
    let steps = prop::collection::vec(prop::sample::select(vec![1, 1, 1, 1, 1, 2, 0, -3]), 0..40);
    (steps, any::<bool>()).prop_map(|(steps, only_up)| {
        let mut id = 1_i64;
        let ids = steps.into_iter().map(|step: i64| {
            id += if only_up { step.abs() } else { step };
            Some(id)
        });
        ids.collect()
    })
}

proptest! {
    #[test]
    fn rows_are_joined_as_a_plain_join_does(
        game_ids in prop_oneof![ids(), prop::collection::vec(number(30), 0..40)],
        moves in prop_oneof![ids(), prop::collection::vec(number(30), 0..40)],
        places in prop::collection::vec((number(3), number(50)), 40),
        is_in_order in any::<bool>(),
    ) {
        let games = game_ids.iter().zip(&places).zip(1..);
        let games: Vec<GameRow> = games
            .map(|((&id, &(cid, idx)), n)| if is_in_order {
(id, Some(1), Some(n))
} else {
(id, cid, idx)
})
            .collect();
        let result = joined(&games, &moves);
        let (order, without, double) = plainly_joined(&games, &moves);
        prop_assert_eq!(result.order.iter().collect::<Vec<_>>(), &order[..]);
        prop_assert_eq!((result.without, result.double), (without, double));
        prop_assert_eq!(result.order.len() as usize, order.len());
        for (n, rows) in (0..).zip(order) {
            prop_assert_eq!(result.order.get(n), Some(rows));
        }
        prop_assert_eq!(result.order.get(result.order.len()), None);
    }
}

#[test]
fn games_in_order_take_one_stretch_however_many() {
    let games: Vec<GameRow> = (1..=5000).map(|n| (Some(n), Some(1), Some(n))).collect();
    let moves: Vec<Option<i64>> = (1..=5000).map(Some).collect();
    assert_eq!(joined(&games, &moves).order.stretches.len(), 1);
    // A gap takes another one, and so does a game that was moved.
    let mut gap = moves.clone();
    gap.remove(70);
    assert_eq!(joined(&games, &gap).order.stretches.len(), 3);
    let mut moved = games;
    moved[700].2 = Some(3);
    assert_eq!(joined(&moved, &moves).order.stretches.len(), 4);
}
