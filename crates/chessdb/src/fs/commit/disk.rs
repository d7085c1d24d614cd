//! Names of files on the disk: given, taken away, brought to the disk.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use super::backup::COPYING;
use super::journal::{DRAFT, REPLACED, WRITING, hidden};

/// Brings a folder to the disk, so that names are there when power fails. Not every system can.
pub(crate) fn sync_folder(folder: &Path) {
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
}

/// Gives a file a name that no other has.
pub(crate) fn rename_new(from: &Path, to: &Path) -> io::Result<()> {
    match fs::hard_link(from, to) {
        Ok(()) => fs::remove_file(from),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
        // A file system without links.
        Err(_) if fs::symlink_metadata(to).is_err() => fs::rename(from, to),
        Err(_) => Err(io::ErrorKind::AlreadyExists.into()),
    }
}

/// Removes a file that may not be there.
pub(crate) fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Removes what a writer that was killed may have left of this file before there was a journal, or
/// after it was gone. Whoever calls holds the lock, and knows that there is no journal.
pub(crate) fn sweep(target: &Path) -> io::Result<()> {
    remove(&hidden(target, WRITING))?;
    remove(&hidden(target, COPYING))?;
    remove(&hidden(target, REPLACED))
}

/// The journal's own leftovers.
pub(crate) fn sweep_journal(main: &Path) -> io::Result<()> {
    remove(&hidden(main, DRAFT))
}
