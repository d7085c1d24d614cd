//! Faults are found at their place, and other versions and variants are rejected.

use chessdb_core::{ErrorKind, MemorySet, ReadOptions, Severity};
use chessdb_scidb::{SCG_FILE, SCI_FILE, SCIDB, SCN_FILE};

use crate::fixtures::set;

fn changed(file: chessdb_core::files::Role, at: usize, bytes: &[u8]) -> MemorySet {
    let mut set = set("example");
    let content = set.get_mut(file).unwrap();
    content[at..at + bytes.len()].copy_from_slice(bytes);
    set
}

#[test]
fn other_versions_and_variants_are_rejected_by_name() {
    for (at, bytes, word) in [
        (8, &[0, 91][..], "before 94"),
        (8, &[0, 93], "before 94"),
        (8, &[0, 95], "after 94"),
        (13, &[1], "Bughouse"),
        (13, &[2], "Crazyhouse"),
        (13, &[5], "Losers"),
        (13, &[9], "unknown variants"),
    ] {
        let set = changed(SCI_FILE, at, bytes);
        let error = match (SCIDB.open)(&set, ReadOptions::default()) {
            Ok(_) => panic!("{word}"),
            Err(error) => error,
        };
        assert!(matches!(error.kind(), ErrorKind::Unsupported(_)));
        assert!(error.to_string().contains(word), "{error}");
    }
}

#[test]
fn faults_are_found_at_their_place() {
    for (file, at, bytes, word) in [
        (SCI_FILE, 12, &[2][..], "number of games"),
        // The numbers of White, the event and the record, and the half-moves.
        (SCI_FILE, 128 + 10, &[9], "White"),
        (SCI_FILE, 128 + 34, &[9], "event"),
        (SCI_FILE, 128 + 27, &[0xFF], "record of the game"),
        (SCI_FILE, 128 + 15, &[0xC0], "half-moves"),
        (SCI_FILE, 128 + 46, &[7], "start position"),
        // The moves, the end mark, a comment's flags.
        (SCG_FILE, 11 + 10, &[0x06], "move"),
        (SCG_FILE, 11 + 19, &[9], "end of a line"),
        (SCG_FILE, 11 + 51, &[0], "text that no comment"),
        (SCN_FILE, 14 + 23, &[0xFF], "name"),
    ] {
        let mut found = Vec::new();
        let set = changed(file, at, bytes);
        chessdb_core::format::check(&SCIDB, &set, &ReadOptions::default(), &mut |finding| {
            found.push((finding.severity, finding.kind.to_string()));
        });
        let is_it = |(severity, kind): &(Severity, String)| {
            *severity > Severity::Note && kind.contains(word)
        };
        assert!(found.iter().any(is_it), "{word}: {found:?}");
    }
}
