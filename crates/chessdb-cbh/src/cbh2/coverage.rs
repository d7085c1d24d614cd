//! Records of games without an index entry.

use std::collections::HashMap;

use chessdb_core::ErrorKind;

use crate::raw::bytes::bytes_from;
use crate::raw::cbh2::{Frame, Index, Record};

/// Returns what is wrong if several index entries have the same record, or if records follow the
/// last one that has an entry: the index is from another version of the database, or entries were
/// overwritten. The order of records is not examined.
pub(super) fn fault(index: &Index<'_>, games: &[u8]) -> Option<ErrorKind> {
    let offsets = || index.records.iter().map(|record| Record(record).moves());
    let mut last = 0;
    // Records are in the order of their entries, so only the others can be shared.
    let mut suspects = HashMap::new();
    for offset in offsets() {
        if offset > last {
            last = offset;
        } else {
            suspects.insert(offset, 0_u32);
        }
    }
    if !suspects.is_empty() {
        for offset in offsets() {
            suspects.entry(offset).and_modify(|entries| *entries += 1);
        }
        let shared = suspects.values().filter(|entries| **entries > 1).count();
        if shared > 0 {
            let field = "the number of records with several index entries";
            return Some(ErrorKind::bad_field(field, shared as u64));
        }
    }
    let last_record = bytes_from(games, last);
    let after = last_record.get(Frame::parse(last_record)?.len()..)?;
    // Other bytes after the last record may be leftovers of an edited game.
    Frame::parse(after).filter(Frame::is_whole)?;
    Some(ErrorKind::Structure(
        "records of games without an index entry",
    ))
}
