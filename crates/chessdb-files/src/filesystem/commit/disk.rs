//! Basic steps on files: renaming, removing and syncing.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;
use std::thread;
use std::time::Duration;

use super::backup::COPYING;
use super::journal::{DRAFT, REPLACED, WRITING, hidden};
use crate::error::SinkFault;
use crate::filesystem::plain_file;

/// The number of times that a step is tried again while another program holds the file.
const TRIES: u32 = 64;

/// The first pause between two tries. Each pause is twice as long as the one before, up to
/// [`LONGEST_PAUSE`]; all together take three seconds.
const FIRST_PAUSE: Duration = Duration::from_millis(10);
const LONGEST_PAUSE: Duration = Duration::from_millis(50);

/// Syncs a folder, so that its file names survive a power failure. Not every system can do this.
pub(crate) fn sync_folder(folder: &Path) {
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
}

/// Returns whether an error means that another program has a file open and does not share it.
fn is_held(error: &io::Error) -> bool {
    let codes: &[i32] = if cfg!(windows) {
        // Access denied (also for files that are about to be removed), sharing violation, lock
        // violation, deletion pending, mapped file.
        &[5, 32, 33, 303, 1224]
    } else {
        // EACCES, EBUSY and ETXTBSY: shares of Windows report its errors by them.
        &[13, 16, 26]
    };
    error
        .raw_os_error()
        .is_some_and(|code| codes.contains(&code))
}

/// Does a step again, with growing pauses, as long as another program holds the file. Virus scanners
/// and search services of Windows open each new file for a moment.
///
/// # Errors
///
/// Returns the error of the step, after three seconds if the file is still held.
pub fn while_held(step: &mut dyn FnMut() -> io::Result<()>) -> io::Result<()> {
    let mut pause = FIRST_PAUSE;
    for _ in 0..TRIES {
        match step() {
            Err(error) if is_held(&error) => thread::sleep(pause),
            done => return done,
        }
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
    step()
}

/// Does a step like [`while_held`] that consumes a value. If the step fails, it returns the value for
/// the next try.
///
/// # Errors
///
/// Returns the errors of [`while_held`].
pub fn consume_while_held<T>(
    value: T,
    step: &mut dyn FnMut(T) -> Result<(), (T, io::Error)>,
) -> io::Result<()> {
    let mut value = Some(value);
    while_held(&mut || {
        value
            .take()
            .map_or(Ok(()), &mut *step)
            .map_err(|(returned, error)| {
                value = Some(returned);
                error
            })
    })
}

/// Renames a file, which replaces a file of the new name. Waits while another program holds one of
/// them for a moment.
///
/// # Errors
///
/// Returns the error of the operating system.
pub fn rename(from: &Path, to: &Path) -> io::Result<()> {
    let protected = make_writable(to);
    let renamed = while_held(&mut || fs::rename(from, to));
    if let (Err(_), Some(permissions)) = (&renamed, protected) {
        let _ = fs::set_permissions(to, permissions);
    }
    renamed
}

/// Removes the read-only attribute of a file, with which Windows neither replaces nor removes it.
/// Returns its permissions before that, if it had the attribute. On Unix such files can be replaced.
fn make_writable(path: &Path) -> Option<fs::Permissions> {
    if !cfg!(windows) {
        return None;
    }
    let old = fs::symlink_metadata(path).ok()?.permissions();
    let mut new = old.clone();
    #[expect(
        clippy::permissions_set_readonly_false,
        reason = "only on Windows, where this is one attribute"
    )]
    new.set_readonly(false);
    (old.readonly() && fs::set_permissions(path, new).is_ok()).then_some(old)
}

/// Checks that no other program has a file open that it does not share, so that it can be replaced.
///
/// # Errors
///
/// Returns an error that names the file.
pub(crate) fn check_free(path: &Path) -> io::Result<()> {
    // This changes nothing, but the operating system refuses it for a file that is in use.
    match rename(path, path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(named_if_held(error, path)),
        _ => Ok(()),
    }
}

/// Returns an error that names the file if another program holds it, otherwise the given error.
pub(crate) fn named_if_held(error: io::Error, path: &Path) -> io::Error {
    if is_held(&error) {
        io::Error::other(SinkFault::Held(path.to_owned()))
    } else {
        error
    }
}

/// Renames a file to a name that is not taken.
pub(crate) fn rename_new(from: &Path, to: &Path) -> io::Result<()> {
    match fs::hard_link(from, to) {
        Ok(()) => {
            // The file is complete under its name; the next writer removes the hidden one.
            let _ = remove(from);
            Ok(())
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
        // The file system has no hard links.
        Err(_) if fs::symlink_metadata(to).is_err() => rename(from, to),
        Err(_) => Err(io::ErrorKind::AlreadyExists.into()),
    }
}

/// Removes a file, if it exists. Waits while another program holds it for a moment.
///
/// # Errors
///
/// Returns the error of the operating system.
pub fn remove(path: &Path) -> io::Result<()> {
    make_writable(path);
    match while_held(&mut || fs::remove_file(path)) {
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
