//! Writing of the index file of a database.

use std::fs;
use std::io::BufWriter;
use std::ops::ControlFlow;
use std::path::PathBuf;

use chessdb_core::Severity;
use chessdb_core::files::GameOffsets;
use chessdb_core::search::{Features, Signature};
use chessdb_files::error::{Error, Problem, Result};
use chessdb_files::files::Files;
use chessdb_files::paths::folder_of;
use chessdb_files::snapshot::Snapshot;

use crate::database::Database;
use crate::game::Game;
use crate::index::{IndexBuilder, are_on_disk, has_default_limits, index_path_of, main_of, stamps};

impl Database {
    /// Writes the index next to the database and returns its path. An old index is replaced when
    /// the new one is complete. `progress` is called regularly with the number of games done.
    ///
    /// # Errors
    ///
    /// Returns an error if the database is a stream, packed, or not on disk, if it cannot be read,
    /// or if the index cannot be written.
    pub fn write_index(&self, mut progress: impl FnMut(u32)) -> Result<PathBuf> {
        let is_changed = || {
            let changed = self.snapshot().and_then(Snapshot::changed);
            changed.map(|path| Error::new(path, Problem::Changed).while_writing())
        };
        if let Some(error) = is_changed() {
            return Err(error);
        }
        let files = self.plain_files();
        let files =
            files.ok_or_else(|| Error::from(Problem::NoRandomAccess).with_path(self.path()))?;
        let path = main_of(files).map(index_path_of);
        let path = path.ok_or_else(|| Error::from(Problem::NotFound).with_path(self.path()))?;
        let error = |problem: std::io::Error| Error::new(&path, problem).while_writing();
        let stamps = stamps(files, true).map_err(error)?;
        let games = self.store()?.len();
        let offsets = self.game_offsets();
        let folder = folder_of(&path);
        let file = tempfile::Builder::new()
            .prefix(".chessdb-index-")
            .tempfile_in(folder)
            .map_err(error)?;
        let _removed_by_signal = chessdb_owned::HiddenFileGuard::new(file.path());
        let out = BufWriter::new(file);
        let count = offsets.map_or(0, |offsets| u64::from(offsets.games()) + 1);
        let mut builder = IndexBuilder::new(out, &stamps, games, count).map_err(error)?;
        let mut done = 0;
        let mut written = Ok(());
        let make = |game: &mut Game, read: Result<()>| {
            // Nothing is certain about a damaged game.
            let is_whole = read.is_ok()
                && game.dropped_diagnostics() == 0
                && game
                    .diagnostics()
                    .iter()
                    .all(|said| said.severity < Severity::Lost);
            is_whole.then(|| Signature::with_features(game))
        };
        let take = |known: Option<(Signature, Features)>| {
            written = builder.add(known.as_ref());
            done += 1;
            if done % 4096 == 0 {
                progress(done);
            }
            match written {
                Ok(()) => ControlFlow::Continue(()),
                Err(_) => ControlFlow::Break(()),
            }
        };
        self.each_in_order(make, take)?;
        let out = written
            .and_then(|()| builder.finish(offsets.into_iter().flat_map(GameOffsets::iter)))
            .map_err(error)?;
        let file = out
            .into_inner()
            .map_err(|failed| error(failed.into_error()))?;
        file.as_file().sync_all().map_err(error)?;
        // Like other new files, it gets the permissions of the database.
        #[cfg(unix)]
        if let Some(rights) = main_of(files).and_then(|main| fs::metadata(main).ok()) {
            file.as_file()
                .set_permissions(rights.permissions())
                .map_err(error)?;
        }
        if let Some(error) = is_changed() {
            return Err(error);
        }
        let special = |data: fs::Metadata| !data.is_file() && !data.is_symlink();
        if fs::symlink_metadata(&path).is_ok_and(special) {
            return Err(Error::new(&path, Problem::NotRegularFile).while_writing());
        }
        file.persist(&path).map_err(|kept| error(kept.error))?;
        Ok(path)
    }

    #[cfg(feature = "threads")]
    fn each_in_order<T: Send>(
        &self,
        make: impl Fn(&mut Game, Result<()>) -> T + Sync,
        take: impl FnMut(T) -> ControlFlow<()>,
    ) -> Result<()> {
        self.scan().map_in_order(make, take).map(|_| ())
    }

    #[cfg(not(feature = "threads"))]
    fn each_in_order<T: Send>(
        &self,
        make: impl Fn(&mut Game, Result<()>) -> T + Sync,
        mut take: impl FnMut(T) -> ControlFlow<()>,
    ) -> Result<()> {
        let visit = |game: &mut Game, read: Result<()>| take(make(game, read));
        self.scan().for_each(visit).map(|_| ())
    }

    /// Returns the files of the database if they are on disk as they were read.
    fn plain_files(&self) -> Option<&Files> {
        self.files()
            .filter(|_| self.is_read_as_stored())
            .filter(|files| are_on_disk(files))
    }

    /// Returns the offsets of the games, if the format has to scan the file to find them.
    fn game_offsets(&self) -> Option<&GameOffsets> {
        let store = self
            .store()
            .ok()
            .filter(|_| has_default_limits(&self.reading().limits))?;
        store.details().game_offsets
    }
}
