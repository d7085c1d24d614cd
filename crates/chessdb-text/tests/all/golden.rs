//! The fixtures as readable text, and all ways of reading them.

use std::path::Path;

use chessdb_core::{Format, MemorySet, ReadOptions};
use chessdb_testkit::{fixtures, golden, identity, readings};
use chessdb_text::{CSV, EPD, FEN, NDJSON};

/// The fixtures with their formats.
pub(crate) const FIXTURES: [(&str, &Format); 8] = [
    ("puzzles.csv", &CSV),
    ("nine-columns.csv", &CSV),
    ("games.csv", &CSV),
    ("lichess.ndjson", &NDJSON),
    ("chesscom.ndjson", &NDJSON),
    ("games.ndjson", &NDJSON),
    ("suite.epd", &EPD),
    ("positions.fen", &FEN),
];

pub(crate) fn fixture(name: &str, format: &Format) -> MemorySet {
    crate::set(
        format,
        fixtures::read(fixtures::path(format!("text/{name}"))),
    )
}

#[test]
fn fixtures_are_as_dumped() {
    for (name, format) in FIXTURES {
        let dump = golden::dump(identity::open(format, &fixture(name, format)).as_ref());
        let golden_files = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
        golden::check(golden_files.join(format!("{name}.txt")), &dump);
    }
}

#[test]
fn the_first_promise_raw() {
    for (name, format) in FIXTURES {
        let set = fixture(name, format);
        let again = format.raw.unwrap()(&set).unwrap();
        assert_eq!(identity::first_difference(&set, &again), None, "{name}");
    }
}

#[test]
fn all_ways_of_reading_agree() {
    for (name, format) in FIXTURES {
        readings::check(format, &fixture(name, format), &ReadOptions::default());
    }
}
