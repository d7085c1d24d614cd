//! Consistency checks within and between the files.

use chessdb_core::error::Location;
use chessdb_core::report::Finding;
use chessdb_core::{ErrorKind, FileSet, ReadOptions, Severity};

use crate::raw::{Base, Entity, Segment, Table};
use crate::roles::{CBC_FILE, CBE_FILE, CBG_FILE, CBL_FILE, CBP_FILE, CBS_FILE, CBT_FILE};

/// Checks for bytes outside all games and for tables of names with a wrong record size. Files
/// that cannot be opened are skipped; opening them reports why.
pub(crate) fn check(files: &dyn FileSet, _: &ReadOptions, found: &mut dyn FnMut(Finding)) {
    if let Ok(base) = Base::parse(files) {
        structures(&base, found);
    }
}

fn structures(base: &Base<'_>, found: &mut dyn FnMut(Finding)) {
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
    for (file, size) in tables {
        if let Some(size) = size {
            let (field, value) = ("the size of the records", size.into());
            let kind = ErrorKind::BadField { field, value };
            found(Finding::new(Severity::Lost, kind, Location::byte(file, 12)));
        }
    }
    let Some(games) = &base.games else {
        return;
    };
    let unused = games.segments.iter().filter_map(|segment| match segment {
        Segment::Slack { bytes, .. } => Some(bytes.len() as u64),
        Segment::Record { .. } => None,
    });
    let unused: u64 = unused.sum();
    if unused > 0 {
        let kind = ErrorKind::Mismatch {
            what: "the number of bytes outside all games",
            found: unused,
            expected: 0,
        };
        let at = Location {
            file: Some(CBG_FILE),
            ..Location::default()
        };
        found(Finding::new(Severity::Note, kind, at));
    }
}
