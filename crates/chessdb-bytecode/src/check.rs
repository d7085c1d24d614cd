//! The consistency check: contradictions within and between the tables.

use chessdb_core::report::Finding;
use chessdb_core::{ErrorKind, ReadOptions, Result, Severity};

use crate::store::Store;

/// Checks that the collections' game counts match the games. `open` opens the database, so that
/// formats that keep jose's tables in a container can use it.
pub fn check_with<'a>(
    options: &ReadOptions,
    open: impl FnOnce(ReadOptions) -> Result<Store<'a>>,
    report: &mut dyn FnMut(Finding),
) {
    let Ok(store) = open(options.clone()) else {
        return;
    };
    for (stored, actual) in store.mismatched_counts() {
        let kind = ErrorKind::mismatch("the GameCount of a collection", stored as u64, actual);
        report(Finding::new(Severity::Note, kind, store.location()));
    }
}
