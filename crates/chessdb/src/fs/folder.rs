//! The files that lie in a folder.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::{Error, Problem};

/// The plain files of a folder, sorted by name.
pub(crate) fn files_of(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let error = |error| Error::new(folder, Problem::from(error));
    let bare = folder == Path::new(".");
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(error)? {
        let entry = entry.map_err(error)?;
        // Follows links, so that a linked base is found; a dangling link is no file.
        if fs::metadata(entry.path()).is_ok_and(|data| data.is_file()) {
            files.push(if bare {
                entry.file_name().into()
            } else {
                entry.path()
            });
        }
    }
    files.sort();
    Ok(files)
}

/// The folder a path lies in, `.` for a bare name.
pub(crate) fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}
