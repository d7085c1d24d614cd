//! What is known of games before they are read, and main lines read no further than needed.

#[cfg(all(feature = "fs", feature = "query"))]
use std::sync::Arc;

use super::Database;
use crate::Game;
use crate::error::{Error, Result};

impl Database {
    /// What is known of the main line of game `index`, counted from 0, before it is read: from the index beside the
    /// base ([`index`](crate::options::OpenOptions::index)), or from its own files.
    pub fn signature(&self, index: u32) -> Option<chessdb_core::Signature> {
        #[cfg(all(feature = "fs", feature = "query"))]
        if let Some(known) = self.index() {
            return known.signature(index);
        }
        self.store().ok()?.signature(index)
    }

    /// In which of the 64 games from `first` on, counted from 0, something may come up in the main line: a bit for each,
    /// all of them if nothing is known. Those behind the last have no meaning.
    #[cfg(feature = "query")]
    pub fn may_have(&self, first: u32, feature: chessdb_core::Feature) -> u64 {
        #[cfg(feature = "fs")]
        if let Some(known) = self.index() {
            return known.may_have(first, feature);
        }
        let _ = (first, feature);
        u64::MAX
    }

    /// What became of the index beside the base ([`index`](crate::options::OpenOptions::index)). What it says of games is
    /// compared with its checksums when it is asked, so that searches may change the answer.
    #[cfg(all(feature = "fs", feature = "query"))]
    pub fn indexed(&self) -> &crate::fs::IndexUse {
        self.index.indexed()
    }

    /// Fills `game` with the head of game `index`, counted from 0, unless `watch` can do without, and shows its main
    /// line to it, no further than that looks. The moves in `game` have no meaning afterwards, and what is wrong behind that place
    /// is not reported.
    ///
    /// # Errors
    ///
    /// Those of [`Database::game`].
    pub fn watch_into(
        &self,
        index: u32,
        game: &mut Game,
        watch: &mut dyn chessdb_core::Watch,
    ) -> Result<()> {
        let result = game.watch(self.store()?, index, watch);
        result.map_err(|error| Error::from(error).with_path(self.path()))
    }

    /// The lines of moves that signatures of the store name.
    #[cfg(feature = "query")]
    pub(crate) fn openings(&self) -> &[Vec<chessdb_core::PackedMove>] {
        self.store().map_or(&[], |store| store.openings())
    }

    #[cfg(all(feature = "fs", feature = "query"))]
    pub(crate) fn index(&self) -> Option<&Arc<crate::index::Index>> {
        self.index.index()
    }

    /// Whether games are read as they stand in the files, and findings are not what is asked for.
    #[cfg(all(feature = "fs", feature = "query"))]
    pub(crate) fn is_as_written(&self) -> bool {
        let is_usual = !self.options.salvage && !self.options.check;
        is_usual && !self.is_strict() && self.options.settings.is_empty()
    }
}
