//! Genuine books, compared with the figures of the format pages.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use chessdb_book::chessdb_core::board::MoveKind;
use chessdb_book::chessdb_core::files::Role;
use chessdb_book::chessdb_core::options::Mode;
use chessdb_book::chessdb_core::{Board, FileSet, MemorySet, ReadOptions, Scratch};
use chessdb_book::ctg::{Orientation, StoredBoard};
use chessdb_book::polyglot::{PolyglotEntry, to_bytes};
use chessdb_book::{
    ABK_FILE, BIN_FILE, Book, BookEntry, BookPosition, BookTree, CTB_FILE, CTG_FILE, CTO_FILE,
    to_polyglot, tree_game,
};
use chessdb_testkit::fixtures::{self, load_set};

const CTG: [Role; 3] = [CTG_FILE, CTO_FILE, CTB_FILE];
const PERFECT: &str = "fixtures-real/books/perfect2021/Perfect_2021";

fn load(folder: &str, name: &str, roles: &[Role]) -> Option<MemorySet> {
    Some(load_set(
        fixtures::testdata(folder)?.join(Path::new(name)),
        roles,
    ))
}

fn strict() -> ReadOptions {
    ReadOptions::default().with_mode(Mode::Strict)
}

/// Returns all stored positions of a CTG book with their offsets.
fn stored(book: &Book<'_>) -> Vec<(u64, Board)> {
    let mut all = Vec::new();
    book.each_position(&mut Scratch::new(), &mut |id, position| {
        let BookPosition::Board(board) = position else {
            panic!()
        };
        all.push((id, *board));
    })
    .unwrap();
    all
}

/// Every position encodes to its bytes and is found through the table in its page; every move is
/// legal and leads to a position of the book. Strict reading reports anything else.
#[test]
fn every_position_and_move_of_ctg_books() {
    for (folder, name, positions, moves) in [
        ("fixtures-real/books/ctgexporter", "simple", 4, 3),
        ("fixtures-real/books/made-ctg", "made", 4_201, 4_204),
        (PERFECT, "CTG/Perfect2021", 104_224, 112_290),
    ] {
        let Some(set) = load(folder, name, &CTG) else {
            return;
        };
        let bytes = set.get(CTG_FILE).unwrap();
        let mut scratch = Scratch::new();
        let book = Book::open(&set, strict(), &mut scratch).unwrap();
        assert_eq!(book.positions(), positions, "{name}");
        println!(
            "{name}: {} positions, {} moves",
            book.positions(),
            book.moves()
        );
        let mut entry = BookEntry::new();
        let (mut count, mut notes) = (0, 0);
        for (offset, board) in stored(&book) {
            let (again, orientation) = StoredBoard::from_board(&board).unwrap();
            assert_eq!(orientation, Orientation::default());
            assert!(
                bytes[offset as usize..].starts_with(again.bytes()),
                "{name} {offset:#x}"
            );
            assert!(book.lookup(&board, &mut entry, &mut scratch).unwrap());
            assert_eq!(entry.id, offset);
            count += entry.moves.len() as u64;
            notes += entry
                .moves
                .iter()
                .filter(|choice| choice.statistics.is_none())
                .count();
        }
        assert_eq!((count, book.moves(), notes), (moves, moves, 0), "{name}");
    }
}

/// Returns the Polyglot keys of all positions that each entry serves, with the position.
fn keys(book: &Book<'_>) -> HashMap<u64, Board> {
    let mut keys = HashMap::new();
    for (_, board) in stored(book) {
        for orientation in Orientation::ALL {
            if orientation.mirrored && board.has_castling_rights() {
                continue;
            }
            let turned = orientation.board(&board);
            keys.insert(turned.polyglot_key(), turned);
        }
    }
    keys
}

#[test]
fn a_ctg_book_agrees_with_its_polyglot_twin() {
    let Some(set) = load(PERFECT, "CTG/Perfect2021", &CTG) else {
        return;
    };
    let twin = load(PERFECT, "BIN/Perfect2021", &[BIN_FILE]).unwrap();
    let mut scratch = Scratch::new();
    let book = Book::open(&set, strict(), &mut scratch).unwrap();
    let twin = Book::open(&twin, strict(), &mut scratch).unwrap();
    assert_eq!((twin.positions(), twin.moves()), (4_065, 5_387));
    let keys = keys(&book);
    let (mut entry, mut other) = (BookEntry::new(), BookEntry::new());
    let (mut positions, mut shared, mut green) = (0, 0, 0);
    let (mut lacked, mut lacked_dubious, mut rest, mut rest_there) = (0, 0, 0, 0);
    let seen: HashSet<u64> = twin.polyglot_entries().map(|entry| entry.key).collect();
    for board in seen.iter().filter_map(|key| keys.get(key)) {
        positions += 1;
        assert!(book.lookup(board, &mut entry, &mut scratch).unwrap());
        assert!(twin.lookup(board, &mut other, &mut scratch).unwrap());
        for choice in &entry.moves {
            let is_there = other.moves.iter().any(|other| other.mv == choice.mv);
            let is_main = choice.recommendation.is_main();
            shared += u32::from(is_there);
            green += u32::from(is_there && is_main);
            lacked += u32::from(!is_there && is_main);
            lacked_dubious += u32::from(!is_there && is_main && choice.nag == 6);
            rest += u32::from(!is_main);
            rest_there += u32::from(is_there && !is_main);
        }
    }
    assert_eq!((positions, shared), (4_063, 5_374));
    assert_eq!(green, 5_371);
    assert_eq!((lacked, lacked_dubious), (1_226, 1_030));
    assert_eq!((rest, rest_there), (3_238, 3));
}

#[test]
fn results_and_ratings_of_a_ctg_book() {
    let Some(set) = load(PERFECT, "CTG/Perfect2021", &CTG) else {
        return;
    };
    let mut scratch = Scratch::new();
    let book = Book::open(&set, strict(), &mut scratch).unwrap();
    let mut entry = BookEntry::new();
    assert!(
        book.lookup(&Board::standard(), &mut entry, &mut scratch)
            .unwrap()
    );
    assert_eq!(entry.facts.map(|facts| facts.games), Some(72_827));
    assert_eq!(book.games(), Some(72_827));
    let (mut five, mut fewer, mut averages) = (0, 0, Vec::new());
    for (_, board) in stored(&book) {
        assert!(book.lookup(&board, &mut entry, &mut scratch).unwrap());
        let facts = entry.facts.unwrap();
        assert!(facts.results.total() <= facts.games, "{board}");
        fewer += u32::from(facts.results.total() < facts.games);
        five += u32::from(facts.unknown == 5 * facts.games);
        averages.extend(facts.ratings.iter().filter_map(|sum| sum.average()));
    }
    assert_eq!(five, 61_884);
    let share = f64::from(fewer) / 104_224.0;
    println!(
        "{fewer} positions with games without a result ({:.1} %)",
        100.0 * share
    );
    println!(
        "{} averages, {:?}",
        averages.len(),
        (averages.iter().min(), averages.iter().max())
    );
    assert!((0.13..0.14).contains(&share));
    assert!(
        averages
            .iter()
            .all(|average| (3_200..3_800).contains(average))
    );
}

/// The positions of a book that was made from the first 60 half-moves of lines have the number of
/// lines through them.
#[test]
fn a_made_ctg_book_has_the_counts_of_its_lines() {
    let folder = "fixtures-real/books/made-ctg";
    let Some(set) = load(folder, "made", &CTG) else {
        return;
    };
    let lines = fixtures::read(fixtures::testdata(folder).unwrap().join("lines.txt"));
    let lines = String::from_utf8(lines).unwrap();
    let mut counts: HashMap<Vec<u8>, (u32, Board)> = HashMap::new();
    for line in lines.lines() {
        let moves: Vec<&str> = line.split_whitespace().skip(1).take(60).collect();
        let mut builder = chessdb_book::chessdb_core::Game::builder();
        for uci in moves {
            builder = builder.uci(uci).unwrap();
        }
        let mut of_game = HashSet::new();
        let game = builder.build();
        let mut boards = vec![game.start_board()];
        let mut board = game.start_board();
        for mv in game.mainline() {
            board.play(mv);
            boards.push(board.clone());
        }
        for board in boards {
            let (stored, _) = StoredBoard::from_board(&board).unwrap();
            if of_game.insert(stored.bytes().to_vec()) {
                counts
                    .entry(stored.bytes().to_vec())
                    .or_insert((0, board))
                    .0 += 1;
            }
        }
    }
    let mut scratch = Scratch::new();
    let book = Book::open(&set, strict(), &mut scratch).unwrap();
    assert_eq!(book.positions(), counts.len() as u64);
    let mut entry = BookEntry::new();
    let mut differing = 0;
    for (games, board) in counts.values() {
        assert!(
            book.lookup(board, &mut entry, &mut scratch).unwrap(),
            "{board}"
        );
        differing += u32::from(entry.facts.unwrap().games != *games);
    }
    println!(
        "{} positions, {differing} with another number of games",
        counts.len()
    );
    assert_eq!(differing, 0);
}

#[test]
fn polyglot_books_have_their_positions() {
    for (folder, name, entries, positions, reached) in [
        (
            "fixtures-real/other/polyglot",
            "gm2001",
            30_416,
            23_813,
            22_730,
        ),
        (
            "fixtures-real/other/polyglot",
            "clon2180",
            4_053,
            2_962,
            2_299,
        ),
    ] {
        let Some(set) = load(folder, name, &[BIN_FILE]) else {
            return;
        };
        let mut scratch = Scratch::new();
        let book = Book::open(&set, strict(), &mut scratch).unwrap();
        assert_eq!(
            (book.moves(), book.positions()),
            (entries, positions),
            "{name}"
        );
        let counts = book
            .walk(&Board::standard(), &mut scratch, &mut |_| {})
            .unwrap();
        assert_eq!(counts.entries, reached, "{name}");
        let (mut copy, losses) = to_polyglot(&book, &mut scratch).unwrap();
        assert!(losses.is_empty());
        let mut original: Vec<PolyglotEntry> = book.polyglot_entries().collect();
        assert_eq!(to_bytes(&mut copy).len(), set.get(BIN_FILE).unwrap().len());
        original.sort_by_key(|entry| (entry.key, std::cmp::Reverse(entry.weight), entry.mv));
        assert!(original == copy);
    }
}

/// Perfect2021 has remains of 28 lines that were removed.
#[test]
fn every_move_of_abk_books_is_legal() {
    for (folder, name, moves, unreached, castlings) in [
        (
            "fixtures-real/other/abk",
            "libra8",
            140_787,
            0,
            Some(12_874),
        ),
        (PERFECT, "ABK/Perfect2021", 9_142, 429, None),
    ] {
        let Some(set) = load(folder, name, &[ABK_FILE]) else {
            return;
        };
        let mut scratch = Scratch::new();
        let book = Book::open(&set, strict(), &mut scratch).unwrap();
        assert_eq!(
            (book.moves(), book.unreached_moves()),
            (moves, unreached),
            "{name}"
        );
        let mut castled = 0;
        let counts = book.walk(&Board::standard(), &mut scratch, &mut |step| {
            let kinds = [MoveKind::CastleShort, MoveKind::CastleLong];
            castled += u32::from(
                step.mv
                    .is_some_and(|choice| kinds.contains(&choice.mv.kind())),
            );
        });
        let counts = counts.unwrap();
        println!("{name}: {counts:?}, {castled} castlings in different positions");
        assert_eq!((counts.unreached, counts.entries), (0, book.positions()));
        assert!(castlings.is_none_or(|all| castled > 0 && castled <= all));
    }
}

/// No move of a large book is lost in games, although they are several.
#[test]
fn a_large_book_becomes_games_with_all_moves() {
    let Some(set) = load(PERFECT, "CTG/Perfect2021", &CTG) else {
        return;
    };
    let mut scratch = Scratch::new();
    let book = Book::open(&set, strict(), &mut scratch).unwrap();
    let tree = BookTree::new(&book, &Board::standard(), u32::MAX, &mut scratch).unwrap();
    println!("{:?}", tree.counts());
    let (mut games, mut moves, mut most_plies) = (0, 0, 0);
    let losses = tree_game(&tree, |game| {
        games += 1;
        moves += game.moves.plies() as usize;
        most_plies = most_plies.max(game.moves.plies());
    });
    println!(
        "{games} games with {moves} moves, at most {most_plies}; {} in the tree",
        tree.len()
    );
    println!("{:?}", losses.iter().collect::<Vec<_>>());
    assert_eq!(losses.count(chessdb_book::BookLoss::Lines), 0);
    assert!(moves >= tree.len() && most_plies < 60_000);
}
