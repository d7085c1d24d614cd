//! Looks for contradictions within and between the files.

use chessdb_core::{
    ErrorKind, FileSet, Finding, Game, GameStore as _, Location, Mode, ReadOptions, Result,
    Scratch, Severity,
};

use crate::raw::{Base, Entity, Segment, Table};
use crate::roles::{CBC_FILE, CBE_FILE, CBG_FILE, CBL_FILE, CBP_FILE, CBS_FILE, CBT_FILE};
use crate::store::Store;

/// Examines a base: everything that reading it reports, games that share bytes, and tables of names
/// whose records have another size.
///
/// `Lost` is what cannot be read, `Repaired` what reading has to mend, `Note` the rest.
pub(crate) fn check(files: &dyn FileSet, options: &ReadOptions, found: &mut dyn FnMut(Finding)) {
    if let Err(error) = examine(files, options, found) {
        found(error.into());
    }
}

fn examine(
    files: &dyn FileSet,
    options: &ReadOptions,
    found: &mut dyn FnMut(Finding),
) -> Result<()> {
    let mut options = options.clone();
    options.mode = Mode::Lenient;
    let mut store = Store::open(files, options)?;
    let opening = std::mem::take(&mut store.diagnostics);
    opening.into_iter().for_each(|d| found(d.into()));
    structures(files, found)?;
    let (mut game, mut scratch) = (Game::new(), Scratch::new());
    for n in 0..store.len() {
        let read = store.game_into(n, &mut game, &mut scratch);
        scratch.diagnostics.drain(..).for_each(|d| found(d.into()));
        scratch.more_diagnostics = 0;
        if let Err(error) = read {
            found(error.at(Location::game(n + 1)).into());
        }
    }
    Ok(())
}

fn structures(files: &dyn FileSet, found: &mut dyn FnMut(Finding)) -> Result<()> {
    let base = Base::parse(files)?;
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
        return Ok(());
    };
    let unused = games.segments.iter().filter_map(|segment| match segment {
        Segment::Slack { bytes, .. } => Some(bytes.len() as u64),
        Segment::Record { .. } => None,
    });
    let unused: u64 = unused.sum();
    if unused > 0 {
        let kind = ErrorKind::Mismatch {
            what: "the number of bytes of no game",
            found: unused,
            expected: 0,
        };
        let at = Location {
            file: Some(CBG_FILE),
            ..Location::default()
        };
        found(Finding::new(Severity::Note, kind, at));
    }
    Ok(())
}
