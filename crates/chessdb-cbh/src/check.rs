//! Consistency checks within and between the files.

use chessdb_core::error::Location;
use chessdb_core::files::Role;
use chessdb_core::report::Finding;
use chessdb_core::{ErrorKind, FileSet, ReadOptions, Severity};

use crate::raw::{Base, Entity, Segment, Table};
use crate::roles::{CBC_FILE, CBE_FILE, CBG_FILE, CBL_FILE, CBP_FILE, CBS_FILE, CBT_FILE};

/// Checks for bytes outside all games and for tables of names with a wrong record size. Files
/// that cannot be opened are skipped; opening them reports why.
pub(crate) fn check(files: &dyn FileSet, _: &ReadOptions, report: &mut dyn FnMut(Finding)) {
    if let Ok(base) = Base::parse(files) {
        structures(&base, report);
    }
}

fn structures(base: &Base<'_>, report: &mut dyn FnMut(Finding)) {
    fn table<E: Entity>(table: &Option<Table<'_, E>>) -> Option<u32> {
        let header = table.as_ref()?.header?;
        (header.data_size as usize != E::SIZE).then_some(header.data_size)
    }
    let tables = [
        (CBP_FILE, table(&base.players)),
        (CBT_FILE, table(&base.tournaments)),
        (CBC_FILE, table(&base.annotators)),
        (CBS_FILE, table(&base.sources)),
        (CBE_FILE, table(&base.teams)),
        (CBL_FILE, table(&base.tags)),
    ];
    // With another record size the reader finds no record, so all names of the table are lost.
    for (file, size) in tables {
        if let Some(size) = size {
            let kind = ErrorKind::bad_field("the size of the records", size);
            report(Finding::new(Severity::Lost, kind, Location::byte(file, 12)));
        }
    }
    if let Some(games) = &base.games {
        let stated = games.file_header.unused();
        slack(CBG_FILE, &games.segments, stated, report);
    }
}

/// Reports the bytes of a file that belong to no record, if there are more than the file states.
pub(crate) fn slack<R>(
    file: Role,
    segments: &[Segment<'_, R>],
    stated: u64,
    report: &mut dyn FnMut(Finding),
) {
    let unused = segments.iter().filter_map(|segment| match segment {
        Segment::Slack { bytes, .. } => Some(bytes.len() as u64),
        Segment::Record { .. } => None,
    });
    let unused_bytes = unused.sum();
    // A game that was changed leaves a hole (section 5), so this is no sign of damage.
    if unused_bytes > stated {
        let kind = ErrorKind::mismatch(
            "the number of bytes outside all games",
            unused_bytes,
            stated,
        );
        report(Finding::new(Severity::Note, kind, Location::file(file)));
    }
}
