//! Changed and added games in memory.

use std::sync::Arc;

use chessdb_core::{ErrorKind, GameStore};
use chessdb_files::error::{Error, Problem, Result};

use super::{Database, DatabaseContent};
use crate::edits::Edits;

impl Database {
    /// Returns the edits of the games; none for a stream.
    pub fn edits(&self) -> Option<&Edits> {
        match &self.content {
            DatabaseContent::Store(_, store) => Some(store.edits()),
            _ => None,
        }
    }

    /// Returns the edited game `index`, counted from 0; `None` if that game is as stored.
    pub fn edited_game(&self, index: u32) -> Option<&Arc<chessdb_core::Game>> {
        match &self.content {
            DatabaseContent::Store(_, store) => store.edited(index),
            _ => None,
        }
    }

    /// Returns all edited games: changed ones with their indexes, counted from 0 and ascending, then
    /// added ones without an index.
    pub fn edited_games(&self) -> impl Iterator<Item = (Option<u32>, &Arc<chessdb_core::Game>)> {
        let store = match &self.content {
            DatabaseContent::Store(_, store) => Some(store),
            _ => None,
        };
        store.into_iter().flat_map(|store| store.edited_games())
    }

    /// Sets game `index`, counted from 0, in memory: everything that reads the games then sees this
    /// one, while the files remain unchanged. An index after the last game adds a game. `None`
    /// restores the stored game, or removes the last added one.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use chessdb::Database;
    ///
    /// # fn main() -> Result<(), chessdb::Error> {
    /// let pgn = &b"[White \"Tal\"]\n\n1. e4 *\n"[..];
    /// let mut db = Database::options().open_files([("a.pgn", pgn)])?;
    /// let mut game = db.game(0)?.into_model();
    /// game.set_tag("Site", "Riga");
    /// db.set_game(0, Some(Arc::new(game)))?;
    /// assert_eq!(db.find("site:Riga")?.count(), 1);
    /// db.set_game(0, None)?;
    /// assert_eq!(db.game(0)?.site(), "?");
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error if the database is a stream or has no such game.
    pub fn set_game(&mut self, index: u32, game: Option<Arc<chessdb_core::Game>>) -> Result<()> {
        let DatabaseContent::Store(_, store) = &mut self.content else {
            return Err(Error::from(Problem::NoRandomAccess).with_path(self.path()));
        };
        if store.set(index, game) {
            Ok(())
        } else {
            let none = ErrorKind::no_such_game(index, store.len());
            Err(Error::from(chessdb_core::Error::from(none)).with_path(self.path()))
        }
    }
}
