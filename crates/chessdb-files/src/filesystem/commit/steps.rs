//! The steps of a commit, forwards and backwards.
//!
//! A set of several files cannot be renamed atomically. Therefore the new files are first synced
//! under hidden names, then a [`Journal`] is synced, and only then is the first file renamed. From
//! the journal on the new database counts: a program that finds the journal finishes the renames,
//! or undoes them if a new file no longer exists. Old files are kept under hidden names until
//! everything is done; the journal is removed last.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::disk::{named_if_held, remove, rename, sync_folder};
use super::file_change::{ChangeState, FileChange};
use super::journal::{DRAFT, Fingerprint, Journal, JournalEntry, WRITING, hidden};
use super::kept_journal::{self, State};
use crate::paths::folder_of;

/// The content under the three names of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct FileState {
    target: Option<Fingerprint>,
    new: Option<Fingerprint>,
    old: Option<Fingerprint>,
}

impl FileState {
    fn read(entry: &JournalEntry, journal: &Journal) -> io::Result<FileState> {
        Ok(FileState {
            target: Fingerprint::read(&entry.target)?,
            new: Fingerprint::read(&journal.new_path(&entry.target))?,
            old: Fingerprint::read(&journal.old_path(&entry.target))?,
        })
    }

    /// Returns whether the new state of the file can be reached without overwriting anything else.
    fn can_finish(&self, entry: &JournalEntry) -> bool {
        let backup_fits = self.old.is_none() || self.old == entry.old;
        let is_recorded = |target| target == entry.old || target == entry.new;
        let untouched = self.target.is_none() || is_recorded(self.target);
        let is_available = self.target == entry.new || entry.new.is_none() || self.new == entry.new;
        backup_fits && untouched && is_available
    }

    /// Returns whether the old state of the file can be restored without overwriting anything else.
    fn can_undo(&self, entry: &JournalEntry) -> bool {
        if self.target == entry.old {
            return true;
        }
        // A new file under the final name goes back to its hidden name.
        let free = self.target.is_none() || self.target == entry.new && self.new.is_none();
        free && (entry.old.is_none() || self.old == entry.old)
    }
}

/// The direction in which an interrupted commit can be ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Direction {
    /// All new files exist.
    Forward,
    /// Some new files are missing, but all old ones exist.
    Back,
}

/// The content under the names of each entry.
pub(crate) type FileStates = Vec<FileState>;

impl Journal {
    /// Returns the state on disk and the direction in which the commit can be ended. If a file has
    /// neither the old nor the new content, the direction is an error with its path.
    pub(crate) fn look(&self) -> io::Result<(FileStates, Result<Direction, PathBuf>)> {
        let states = self.states()?;
        let changed = self.changes.iter().map(FileChange::look);
        let changed: Vec<ChangeState> = changed.collect::<io::Result<_>>()?;
        let both = || self.entries.iter().zip(&states);
        let changes = || self.changes.iter().zip(&changed);
        let stays = both().find(|(entry, state)| !state.can_finish(entry));
        let stays = stays.map(|(entry, _)| &entry.target);
        let not_there =
            changes().find(|(_, state)| matches!(state, ChangeState::NoTail | ChangeState::Other));
        let way = match stays.or(not_there.map(|(change, _)| &change.target)) {
            None => Ok(Direction::Forward),
            Some(lost) => {
                let back = both().all(|(entry, state)| state.can_undo(entry));
                if back && changes().all(|(_, state)| *state != ChangeState::Other) {
                    Ok(Direction::Back)
                } else {
                    Err(lost.clone())
                }
            }
        };
        Ok((states, way))
    }

    fn states(&self) -> io::Result<FileStates> {
        let states = self.entries.iter();
        states.map(|entry| FileState::read(entry, self)).collect()
    }

    /// Returns whether every file that changes in place has its new content.
    pub(crate) fn is_applied(&self) -> io::Result<bool> {
        for change in &self.changes {
            if change.look()? != ChangeState::Done {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn folder(&self) -> &Path {
        folder_of(&self.main)
    }

    /// Does what takes long and changes no file of the database: writes hidden files again whose bytes
    /// move.
    pub(crate) fn prepare(&self) -> io::Result<()> {
        self.changes.iter().try_for_each(FileChange::prepare)
    }

    /// Removes the files that [`Journal::prepare`] wrote.
    pub(crate) fn discard_prepared(&self) {
        for change in self.changes.iter().filter(|change| change.is_moved()) {
            // The next writer removes what remains.
            let _ = remove(&hidden(&change.target, WRITING));
        }
    }

    /// Writes the journal. On return it is on disk together with all the new files.
    pub(crate) fn begin(&self) -> io::Result<()> {
        if let Some(kept) = &self.kept {
            return self.write_kept(kept);
        }
        let draft = hidden(&self.main, DRAFT);
        remove(&draft)?;
        let mut file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&draft)?;
        let written = file.write_all(self.text()?.as_bytes());
        let written = written.and_then(|()| file.sync_all());
        drop(file);
        // The names of the new files must be on disk before the journal that refers to them.
        sync_folder(self.folder());
        let done = written.and_then(|()| rename(&draft, &self.path()));
        if done.is_err() {
            let _ = remove(&draft);
        }
        done?;
        sync_folder(self.folder());
        Ok(())
    }

    /// Returns the state on disk that is expected before the first rename.
    pub(crate) fn untouched(&self) -> FileStates {
        let state = |entry: &JournalEntry| FileState {
            target: entry.old,
            new: entry.new,
            old: None,
        };
        self.entries.iter().map(state).collect()
    }

    /// Does the remaining steps and removes the journal.
    pub(crate) fn finish(&self, states: &[FileState]) -> io::Result<()> {
        self.finish_if(states, &mut |_| Ok(()))
    }

    /// Does the remaining steps and removes the journal. Calls `may_change` immediately before each
    /// file changes or is replaced; its error ends the commit.
    pub(crate) fn finish_if(
        &self,
        states: &[FileState],
        may_change: &mut dyn FnMut(&Path) -> io::Result<()>,
    ) -> io::Result<()> {
        let (last, changes) = match self.changes.split_last() {
            Some((last, changes)) => (Some(last), changes),
            None => (None, &[][..]),
        };
        for change in changes {
            may_change(&change.target)?;
            change
                .finish()
                .map_err(|error| named_if_held(error, &change.target))?;
        }
        for (entry, state) in self.entries.iter().zip(states) {
            let target = &entry.target;
            let named = |error| named_if_held(error, target);
            let (old, writing) = (self.old_path(target), self.new_path(target));
            match entry.new {
                // This step was done before; a second copy is not needed.
                Some(_) if state.target == entry.new && state.new == entry.new => {
                    remove(&writing)?;
                }
                Some(_) if state.target == entry.new => {}
                Some(_) => {
                    may_change(target)?;
                    // A hard link keeps the old name in place; without hard links, rename.
                    let keep = state.target.is_some() && state.old.is_none();
                    if keep && fs::hard_link(target, &old).is_err() {
                        rename(target, &old).map_err(named)?;
                    }
                    rename(&writing, target).map_err(named)?;
                }
                None if state.target.is_some() => {
                    may_change(target)?;
                    rename(target, &old).map_err(named)?;
                }
                None => {}
            }
        }
        // A change of bytes alone has no new names.
        if !self.entries.is_empty() || self.kept.is_none() {
            sync_folder(self.folder());
        }
        // The index counts the content of the other files.
        if let Some(last) = last {
            may_change(&last.target)?;
            last.finish()
                .map_err(|error| named_if_held(error, &last.target))?;
        }
        if self.kept.is_none() {
            // The change before cannot be undone in the new database.
            kept_journal::forget(&self.main, self.targets())?;
        }
        self.end(states)
    }

    /// Removes the old files, then the journal. If the journal stays, both remain.
    fn end(&self, states: &[FileState]) -> io::Result<()> {
        if let Some(kept) = &self.kept {
            return self.note_completion(kept.is_reversed);
        }
        for (entry, state) in self.entries.iter().zip(states) {
            if entry.old.is_some() && (state.old.is_none() || state.old == entry.old) {
                remove(&self.old_path(&entry.target))?;
            }
        }
        // The journal goes last: as long as it exists, the commit can be repeated.
        remove(&self.path())?;
        sync_folder(self.folder());
        Ok(())
    }

    /// Gives every old file its name back and every new file its hidden name, and removes the
    /// journal.
    pub(crate) fn undo(&self, states: &[FileState]) -> io::Result<()> {
        // In reverse, so that the index, which changed last, never counts games that are gone.
        for change in self.changes.iter().rev() {
            change.reversed().finish()?;
        }
        self.undo_entries(self.entries.iter().zip(states))?;
        self.end_undone(states)
    }

    fn undo_entries<'e>(
        &'e self,
        entries: impl DoubleEndedIterator<Item = (&'e JournalEntry, &'e FileState)>,
    ) -> io::Result<()> {
        // In reverse, so that a second interruption leaves a state of the commit, which can be
        // recovered.
        for (entry, state) in entries.rev() {
            if state.target == entry.old {
                continue;
            }
            if state.target.is_some() {
                rename(&entry.target, &self.new_path(&entry.target))?;
            }
            if entry.old.is_some() {
                rename(&self.old_path(&entry.target), &entry.target)?;
            }
        }
        sync_folder(self.folder());
        Ok(())
    }

    /// Removes the journal of a change that was undone because it could not be completed.
    fn end_undone(&self, states: &[FileState]) -> io::Result<()> {
        match &self.kept {
            None => self.end(states),
            // The change that could not be completed cannot be repeated either.
            Some(kept) if !kept.is_reversed => {
                kept_journal::forget(&self.main, self.targets())?;
                // With a journal that comes back, the change could be completed after all.
                sync_folder(self.folder());
                Ok(())
            }
            Some(_) => self.note_completion(false),
        }
    }

    /// Undoes a commit that stopped because another program changed a file. The files in `changed`
    /// have been changed before; all others remain as that program left them.
    pub(crate) fn withdraw(&self, changed: &[PathBuf]) -> io::Result<()> {
        for change in self.changes.iter().rev() {
            // If another program appended to the new bytes, both remain: no index refers to them.
            if changed.contains(&change.target) && change.is_exact()? {
                change.reversed().finish()?;
            }
        }
        let states = self.states()?;
        let both = self.entries.iter().zip(&states);
        let replaced: Vec<_> = both
            .filter(|(entry, _)| changed.contains(&entry.target))
            .collect();
        if !replaced.iter().all(|(entry, state)| state.can_undo(entry)) {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        self.undo_entries(replaced.into_iter())?;
        match &self.kept {
            // The old times stay: another program has changed a file since.
            Some(kept) if kept.is_reversed => kept_journal::note_state(&self.main, State::Done),
            _ => self.end_undone(&states),
        }
    }

    /// Undoes a commit that failed. Returns true if the commit is complete and only cleaning up
    /// failed, false if everything is as it was before.
    pub(crate) fn take_back(&self) -> io::Result<bool> {
        let (states, _) = self.look()?;
        let both = || self.entries.iter().zip(&states);
        if both().all(|(entry, state)| state.target == entry.new) && self.is_applied()? {
            return Ok(true);
        }
        for change in &self.changes {
            // Another program has changed the file, and its bytes must not be cut off.
            if change.look()? == ChangeState::Other {
                return Err(io::ErrorKind::AlreadyExists.into());
            }
        }
        if !both().all(|(entry, state)| state.can_undo(entry)) {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        self.undo(&states).map(|()| false)
    }

    /// Returns the location of the files of the database while nothing can be renamed: for every
    /// final path with the wrong content, the path to read instead, or `None` if the file must not
    /// be read.
    pub(crate) fn view(
        &self,
        states: &[FileState],
        way: Direction,
    ) -> Vec<(PathBuf, Option<PathBuf>)> {
        let entries = self.entries.iter().zip(states);
        let moved = entries.filter_map(|(entry, state)| {
            let (wanted, instead) = match way {
                Direction::Forward => (entry.new, self.new_path(&entry.target)),
                Direction::Back => (entry.old, self.old_path(&entry.target)),
            };
            let instead = wanted.map(|_| instead);
            (state.target != wanted).then(|| (entry.target.clone(), instead))
        });
        moved.collect()
    }
}

#[cfg(test)]
mod tests;
