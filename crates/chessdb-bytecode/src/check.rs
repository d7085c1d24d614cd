//! Looks for contradictions within and between the tables.

use chessdb_core::{
    ErrorKind, Finding, Game, GameStore as _, ReadOptions, Result, Scratch, Severity,
};

use crate::store::{Store, What};

/// Examines a base: everything that reading it reports, and beyond that the moves that the rules
/// of chess do not allow and the numbers of games of the collections.
///
/// `Lost` is what cannot be read, `Repaired` what reading has to mend, `Note` the rest.
fn check_store(store: &Store<'_>, found: &mut dyn FnMut(Finding)) {
    for said in store.diagnostics() {
        let kind = ErrorKind::Other(said.kind.to_string().into());
        found(Finding::new(said.severity, kind, said.at));
    }
    for (said, there) in store.wrong_counts() {
        found(Finding::new(
            Severity::Note,
            ErrorKind::Mismatch {
                what: "GameCount of a collection",
                found: said as u64,
                expected: there,
            },
            store.location(),
        ));
    }
    let (mut game, mut scratch) = (Game::new(), Scratch::new());
    for n in 0..store.len() {
        if let Err(error) = store.read(n, What::Judged, &mut game, &mut scratch) {
            found(error.into());
        }
        for diagnostic in scratch.diagnostics.drain(..) {
            found(diagnostic.into());
        }
        scratch.more_diagnostics = 0;
    }
}

/// Examines whatever `open` opens, for formats that keep jose's tables in a container; that it does
/// not open is a finding as well.
pub fn check_with<'a>(
    options: &ReadOptions,
    open: impl FnOnce(ReadOptions) -> Result<Store<'a>>,
    found: &mut dyn FnMut(Finding),
) {
    let mut options = options.clone();
    options.mode = chessdb_core::Mode::Lenient;
    match open(options) {
        Ok(store) => check_store(&store, found),
        Err(error) => found(error.into()),
    }
}
