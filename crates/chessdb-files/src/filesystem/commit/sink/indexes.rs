//! The index files next to a database that is written.

use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use chessdb_core::files::Role;

use super::super::disk::remove;
use super::DirSink;
use crate::filesystem::{ChangedGame, index_changes_path, index_files};

/// The consequences of a change in place for the index of a database.
#[derive(Clone, Default, Debug)]
pub struct IndexedChange {
    /// The games that are changed; `None` if any may be.
    pub games: Option<Vec<ChangedGame>>,
    /// Whether a text that is not ASCII is added or removed. If the encoding is guessed from the texts,
    /// it must be guessed again.
    pub changes_letters: bool,
}

/// A change that its caller describes before the commit.
pub type KnownChanges = Arc<Mutex<IndexedChange>>;

impl DirSink {
    /// Returns the list of the games that a change in place concerns, besides those that it adds. If
    /// the caller fills it before the commit, the index of the database stays right.
    pub fn changed_games(&self) -> KnownChanges {
        KnownChanges::clone(&self.changed_games)
    }

    /// Returns whether the database has an index.
    pub fn has_index(&self) -> bool {
        index_files(self.path()).iter().any(|path| path.is_file())
    }

    /// Returns the index files that do not describe the database any more after the commit. Those
    /// of a database that was replaced were removed. Statistics of other programs, which may be out of
    /// date, follow.
    pub fn old_indexes(&self) -> &[PathBuf] {
        &self.old_indexes
    }

    /// Notes which index files are out of date after a change in place.
    pub(in super::super) fn note_index(&mut self, is_right: io::Result<bool>) {
        if !is_right.unwrap_or(false) {
            let files = index_files(self.path()).into_iter();
            self.old_indexes = files.filter(|path| path.is_file()).collect();
        }
        self.note_statistics();
    }

    /// Sets the roles of the statistics that the format's programs keep next to the database.
    pub(super) fn set_statistics(&mut self, roles: &[Role]) {
        let path = self.path();
        let statistics = roles.iter().map(|role| path.with_extension(role.0));
        self.statistics = statistics.collect();
    }

    /// Notes the statistics of other programs, which are as before the commit.
    pub(super) fn note_statistics(&mut self) {
        let present = self.statistics.iter().filter(|path| path.is_file());
        self.old_indexes.extend(present.cloned());
    }

    pub(super) fn remove_indexes(&mut self) {
        // The list of changes goes last: without it, an old index would only be compared.
        for path in index_files(self.path()) {
            if path.exists() && remove(&path).is_ok() {
                self.old_indexes.push(path);
            }
        }
        let _ = remove(&index_changes_path(self.path()));
    }
}
