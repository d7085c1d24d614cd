//! The last step of a commit: the new files get the names of the old ones.

use std::path::Path;
use std::sync::PoisonError;
use std::{fs, io};

use chessdb_core::files::{Growing as _, Transaction};

use super::super::disk::{
    check_free, has_same_bytes, named_if_held, remove, rename, rename_new, sync_folder,
};
use super::super::file_change::{FileChange, Tail};
use super::super::index_update::{ChangedGames, IndexUpdate};
use super::super::journal::{Fingerprint, Journal, JournalEntry, KeptState, hidden};
use super::super::kept_journal::{self, AFTER, ChangeLog, OtherFile, Soundness};
use super::super::targets::are_together;
use super::{DirSink, Output, OutputFile, has_changed};
use crate::error::SinkFault;
use crate::paths::folder_of;
use crate::snapshot::Snapshot;

impl DirSink {
    /// Checks that no other program has changed the target since it was opened. A commit does that by
    /// itself.
    ///
    /// # Errors
    ///
    /// Returns an error that names the changed file.
    pub fn check_unchanged(&self) -> io::Result<()> {
        let changed = self.before.changed().map(Path::to_owned);
        let mut sources = self.sources.iter();
        let changed_source = |source: &Snapshot| {
            source
                .changed_in(&self.before)
                .or_else(|| source.changed_while_read())
        };
        match changed.or_else(|| sources.find_map(changed_source)) {
            Some(path) => Err(has_changed(path)),
            None => Ok(()),
        }
    }

    /// Returns whether a file belongs to the format itself, not to those that other programs derive.
    pub(in super::super) fn is_own(&self, path: &Path) -> bool {
        self.before.contains(path)
    }

    /// Starts replacing the old files by the rules of their own programs, which are kept from changing
    /// them until the transactions are dropped. Windows does not replace an open file, so there this
    /// only checks that no program is changing one; the system refuses to replace those in use.
    pub(in super::super) fn lock_targets(&self) -> io::Result<Vec<Box<dyn Transaction>>> {
        let mut transactions = Vec::new();
        let Some(disk) = self.disk else {
            return Ok(transactions);
        };
        for (_, target) in self.targets.iter().filter(|(_, target)| target.exists()) {
            match (disk.write)(target) {
                Ok(transaction) if cfg!(windows) => drop(transaction),
                Ok(transaction) => transactions.extend(transaction),
                Err(_) => {
                    let locked = SinkFault::Locked(target.clone());
                    return Err(io::Error::other(locked));
                }
            }
        }
        Ok(transactions)
    }

    /// Gives all files their final names: directly if there is only one, otherwise with a journal.
    pub(super) fn rename(&mut self) -> io::Result<()> {
        let _transactions = self.lock_targets()?;
        self.check_unchanged()?;
        for writing in &mut self.files {
            writing.removed_by_signal = None;
        }
        let journal = if self.changes_in_place() {
            self.change_journal()?
        } else {
            self.replacement_journal()?
        };
        let Some(journal) = journal else {
            self.committed = true;
            return Ok(());
        };
        // The old database did not have one of the files, and others are links.
        if !are_together(&mut journal.targets()) {
            return Err(io::Error::other(
                "the files of the database are links to different folders and cannot be replaced \
                 together",
            ));
        }
        // Reading or copying the files may take long.
        let ready = journal
            .prepare()
            .and_then(|()| journal.targets().try_for_each(check_free))
            .and_then(|()| self.check_unchanged());
        if let Err(error) = ready.and_then(|()| journal.begin()) {
            journal.discard_prepared();
            return Err(error);
        }
        let index = self.begin_index(&journal);
        let done = match self.carry_out(&journal) {
            Ok(()) => {
                self.committed = true;
                Ok(())
            }
            Err(error) if self.pending || is_changed_error(&error) => Err(error),
            Err(error) => self.take_back(&journal, error),
        };
        self.end_index(index, done.is_ok());
        done
    }

    /// Does the steps of a journal that is on disk. If another program has changed one of the files,
    /// all others are restored; if that fails, the commit stays pending.
    pub(in super::super) fn carry_out(&mut self, journal: &Journal) -> io::Result<()> {
        let mut changed = Vec::new();
        let done = self.check_unchanged().and_then(|()| {
            journal.finish_if(&journal.untouched(), &mut |target| {
                if self.before.has_changed(target) {
                    return Err(has_changed(target.to_owned()));
                }
                changed.push(target.to_owned());
                Ok(())
            })
        });
        if done.as_ref().is_err_and(is_changed_error) {
            self.pending = true;
            journal.withdraw(&changed)?;
            journal.discard_prepared();
            self.pending = false;
        }
        done
    }

    /// Completes or withdraws the notes in the index. The change counts, even if the index cannot be
    /// updated and is out of date.
    pub(in super::super) fn end_index(
        &mut self,
        index: io::Result<Option<IndexUpdate>>,
        is_done: bool,
    ) {
        self.note_index(index.and_then(|index| match index {
            Some(index) if is_done => index.finish(),
            Some(index) => index.withdraw(),
            None => Ok(true),
        }));
    }

    /// Notes in the index that the files are about to change in place.
    fn begin_index(&self, journal: &Journal) -> io::Result<Option<IndexUpdate>> {
        if journal.kept.is_none() {
            return Ok(None);
        }
        let id = kept_journal::checksum(&self.main)?;
        let games = self.changed_games.lock();
        let games = games.unwrap_or_else(PoisonError::into_inner);
        let games = ChangedGames::Listed(&games);
        IndexUpdate::begin(self.path(), &self.targets, journal, id, games)
    }

    /// Returns the journal for replacing the files. `None` if there was only one, and it has been
    /// replaced.
    fn replacement_journal(&mut self) -> io::Result<Option<Journal>> {
        let mut entries = Vec::new();
        // A file of the old database that the new one lacks would be taken for a part of it.
        for (role, target) in &self.targets {
            let is_file = fs::symlink_metadata(target).is_ok_and(|data| data.is_file());
            if is_file && !self.files.iter().any(|writing| writing.role == *role) {
                entries.push(removal(target)?);
            }
        }
        if let (true, [only]) = (entries.is_empty(), self.files.as_slice()) {
            self.check_unchanged()?;
            match fs::symlink_metadata(&only.target) {
                Ok(data) if !data.is_file() => return Err(io::ErrorKind::AlreadyExists.into()),
                Ok(_) => {
                    check_free(&only.target)?;
                    rename(&only.hidden, &only.target)
                        .map_err(|error| named_if_held(error, &only.target))?;
                }
                Err(_) => rename_new(&only.hidden, &only.target)?,
            }
            sync_folder(folder_of(&only.target));
            return Ok(None);
        }
        for writing in &self.files {
            entries.push(JournalEntry {
                target: writing.target.clone(),
                old: Fingerprint::read(&writing.target)?,
                new: Fingerprint::read(&writing.hidden)?,
            });
        }
        Ok(Some(Journal {
            main: self.main.clone(),
            entries,
            changes: Vec::new(),
            kept: None,
        }))
    }

    /// Returns the journal for changing files in place, and gives hidden files the names that they
    /// have in it. `None` if nothing changes: then the change before can still be undone.
    fn change_journal(&mut self) -> io::Result<Option<Journal>> {
        let log = ChangeLog::continued(&self.main, self.recorded_command());
        let is_sound = self.is_sound || self.is_known_sound();
        self.drop_equal_files()?;
        // The hidden files of the last change have the same names.
        let replaces =
            |file: &OutputFile| file.grown.is_none() || matches!(file.output, Output::File(_));
        let is_small = self.removed.is_empty() && !self.files.iter().any(replaces);
        if !is_small {
            kept_journal::forget_files(self.paths())?;
        }
        let mut entries = Vec::new();
        for target in &self.removed {
            entries.push(removal(target)?);
        }
        let mut changes = Vec::new();
        let mut room = self.largest_journal;
        for writing in &mut self.files {
            let target = &writing.target;
            let after = hidden(target, AFTER);
            if matches!(writing.output, Output::File(_)) {
                rename(&writing.hidden, &after)?;
                writing.hidden.clone_from(&after);
            }
            let Some(appending) = &mut writing.grown else {
                entries.push(JournalEntry {
                    target: target.clone(),
                    old: Fingerprint::read(target)?,
                    new: Fingerprint::read(&after)?,
                });
                continue;
            };
            let tail = match &mut writing.output {
                Output::Memory(bytes) => Tail::Inline(std::mem::take(bytes)),
                Output::File(_) => {
                    let fingerprint = Fingerprint::read(&after)?;
                    Tail::Hidden(fingerprint.ok_or(io::ErrorKind::NotFound)?)
                }
            };
            let before = appending.before;
            let change = if appending.splices.is_empty() {
                FileChange::new(target, before, tail, &appending.changes, room)?
            } else {
                appending.splices.reverse();
                FileChange::splicing(target, before, std::mem::take(&mut appending.splices), room)?
            };
            room = room.saturating_sub(change.journal_bytes());
            // A file that stays as it is need not be flushed.
            if change.changes_bytes() {
                changes.push(change);
            }
        }
        if is_small {
            if changes.is_empty() {
                return Ok(None);
            }
            kept_journal::forget_files(self.paths())?;
        }
        let mut journal = Journal {
            main: self.main.clone(),
            entries,
            changes,
            kept: None,
        };
        let is_touched = |path: &Path| journal.targets().any(|target| target == path);
        let existing = self.paths().filter(|path| path.exists());
        let others = existing.filter(|path| !is_touched(path));
        let others = others.map(OtherFile::read).collect();
        journal.kept = Some(KeptState {
            log,
            soundness: Soundness { is_sound, others },
            is_reversed: false,
        });
        Ok(Some(journal))
    }

    /// Leaves out the files that would replace equal ones.
    fn drop_equal_files(&mut self) -> io::Result<()> {
        let mut equal = Vec::new();
        for file in self.files.iter().filter(|file| file.grown.is_none()) {
            if has_same_bytes(&file.hidden, &file.target)? {
                equal.push(file.role);
                remove(&file.hidden)?;
            }
        }
        self.files.retain(|file| !equal.contains(&file.role));
        Ok(())
    }

    /// Undoes a commit that failed with this error.
    fn take_back(&mut self, journal: &Journal, error: io::Error) -> io::Result<()> {
        self.pending = true;
        self.committed = journal.take_back()?;
        self.pending = false;
        // If only cleaning up failed, the next program that opens the database does it.
        if self.committed { Ok(()) } else { Err(error) }
    }
}

/// Returns the entry of a file that is removed.
fn removal(target: &Path) -> io::Result<JournalEntry> {
    Ok(JournalEntry {
        target: target.to_owned(),
        old: Fingerprint::read(target)?,
        new: None,
    })
}

/// Returns whether another program changed a file meanwhile.
fn is_changed_error(error: &io::Error) -> bool {
    let inner = error.get_ref();
    let fault = inner.and_then(|inner| inner.downcast_ref::<SinkFault>());
    matches!(fault, Some(SinkFault::Changed(_)))
}
