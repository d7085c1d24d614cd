//! A search for one position uses the tree file: its answers are those of a plain search.
#![cfg(feature = "all-formats")]

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use chessdb::core::Board;
use chessdb::query::Query;
use chessdb::{Database, Error, Game, Scan, Selection};

use crate::tree_index::{add, open, random_pgn};

/// The games that a search passed on, whether they could be read, and what it reported.
type Found = (Vec<(u32, bool)>, Vec<String>);

fn in_order(scan: Scan<'_>) -> Found {
    let mut found = Vec::new();
    let reported = scan.for_each(|game, read| {
        found.push((game.number(), read.is_ok()));
        ControlFlow::Continue(())
    });
    let reported = reported.unwrap();
    (found, reported.iter().map(ToString::to_string).collect())
}

fn mapped(scan: Scan<'_>) -> Found {
    let mut found = Vec::new();
    let map = |game: &mut Game, read: Result<(), Error>| (game.number(), read.is_ok());
    let reported = scan.map_in_order(map, |game| {
        found.push(game);
        ControlFlow::Continue(())
    });
    let reported = reported.unwrap();
    (found, reported.iter().map(ToString::to_string).collect())
}

/// Returns the positions of the games of a database.
fn boards(db: &Database) -> Vec<Board> {
    let mut boards = BTreeMap::new();
    for game in db.games().flatten() {
        boards.extend(game.positions().map(|board| (board.placement_key(), board)));
    }
    boards.into_values().collect()
}

/// Compares searches with and without the files of `chessdb index`. Returns the number of searches
/// that found games.
fn compare(base: &Path, step: usize) -> usize {
    let (plain, indexed) = (Database::open(base).unwrap(), open(base));
    let games = plain.len().unwrap();
    let mut selections: Vec<Selection> = ["1-", "-60", "20-150,160,170-", "5"]
        .map(|text| text.parse().unwrap())
        .to_vec();
    let backwards = (1..=games).rev().filter(|number| number % 3 != 0);
    selections.push(Selection::in_order(backwards.collect()));
    let mut answered = 0;
    for (n, board) in boards(&plain).iter().enumerate().step_by(step) {
        let query: Query = format!("fen:\"{board}\"").parse().unwrap();
        assert!(query.exact_position().is_some());
        let query = Arc::new(query);
        for (number, selection) in selections.iter().enumerate() {
            let context = format!("{} {number}: {board}", base.display());
            let scan = |db| {
                let scan = Database::scan(db).select(selection.clone());
                scan.filter(Arc::clone(&query))
            };
            let expected = in_order(scan(&plain).jobs(1));
            answered += usize::from(expected.0.iter().any(|(_, is_read)| *is_read));
            // All ways for some of the positions, one way for the others.
            for way in (0..7).filter(|way| n % 5 == 0 || way % 7 == n % 7) {
                let scan = scan(&indexed);
                let found = match way {
                    0 => in_order(scan.jobs(1)),
                    1 => in_order(scan.jobs(3)),
                    2 => in_order(scan.headers().jobs(2)),
                    3 => in_order(scan.numbers().jobs(1)),
                    4 => mapped(scan.jobs(2)),
                    5 => mapped(scan.headers().jobs(2)),
                    _ => {
                        let games = scan.games().flatten();
                        let games: Vec<(u32, bool)> =
                            games.map(|game| (game.number(), true)).collect();
                        let read = expected.0.iter().copied().filter(|(_, is_read)| *is_read);
                        assert_eq!(games, read.collect::<Vec<_>>(), "{context}");
                        continue;
                    }
                };
                // The moves after the position need not be read if only numbers are asked for.
                match way {
                    0 | 1 | 4 => assert_eq!(found, expected, "{way} {context}"),
                    _ => assert_eq!(found.0, expected.0, "{way} {context}"),
                }
            }
        }
    }
    answered
}

#[test]
fn games_of_a_position_are_those_of_a_plain_search() {
    let folder = tempfile::tempdir().unwrap();
    for (seed, suffix) in (40..).zip(["pgn", "si4", "si5", "cbh"]) {
        let base = folder.path().join(format!("random.{suffix}"));
        match suffix {
            "pgn" => std::fs::write(&base, random_pgn(260, seed)).unwrap(),
            _ => add(&random_pgn(260, seed), &base, false),
        }
        open(&base).write_index(|_| {}).unwrap();
        let answered = compare(&base, 3);
        assert!(answered > 300, "{suffix}: {answered}");
        if suffix != "cbh" {
            // The files have the first games.
            add(&random_pgn(30, 7), &base, true);
            compare(&base, 11);
        }
    }
}

#[test]
fn a_panic_while_a_game_is_mapped_is_an_error() {
    let text = "1. e4 e5 *\n\n".repeat(3000);
    let db = Database::options().open_files([("games.pgn", text.as_bytes())]);
    let db = db.unwrap();
    let query: Query = "line:\"1. e4 e5\"".parse().unwrap();
    let query = Arc::new(query);
    // The calling thread reads the first games.
    for (jobs, number) in [(1, 2), (2, 2), (2, 2900)] {
        let scan = db.scan().headers().filter(Arc::clone(&query)).jobs(jobs);
        let map = |game: &mut Game, _: Result<(), Error>| {
            assert_ne!(game.number(), number, "not this one");
        };
        let error = scan.map_in_order(map, |()| ControlFlow::Continue(()));
        let error = error.unwrap_err().to_string();
        assert!(error.contains("not this one"), "{error}");
    }
}
