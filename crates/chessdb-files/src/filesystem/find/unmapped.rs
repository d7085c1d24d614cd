//! The functions of the module `mapped` for builds that map no files.

use std::fs::File;
use std::path::Path;

use chessdb_core::files::SharedBytes;

/// Returns `None`, because no file is mapped.
pub fn mapped(_: &Path, _: bool) -> Option<SharedBytes> {
    None
}

pub(super) fn mapped_file(_: &File, _: &Path, _: bool) -> Option<SharedBytes> {
    None
}
