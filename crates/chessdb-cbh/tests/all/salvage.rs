//! Recovery of damaged databases.

use chessdb_cbh::{CBE_FILE, CBG_FILE, CBH, CBH_FILE, CBJ_FILE, Store};
use chessdb_core::salvage::Found;
use chessdb_core::{FileSet as _, Game, GameStore as _, MemorySet, ReadOptions, Scratch, Severity};
use chessdb_testkit::readings;

use crate::common::{bases, line, made};

fn options() -> ReadOptions {
    ReadOptions::default().with_salvage(true)
}

/// Returns the games without their numbers, and how they were found.
fn salvaged(files: &MemorySet) -> (Vec<String>, Vec<Found>) {
    let store = Store::open(files, options()).unwrap();
    readings::check(&CBH, files, &options());
    let (mut game, mut scratch) = (Game::new(), Scratch::new());
    let mut lines = Vec::new();
    for n in 0..store.len() {
        store.game_into(n, &mut game, &mut scratch).unwrap();
        lines.push(moves(&line(0, &game)));
    }
    (lines, store.details().salvaged.unwrap().games.clone())
}

/// Returns the moves of a line of the list.
fn moves(line: &str) -> String {
    let words = line.split_whitespace();
    let is_move = |word: &&str| {
        let bytes = word.as_bytes();
        bytes.len() >= 4 && bytes[1].is_ascii_digit() && bytes[3].is_ascii_digit()
    };
    words.filter(is_move).collect::<Vec<_>>().join(" ")
}

fn whole() -> (MemorySet, Vec<String>) {
    let base = made::base();
    let (lines, found) = salvaged(&base);
    assert_eq!(found, [Found::Exact; 6]);
    (base, lines)
}

#[test]
fn nothing_is_found_in_a_whole_base_that_is_not_there() {
    let (_, lines) = whole();
    let expected: Vec<String> = include_str!("made.txt").lines().map(moves).collect();
    assert_eq!(lines, expected);
}

#[test]
fn games_without_an_index() {
    let (mut base, expected) = whole();
    base.remove(CBH_FILE);
    let (lines, found) = salvaged(&base);
    assert_eq!(lines, expected);
    assert_eq!(found, [Found::HeaderUnknown; 6]);
    let store = Store::open(&base, options()).unwrap();
    let said: Vec<String> = store
        .diagnostics()
        .iter()
        .map(ToString::to_string)
        .collect();
    assert!(said[0].contains("the cbh file is missing"), "{said:?}");
    assert!(
        store
            .diagnostics()
            .iter()
            .all(|said| said.severity == Severity::Lost)
    );
    let mut scratch = Scratch::new();
    store
        .header_into(0, &mut Game::new(), &mut scratch)
        .unwrap();
    assert_eq!(scratch.diagnostics[0].severity, Severity::Lost);
}

/// Invalid entries are assigned to the unreferenced games in their order.
#[test]
fn heads_and_records_join_by_their_order() {
    let (mut base, expected) = whole();
    let index = base.get_mut(CBH_FILE).unwrap();
    for entry in [1, 2] {
        index[46 * (entry + 1) + 1..][..4].fill(0xFF);
    }
    let (lines, found) = salvaged(&base);
    assert_eq!(lines, expected);
    let store = Store::open(&base, options()).unwrap();
    assert_eq!(
        (1..=6).map(Some).collect::<Vec<_>>(),
        (0..6).map(|n| store.id(n)).collect::<Vec<_>>()
    );
    assert_eq!(found[1..3], [Found::HeaderUnknown; 2]);
    assert_eq!(found[0], Found::Exact);
}

#[test]
fn entries_cut_off_and_bytes_put_in() {
    let (base, expected) = whole();
    let mut cut = base.clone();
    cut.get_mut(CBH_FILE).unwrap().truncate(46 * 4);
    assert_eq!(salvaged(&cut).0, expected);
    // After bytes that are not a record, records of sufficient length are found.
    let mut moved = base;
    moved.remove(CBH_FILE);
    let games = moved.get_mut(CBG_FILE).unwrap();
    games.splice(26..26, [0x77; 33]);
    let (lines, found) = salvaged(&moved);
    let long = |line: &&String| line.split(' ').count() >= 8;
    assert_eq!(
        lines,
        expected[expected.iter().position(|line| long(&line)).unwrap()..]
    );
    assert!(found.iter().all(|found| *found == Found::HeaderUnknown));
}

/// Recovery of genuine databases gives exactly the games of the index. Without the index it gives
/// the same games, except the last one if that has no end.
#[test]
fn genuine_bases_without_their_index() {
    for base in bases() {
        let plain = Store::open(&base.files, ReadOptions::default()).unwrap();
        let store = Store::open(&base.files, options()).unwrap();
        // One database has teams, but no extended headers that refer to them.
        let how = if base.files.get(CBE_FILE).is_some() && base.files.get(CBJ_FILE).is_none() {
            Found::Incomplete
        } else {
            Found::Exact
        };
        let all = vec![how; plain.len() as usize];
        assert_eq!(
            store.details().salvaged.unwrap().games,
            all,
            "{}",
            base.name
        );
        let mut files = base.files.clone();
        files.remove(CBH_FILE);
        if files.get_mut(CBG_FILE).is_none() {
            continue;
        }
        let without = Store::open(&files, options()).unwrap();
        println!(
            "{}: {} of {} without index",
            base.name,
            without.len(),
            plain.len()
        );
        let least = plain.len().saturating_sub(1);
        assert!(
            (least..=plain.len()).contains(&without.len()),
            "{}",
            base.name
        );
    }
}
