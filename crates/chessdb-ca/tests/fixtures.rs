//! The bases of the repository.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    missing_docs
)]

mod common;

use chessdb_ca::{CA, D00_FILE};
use chessdb_core::{ReadOptions, Score};
use chessdb_testkit::{fixtures, golden, identity, readings};

/// Readable dumps beside them, byte identity, nothing to complain of.
#[test]
fn own_fixtures_look_as_their_golden_files_say() {
    let mut seen = 0;
    for stem in fixtures::bases(fixtures::path("ca"), D00_FILE) {
        let set = fixtures::load_set(&stem, CA.roles);
        let name = stem.file_name().unwrap().to_str().unwrap();
        let store = (CA.open)(&set, ReadOptions::default()).unwrap();
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden");
        let text = golden::dump(store.as_ref());
        golden::check(format!("{folder}/{name}.txt"), &text);
        let difference = identity::first_difference(&common::rewritten(&set), &set);
        assert_eq!(difference, None, "{name}");
        let mut findings = Vec::new();
        (CA.check)(&set, &ReadOptions::default(), &mut |f| findings.push(f));
        assert!(findings.is_empty(), "{name}: {findings:?}");
        assert_eq!((CA.probe)(&set), Score::Certain);
        readings::check(&CA, &set, &ReadOptions::default());
        seen += 1;
    }
    assert!(seen >= 8, "{seen}");
}
