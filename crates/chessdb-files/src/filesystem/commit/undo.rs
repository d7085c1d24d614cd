//! Undoing the last change of a database, and repeating it.

use std::io;
use std::path::{Path, PathBuf};

use chessdb_core::files::{ApplyFault, DiskAccess, LibraryChange};

use super::disk::check_free;
use super::file_change::FileChange;
use super::index_update::{ChangedGames, IndexUpdate};
use super::journal::{Fingerprint, Journal};
use super::kept_journal::{self, RecordedCommand, State};
use super::sink::{DirSink, create};
use crate::error::{Error, Problem, target_error};

/// The last changes of a database in place.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct LastChange {
    /// The commands, the latest first. Only that one can be undone.
    pub commands: Vec<RecordedCommand>,
    /// Whether the latest command was undone. Undoing it again repeats it.
    pub is_undone: bool,
}

/// Returns the last changes of the database that is named by the file `main`; `None` if there is no
/// record of any.
///
/// # Errors
///
/// Returns an error if the record cannot be read.
pub fn last_change(main: &Path) -> Result<Option<LastChange>, Error> {
    let failed = |error| Error::new(main, Problem::Io(error));
    let read = kept_journal::read(main).map_err(failed)?;
    Ok(read.and_then(|(state, journal)| {
        Some(LastChange {
            commands: journal.kept?.log.commands,
            is_undone: state == State::Undone,
        })
    }))
}

/// Undoes the last change of the database at a path ([`undo`]).
///
/// # Errors
///
/// Returns the errors of [`find`](crate::filesystem::find), [`create`] and [`undo`].
pub fn undo_last(path: &Path) -> Result<LastChange, Error> {
    let database = crate::filesystem::find(path)?;
    let files = database.files();
    let main = files.first().map_or(database.path(), |(_, file)| file);
    let mut sink = create(main, database.format(), true).map_err(Error::while_writing)?;
    // The library of a format cannot write while its files are also read.
    drop(database);
    undo(&mut sink)
}

/// Returns the last changes of the database at a path ([`last_change`]).
///
/// # Errors
///
/// Returns the errors of [`find`](crate::filesystem::find) and [`last_change`].
pub fn last_changes(path: &Path) -> Result<Option<LastChange>, Error> {
    let database = crate::filesystem::find(path)?;
    let files = database.files();
    last_change(files.first().map_or(database.path(), |(_, file)| file))
}

/// Undoes the last change of a database, or repeats it if it was undone. Returns the commands as
/// they are afterwards. The caller must not have the database open: the libraries of some formats do
/// not write to a file that is read.
///
/// # Errors
///
/// Returns an error, and changes nothing, if there is nothing to undo, if another program has
/// changed the database since, or if a file that is needed is gone.
pub fn undo(sink: &mut DirSink) -> Result<LastChange, Error> {
    let main = sink.main().to_owned();
    let failed = |error| Error::new(&main, Problem::Io(error)).while_writing();
    let Some((state, journal)) = kept_journal::read(&main).map_err(failed)? else {
        return Err(Error::new(&main, Problem::NothingToUndo).while_writing());
    };
    let is_undo = state == State::Done;
    let next = journal.reversed();
    let times = kept_journal::noted_times(&main).map_err(failed)?;
    if let Some(changed) = first_changed(&journal, &next, &times).map_err(failed)? {
        return Err(Error::new(changed, Problem::ChangedSince).while_writing());
    }
    if let (Some(disk), [change]) = (sink.disk(), &next.changes[..]) {
        let made = change.for_library();
        let made = made.ok_or_else(|| Error::new(&main, Problem::NothingToUndo).while_writing())?;
        let id = kept_journal::checksum(&main).map_err(failed)?;
        // An index that cannot be examined is out of date.
        let index = IndexUpdate::prepare(sink.path(), &sink.targets).unwrap_or_default();
        let undone = undo_by_library(&next, disk, made, is_undo)?;
        let followed = match index {
            Some(index) => follow_undo(index, &undone.1, &main, id),
            None => Ok(!sink.has_index()),
        };
        sink.note_index(followed);
        return Ok(undone.0);
    }
    // Another program may have changed only files that the change did not touch.
    let others = journal.kept.iter().flat_map(|kept| &kept.soundness.others);
    let mut own = others.filter(|other| sink.is_own(&other.path));
    if let Some(changed) = own.find(|other| other.has_changed()) {
        return Err(Error::new(&changed.path, Problem::ChangedSince).while_writing());
    }
    let transactions = sink.lock_targets().map_err(failed)?;
    let id = kept_journal::checksum(&main).map_err(failed)?;
    let games = ChangedGames::AsBefore;
    // Patches need no free file, but a program that has it open may write its old state back.
    let is_free = next.targets().try_for_each(check_free);
    let prepared = is_free.and_then(|()| next.prepare());
    let index = IndexUpdate::begin(sink.path(), &sink.targets, &next, id, games);
    let begins = if is_undo { State::Undoing } else { State::Pending };
    let begun = prepared.and_then(|()| kept_journal::note_state(&main, begins));
    if let Err(error) = begun {
        next.discard_prepared();
        // The database is unchanged. If the index cannot be restored, it is out of date.
        if let Ok(Some(index)) = index {
            let _ = index.withdraw();
        }
        return Err(target_error(error.into(), Some(&main)));
    }
    let done = sink.carry_out(&next);
    drop(transactions);
    sink.end_index(index, done.is_ok());
    if let Err(error) = done {
        let is_pending = sink.is_pending();
        let partly = is_pending.then(|| Error::new(&main, Problem::PartlyRenamed).while_writing());
        return Err(partly.unwrap_or_else(|| target_error(error.into(), Some(&main))));
    }
    let commands = next.kept.map(|kept| kept.log.commands);
    Ok(LastChange {
        commands: commands.unwrap_or_default(),
        is_undone: is_undo,
    })
}

/// Undoes or repeats the change of a file by the library of its format. A stop leaves the old or the
/// new file, which the record describes only if the whole was done.
fn undo_by_library(
    next: &Journal,
    disk: DiskAccess,
    mut change: LibraryChange,
    is_undo: bool,
) -> Result<(LastChange, Journal), Error> {
    let main = &next.main;
    let failed = |problem| Error::new(main, problem).while_writing();
    (disk.apply)(main, &mut change).map_err(|fault| match fault {
        ApplyFault::Busy => failed(Problem::Locked),
        ApplyFault::Changed => failed(Problem::ChangedSince),
        ApplyFault::Io(error) => failed(Problem::Io(error)),
    })?;
    let time = kept_journal::nanoseconds(change.modified);
    let mut made = next.clone();
    made.changes = vec![FileChange::of_library(main, change)];
    // The record has the change in the direction of the command.
    let record = if is_undo { made.reversed() } else { made.clone() };
    // The change is made; without its record it cannot be repeated.
    if record.write_made(is_undo, time).is_err() {
        let _ = kept_journal::forget(main, std::iter::once(main.as_path()));
    }
    let commands = record.kept.map(|kept| kept.log.commands);
    let change = LastChange {
        commands: commands.unwrap_or_default(),
        is_undone: is_undo,
    };
    Ok((change, made))
}

/// Notes in the index that the library of the format has undone or repeated a change. `id_before` is
/// the checksum of the journal before that.
fn follow_undo(
    index: IndexUpdate,
    made: &Journal,
    main: &Path,
    id_before: u32,
) -> io::Result<bool> {
    let id = kept_journal::checksum(main)?;
    index.follow(made, id_before, id, ChangedGames::AsBefore)
}

/// Returns the first file that is not as the change left it, or whose other version is gone.
fn first_changed(journal: &Journal, next: &Journal, times: &[u64]) -> io::Result<Option<PathBuf>> {
    let mut noted = times.iter().copied();
    for target in journal.targets() {
        let time = noted.next().unwrap_or(0);
        if time != 0 && time != kept_journal::modified(target) {
            return Ok(Some(target.to_owned()));
        }
    }
    for entry in &next.entries {
        let is_ready = Fingerprint::read(&entry.target)? == entry.old
            && (entry.new.is_none()
                || Fingerprint::read(&next.new_path(&entry.target))? == entry.new);
        if !is_ready {
            return Ok(Some(entry.target.clone()));
        }
    }
    for (change, next) in journal.changes.iter().zip(&next.changes) {
        if !change.is_exact()? || !next.is_available()? {
            return Ok(Some(change.target.clone()));
        }
    }
    Ok(None)
}
