//! Exclusion of a second writer.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};

use chessdb_owned::HiddenFileGuard;

use super::disk::remove;
use crate::error::{Error, Problem};
use crate::filesystem::plain_file;
use crate::system::{identity, identity_of};

/// The number of times that a lock file may turn out to be removed after it was locked.
const TRIES: u32 = 1000;

/// A lock file next to a target.
///
/// The operating system holds the lock, so it ends with its process even if that is killed. The
/// writer removes the file when it is done.
#[derive(Debug)]
pub struct Lock {
    path: PathBuf,
    _file: File,
    _removed_by_signal: HiddenFileGuard,
}

impl Lock {
    /// Takes the lock at `path` for writing `target`.
    ///
    /// # Errors
    ///
    /// Returns [`Problem::Locked`] if another writer has the lock.
    pub fn take(path: PathBuf, target: &Path) -> Result<Lock, Error> {
        // The reader of the message knows the database, not the lock file.
        let error = |error| Error::new(target, Problem::Io(error));
        for tries in 1.. {
            let mut options = OpenOptions::new();
            options.create(true).truncate(false).write(true);
            let file = match plain_file::open_with(&mut options, &path) {
                Err(cause)
                    if plain_file::is_special(&path) || plain_file::is_special_error(&cause) =>
                {
                    return Err(Error::new(&path, Problem::NotRegularFile));
                }
                file => file.map_err(error)?,
            };
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    return Err(Error::new(target, Problem::Locked));
                }
                // A file system without locks (some network shares): continue unprotected.
                Err(TryLockError::Error(_)) => return Ok(Lock::new(path, file)),
            }
            // The previous holder may have removed the file between our opening and locking it;
            // then the next writer would lock a new one. Try again until both are the same file.
            // There is a limit, because some file systems may number a file differently each time;
            // there the path alone must do.
            if still_there(&path, &file) || tries > TRIES && path.exists() {
                return Ok(Lock::new(path, file));
            }
            if tries > 2 * TRIES {
                break;
            }
        }
        Err(Error::new(target, Problem::Locked))
    }

    fn new(path: PathBuf, file: File) -> Lock {
        Lock {
            _removed_by_signal: HiddenFileGuard::new(&path),
            path,
            _file: file,
        }
    }

    /// Returns whether someone holds the lock at `path`. Needs no right to write there.
    pub(crate) fn is_taken(path: &Path) -> bool {
        let file = plain_file::open(path);
        file.is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
    }
}

fn still_there(path: &Path, file: &File) -> bool {
    fs::metadata(path).is_ok_and(|data| identity(path, &data) == identity_of(file))
}

impl Drop for Lock {
    fn drop(&mut self) {
        // The lock is still held here; closing the file releases it.
        let _ = remove(&self.path);
    }
}
