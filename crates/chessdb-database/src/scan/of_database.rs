//! Reading of all games of a database.

use chessdb_core::Diagnostic;
use chessdb_files::error::{Problem, Result};
use chessdb_query::{Query, QueryError};

use super::{Games, Reader, Scan};
use crate::database::Database;
use crate::game::Game;

impl Database {
    /// Iterates over all games, each as a separate value.
    pub fn games(&self) -> Games<'_> {
        self.scan().games()
    }

    /// Iterates over all games without their moves, which are not decoded.
    pub fn headers(&self) -> Games<'_> {
        self.scan().headers().games()
    }

    /// Iterates over the games that match a query, such as `"Tal result:1-0"`. The whole game is
    /// read; [`Game::found`] returns where it matches. [`Scan::filter`] takes a parsed query, and
    /// can be combined with several threads.
    ///
    /// # Errors
    ///
    /// Returns an error that names the word if the text is not a query. A game that cannot be read
    /// is an error of the iterator, which continues with the next game.
    ///
    /// ```
    /// # fn main() -> Result<(), chessdb::Error> {
    /// # let bytes = &b"[White \"Tal\"]\n\n1. e4 c5 *\n\n[White \"Tal\"]\n\n1. d4 *\n"[..];
    /// let db = chessdb::Database::options().open_files([("games.pgn", bytes)])?;
    /// for game in db.find("Tal line:\"1.e4 c5\"")? {
    ///     let game = game?;
    ///     assert_eq!((game.number(), game.found().ply()), (1, Some(2)));
    /// }
    /// assert!(db.find("elo:high").is_err());
    /// # Ok(()) }
    /// ```
    pub fn find(&self, query: &str) -> Result<Games<'_>> {
        let query: Query = query
            .parse()
            .map_err(|error: QueryError| Problem::InvalidQuery(error.to_string()))?;
        Ok(self.scan().filter(query).games())
    }

    /// Returns a reader that fills a game of the caller's repeatedly, which is faster.
    pub fn reader(&self) -> Reader<'_> {
        self.scan().reader()
    }

    /// Returns a scan, which sets which games are read and how.
    pub fn scan(&self) -> Scan<'_> {
        Scan::new(self)
    }

    /// Maps every game on several threads and passes the results to `take` in database order
    /// ([`Scan::map_in_order`]).
    ///
    /// # Errors
    ///
    /// Returns an error if the source failed as a whole or `map` panicked.
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
