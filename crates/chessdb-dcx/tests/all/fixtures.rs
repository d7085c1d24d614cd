//! The databases of the repository and the external ones (`CHESSDB_TESTDATA`).

use chessdb_dcx::{DCX, raw};
use chessdb_testkit::expected::{self, CompareOptions};
use chessdb_testkit::{fixtures, golden, identity};

use crate::common::{all_sets, load};

#[test]
fn made_bases_hold_the_expected_games() {
    let Some(folder) = fixtures::testdata("fixtures-made/dcx") else {
        return;
    };
    let mut count = 0;
    for base in expected::bases(&folder) {
        let set = load(&base.stem);
        let games = identity::open_all(&DCX, &set);
        assert_eq!(games.len(), base.games.len());
        // Data lost by the reference writer (docs/formats/dcx.md, section 9) is not an error of
        // reading.
        let clean = base.name.starts_with("clean");
        let index = raw::Base::parse(&set).unwrap().index;
        for (n, (game, wanted)) in games.iter().zip(&base.games).enumerate() {
            let mut options = CompareOptions {
                same_glyphs: base.same_glyphs.clone(),
                ..CompareOptions::default()
            };
            let entry = index.entries[n];
            for (tag, reference) in [
                ("White", entry.white),
                ("Black", entry.black),
                ("Site", entry.site),
                ("Event", entry.event),
            ] {
                if reference == 0 && !clean {
                    options = options.ignoring(tag);
                }
            }
            if let Err(difference) = expected::compare(game, wanted, &options) {
                panic!("{}, game {}: {difference}", base.name, n + 1);
            }
            count += 1;
        }
    }
    assert_eq!(count, 210);
}

#[test]
fn raw_bytes_of_every_set_come_back() {
    for stem in all_sets() {
        let set = load(&stem);
        let base = raw::Base::parse(&set).unwrap();
        let difference = identity::first_difference(&base.to_bytes(), &set);
        assert_eq!(difference, None, "{}", stem.display());
    }
}

/// The databases of the repository: their dumps equal the golden files, a rewrite returns the same
/// bytes, and nothing is reported.
#[test]
fn own_fixtures_look_as_their_golden_files_say() {
    let golden = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden");
    let bases = golden::check_bases(&DCX, "dcx", golden);
    assert!(bases >= 10, "{bases}");
}
