//! Mapping of large files into memory.

use std::fs::File;
use std::path::Path;

use chessdb_core::files::SharedBytes;

/// The size in bytes from which a file is mapped rather than read
/// (docs/decisions/0021-mapped-files.md).
const LEAST_MAPPED: u64 = 64 << 20;

/// The size in bytes from which a file is mapped if the system can load all of it into memory at
/// once.
const LEAST_PRESENT: u64 = if cfg!(target_os = "linux") { 1 << 20 } else { LEAST_MAPPED };

/// Maps a file into memory if it is large enough and the system can do it. On `None` the caller
/// reads the file, which is slower at worst and reports errors. `is_read_only` is
/// [`FormatHint::is_read_only`](crate::format_hint::FormatHint::is_read_only).
pub fn mapped(path: &Path, is_read_only: bool) -> Option<SharedBytes> {
    mapped_file(&File::open(path).ok()?, path, is_read_only)
}

/// Maps an open file like [`mapped`].
pub(super) fn mapped_file(file: &File, path: &Path, is_read_only: bool) -> Option<SharedBytes> {
    if cfg!(windows) && !is_read_only {
        return None;
    }
    mapped_from(file, path, LEAST_PRESENT, LEAST_MAPPED)
}

/// Maps a file of at least `least` bytes. Loads a file of fewer than `large` bytes into memory
/// completely, so that a disk failure is reported as an error. A program that handles the signal of
/// such a failure loads only the parts that it uses.
fn mapped_from(file: &File, path: &Path, least: u64, large: u64) -> Option<SharedBytes> {
    let data = file.metadata().ok()?;
    if !data.is_file() || data.len() < least {
        return None;
    }
    if data.len() < large && !chessdb_owned::exits_on_truncation() {
        return chessdb_owned::map_present(file, path).ok();
    }
    chessdb_owned::map(file, path).ok()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn only_large_files_are_mapped() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.sg4");
        fs::write(&file, b"moves").unwrap();
        let mapped_from = |path: &Path, least, large| {
            let file = File::open(path).ok()?;
            mapped_from(&file, path, least, large)
        };
        for large in [5, 6] {
            let bytes = mapped_from(&file, 5, large);
            // Only Linux loads all of a file into memory at once.
            let is_mapped = large == 5 || cfg!(target_os = "linux");
            assert_eq!(bytes.is_some(), is_mapped);
            assert!(bytes.is_none_or(|bytes| (*bytes).as_ref() == b"moves"));
            assert!(mapped_from(&file, 6, large).is_none());
            assert!(mapped_from(folder.path(), 0, large).is_none());
            assert!(mapped_from(&folder.path().join("b.sg4"), 0, large).is_none());
        }
    }
}
