//! Books made for the tests: every position and move comes back.

use std::collections::BTreeMap;

use chessdb_book::chessdb_core::board::MoveKind;
use chessdb_book::chessdb_core::compare::first_difference;
use chessdb_book::chessdb_core::options::Mode;
use chessdb_book::chessdb_core::{
    Board, FileSet, Game, MemorySet, Outcome, PackedMove, ReadOptions, Scratch, Severity, Square,
};
use chessdb_book::ctg::{Orientation, StoredBoard};
use chessdb_book::polyglot::{PolyglotEntry, polyglot_move, to_bytes};
use chessdb_book::{
    ABK_FILE, BIN_FILE, Book, BookEntry, BookLoss, BookMaker, BookTree, CTB_FILE, CTO_FILE,
    MakeOptions, Results, to_polyglot, tree_game,
};
use proptest::prelude::*;

use crate::common::{LINES, abk, ctg, polyglot, positions};

/// The positions of all lines with the number of times that each move is played there.
fn expected() -> Vec<(Board, BTreeMap<PackedMove, u32>)> {
    let mut all: Vec<(Board, BTreeMap<PackedMove, u32>)> = Vec::new();
    for &(line, _) in LINES {
        for (board, mv) in positions(line) {
            let key = board.polyglot_key();
            let index = all
                .iter()
                .position(|(other, _)| other.polyglot_key() == key)
                .unwrap_or_else(|| {
                    all.push((board, BTreeMap::new()));
                    all.len() - 1
                });
            let moves = &mut all[index].1;
            *moves.entry(mv).or_default() += 1;
        }
    }
    all
}

fn strict() -> ReadOptions {
    ReadOptions::default().with_mode(Mode::Strict)
}

#[test]
fn every_move_of_every_position_is_found() {
    for (set, has_games) in [(ctg(), true), (polyglot(), false), (abk(), true)] {
        let mut scratch = Scratch::new();
        let book = Book::open(&set, strict(), &mut scratch).unwrap();
        let format = book.format();
        let mut entry = BookEntry::new();
        for (board, moves) in expected() {
            assert!(
                book.lookup(&board, &mut entry, &mut scratch).unwrap(),
                "{format}: {board}"
            );
            let mut book_moves: Vec<_> = entry.moves.iter().map(|choice| choice.mv).collect();
            book_moves.sort();
            assert!(
                book_moves.iter().eq(moves.keys()),
                "{format}: {board} {book_moves:?} {moves:?}"
            );
            assert!(
                entry
                    .moves
                    .is_sorted_by(|one, next| one.weight >= next.weight)
            );
        }
        let start = Board::standard();
        assert!(book.lookup(&start, &mut entry, &mut scratch).unwrap());
        let games = entry.moves[0].statistics.map(|statistics| statistics.games);
        assert_eq!(games, has_games.then_some(3), "{format}");
        let unknown: Board = "8/8/4k3/8/8/4K3/4P3/8 w - - 0 1".parse().unwrap();
        assert!(!book.lookup(&unknown, &mut entry, &mut scratch).unwrap());
        assert!(entry.moves.is_empty() && entry.facts.is_none());
        let counts = book.walk(&start, &mut scratch, &mut |_| {}).unwrap();
        assert_eq!(
            (counts.unreached, book.unreached_moves()),
            (0, 0),
            "{format}"
        );
        assert_eq!(counts.entries, book.positions(), "{format}");
    }
}

#[test]
fn a_ctg_book_is_read_without_its_table_and_with_a_wrong_one() {
    let whole = ctg();
    let answers = |set: &MemorySet, findings: usize| {
        let mut scratch = Scratch::new();
        let book = Book::open(set, ReadOptions::default(), &mut scratch).unwrap();
        assert_eq!(
            scratch.diagnostics.len(),
            findings,
            "{:?}",
            scratch.diagnostics
        );
        let lost = scratch
            .diagnostics
            .iter()
            .filter(|diagnostic| diagnostic.severity == Severity::Lost);
        assert_eq!(lost.count(), 0);
        let mut all = Vec::new();
        book.walk(&Board::standard(), &mut scratch, &mut |step| {
            all.push((
                step.board.to_string(),
                step.entry.map(|entry| entry.moves.clone()),
            ));
        })
        .unwrap();
        all
    };
    let right = answers(&whole, 0);
    let mut set = whole.clone();
    set.remove(CTB_FILE);
    assert_eq!(answers(&set, 1), right);
    set.remove(CTO_FILE);
    assert_eq!(answers(&set, 1), right);
    // Both pages exchanged: each is listed, but not where the hashes lead to.
    let mut set = whole.clone();
    set.get_mut(CTO_FILE).unwrap()[16..]
        .copy_from_slice(&[255, 255, 255, 255, 0, 0, 0, 1, 0, 0, 0, 0]);
    assert_eq!(answers(&set, 1), right);
    // One page twice.
    set.get_mut(CTO_FILE).unwrap()[27] = 1;
    assert_eq!(answers(&set, 1), right);
    assert!(Book::open(&set, strict(), &mut Scratch::new()).is_err());
}

/// A finding names the file that is missing, cut or wrong.
#[test]
fn findings_name_the_file() {
    let outcome = |change: &dyn Fn(&mut MemorySet)| {
        let mut set = ctg();
        change(&mut set);
        let mut scratch = Scratch::new();
        Book::open(&set, ReadOptions::default(), &mut scratch).unwrap();
        let messages = scratch.diagnostics.iter().map(ToString::to_string);
        let strictly = Book::open(&set, strict(), &mut Scratch::new());
        let error = strictly.map_or_else(|error| error.to_string(), |_| String::new());
        (messages.collect::<Vec<_>>().join("\n"), error)
    };
    let cut = |role, by: usize| {
        outcome(&move |set: &mut MemorySet| {
            let file = set.get_mut(role).unwrap();
            file.truncate(file.len() - by);
        })
    };
    assert_eq!(outcome(&|_| ()), (String::new(), String::new()));
    for (role, name) in [(CTO_FILE, "cto file"), (CTB_FILE, "ctb file")] {
        let missing = outcome(&|set| drop(set.remove(role)));
        for (messages, error) in [missing, cut(role, 1), cut(role, 8), cut(role, 12)] {
            assert!(
                messages.contains(name) && !messages.contains('\n'),
                "{messages}"
            );
            assert!(error.contains(name), "{error}");
        }
    }
    let (messages, error) = outcome(&|set| set.get_mut(CTB_FILE).unwrap()[12] ^= 2);
    assert!(
        messages.contains("ctb file") && error.contains("ctb file"),
        "{messages}"
    );
}

#[test]
fn a_ctg_entry_has_its_facts_for_the_real_side_to_move() {
    let set = ctg();
    let mut scratch = Scratch::new();
    let book = Book::open(&set, strict(), &mut scratch).unwrap();
    let mut entry = BookEntry::new();
    let mut board = Board::standard();
    assert!(book.lookup(&board, &mut entry, &mut scratch).unwrap());
    let facts = entry.facts.unwrap();
    // One line comes back to the start.
    assert_eq!(facts.games, 6);
    assert_eq!(
        facts.results,
        Results {
            wins: 2,
            draws: 3,
            losses: 1
        }
    );
    assert_eq!((facts.nag, facts.value), (14, Some(-3)));
    assert_eq!(facts.ratings[0].average(), Some(2500));
    // 1.e4 was won twice and drawn once, for the side that plays it and for White.
    let e4 = entry.moves[0];
    assert_eq!(
        e4.statistics.unwrap().results,
        Results {
            wins: 2,
            draws: 1,
            losses: 0
        }
    );
    assert_eq!(e4.weight, 5);
    board.play(e4.mv);
    assert!(book.lookup(&board, &mut entry, &mut scratch).unwrap());
    let facts = entry.facts.unwrap();
    assert_eq!(
        facts.results,
        Results {
            wins: 0,
            draws: 1,
            losses: 2
        }
    );
    // "Slightly better for the side to move" is now better for Black.
    assert_eq!(facts.nag, 15);
}

#[test]
fn one_ctg_entry_serves_all_mirror_images() {
    let set = ctg();
    let mut scratch = Scratch::new();
    let book = Book::open(&set, strict(), &mut scratch).unwrap();
    let (mut entry, mut other) = (BookEntry::new(), BookEntry::new());
    for (board, _) in expected() {
        assert!(book.lookup(&board, &mut entry, &mut scratch).unwrap());
        for orientation in Orientation::ALL {
            if orientation.mirrored && board.has_castling_rights() {
                continue;
            }
            let turned = orientation.board(&board);
            assert!(book.lookup(&turned, &mut other, &mut scratch).unwrap());
            assert_eq!(other.id, entry.id);
            let moves = entry.moves.iter().map(|choice| orientation.mv(choice.mv));
            assert!(
                moves.eq(other.moves.iter().map(|choice| choice.mv)),
                "{turned}"
            );
        }
    }
}

#[test]
fn a_conversion_to_polyglot_has_all_moves_and_counts_its_losses() {
    for set in [ctg(), abk(), polyglot()] {
        let mut scratch = Scratch::new();
        let book = Book::open(&set, strict(), &mut scratch).unwrap();
        let (mut entries, losses) = to_polyglot(&book, &mut scratch).unwrap();
        let is_copy = set.get(BIN_FILE).is_some();
        assert_eq!(losses.is_empty(), is_copy);
        assert_eq!(losses.count(BookLoss::Unreached), 0);
        let mut files = MemorySet::new();
        files.insert(BIN_FILE, to_bytes(&mut entries));
        if is_copy {
            assert_eq!(files, set);
        }
        let copy = Book::open(&files, strict(), &mut scratch).unwrap();
        let mut entry = BookEntry::new();
        for (board, moves) in expected() {
            assert!(copy.lookup(&board, &mut entry, &mut scratch).unwrap());
            assert_eq!(entry.moves.len(), moves.len());
        }
    }
}

#[test]
fn unreached_entries_of_a_ctg_book_are_converted_too() {
    // Without the first moves nothing but the start can be reached.
    let mut set = ctg();
    let (start, _) = StoredBoard::from_board(&Board::standard()).unwrap();
    let bytes = set.get_mut(chessdb_book::CTG_FILE).unwrap();
    let offset = bytes
        .windows(start.bytes().len())
        .position(|part| part == start.bytes());
    let moves = offset.unwrap() + start.bytes().len() + 1;
    // A code without a meaning, three times.
    for n in 0..3 {
        bytes[moves + 2 * n] = 2;
    }
    let mut scratch = Scratch::new();
    let book = Book::open(&set, ReadOptions::default(), &mut scratch).unwrap();
    let counts = book
        .walk(&Board::standard(), &mut scratch, &mut |_| {})
        .unwrap();
    assert_eq!(
        (counts.entries, counts.unreached),
        (1, book.positions() - 1)
    );
    assert_eq!(scratch.diagnostics.len(), 3);
    let (entries, _) = to_polyglot(&book, &mut scratch).unwrap();
    for (board, moves) in expected().into_iter().skip(1) {
        let key = board.polyglot_key();
        let count = entries.iter().filter(|entry| entry.key == key).count();
        assert_eq!(count, moves.len(), "{board}");
    }
}

#[test]
fn castling_is_read_in_both_spellings() {
    let board: Board = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1".parse().unwrap();
    for (file, kind) in [
        (7, MoveKind::CastleShort),
        (6, MoveKind::CastleShort),
        (0, MoveKind::CastleLong),
        (2, MoveKind::CastleLong),
        (5, MoveKind::Normal),
    ] {
        // From e1 to this file of the first rank.
        let bits = 4 << 6 | file;
        let entry = PolyglotEntry {
            key: 0,
            mv: bits,
            weight: 0,
            learn: 0,
        };
        assert_eq!(entry.legal_move(&board).map(PackedMove::kind), Some(kind));
    }
    let square = |name: &str| Square::from_ascii(name.as_bytes()).unwrap();
    let short = PackedMove::new(square("e1"), square("g1"), MoveKind::CastleShort);
    assert_eq!(polyglot_move(&board, short), 4 << 6 | 7);
}

#[test]
fn an_unsorted_polyglot_book_is_read() {
    let set = polyglot();
    let mut entries: Vec<_> = set.get(BIN_FILE).unwrap().as_chunks::<16>().0.to_vec();
    entries.reverse();
    let mut other = MemorySet::new();
    other.insert(BIN_FILE, entries.as_flattened());
    let mut scratch = Scratch::new();
    let book = Book::open(&other, ReadOptions::default(), &mut scratch).unwrap();
    assert_eq!(scratch.diagnostics.len(), 1);
    let mut entry = BookEntry::new();
    for (board, moves) in expected() {
        assert!(book.lookup(&board, &mut entry, &mut scratch).unwrap());
        assert_eq!(entry.moves.len(), moves.len());
    }
    assert!(Book::open(&other, strict(), &mut scratch).is_err());
}

#[test]
fn a_loop_in_an_arena_book_ends() {
    let mut set = abk();
    let bytes = set.get_mut(ABK_FILE).unwrap();
    // The second move of the first line leads back to the first one, as reply and alternative.
    let offset = 25_200 + 28 + 20;
    bytes[offset..offset + 4].copy_from_slice(&900_i32.to_le_bytes());
    bytes[offset + 4..offset + 8].copy_from_slice(&900_i32.to_le_bytes());
    let mut scratch = Scratch::new();
    let book = Book::open(&set, ReadOptions::default(), &mut scratch).unwrap();
    assert!(!scratch.diagnostics.is_empty());
    assert!(book.unreached_moves() > 0);
}

#[test]
fn a_tree_is_a_game_with_all_moves() {
    let set = ctg();
    let mut scratch = Scratch::new();
    let book = Book::open(&set, strict(), &mut scratch).unwrap();
    let tree = BookTree::new(&book, &Board::standard(), u32::MAX, &mut scratch).unwrap();
    assert_eq!(tree.len() as u64, tree.counts().moves);
    let mut games = Vec::new();
    let losses = tree_game(&tree, |game| games.push(game.clone()));
    assert_eq!(losses.count(BookLoss::Lines), 0);
    let [game] = &games[..] else { panic!() };
    assert_eq!(game.moves.plies() as usize, tree.len());
    assert_eq!(game.sans()[..3], ["e4", "e5", "Nf3"]);
    let text = game.comments().collect::<Vec<_>>();
    assert_eq!(text[0], "6 games +2 =3 -1");
    assert!(
        text[1].starts_with("3 games +2 =1 -0, main move"),
        "{}",
        text[1]
    );
    assert!(text.iter().any(|text| text.contains("transposition")));
    let short = BookTree::new(&book, &Board::standard(), 2, &mut scratch).unwrap();
    let mut again = Vec::new();
    tree_game(&short, |game| again.push(game.clone()));
    assert_eq!(again[0].plies(), 2);
    assert!(first_difference(&again[0], game).is_some());
}

#[test]
fn a_book_made_from_games_has_their_counts() {
    let result = |points| match points {
        2 => Outcome::WhiteWins,
        1 => Outcome::Draw,
        _ => Outcome::BlackWins,
    };
    let game = |line: &str, points: u32| -> Game {
        let builder = Game::builder().result(result(points));
        builder.sans(line.split(' ')).unwrap().build()
    };
    let make = |options| {
        let mut maker = BookMaker::new(options);
        for &(line, points) in LINES {
            maker.add_line(options.line(&game(line, points)));
        }
        maker.finish()
    };
    let all = make(MakeOptions::default());
    assert_eq!((all.games, all.skipped, all.scaled), (5, 0, 0));
    let start = Board::standard().polyglot_key();
    let at_start: Vec<_> = all
        .entries
        .iter()
        .filter(|entry| entry.key == start)
        .collect();
    // 1.e4 has two wins and a draw, 1.Nf3 a draw, 1.d4 a loss.
    let weights: Vec<_> = at_start
        .iter()
        .map(|entry| (entry.mv, entry.weight))
        .collect();
    assert_eq!(weights, [(0x031c, 5), (0o625, 1)]);
    let few = make(MakeOptions {
        min_games: 2,
        max_ply: 1,
        min_score: 80.0,
        ..MakeOptions::default()
    });
    assert_eq!((few.entries.len(), few.left_out), (1, 2));
    let none = make(MakeOptions {
        min_games: 2,
        max_ply: 1,
        min_score: 84.0,
        ..MakeOptions::default()
    });
    assert!(none.entries.is_empty());
}

proptest! {
    #[test]
    fn polyglot_entries_have_their_bytes(bytes: [u8; 16]) {
        prop_assert_eq!(PolyglotEntry::parse(&bytes).to_bytes(), bytes);
    }

    #[test]
    fn a_stored_board_that_decodes_is_stored_again(bytes in prop::collection::vec(any::<u8>(), 1..31)) {
        let mut bytes = bytes;
        let length = bytes.len() as u8;
        bytes[0] = bytes[0] & 0x60 | length;
        if let Ok(board) = StoredBoard::decode(&bytes)
            && let Some((stored, orientation)) = StoredBoard::from_board(&board)
        {
            // Bytes may contain what the program never writes, such as an idle en passant file.
            let again = StoredBoard::decode(stored.bytes()).unwrap();
            let (twice, second) = StoredBoard::from_board(&again).unwrap();
            prop_assert_eq!(twice.bytes(), stored.bytes());
            prop_assert_eq!(second, Orientation::default());
            prop_assert!(!orientation.swapped);
        }
    }
}
