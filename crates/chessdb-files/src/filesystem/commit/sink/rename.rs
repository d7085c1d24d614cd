//! The last step of a commit: the new files get the names of the old ones.

use std::{fs, io};

use chessdb_core::files::Transaction;

use super::super::disk::{rename_new, sync_folder};
use super::super::growth::Growth;
use super::super::journal::{Fingerprint, Journal, JournalEntry};
use super::super::targets::are_together;
use super::{Appending, DirSink, has_changed, is_changed_error};
use crate::error::SinkFault;
use crate::paths::folder_of;

impl DirSink {
    /// Starts replacing the old files by the rules of their own programs, which are kept from changing
    /// them until the transactions are dropped.
    fn lock_targets(&self) -> io::Result<Vec<Box<dyn Transaction>>> {
        let mut transactions = Vec::new();
        let Some(disk) = self.disk else {
            return Ok(transactions);
        };
        for writing in self.files.iter().filter(|file| file.target.exists()) {
            match (disk.write)(&writing.target) {
                Ok(transaction) => transactions.extend(transaction),
                Err(_) => {
                    let locked = SinkFault::Locked(writing.target.clone());
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
        let mut entries = Vec::new();
        // A file of the old database that the new one lacks would be taken for a part of it.
        for (role, target) in &self.targets {
            let is_file = fs::symlink_metadata(target).is_ok_and(|data| data.is_file());
            if is_file && !self.files.iter().any(|writing| writing.role == *role) {
                let (target, old) = (target.clone(), Fingerprint::read(target)?);
                let new = None;
                entries.push(JournalEntry { target, old, new });
            }
        }
        let mut growths = Vec::new();
        for writing in &self.files {
            if let Some(Appending { before, changes }) = &writing.grown {
                growths.push(Growth::new(&writing.target, *before, changes.clone())?);
            }
        }
        self.check_unchanged()?;
        for writing in &mut self.files {
            writing.removed_by_signal = None;
        }
        let plain = entries.is_empty() && growths.is_empty();
        if let (true, [only]) = (plain, self.files.as_slice()) {
            match fs::symlink_metadata(&only.target) {
                Ok(data) if !data.is_file() => return Err(io::ErrorKind::AlreadyExists.into()),
                Ok(_) => fs::rename(&only.hidden, &only.target)?,
                Err(_) => rename_new(&only.hidden, &only.target)?,
            }
            self.committed = true;
            sync_folder(folder_of(&only.target));
            return Ok(());
        }
        for writing in self.files.iter().filter(|file| file.grown.is_none()) {
            entries.push(JournalEntry {
                target: writing.target.clone(),
                old: Fingerprint::read(&writing.target)?,
                new: Fingerprint::read(&writing.hidden)?,
            });
        }
        let journal = Journal {
            main: self.main.clone(),
            entries,
            growths,
        };
        // The old database did not have one of the files, and others are links.
        if !are_together(&mut journal.targets()) {
            return Err(io::Error::other(
                "the files of the database are links to different folders and cannot be replaced \
                 together",
            ));
        }
        // Reading the files and syncing the journal may take long.
        self.check_unchanged()?;
        journal.begin()?;
        let mut grown = Vec::new();
        let mut done = self.check_unchanged();
        if done.is_ok() {
            done = journal.finish_if(&journal.untouched(), &mut |target| {
                if self.before.has_changed(target) {
                    return Err(has_changed(target.to_owned()));
                }
                grown.push(target.to_owned());
                Ok(())
            });
        }
        match done {
            Ok(()) => {
                self.committed = true;
                Ok(())
            }
            Err(error) if is_changed_error(&error) => {
                self.pending = true;
                journal.withdraw(&grown)?;
                self.pending = false;
                Err(error)
            }
            Err(error) => self.take_back(&journal, error),
        }
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
