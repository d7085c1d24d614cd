//! Reading of all games of a database.

#[cfg(feature = "threads")]
use chessdb_core::Diagnostic;
use chessdb_files::error::Result;

use super::{Games, Reader, Scan};
use crate::database::Database;
use crate::game::Game;

impl Database {
    /// Iterates over all games, each as a separate value.
    pub fn games(&self) -> Games<'_> {
        self.scan().into_iter()
    }

    /// Iterates over all games without their moves, which are not decoded.
    pub fn headers(&self) -> Games<'_> {
        self.scan().headers().into_iter()
    }

    /// Returns a reader that fills a game of the caller's repeatedly, which is faster.
    pub fn reader(&self) -> Reader<'_> {
        self.scan().reader()
    }

    /// Returns a scan, which sets which games are read and how.
    pub fn scan(&self) -> Scan<'_> {
        Scan::new(self)
    }

    /// Calls `act` for every game, on several threads and in no order
    /// ([`Scan::for_each_parallel`]).
    ///
    /// # Errors
    ///
    /// Returns an error if the source failed as a whole or `act` panicked.
    #[cfg(feature = "threads")]
    pub fn for_each_parallel(
        &self,
        act: impl Fn(&mut Game, Result<()>) + Sync,
    ) -> Result<Vec<Diagnostic>> {
        self.scan().for_each_parallel(act)
    }

    /// Maps every game on several threads and passes the results to `take` in database order
    /// ([`Scan::map_in_order`]).
    ///
    /// # Errors
    ///
    /// Returns an error if the source failed as a whole or `map` panicked.
    #[cfg(feature = "threads")]
    pub fn map_in_order<T: Send>(
        &self,
        map: impl Fn(&mut Game, Result<()>) -> T + Sync,
        take: impl FnMut(T) -> std::ops::ControlFlow<()>,
    ) -> Result<Vec<Diagnostic>> {
        self.scan().map_in_order(map, take)
    }
}

impl<'d> IntoIterator for &'d Database {
    type Item = Result<Game>;
    type IntoIter = Games<'d>;

    fn into_iter(self) -> Games<'d> {
        self.games()
    }
}
