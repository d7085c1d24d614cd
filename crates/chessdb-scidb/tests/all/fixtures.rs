//! The databases that Scidb's converter made.

use chessdb_core::options::Allow;
use chessdb_core::{MemorySet, ReadOptions};
use chessdb_scidb::{SCI_FILE, SCIDB};
use chessdb_testkit::corrupt::Corruptor;
use chessdb_testkit::{fixtures, golden, identity, readings};

pub(crate) const NAMES: [&str; 4] = ["example", "nags", "nesting", "starts"];

pub(crate) fn set(name: &str) -> MemorySet {
    fixtures::load_set(fixtures::path("scidb").join(name), SCIDB.roles)
}

/// The offset of the opening in an entry.
const OPENING: usize = 16;

/// Returns the files without the numbers of the openings in Scidb's own list. The ECO codes, in the
/// bits above, remain; other start positions have the first two moves there instead.
fn without_openings(set: &MemorySet) -> MemorySet {
    let mut set = set.clone();
    let index = set.get_mut(SCI_FILE).unwrap();
    for entry in index[128..].chunks_mut(56) {
        let is_standard = [entry[45] & 0xF, entry[46]] == [2, 6];
        let eco = if is_standard { [0x1F, 0xF0] } else { [0, 0] };
        entry[OPENING] &= eco[0];
        entry[OPENING + 1] &= eco[1];
        entry[OPENING + 2..OPENING + 4].fill(0);
    }
    set
}

#[test]
fn the_games_are_those_of_the_golden_files() {
    for name in NAMES {
        let set = set(name);
        let text = golden::dump(identity::open(&SCIDB, &set).as_ref());
        golden::check(format!("tests/golden/{name}.txt"), &text);
        let mut findings = Vec::new();
        chessdb_core::format::check(&SCIDB, &set, &ReadOptions::default(), &mut |finding| {
            findings.push(finding)
        });
        assert!(findings.is_empty(), "{name}: {findings:?}");
        readings::check(&SCIDB, &set, &ReadOptions::default());
    }
}

#[test]
fn the_first_promise_raw() {
    for name in NAMES {
        let set = set(name);
        let again = SCIDB.raw.unwrap()(&set).unwrap();
        assert_eq!(identity::first_difference(&set, &again), None, "{name}");
    }
}

#[test]
fn the_second_promise_rewrite() {
    for name in NAMES {
        let set = set(name);
        let again = identity::rewrite(&SCIDB, &set, &Allow::Nothing).unwrap();
        let expected = without_openings(&set);
        let difference = identity::first_difference(&expected, &again.set);
        assert_eq!(difference, None, "{name}");
        assert!(again.diagnostics.is_empty(), "{:?}", again.diagnostics);
    }
}

#[test]
fn a_changed_letter_changes_only_itself() {
    let set = without_openings(&set("nesting"));
    let changed = identity::changed_letter(&SCIDB, &set, &Allow::Nothing, 0).unwrap();
    let lengths: Vec<_> = changed
        .expect("a comment")
        .iter()
        .map(|(_, range)| range.len())
        .collect();
    assert_eq!(lengths, [1]);
}

#[test]
fn damaged_files_are_read_or_refused() {
    for name in NAMES {
        let set = set(name);
        let corruptor = Corruptor::new(&set, 8);
        for variant in corruptor.usual(200, 60) {
            identity::survive(&SCIDB, &variant, &ReadOptions::default(), 40);
            readings::check(&SCIDB, &variant, &ReadOptions::default());
            let salvage = ReadOptions::default().with_salvage(true);
            identity::survive(&SCIDB, &variant, &salvage, 40);
        }
    }
}
