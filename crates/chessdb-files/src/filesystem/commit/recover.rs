//! Recovery from interrupted commits: finding them, ending them, or reading in spite of them.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use super::journal::{JOURNAL, Journal, LOCK, concerns, hidden, is_read_only, main_of};
use super::kept_journal::{self, UNDO};
use super::lock::Lock;
use super::steps::Direction;
use crate::error::{Error, Problem};
use crate::filesystem::plain_file;
use crate::paths::folder_of;
use crate::paths::shown;
use crate::recovery::{Ending, Recovery};

/// How long to wait for the commit of another program, which takes as long as renaming a few files.
const PATIENCE: Duration = Duration::from_secs(10);

/// The paths to read for files of a folder without their final names, and the recoveries that were
/// done.
#[derive(Clone, Default, Debug)]
pub(crate) struct PendingCommit {
    /// Final paths, each with the path to read instead; `None` if there is nothing to read.
    moved: Vec<(PathBuf, Option<PathBuf>)>,
    pub(crate) recoveries: Vec<Recovery>,
}

impl PendingCommit {
    /// Returns the path to read for this file.
    pub(crate) fn actual<'a>(&'a self, path: &'a Path) -> &'a Path {
        let moved = self.moved.iter().find(|(from, _)| same_place(from, path));
        moved.and_then(|(_, to)| to.as_deref()).unwrap_or(path)
    }

    /// Returns whether this file must not be read because the new database does not have it.
    pub(crate) fn is_gone(&self, path: &Path) -> bool {
        self.moved
            .iter()
            .any(|(from, to)| to.is_none() && same_place(from, path))
    }

    /// Returns an error if files would have to be read under hidden names. That works in the given
    /// folder only, not through links.
    pub(crate) fn refuse_links(&self) -> Result<(), Error> {
        match self.moved.first() {
            None => Ok(()),
            Some((path, _)) => {
                let what = "the folder is not writable".to_owned();
                Err(Error::new(path, Problem::InterruptedWrite(what)))
            }
        }
    }

    /// Returns whether all files have their final names and no journal is left.
    pub(crate) fn is_plain(&self) -> bool {
        let is_reading = |recovery: &Recovery| recovery.ending.is_reading();
        self.moved.is_empty() && !self.recoveries.iter().any(is_reading)
    }

    /// Corrects a listing of a folder to the final names.
    pub(crate) fn correct(&self, files: &mut Vec<PathBuf>) {
        for (path, to) in &self.moved {
            match to {
                None => files.retain(|file| !same_place(file, path)),
                Some(_) if !files.iter().any(|file| same_place(file, path)) => {
                    files.push(path.clone());
                    files.sort();
                }
                Some(_) => {}
            }
        }
    }
}

/// Returns whether two paths are equal, apart from a leading `./`.
fn same_place(a: &Path, b: &Path) -> bool {
    a.file_name() == b.file_name() && folder_of(a) == folder_of(b)
}

/// Returns the journals of unfinished commits in a folder as the paths of the files that name their
/// databases. A folder that cannot be listed has none.
pub(crate) fn journals_in(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let in_folder = |name: std::ffi::OsString| {
        if folder == Path::new(".") { PathBuf::from(name) } else { folder.join(name) }
    };
    let mut mains: Vec<PathBuf> = entries
        .filter_map(|entry| {
            let name = entry.ok()?.file_name();
            // Journals are hidden; the paths of other files need not be made.
            if !name.as_encoded_bytes().starts_with(b".") {
                return None;
            }
            let path = in_folder(name);
            let changed = || main_of(&path, UNDO).filter(|main| kept_journal::is_unfinished(main));
            main_of(&path, JOURNAL).or_else(changed)
        })
        .collect();
    mains.sort();
    mains.dedup();
    mains
}

/// Returns the files of all databases with a journal in this folder, with or without their final
/// names.
pub(crate) fn pending_files_in(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for main in journals_in(folder) {
        if let Ok(Some(journal)) = Journal::read(&main) {
            let new = journal
                .entries
                .into_iter()
                .filter(|entry| entry.new.is_some());
            files.extend(new.map(|entry| entry.target));
        }
    }
    files
}

/// Ends interrupted commits of the database at `path`, which is a file of it or its stem.
///
/// A commit that another run began and that was interrupted between two renames is finished, or
/// undone if new files were lost. [`find`](crate::filesystem::find),
/// `Database::open` and [`create`](crate::filesystem::create) do this
/// automatically; call this function first to report what was done.
///
/// Does nothing where files may not be renamed.
///
/// # Errors
///
/// Returns [`Problem::InterruptedWrite`] if the state of the database is unclear, and [`Problem::Locked`]
/// if its writer is still at work and does not finish in time. In both cases nothing was changed.
pub fn recover(path: impl AsRef<Path>) -> Result<Vec<Recovery>, Error> {
    Ok(only_ended(finish_pending(path.as_ref())?.recoveries))
}

/// Keeps the recoveries that ended a commit.
pub(crate) fn only_ended(mut done: Vec<Recovery>) -> Vec<Recovery> {
    done.retain(|recovery| !recovery.ending.is_reading());
    done
}

/// Ends the commits that can be ended, and determines the paths to read for the rest.
pub(crate) fn finish_pending(path: &Path) -> Result<PendingCommit, Error> {
    finish_pending_with(path, &mut |_| true)
}

/// Does the work of [`finish_pending`]. `may_have_journal` can rule out that anything is unfinished.
pub(crate) fn finish_pending_with(
    path: &Path,
    may_have_journal: &mut dyn FnMut(&Path) -> bool,
) -> Result<PendingCommit, Error> {
    let mut finish_in_folder = |path: &Path, pending: &mut PendingCommit| {
        if may_have_journal(path) { finish_in_folder(path, pending) } else { Ok(()) }
    };
    let mut pending = PendingCommit::default();
    finish_in_folder(path, &mut pending)?;
    // The journal is next to the file that a link leads to.
    let is_link = fs::symlink_metadata(path).is_ok_and(|data| data.is_symlink());
    if is_link && let Ok(real) = fs::canonicalize(path) {
        let mut target = PendingCommit::default();
        finish_in_folder(&real, &mut target)?;
        target.refuse_links()?;
        pending.recoveries.append(&mut target.recoveries);
    }
    Ok(pending)
}

fn finish_in_folder(path: &Path, pending: &mut PendingCommit) -> Result<(), Error> {
    let Some(name) = path.file_name() else {
        return Ok(());
    };
    for main in journals_in(folder_of(path)) {
        if is_concerned(&main, name)? {
            finish_base(&main, pending)?;
        }
    }
    Ok(())
}

/// Returns whether the journal of this database concerns the given name.
fn is_concerned(main: &Path, name: &OsStr) -> Result<bool, Error> {
    match Journal::read(main) {
        Ok(journal) => Ok(journal.is_some_and(|journal| journal.concerns(name))),
        Err(error) if concerns(main, name) => Err(unreadable(main, &error)),
        // By its name, it belongs to another database.
        Err(_) => Ok(false),
    }
}

fn unreadable(main: &Path, error: &io::Error) -> Error {
    let what = match error.kind() {
        io::ErrorKind::InvalidData => "its journal is damaged".to_owned(),
        _ if plain_file::is_special(&hidden(main, JOURNAL)) => {
            "its journal is not a plain file".to_owned()
        }
        _ => format!("its journal cannot be read ({error})"),
    };
    Error::new(main, Problem::InterruptedWrite(what))
}

/// Ends the commit of one database. If its writer is about to do so, waits for it.
fn finish_base(main: &Path, pending: &mut PendingCommit) -> Result<(), Error> {
    let start = Instant::now();
    loop {
        let lock = match Lock::take(hidden(main, LOCK), main) {
            Ok(lock) => Some(lock),
            Err(error) => match error.problem() {
                // A writer that has not begun its commit leaves the old files in place.
                Problem::Locked if Journal::read(main).is_ok_and(|journal| journal.is_none()) => {
                    return Ok(());
                }
                Problem::Locked if start.elapsed() < PATIENCE => {
                    thread::sleep(Duration::from_millis(20));
                    continue;
                }
                Problem::Io(cause) if is_read_only(cause) => {
                    // Its writer may still be at work under another user account.
                    if Lock::is_taken(&hidden(main, LOCK)) {
                        if start.elapsed() > PATIENCE {
                            return Err(Error::new(main, Problem::Locked));
                        }
                        thread::sleep(Duration::from_millis(20));
                        continue;
                    }
                    None
                }
                _ => return Err(error),
            },
        };
        return finish_locked(main, lock.as_ref(), pending);
    }
}

/// Ends the commit of one database. Without a lock, which could not be taken because of missing
/// permissions, determines the paths to read instead.
pub(crate) fn finish_locked(
    main: &Path,
    lock: Option<&Lock>,
    pending: &mut PendingCommit,
) -> Result<(), Error> {
    let journal = match Journal::read(main) {
        Ok(Some(journal)) => journal,
        Ok(None) => return Ok(()),
        Err(error) => return Err(unreadable(main, &error)),
    };
    let unfinished = |what: String| Error::new(main, Problem::InterruptedWrite(what));
    let failed = |error: io::Error| unfinished(format!("a file cannot be read ({error})"));
    let (states, way) = journal.look().map_err(failed)?;
    let way = way.map_err(|path| {
        let name = shown(path.file_name().unwrap_or_default()).to_string();
        unfinished(format!("`{name}` is neither the old nor the new file"))
    })?;
    let ended = lock.map(|_| match way {
        Direction::Forward => journal.finish(&states),
        Direction::Back => journal.undo(&states),
    });
    let ending = match (ended, way) {
        (Some(Ok(())), Direction::Forward) => Ending::Finished,
        (Some(Ok(())), Direction::Back) => Ending::Undone,
        (Some(Err(error)), _) if !is_read_only(&error) => {
            return Err(unfinished(format!("renaming failed ({error})")));
        }
        (_, way) => {
            // An attempt that failed may have renamed some files before.
            let (states, _) = journal.look().map_err(failed)?;
            if !journal.is_applied().map_err(failed)? {
                return Err(unfinished("the folder is not writable".to_owned()));
            }
            pending.moved.extend(journal.view(&states, way));
            match way {
                Direction::Forward => Ending::ReadNew,
                Direction::Back => Ending::ReadOld,
            }
        }
    };
    pending.recoveries.push(Recovery {
        path: main.to_owned(),
        ending,
    });
    Ok(())
}

/// Returns whether there is a journal of an unfinished commit named after this file. The journal of
/// a set is named after one of its files.
pub(crate) fn has_journal(file: &Path) -> bool {
    fs::symlink_metadata(hidden(file, JOURNAL)).is_ok() || kept_journal::is_unfinished(file)
}

/// Returns whether a commit is running or waiting for recovery for a set of these files.
pub(crate) fn is_pending(files: &mut dyn Iterator<Item = &Path>) -> bool {
    for file in files {
        // The journal is next to the file that a link leads to.
        if has_journal(file) || fs::canonicalize(file).is_ok_and(|real| has_journal(&real)) {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn journal_is_located_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let main = folder.path().join("Base.si4");
        fs::write(hidden(&main, JOURNAL), "").unwrap();
        fs::write(folder.path().join(".x.chessdb-lock"), "").unwrap();
        assert_eq!(journals_in(folder.path()), std::slice::from_ref(&main));
        // An unreadable journal concerns only the database in its name.
        let error = finish_pending(&folder.path().join("base")).unwrap_err();
        assert!(
            matches!(error.problem(), Problem::InterruptedWrite(_)),
            "{error}"
        );
        assert!(finish_pending(&folder.path().join("other.si4")).is_ok());
        assert!(hidden(&main, JOURNAL).exists());
    }
}
