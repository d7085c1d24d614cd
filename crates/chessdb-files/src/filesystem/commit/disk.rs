//! Basic steps on files: renaming, removing and syncing.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use super::backup::COPYING;
use super::journal::{DRAFT, REPLACED, WRITING, hidden};
use crate::filesystem::plain_file;

/// Syncs a folder, so that its file names survive a power failure. Not every system can do this.
pub(crate) fn sync_folder(folder: &Path) {
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
}

/// Renames a file to a name that is not taken.
pub(crate) fn rename_new(from: &Path, to: &Path) -> io::Result<()> {
    match fs::hard_link(from, to) {
        Ok(()) => fs::remove_file(from),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
        // The file system has no hard links.
        Err(_) if fs::symlink_metadata(to).is_err() => fs::rename(from, to),
        Err(_) => Err(io::ErrorKind::AlreadyExists.into()),
    }
}

/// Removes a file, if it exists.
pub(crate) fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Returns whether both files exist and have the same bytes.
pub(super) fn has_same_bytes(first: &Path, second: &Path) -> io::Result<bool> {
    const BLOCK: u64 = 256 << 10;
    let length = |path| fs::metadata(path).map(|data| data.len()).ok();
    if length(first).is_none() || length(first) != length(second) {
        return Ok(false);
    }
    let (mut first, mut second) = (plain_file::open(first)?, plain_file::open(second)?);
    let (mut block, mut other) = (Vec::new(), Vec::new());
    loop {
        block.clear();
        other.clear();
        (&mut first).take(BLOCK).read_to_end(&mut block)?;
        (&mut second).take(BLOCK).read_to_end(&mut other)?;
        if block != other {
            return Ok(false);
        }
        if block.is_empty() {
            return Ok(true);
        }
    }
}

/// Removes the leftovers of a killed writer from before the journal was written or after it was
/// removed.
///
/// The caller holds the lock and knows that there is no journal.
pub(crate) fn sweep(target: &Path) -> io::Result<()> {
    remove(&hidden(target, WRITING))?;
    remove(&hidden(target, COPYING))?;
    remove(&hidden(target, REPLACED))
}

/// Removes the draft of a journal.
pub(crate) fn sweep_journal(main: &Path) -> io::Result<()> {
    remove(&hidden(main, DRAFT))
}
