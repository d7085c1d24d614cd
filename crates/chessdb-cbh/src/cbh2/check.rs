//! Consistency checks within and between the files.

use chessdb_core::error::Location;
use chessdb_core::report::Finding;
use chessdb_core::{ErrorKind, FileSet, ReadOptions, Severity};

use crate::check::slack;
use crate::raw::cbh2::{Base, EntityFile, EntityKind, FrameFile, FrameFileHeader};
use crate::roles::{CBA2_FILE, CBG2_FILE, LID2_FILE};

/// Checks for a wrong size in the header of a file, for bytes outside all records, and for lists of
/// deleted names that do not end. Files that cannot be opened are skipped; opening them reports
/// why.
pub(super) fn check(files: &dyn FileSet, _: &ReadOptions, report: &mut dyn FnMut(Finding)) {
    let Ok(base) = Base::parse(files) else { return };
    let records = [(CBG2_FILE, &base.games), (CBA2_FILE, &base.annotations)];
    for (role, file) in records {
        let Some(file) = file else { continue };
        let size = files.get(role).map_or(0, |bytes| bytes.len() as u64);
        if let Some(kind) = header_fault(file, size) {
            report(Finding::new(Severity::Note, kind, Location::byte(role, 0)));
        }
        slack(role, &file.segments, 0, report);
    }
    if let Some(names) = &base.names {
        deleted_names(names, report);
    }
}

/// Returns the fault of the header of a file with records.
fn header_fault(file: &FrameFile<'_>, size: u64) -> Option<ErrorKind> {
    let Some(header) = &file.file_header else {
        return Some(ErrorKind::truncated(
            "the header of the file",
            FrameFileHeader::SIZE as u64,
            size,
        ));
    };
    if usize::from(header.size) != FrameFileHeader::SIZE {
        return Some(ErrorKind::bad_field(
            "the size of the header of the file",
            header.size,
        ));
    }
    (header.file_size != size).then_some(ErrorKind::mismatch(
        "the size of the file in its header",
        header.file_size,
        size,
    ))
}

/// Follows the lists of deleted names.
fn deleted_names(names: &EntityFile<'_>, report: &mut dyn FnMut(Finding)) {
    for kind in [
        EntityKind::Player,
        EntityKind::Tournament,
        EntityKind::Source,
        EntityKind::Team,
        EntityKind::Titles,
    ] {
        let Some(header) = names.types.get(kind as usize) else {
            continue;
        };
        let mut id = header.first_deleted;
        // A list that is longer than the file repeats a name.
        for _ in 0..=names.block_count() {
            if id < 0 {
                break;
            }
            let Some(next) = names.next_deleted(kind, id) else {
                break;
            };
            id = next;
        }
        if id != -1 {
            // The third field of the type in the header (section 3).
            let location = Location::byte(LID2_FILE, 20 + 20 * kind as u64);
            let kind = ErrorKind::bad_field("the list of deleted names", id as u64);
            report(Finding::new(Severity::Note, kind, location));
        }
    }
}
