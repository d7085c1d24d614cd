//! The databases of fixtures/cbf, made by this test and by the facade's tests, each with a readable
//! dump.

use std::path::PathBuf;

use chessdb_cbf::{CBF, CBF_FILE, CBI_FILE, FBK, FBK_FILE, raw};
use chessdb_core::board::MoveKind;
use chessdb_core::files::Role;
use chessdb_core::options::{Allow, Mode};
use chessdb_core::{ErrorKind, Event, FileSet, Game, MemorySet, ReadOptions, Scratch};
use chessdb_testkit::{fixtures, golden, identity, readings};

use crate::common::{examples, unusual};

/// Returns the files made by this test, by stem and role.
fn made_here() -> Vec<(&'static str, Role, Vec<u8>)> {
    let records = unusual::unusual_records();
    let mut lost = examples();
    lost.remove(CBI_FILE);
    // Bytes that belong to no record in the middle, as an edited game leaves them.
    let games = lost.get_mut(CBF_FILE).unwrap();
    games.splice(73..73, (0..40).map(|n| n * 5));
    let mut files = Vec::new();
    for (name, set) in [
        ("examples", examples()),
        ("odd", unusual::base(&records)),
        ("moved", unusual::moved(&records)),
        ("x-private", unusual::base(&[unusual::private()])),
        ("x-lost-index", lost),
    ] {
        files.extend(set.iter().map(|(role, bytes)| (name, role, bytes.to_vec())));
    }
    files.push(("book", FBK_FILE, BOOK.to_vec()));
    files
}

/// The lines 1. e4 e5 (1... c5 2. Nf3 (2. c3)) (1... f5 $6) 2. Nf3 Nc6 and 1. d4 d5, as pairs of
/// squares.
const BOOK: [u8; 20] = [
    12,
    28,
    52,
    36,
    6 | 0x40,
    21,
    57 | 0xC0,
    42,
    50,
    34,
    6 | 0x80,
    21,
    10 | 0xC0,
    18,
    53 | 0xC0,
    37 | 0x80,
    11 | 0x40,
    27,
    51 | 0xC0,
    35,
];

fn folder() -> PathBuf {
    fixtures::path("cbf")
}

#[test]
fn the_files_are_those_made_here() {
    let bless = std::env::var(golden::BLESS).is_ok_and(|value| value == "1");
    for (stem, role, bytes) in made_here() {
        let path = folder().join(format!("{stem}.{role}"));
        if bless {
            std::fs::write(&path, bytes).unwrap();
        } else {
            assert!(fixtures::read(&path) == bytes, "{}", path.display());
        }
    }
}

fn bases() -> Vec<crate::common::Base> {
    let stems = fixtures::bases(folder(), CBF_FILE);
    let bases: Vec<_> = stems
        .iter()
        .map(|stem| crate::common::Base {
            name: stem.file_name().unwrap().to_str().unwrap().to_owned(),
            files: fixtures::load_set(stem, CBF.roles),
        })
        .collect();
    assert!(bases.len() >= 5);
    bases
}

#[test]
fn every_base_looks_as_its_golden_file_says() {
    let golden_files = fixtures::root()
        .parent()
        .unwrap()
        .join("crates/chessdb-cbf/tests/golden");
    for base in bases() {
        let text = golden::dump(identity::open(&CBF, &base.files).as_ref());
        golden::check(golden_files.join(format!("{}.txt", base.name)), &text);
    }
    let book = fixtures::load_set(folder().join("book"), FBK.roles);
    let text = golden::dump(identity::open(&FBK, &book).as_ref());
    golden::check(golden_files.join("book.txt"), &text);
}

/// Strict reading rejects the databases with `x-` names. The others are read without diagnostics
/// and restored byte for byte, through the model and through the raw structures.
#[test]
fn every_base_is_read_and_written_again() {
    for base in bases() {
        readings::check(&CBF, &base.files, &ReadOptions::default());
        let mut strict = ReadOptions::default();
        strict.mode = Mode::Strict;
        let read = (CBF.open)(&base.files, strict).and_then(|store| {
            let (mut game, mut scratch) = (Game::new(), Scratch::new());
            (0..store.len()).try_for_each(|n| store.game_into(n, &mut game, &mut scratch))
        });
        assert_eq!(
            read.is_err(),
            base.name.starts_with("x-"),
            "{}: {read:?}",
            base.name
        );
        let rewritten = identity::rewrite(&CBF, &base.files, &Allow::Nothing).unwrap();
        if base.files.get(CBI_FILE).is_some() {
            let parsed = raw::Base::parse(&base.files).unwrap().to_bytes();
            for (role, bytes) in [CBI_FILE, CBF_FILE].into_iter().zip(parsed) {
                assert!(
                    base.files.get(role) == Some(&bytes),
                    "{}: {role}",
                    base.name
                );
            }
        }
        let expected = match base.name.as_str() {
            "moved" => unusual::base(&unusual::unusual_records()),
            "x-lost-index" => examples(),
            _ => base.files,
        };
        let difference = identity::first_difference(&expected, &rewritten.set);
        assert_eq!(difference, None, "{}", base.name);
    }
}

/// The illegal en passant is a separate kind of move.
#[test]
fn the_ghost_is_kept() {
    let files = fixtures::load_set(folder().join("odd"), CBF.roles);
    let games = identity::open_all(&CBF, &files);
    let ghosts = |game: &Game| {
        let mut moves = game.moves.mainline();
        moves.any(|mv| mv.kind() == MoveKind::GhostEnPassant)
    };
    assert_eq!(games.iter().filter(|game| ghosts(game)).count(), 1);
    let codes = games.iter().flat_map(|game| game.events());
    assert_eq!(
        codes
            .filter(|event| matches!(event, Event::Extra(_)))
            .count(),
        3
    );
}

/// A private game is reported and stays private when rewritten, even if it was changed.
#[test]
fn a_private_game_stays_private() {
    let files = unusual::base(&[unusual::private()]);
    let store = identity::open(&CBF, &files);
    let (mut game, mut scratch) = (Game::new(), Scratch::new());
    store.game_into(0, &mut game, &mut scratch).unwrap();
    let said = scratch.diagnostics.first().unwrap();
    assert!(matches!(said.kind, ErrorKind::Mismatch { .. }), "{said}");
    assert!(said.to_string().contains("private"), "{said}");
    for year in 1990..2026 {
        let changed = identity::rewrite_with(&CBF, &files, &Allow::Nothing, |_, game| {
            game.header.date.year = year;
        });
        let set = changed.unwrap().set;
        let record = raw::Record::parse(set.get(CBF_FILE).unwrap()).unwrap();
        assert!(!record.raw_header.is_checked());
        assert_eq!(record.raw_header.year(), Some(year));
    }
}

#[test]
fn books_come_back() {
    let book = fixtures::load_set(folder().join("book"), FBK.roles);
    readings::check(&FBK, &book, &ReadOptions::default());
    assert_eq!((FBK.probe)(&book), chessdb_core::format::Score::Likely);
    let rewritten = identity::rewrite(&FBK, &book, &Allow::Nothing).unwrap();
    assert_eq!(identity::first_difference(&book, &rewritten.set), None);
    assert!(rewritten.diagnostics.is_empty() && rewritten.losses.is_empty());
    let bytes = book.get(FBK_FILE).unwrap();
    assert_eq!(chessdb_cbf::fbk::Book::parse(bytes).to_bytes(), bytes);
}

#[test]
fn probes_look_at_content() {
    use chessdb_core::format::Score;
    for base in bases() {
        let score = (CBF.probe)(&base.files);
        let expected = match base.name.as_str() {
            "x-lost-index" | "x-private" => Score::Likely,
            _ => Score::Certain,
        };
        assert_eq!(score, expected, "{}", base.name);
        let mut foreign = MemorySet::new();
        foreign.insert(CBF_FILE, b"[Event \"not a base\"]\n\n1. e4 *\n".repeat(20));
        assert_eq!((CBF.probe)(&foreign), Score::No);
        foreign.insert(CBI_FILE, b"[Event \"not an index\"]\n".repeat(20));
        assert_eq!((CBF.probe)(&foreign), Score::No);
    }
}
