//! Records of games without an index entry.

use std::collections::HashMap;

use chessdb_core::ErrorKind;

use crate::raw::cbh2::{Frame, Index, Record};

/// Returns what is wrong if several index entries have the same record, or if records follow the
/// last one that has an entry: the index is from another version of the database, or entries were
/// overwritten. The order of records is not examined.
pub(super) fn fault(index: &Index<'_>, games: &[u8]) -> Option<ErrorKind> {
    let offsets = || index.records.iter().map(|record| Record(record).moves());
    let mut last = 0;
    // Records are in the order of their entries, so only the others can be shared.
    let mut suspects = HashMap::new();
    for at in offsets() {
        if at > last {
            last = at;
        } else {
            suspects.insert(at, 0_u32);
        }
    }
    if !suspects.is_empty() {
        for at in offsets() {
            suspects.entry(at).and_modify(|entries| *entries += 1);
        }
        let shared = suspects.values().filter(|entries| **entries > 1).count();
        if shared > 0 {
            let field = "the number of records with several index entries";
            let value = shared as u64;
            return Some(ErrorKind::BadField { field, value });
        }
    }
    let last_record = usize::try_from(last).ok().and_then(|at| games.get(at..))?;
    let after = last_record.get(Frame::parse(last_record)?.len()..)?;
    let follows = Frame::parse(after).is_some_and(|frame| frame.is_whole());
    follows.then_some(ErrorKind::Structure(
        "records of games without an index entry",
    ))
}
