//! A single test program, so that it is linked once and slow tests run in parallel.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    missing_docs
)]

use chessdb_core::options::Allow;
use chessdb_core::{MemorySet, ReadOptions, Severity, WriteOptions, compare};
use chessdb_template::{TEMPLATE, TEMPLATE_FILE};
use chessdb_testkit::corrupt::Corruptor;
use chessdb_testkit::judge::{Excused, judge};
use chessdb_testkit::strategy::{GameOptions, games};
use chessdb_testkit::{fixtures, identity, readings};
use proptest::prelude::*;

fn set(bytes: impl Into<Vec<u8>>) -> MemorySet {
    let mut set = MemorySet::new();
    set.insert(TEMPLATE_FILE, bytes);
    set
}

fn fixture() -> MemorySet {
    let path = "../crates/chessdb-template/fixtures/games.template";
    set(fixtures::read(fixtures::path(path)))
}

fn options(allow: Allow) -> WriteOptions {
    let mut options = WriteOptions::default();
    options.allow = allow;
    options
}

#[test]
fn the_first_promise_raw() {
    let bytes = "\nno fields\n-\tone\ttoo\tmany\tor\tfew\n\r\n\t\t";
    for set in [fixture(), set(format!("template 1\n{bytes}"))] {
        assert_eq!(
            identity::first_difference(&set, &TEMPLATE.raw.unwrap()(&set).unwrap()),
            None
        );
    }
}

#[test]
fn the_second_promise_rewrite() {
    let set = fixture();
    let again = identity::rewrite(&TEMPLATE, &set, &Allow::Nothing).unwrap();
    assert_eq!(identity::first_difference(&set, &again.set), None);
    assert!(again.diagnostics.is_empty(), "{:?}", again.diagnostics);
    // A writer that copies stored bytes would not show the changed letter.
    let changed = identity::changed_letter(&TEMPLATE, &set, &Allow::Nothing, 0).unwrap();
    let lengths: Vec<_> = changed
        .expect("a comment")
        .iter()
        .map(|(_, range)| range.len())
        .collect();
    assert_eq!(lengths, [1]);
}

proptest! {
    /// The third promise: what is not announced comes back.
    #[test]
    fn the_third_promise_conversion(all in prop::collection::vec(games(GameOptions::all()), 1..4)) {
        let mut written = MemorySet::new();
        let mut announced = Vec::new();
        let mut writer = TEMPLATE.create.unwrap()(&mut written, options(Allow::Everything)).unwrap();
        for game in &all {
            let before = writer.assess(game);
            let losses = writer.write(game).unwrap();
            prop_assert_eq!(&before, &losses);
            if game.header.start.is_standard() {
                announced.push((game, losses));
            }
        }
        writer.finish().unwrap();
        let back = identity::open_all(&TEMPLATE, &written);
        prop_assert_eq!(back.len(), announced.len());
        for ((game, losses), back) in announced.into_iter().zip(&back) {
            let problems = judge(&compare::games(game, back), &losses, &mut Excused::new());
            prop_assert!(problems.is_empty(), "{:?}", problems);
        }
        // A clock before the first move of a line is read as one after the move before it, so that
        // the first rewrite may differ. The second one is the same.
        let once = identity::rewrite(&TEMPLATE, &written, &Allow::Nothing).unwrap();
        let twice = identity::rewrite(&TEMPLATE, &once.set, &Allow::Nothing).unwrap();
        prop_assert_eq!(identity::first_difference(&once.set, &twice.set), None);
    }
}

#[test]
fn all_ways_of_reading_agree() {
    readings::check(&TEMPLATE, &fixture(), &ReadOptions::default());
}

#[test]
fn damaged_files_are_read_or_refused() {
    let set = fixture();
    let corruptor = Corruptor::new(&set, 8);
    let length = set.iter().map(|(_, bytes)| bytes.len()).sum();
    let variants = corruptor.some_truncations(TEMPLATE_FILE, length, length);
    for variant in variants.chain(corruptor.bit_flips(TEMPLATE_FILE, 0, 400)) {
        identity::survive(&TEMPLATE, &variant, &ReadOptions::default(), 10);
        readings::check(&TEMPLATE, &variant, &ReadOptions::default());
    }
}

#[test]
fn faults_are_found_at_their_place() {
    for (lines, place) in [
        ("-\tA\tB\t*\te2e4\te2e4\n", "illegal"),
        ("?\tA\tB\t*\t\n", "mark"),
        ("-\tA\tB\t2-0\t\n", "result"),
        ("-\tA\tB\n", "fields"),
        ("-\tA\tB\t*\te2e4", "no end"),
        ("-\tA\tB\t*\te2e4\t$x\n", "NAG"),
    ] {
        let mut found = Vec::new();
        let set = set(format!("template 1\n{lines}"));
        chessdb_core::format::check(&TEMPLATE, &set, &ReadOptions::default(), &mut |finding| {
            assert!(finding.severity > Severity::Note && finding.at.offset.is_some());
            found.push(finding.kind.to_string());
        });
        assert_eq!(found.len(), 1, "{place}: {found:?}");
    }
}
