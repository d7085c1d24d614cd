//! Counting the moves in one position after another: the answers are those of a tree to which every
//! game is added.
#![cfg(feature = "all-formats")]

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fs;

use chessdb::core::{Board, Color};
use chessdb::explorer::Explorer;
use chessdb::query::Query;
use chessdb::query::tree::OpeningTree;
use chessdb::{Database, Game};
use chessdb_testkit::rng::Rng;

use crate::tree_index::{games, is_in, numbers, open, random_pgn, scan};

/// Returns positions of the games, those of several games first.
pub(crate) fn boards(games: &[Option<Game>]) -> Vec<Board> {
    let mut boards: BTreeMap<u64, (usize, Board)> = BTreeMap::new();
    for board in games.iter().flatten().flat_map(|game| game.positions()) {
        let count = boards.entry(board.placement_key()).or_insert((0, board));
        count.0 += 1;
    }
    let mut boards: Vec<(usize, Board)> = boards.into_values().collect();
    boards.sort_by_key(|(count, _)| Reverse(*count));
    let rare = boards.iter().skip(40).step_by(29);
    let chosen = boards.iter().take(40).chain(rare);
    chosen.map(|(_, board)| board.clone()).collect()
}

/// Compares an answer with the games that count, all others being `None`.
pub(crate) fn compare(tree: &OpeningTree, games: &[Option<Game>], board: &Board, context: &str) {
    assert_eq!(
        numbers(tree),
        numbers(&scan(games, board)),
        "{context}: {board}"
    );
    for node in tree.moves(tree.root()) {
        let has_move = |game: &Game| {
            game.has_standard_rules() && game.has_known_start() && is_in(game, board, tree.mv(node))
        };
        let of_move = (0u32..).zip(games).filter_map(|(index, game)| {
            let game = game.as_ref().filter(|game| has_move(game))?;
            let rating = |color| {
                game.rating(color)
                    .map_or(0, |rating| u32::from(rating.value))
            };
            Some((Reverse(rating(Color::White) + rating(Color::Black)), index))
        });
        let mut best: Vec<_> = of_move.collect();
        best.sort_unstable();
        let best: Vec<u32> = best.into_iter().take(3).map(|(_, index)| index).collect();
        let found: Vec<u32> = tree.best(node).collect();
        assert_eq!(found, best, "{context}: {board} {}", tree.san(node));
    }
}

/// Compares the answers of one explorer for all positions twice, in all games and in some.
fn compare_all(db: &Database, most_bytes: usize, context: &str) {
    let all = games(db);
    let boards = boards(&all);
    let mut explorer = Explorer::new(most_bytes);
    let mut rng = Rng::new(17);
    for round in 0..2 {
        let context = format!("{context}, round {round}");
        for board in &boards {
            let found = explorer.count(db, board, None).unwrap();
            compare(&found, &all, board, &context);
            let some: Vec<u32> = (0..all.len() as u32).filter(|_| rng.chance(30)).collect();
            let found = explorer.count(db, board, Some(&some)).unwrap();
            let of_some = |(index, game): (u32, &Option<Game>)| {
                some.binary_search(&index).ok().and_then(|_| game.clone())
            };
            let of_some: Vec<_> = (0..).zip(&all).map(of_some).collect();
            compare(&found, &of_some, board, &context);
            // No game with the position is left out.
            if let Some(candidates) = explorer.candidates(board) {
                let query: Query = format!("fen:\"{board}\"").parse().unwrap();
                for (number, game) in (1..).zip(&all) {
                    let has = game.as_ref().is_some_and(|game| query.matches(game));
                    assert!(
                        candidates.contains(number) || !has,
                        "{context}: {number} {board}"
                    );
                }
            }
        }
    }
    // Without a tree file the first answer keeps all games, if they may be kept.
    let is_kept = explorer.candidates(&Board::standard()).is_some();
    let has_file = db.position_moves(&Board::standard()).is_some();
    assert_eq!(is_kept || has_file, most_bytes > 0 || has_file, "{context}");
    assert_eq!(explorer.bytes() > 0, most_bytes > 0, "{context}");
}

#[test]
fn answers_are_those_of_a_tree_with_and_without_files_and_memory() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().join("games.pgn");
    let text = random_pgn(150, 5) + "1. e4 e5 2. Kd5 1-0\n\n1. d4 d5 *\n";
    fs::write(&base, &text).unwrap();
    for most_bytes in [Explorer::STANDARD_BYTES, 0] {
        compare_all(&open(&base), most_bytes, "no file");
    }
    open(&base).write_index(|_| {}).unwrap();
    for most_bytes in [Explorer::STANDARD_BYTES, 0] {
        compare_all(&open(&base), most_bytes, "with a file");
    }
    fs::write(&base, text + &random_pgn(60, 8)).unwrap();
    let db = open(&base);
    let found = db.position_moves(&Board::standard()).unwrap();
    assert!(found.uncounted.len() >= 60);
    compare_all(
        &db,
        Explorer::STANDARD_BYTES,
        "with a file of the first games",
    );
}

#[test]
fn streams_are_counted_too() {
    let text = random_pgn(80, 3);
    let db = Database::options()
        .open_files([("games.pgn", text.clone().into_bytes())])
        .unwrap();
    let all = games(&db);
    let stream = || Database::from_reader(std::io::Cursor::new(text.clone().into_bytes()));
    for board in boards(&all).iter().take(3) {
        let mut explorer = Explorer::new(Explorer::STANDARD_BYTES);
        let found = explorer.count(&stream().unwrap(), board, None).unwrap();
        compare(&found, &all, board, "a stream");
    }
}
