//! Changes of files by the library of their format
//! (docs/decisions/0036-transactions-on-the-file.md).

use std::io;
use std::sync::PoisonError;

use chessdb_core::files::{DiskAccess, LibraryChange, Role};

use super::super::file_change::FileChange;
use super::super::index_update::{ChangedGames, IndexUpdate};
use super::super::journal::{Journal, KeptState};
use super::super::kept_journal::{self, ChangeLog, Soundness};
use super::{DirSink, has_changed};

impl DirSink {
    /// Records a change that the library of the format has made in the file of this role. Without a
    /// record, which is also missing if it cannot be written, the change cannot be undone.
    pub(in super::super) fn note_made(&mut self, role: Role, change: Option<LibraryChange>) {
        self.committed = true;
        self.is_made = true;
        let journal = self.target(role).zip(change).map(|(target, change)| {
            let log = ChangeLog::continued(&self.main, self.recorded_command());
            let time = kept_journal::nanoseconds(change.modified);
            (
                Journal {
                    main: self.main.clone(),
                    entries: Vec::new(),
                    changes: vec![FileChange::of_library(target, change)],
                    kept: Some(KeptState {
                        log,
                        // The file was examined before the change.
                        soundness: Soundness {
                            is_sound: true,
                            others: Vec::new(),
                        },
                        is_reversed: false,
                    }),
                },
                time,
            )
        });
        let recorded = journal.as_ref().filter(|_| self.keeps_undo);
        let is_recorded =
            recorded.is_some_and(|(journal, time)| journal.write_made(false, *time).is_ok());
        if !is_recorded {
            // What cannot be removed describes another state, so undoing refuses it.
            let _ = kept_journal::forget(&self.main, self.paths());
        }
        let index = self.lent_index.take();
        let followed = match (index, journal) {
            (Some(index), Some((journal, _))) => self.follow_index(index, &journal, is_recorded),
            (Some(_), None) => Ok(false),
            // There is no index, or one that cannot be read.
            (None, _) => Ok(!self.has_index()),
        };
        self.note_index(followed);
    }

    fn follow_index(
        &self,
        index: IndexUpdate,
        journal: &Journal,
        is_recorded: bool,
    ) -> io::Result<bool> {
        // A change without a record cannot be undone, so no later one refers to it.
        let id = if is_recorded { kept_journal::checksum(&self.main)? } else { 0 };
        let games = self.changed_games.lock();
        let games = games.unwrap_or_else(PoisonError::into_inner);
        index.follow(journal, id, id, ChangedGames::Listed(&games))
    }

    /// Returns an error if another program changed the file of this role. The library itself may make
    /// further files next to it.
    pub(in super::super) fn check_unchanged_file(&self, role: Role) -> io::Result<()> {
        let mut snapshots = std::iter::once(&self.before).chain(&self.sources);
        let target = self.target(role);
        match target.filter(|target| snapshots.any(|files| files.has_changed(target))) {
            Some(target) => Err(has_changed(target.clone())),
            None => Ok(()),
        }
    }

    /// Returns the functions of the library of the format, if it changes files by itself.
    pub(in super::super) fn disk(&self) -> Option<DiskAccess> {
        self.disk
    }
}
