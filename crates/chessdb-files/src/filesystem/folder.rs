//! Listings of folders.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::{Error, Problem};
use crate::paths;

/// The content of a folder, sorted by name.
#[derive(Default, Debug)]
pub(crate) struct FolderListing {
    /// The plain files, including links to plain files, without those of the system.
    pub(crate) files: Vec<PathBuf>,
    /// Entries that are neither files nor folders, with a description.
    pub(crate) others: Vec<(PathBuf, &'static str)>,
    /// The folders, without links to folders, which may form a cycle.
    pub(crate) folders: Vec<PathBuf>,
}

/// Lists a folder. Only the kind of each entry is examined.
pub(crate) fn list(folder: &Path) -> Result<FolderListing, Error> {
    #[cfg(test)]
    LISTED.with(|listed| listed.set(listed.get() + 1));
    let error = |error| Error::new(folder, Problem::from(error));
    let bare = folder == Path::new(".");
    let mut listing = FolderListing::default();
    for entry in fs::read_dir(folder).map_err(error)? {
        let entry = entry.map_err(error)?;
        let name = entry.file_name();
        let inside = paths::in_folder(folder, &name);
        let path = if bare { PathBuf::from(&name) } else { inside.clone() };
        let kind = entry.file_type().map_err(error)?;
        // Follows links, so that a linked database is found.
        let leads_to = if kind.is_symlink() {
            fs::metadata(&path).map(|data| data.file_type())
        } else {
            Ok(kind)
        };
        match leads_to {
            Ok(target) if target.is_file() => {
                if !paths::is_system_file(Path::new(&name)) {
                    listing.files.push(path);
                }
            }
            Ok(target) if target.is_dir() => {
                if kind.is_dir() && name != paths::SYSTEM_FOLDER {
                    listing.folders.push(inside);
                }
            }
            Ok(_) => listing.others.push((path, "not a regular file; not read")),
            Err(_) => listing.others.push((path, "a link to a missing file")),
        }
    }
    listing.files.sort();
    listing.others.sort();
    listing.folders.sort();
    Ok(listing)
}

#[cfg(test)]
thread_local! {
    /// The number of times that this thread listed a folder.
    pub(crate) static LISTED: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// Returns the plain files of a folder, sorted by name.
pub(crate) fn files_of(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    list(folder).map(|listing| listing.files)
}
