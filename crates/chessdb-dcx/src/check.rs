//! Looking for contradictions within and between the files.

use chessdb_core::{FileSet, Finding, ReadOptions};

/// Reports everything odd.
pub(crate) fn check(_: &dyn FileSet, _: &ReadOptions, _: &mut dyn FnMut(Finding)) {}
