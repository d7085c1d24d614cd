//! The index of a database: its path, and its match with the database.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use chessdb_core::files::GameOffsets;
use chessdb_core::limits::Limits;
use chessdb_core::{FileSet, GameStore, ReadOptions};
use chessdb_files::files::Files;
use chessdb_files::filesystem::{FoundDatabase, IndexChanges, index_files};

use super::read::Index;
use super::state::OpenFile;
use super::{are_whole, check_stamps};

/// Returns the path of the index, next to the main file of the database. `None` for packed files
/// and pipes.
pub fn index_path(database: &FoundDatabase) -> Option<PathBuf> {
    if database.is_packed() || database.is_pipe() {
        None
    } else {
        database
            .files()
            .first()
            .map(|(_, path)| index_path_of(path))
    }
}

/// Returns the path of the index of a database with this main file.
pub(crate) fn index_path_of(main: &Path) -> PathBuf {
    let [index, _] = index_files(main);
    index
}

/// Returns the main file of the database.
pub(crate) fn main_of(files: &Files) -> Option<&Path> {
    files.iter().next().map(|(_, path, _)| path)
}

/// Returns the main file if the files are on disk as plain files with the same lengths as in memory.
pub(crate) fn main_on_disk(files: &Files) -> Option<&Path> {
    let is_on_disk = |(_, path, length): (_, &Path, u64)| {
        fs::metadata(path).is_ok_and(|data| data.is_file() && data.len() == length)
    };
    main_of(files).filter(|_| files.iter().all(is_on_disk))
}

/// Returns whether the size limit for games is the default, which also limits the text before a
/// game and so determines where games begin.
pub(crate) fn has_default_limits(limits: &Limits) -> bool {
    limits.game_bytes == Limits::default().game_bytes
}

impl OpenFile<Index> {
    /// Looks for the index of the database in these files. Its number of games is not compared.
    pub(crate) fn find(files: &Files) -> OpenFile<Index> {
        let Some(main) = main_on_disk(files) else {
            return OpenFile::default();
        };
        let path = index_path_of(main);
        let index = Index::open(&path, files.is_read_only()).and_then(|index| {
            let Some(mut index) = index else {
                return Ok(None);
            };
            if let Some(changes) = IndexChanges::read(main, index.id())? {
                index = index.with_changes(changes);
            }
            check_stamps(index.current_stamps(), files, false)?;
            Ok(Some(index))
        });
        OpenFile::new(&path, index)
    }

    /// Returns the options for opening the database, with what the index knows about it, and the
    /// index if it covers all games or knows what has changed since.
    pub(crate) fn options(
        &self,
        files: &Files,
        mut options: ReadOptions,
    ) -> (ReadOptions, Option<Arc<Index>>) {
        // The offsets and the flags of an older, smaller database say nothing about the games that
        // were added.
        match self
            .file()
            .filter(|index| are_whole(index.current_stamps(), files))
        {
            Some(index) => {
                let limits = has_default_limits(&options.limits);
                options.game_offsets = index.game_offsets().filter(|_| limits).cloned();
                options.known_intact = index.is_clean();
                options.known_dense = index.is_dense();
                (options, Some(Arc::clone(index)))
            }
            None => (options, None),
        }
    }

    /// Compares the index with the open database.
    pub(crate) fn for_store(self, files: &Files, store: &dyn GameStore) -> OpenFile<Index> {
        let (games, offsets) = (store.len(), store.details().game_offsets);
        let is_followed = self.file().is_some_and(|index| index.changes().is_some());
        self.for_games(games, is_followed, |index| {
            if is_followed {
                // Games were added at the end only.
                index.games() > games
            } else if are_whole(index.stamps(), files) {
                index.games() != games
            } else {
                // A database that grew has at least the games of the index, and the last of them is
                // unchanged.
                index.games() > games || !index.has_same_end(files, offsets)
            }
        })
    }
}

impl Index {
    /// Returns whether the last game still ends with the same text, in a text file that grew. Only
    /// blanks may follow it.
    fn has_same_end(&self, files: &Files, offsets: Option<&GameOffsets>) -> bool {
        let end = |offsets: &GameOffsets| usize::try_from(offsets.get(self.games())?).ok();
        let role = files.iter().next().map(|(role, ..)| role);
        match (self.game_offsets(), offsets) {
            (Some(before), Some(now)) => {
                let text = role.and_then(|role| files.get(role));
                let range = end(before).zip(end(now)).map(|(before, now)| before..now);
                let added = range.and_then(|range| text?.get(range));
                added.is_some_and(|added| added.iter().all(u8::is_ascii_whitespace))
            }
            // Games of other formats have a length.
            _ => role.is_some_and(|role| role.0 != "pgn"),
        }
    }
}
