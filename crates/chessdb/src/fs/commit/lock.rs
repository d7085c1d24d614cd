//! One writer at a time.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};

use chessdb_owned::Hidden;

use crate::error::{Error, Problem};
use crate::fs::plain;

/// How often a lock file may turn out to be removed once it is locked.
const TRIES: u32 = 1000;

/// A lock file beside a target. The lock is the operating system's, so that it ends with its
/// process even if that is killed; the file is removed when the writer is done.
#[derive(Debug)]
pub(crate) struct Lock {
    path: PathBuf,
    _file: File,
    _removed_by_signal: Hidden,
}

impl Lock {
    /// Takes the lock at `path` for writing `target`, or says that another has it.
    pub(crate) fn take(path: PathBuf, target: &Path) -> Result<Lock, Error> {
        // Whoever reads it knows the base, not the file beside it.
        let error = |error| Error::new(target, Problem::Io(error));
        for tries in 1.. {
            let mut options = OpenOptions::new();
            options.create(true).truncate(false).write(true);
            let file = match plain::open_with(&mut options, &path) {
                Err(cause) if plain::is_special(&path) || plain::says_special(&cause) => {
                    return Err(Error::new(&path, Problem::Special));
                }
                file => file.map_err(error)?,
            };
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    return Err(Error::new(target, Problem::Locked));
                }
                // A file system without locks (some network shares): go on unprotected.
                Err(TryLockError::Error(_)) => return Ok(Lock::new(path, file)),
            }
            // The holder before us may have removed the file between our opening and locking it;
            // then the next writer would lock a new one. Try again until both are the same, but not
            // for ever: there may be file systems that number a file anew whenever they are asked. There
            // the path alone has to do.
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
            _removed_by_signal: Hidden::new(&path),
            path,
            _file: file,
        }
    }

    /// Whether somebody has the lock at `path`, asked without the right to write there.
    pub(crate) fn is_taken(path: &Path) -> bool {
        let file = plain::open(path);
        file.is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
    }
}

#[cfg(unix)]
fn still_there(path: &Path, file: &File) -> bool {
    use std::os::unix::fs::MetadataExt;
    match (fs::metadata(path), file.metadata()) {
        (Ok(a), Ok(b)) => (a.dev(), a.ino()) == (b.dev(), b.ino()),
        _ => false,
    }
}

#[cfg(not(unix))]
fn still_there(path: &Path, _file: &File) -> bool {
    path.exists()
}

impl Drop for Lock {
    fn drop(&mut self) {
        // While the lock is still held; closing the file releases it.
        let _ = fs::remove_file(&self.path);
    }
}
