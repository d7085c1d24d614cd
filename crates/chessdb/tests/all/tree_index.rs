//! The tree file: its answers are those of a full scan, and it is used only if it is valid.
#![cfg(feature = "all-formats")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use chessdb::core::{Board, Color, PackedMove};
use chessdb::explorer::PositionMoves;
use chessdb::fs::IndexUse;
use chessdb::query::Query;
use chessdb::query::tree::{OpeningTree, Tally};
use chessdb::{Converter, Database, Game, LossKind};
use chessdb_testkit::rng::Rng;

use crate::index::{copy, suffixes_of_games};

/// Length of the header of a tree file.
const HEADER_SIZE: usize = 4096;

pub(crate) fn open(base: &Path) -> Database {
    Database::options().index(true).open(base).unwrap()
}

/// Returns the moves of a tree with all numbers, in order, and the numbers of the root.
pub(crate) fn numbers(tree: &OpeningTree) -> (Tally, Vec<(String, Tally)>) {
    let moves = tree.moves(tree.root());
    let moves = moves.map(|node| (tree.uci(node), tree.tally(node)));
    (tree.tally(tree.root()), moves.collect())
}

pub(crate) fn games(db: &Database) -> Vec<Option<Game>> {
    let len = db.len().unwrap();
    (0..len).map(|game| db.game(game).ok()).collect()
}

/// Counts the moves in a position by reading all games.
pub(crate) fn scan(games: &[Option<Game>], board: &Board) -> OpeningTree {
    let mut tree = OpeningTree::new(board.clone(), 1);
    for (index, game) in (0..).zip(games) {
        if let Some(line) = game.as_ref().and_then(|game| tree.line(game)) {
            tree.add(index, &line);
        }
    }
    tree
}

/// Makes a tree of an answer and of the games that it does not count.
fn completed(found: &PositionMoves, games: &[Option<Game>], board: &Board) -> OpeningTree {
    let mut tree = OpeningTree::new(board.clone(), 1);
    found.add_to(&mut tree);
    // The result does not depend on the order.
    for &index in found.uncounted.iter().rev() {
        let game = games[index as usize].as_ref();
        if let Some(line) = game.and_then(|game| tree.line(game)) {
            tree.add(index, &line);
        }
    }
    tree
}

/// Returns whether a move was played when a position first occurred in a game.
pub(crate) fn is_in(game: &Game, board: &Board, mv: PackedMove) -> bool {
    let key = board.placement_key();
    let mut mainline = game.positions().zip(game.mainline());
    let here = mainline.find(|(here, _)| here.placement_key() == key);
    here.is_some_and(|(_, played)| played == mv)
}

/// Compares the answers for all positions of the games with a scan. Returns how many the file
/// answers.
fn compare(db: &Database, context: &str) -> usize {
    compare_grown(db, db.len().unwrap(), context)
}

/// Like [`compare`], for a database of which the file has the first games.
fn compare_grown(db: &Database, covered: u32, context: &str) -> usize {
    let games = games(db);
    let start = db.position_moves(&Board::standard()).unwrap();
    let is_counted = |number: u32| {
        let game = games[number as usize].as_ref();
        !start.uncounted.contains(&number)
            && game.is_some_and(|game| game.has_standard_rules() && game.has_known_start())
    };
    let mut boards: BTreeMap<u64, (Board, u64)> = BTreeMap::new();
    for (number, game) in (0..).zip(&games) {
        let Some(game) = game else { continue };
        let mut own = BTreeMap::new();
        for board in game.positions() {
            own.entry(board.placement_key()).or_insert(board);
        }
        for (key, board) in own {
            let is_chosen = is_counted(number) && number < covered;
            boards.entry(key).or_insert((board, 0)).1 += u64::from(is_chosen);
        }
    }
    let mut answered = 0;
    for (board, count) in boards.values() {
        let found = db.position_moves(board);
        let is_stored = *count >= 2 && board.occupied().len() >= 20;
        assert_eq!(found.is_some(), is_stored, "{context}: {count} {board}");
        let Some(found) = found else { continue };
        answered += 1;
        // Positions of many games are few, so all of them are compared.
        if *count < 3 && answered % 8 != 0 {
            continue;
        }
        // The games that have the position, too, are those of a search.
        let query: Query = format!("fen:\"{board}\"").parse().unwrap();
        assert!(query.exact_position().is_some());
        let readable = games.iter().flatten();
        let searched = readable.filter(|game| query.matches(game)).count() as u64;
        let unread = found.uncounted.iter();
        let unread = unread.filter_map(|&game| games[game as usize].as_ref());
        let unread = unread.filter(|game| query.matches(game)).count() as u64;
        assert_eq!(found.games() + unread, searched, "{context}: {board}");
        let expected = scan(&games, board);
        let tree = completed(&found, &games, board);
        assert_eq!(numbers(&tree), numbers(&expected), "{context}: {board}");
        for played in &found.moves {
            let numbers = 0..games.len() as u32;
            let numbers = numbers.filter(|&number| {
                let game = games[number as usize].as_ref();
                is_counted(number) && game.is_some_and(|game| is_in(game, board, played.mv))
            });
            let mut numbers: Vec<u32> = numbers.collect();
            assert_eq!(numbers[0], played.first_game, "{context}: {board}");
            // A stable sort: among equals the first game comes first.
            let rating = |game: &Game, color| game.rating(color).map_or(0, |rating| rating.value);
            numbers.sort_by_key(|&number| {
                let game = games[number as usize].as_ref().unwrap();
                let both = Color::ALL.map(|color| u32::from(rating(game, color)));
                std::cmp::Reverse(both[0] + both[1])
            });
            numbers.truncate(3);
            assert_eq!(numbers, played.best, "{context}: {board}");
        }
    }
    answered
}

#[test]
fn answers_are_those_of_a_scan_in_every_format() {
    let folder = tempfile::tempdir().unwrap();
    for suffix in suffixes_of_games() {
        let base = copy(folder.path(), suffix);
        assert_eq!(open(&base).position_moves(&Board::standard()), None);
        let index = open(&base).write_index(|_| {}).unwrap();
        let db = open(&base);
        assert_eq!(db.tree_indexed(), None);
        let answered = compare(&db, suffix);
        assert!(answered > 5, "{suffix}: {answered}");
        assert_eq!(db.tree_indexed(), Some(&IndexUse::Used), "{suffix}");
        // Not requested.
        let plain = Database::open(&base).unwrap();
        assert_eq!(plain.position_moves(&Board::standard()), None);
        let tree = index.with_extension("chessdb-tree");
        assert!(tree.is_file());
        fs::remove_file(tree).unwrap();
        assert_eq!(open(&base).position_moves(&Board::standard()), None);
    }
}

/// Returns random games as PGN: few openings and many returns to earlier positions, other start
/// positions, variants, null moves, damaged and empty games.
pub(crate) fn random_pgn(games: usize, seed: u64) -> String {
    let mut rng = Rng::new(seed);
    let mut text = String::new();
    for _ in 0..games {
        let kind = rng.below(20);
        let result = ["1-0", "0-1", "1/2-1/2", "*"][rng.below(4)];
        for (tag, values) in [
            ("WhiteElo", ["", "2400", "2500", "2600"]),
            ("BlackElo", ["", "2350", "2500", "2800"]),
            ("Date", ["", "1899.??.??", "1972.07.11", "2024.01.01"]),
        ] {
            let value = values[rng.below(4)];
            if !value.is_empty() {
                text += &format!("[{tag} \"{value}\"]\n");
            }
        }
        let mut board = Board::standard();
        match kind {
            0 => text += "[Variant \"Crazyhouse\"]\n",
            1 => {
                let fen = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3";
                text += &format!("[SetUp \"1\"]\n[FEN \"{fen}\"]\n");
                board = fen.parse().unwrap();
            }
            5 => {
                let fen = "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9";
                text += &format!("[Variant \"Chess960\"]\n[SetUp \"1\"]\n[FEN \"{fen}\"]\n");
                board = chessdb::core::Setup::from_fen(fen.as_bytes())
                    .unwrap()
                    .0
                    .board;
            }
            2 => text += "[SetUp \"1\"]\n[FEN \"nonsense\"]\n",
            _ => {}
        }
        text += &format!("[Result \"{result}\"]\n\n");
        let mut legal = Vec::new();
        if kind == 6 {
            for san in ["Nf3", "Nf6", "Ng1", "Ng8", "Nf3", "Nf6"] {
                text += &format!("{san} ");
                let mv = chessdb::core::rules::read_san(&board, san.as_bytes()).unwrap();
                board.play(mv);
            }
        }
        for ply in 0..rng.below(14) {
            legal.clear();
            chessdb::core::rules::legal_moves(&board, &mut legal);
            if legal.is_empty() {
                break;
            }
            // Few moves, so that positions repeat.
            legal.sort();
            let few = legal.len().min(if ply < 6 { 2 } else { 4 });
            let last = legal.len() - 1 - rng.below(few);
            let mv = legal[last];
            let san = chessdb::core::rules::san(&board, mv);
            if kind == 3 && ply == 5 {
                text += "-- -- ";
                board.play(PackedMove::NULL);
                board.play(PackedMove::NULL);
            }
            if kind == 4 && ply == 7 {
                text += "Qxh9# Ke5 ";
            }
            text += &format!("{san} ");
            if rng.below(6) == 0 {
                // A line that leads to a mainline position of other games does not count.
                text += &format!("({san} {{ or }} -- --) ");
            }
            board.play(mv);
        }
        text += result;
        text += "\n\n";
    }
    text
}

/// Adds the games of a text to a database of any format.
pub(crate) fn add(text: &str, base: &Path, append: bool) {
    let source = Database::options().open_files([("random.pgn", text.as_bytes())]);
    let source = source.unwrap();
    let converter = Converter::to(base).append(append);
    let converter = converter.allow(LossKind::ALL.iter().copied());
    converter.add_database(&source).run().unwrap();
}

#[test]
fn answers_are_those_of_a_scan_in_random_games() {
    let folder = tempfile::tempdir().unwrap();
    for (seed, suffix) in (0..).zip(["pgn", "pgn", "si4", "si5", "cbh", "cbf", "cbl"]) {
        let base = folder.path().join(format!("random{seed}.{suffix}"));
        match suffix {
            "pgn" => fs::write(&base, random_pgn(300, seed)).unwrap(),
            _ => add(&random_pgn(300, seed), &base, false),
        }
        let index = open(&base).write_index(|_| {}).unwrap();
        let db = open(&base);
        let found = db.position_moves(&Board::standard()).unwrap();
        // Other formats store games with an illegal move up to there.
        let listed = found.uncounted.len();
        assert!(listed > 2 || suffix != "pgn", "{suffix}: {listed}");
        assert!(found.ended.games > 2, "empty games end there");
        let answered = compare(&db, &format!("{suffix} {seed}"));
        assert!(answered > 100, "{suffix} {seed}: {answered}");
        // Written again, the file is the same, with any number of threads.
        let tree = index.with_extension("chessdb-tree");
        let before = fs::read(&tree).unwrap();
        for (jobs, is_new) in [(1, true), (3, true), (2, false)] {
            if is_new {
                fs::remove_file(&tree).unwrap();
            }
            let db = Database::options().jobs(jobs).open(&base).unwrap();
            db.write_index(|_| {}).unwrap();
            assert!(fs::read(&tree).unwrap() == before, "{seed} {jobs}");
        }
    }
}

#[test]
fn a_database_that_grows_is_answered_and_indexed_again_from_there() {
    let folder = tempfile::tempdir().unwrap();
    for (seed, suffix) in (20..).zip(["pgn", "si4", "si5", "cbh"]) {
        let base = folder.path().join(format!("grown.{suffix}"));
        add(&random_pgn(240, seed), &base, false);
        let index = open(&base).write_index(|_| {}).unwrap();
        let tree = index.with_extension("chessdb-tree");
        let mut chosen = open(&base).len().unwrap();
        let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        let questions = [
            format!("fen:\"{fen}\""),
            "sub:Nf3".to_owned(),
            "sub:\"Nf3 nf6\" result:1-0".to_owned(),
            "pattern:*/*/*/*/3P*/*/*/* year:1972".to_owned(),
        ];
        let questions = questions.map(|text| text.parse::<Query>().unwrap());
        for round in 0..3 {
            let context = format!("{suffix} {round}");
            let covered = open(&base).len().unwrap();
            add(&random_pgn(20, 90 + round), &base, true);
            // Without the list of changes it is as if another program had added the games.
            fs::remove_file(index.with_extension("chessdb-changes")).unwrap();
            let db = open(&base);
            let games = db.len().unwrap();
            assert!(games > covered);
            if suffix == "cbh" {
                // Its files change elsewhere, too.
                assert_eq!(db.position_moves(&Board::standard()), None);
                break;
            }
            assert_eq!(*db.indexed(), IndexUse::Partial(index.clone(), covered));
            let found = db.position_moves(&Board::standard()).unwrap();
            assert!(found.uncounted.contains(&(games - 1)), "{context}");
            assert!(compare_grown(&db, chosen, &context) > 50);
            let state = IndexUse::Partial(tree.clone(), covered);
            assert_eq!(db.tree_indexed(), Some(&state));
            assert!(crate::search::ask(&db, &questions) > 50, "{context}");
            // Damage in an old file is not taken over.
            if round == 1 {
                let mut bytes = fs::read(&tree).unwrap();
                let at = bytes.len() / 2;
                bytes[at] ^= 1;
                fs::write(&tree, bytes).unwrap();
            }
            db.write_index(|_| {}).unwrap();
            let db = open(&base);
            assert_eq!(*db.indexed(), IndexUse::Used, "{context}");
            // After damage the positions are chosen from all games.
            if round == 1 {
                chosen = games;
            }
            assert!(compare_grown(&db, chosen, &context) > 50);
            crate::search::ask(&db, &questions);
        }
    }
}

#[test]
fn a_damaged_or_old_tree_file_gives_no_wrong_answer() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().join("games.pgn");
    let text = random_pgn(200, 9);
    fs::write(&base, &text).unwrap();
    let tree = open(&base).write_index(|_| {}).unwrap();
    let tree = tree.with_extension("chessdb-tree");
    let good = fs::read(&tree).unwrap();
    let db = open(&base);
    let mut boards = Vec::new();
    for game in games(&db).iter().flatten().step_by(9) {
        boards.extend(game.positions().step_by(3));
    }
    let expected: Vec<_> = boards
        .iter()
        .map(|board| db.position_moves(board))
        .collect();
    let mut rng = Rng::new(3);
    let (mut used, mut refused) = (0, 0);
    for round in 0..300 {
        let mut bytes = good.clone();
        match round % 4 {
            0 => bytes.truncate(rng.below(bytes.len())),
            1 => bytes.extend(vec![0; 1 + rng.below(100)]),
            2 => {
                // The header is a large part of a small file.
                let start = if round % 8 == 2 { HEADER_SIZE } else { 0 };
                bytes[start + rng.below(good.len() - start)] ^= 1 << rng.below(8);
            }
            _ => (0..8).for_each(|_| bytes[rng.below(good.len())] ^= 1),
        }
        fs::write(&tree, &bytes).unwrap();
        let db = open(&base);
        let mut left_out = 0;
        for (board, expected) in boards.iter().zip(&expected) {
            let found = db.position_moves(board);
            assert!(found == *expected || found.is_none(), "{round} {board}");
            left_out += usize::from(found != *expected);
        }
        match db.tree_indexed() {
            Some(IndexUse::Used) => assert_eq!(left_out, 0, "{round}"),
            Some(IndexUse::Damaged(at)) => {
                assert_eq!(*at, tree);
                used += 1;
            }
            Some(IndexUse::Refused(at, _)) => {
                assert_eq!(*at, tree);
                refused += 1;
            }
            state => panic!("{round}: {state:?}"),
        }
    }
    assert!(used > 10 && refused > 100, "{used} {refused}");
    fs::write(&tree, &good).unwrap();
    // A database with another game of the same length.
    let other = text.replacen("1899", "1898", 1);
    assert!(other != text);
    fs::write(&base, other).unwrap();
    let db = open(&base);
    assert_eq!(db.position_moves(&Board::standard()), None);
    let why = "the database has changed since it was built".to_owned();
    let expected = IndexUse::Refused(tree.clone(), why);
    assert_eq!(db.tree_indexed(), Some(&expected));
    fs::remove_file(&tree).unwrap();
    fs::create_dir(&tree).unwrap();
    let error = open(&base).write_index(|_| {}).unwrap_err();
    assert!(error.to_string().contains("chessdb-tree"), "{error}");
}
