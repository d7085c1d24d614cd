//! Looks for contradictions within and between the tables.

use chessdb_core::{ErrorKind, Finding, ReadOptions, Result, Severity};

use crate::store::Store;

/// Compares the numbers of games of the collections with the games, of whatever `open` opens, for formats
/// that keep jose's tables in a container.
pub fn check_with<'a>(
    options: &ReadOptions,
    open: impl FnOnce(ReadOptions) -> Result<Store<'a>>,
    found: &mut dyn FnMut(Finding),
) {
    let Ok(store) = open(options.clone()) else {
        return;
    };
    for (said, there) in store.wrong_counts() {
        let kind = ErrorKind::Mismatch {
            what: "GameCount of a collection",
            found: said as u64,
            expected: there,
        };
        found(Finding::new(Severity::Note, kind, store.location()));
    }
}
