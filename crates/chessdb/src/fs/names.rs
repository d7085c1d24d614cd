//! Names of files and folders, as bases on disk have them.

use std::ffi::OsStr;
use std::path::Path;

/// A file name cut at its last dot.
pub(crate) fn split(name: &OsStr) -> (&OsStr, &str) {
    let path = Path::new(name);
    match (path.file_stem(), path.extension().and_then(OsStr::to_str)) {
        (Some(stem), Some(extension)) => (stem, extension),
        _ => (name, ""),
    }
}

/// Whether two names are the same but for capitals.
pub(crate) fn same_name(a: &OsStr, b: &OsStr) -> bool {
    match (a.to_str(), b.to_str()) {
        (Some(a), Some(b)) => a == b || a.to_lowercase() == b.to_lowercase(),
        _ => a
            .as_encoded_bytes()
            .eq_ignore_ascii_case(b.as_encoded_bytes()),
    }
}

/// The folder a path lies in, `.` for a bare name.
pub(crate) fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}
