//! Reading of games, in order or on several threads.

mod of_database;
mod reader;

use std::ops::ControlFlow;
#[cfg(feature = "query")]
use std::sync::Arc;

use chessdb_core::Diagnostic;
#[cfg(feature = "query")]
use chessdb_core::GameStore;
use chessdb_files::error::Result;
#[cfg(feature = "query")]
use chessdb_query::Query;

use crate::database::Database;
use crate::game::Game;
#[cfg(feature = "query")]
use crate::reading::GameFilter;
use crate::reading::{GameSlot, RequestedGames, ScanRequest, Source, Visit, read_on_this_thread};
use crate::selection::Selection;

pub use reader::{Games, Reader};

/// The games of a database to read: which, how much of each, and on how many threads. Created by
/// [`Database::scan`].
///
/// ```
/// # fn main() -> Result<(), chessdb::Error> {
/// # let bytes = &b"[White \"Tal\"]\n\n1. e4 *\n\n1. d4 *\n\n1. c4 *\n"[..];
/// let db = chessdb::Database::options().open_files([("games.pgn", bytes)])?;
/// for game in db.scan().select("2-".parse::<chessdb::Selection>()?) {
///     println!("game {}", game?.number());
/// }
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct Scan<'d> {
    db: &'d Database,
    request: ScanRequest,
}

impl<'d> Scan<'d> {
    pub(crate) fn new(db: &'d Database) -> Scan<'d> {
        let jobs = db.jobs();
        let request = ScanRequest {
            jobs,
            ..ScanRequest::default()
        };
        Scan { db, request }
    }

    /// Restricts the scan to these games.
    #[must_use]
    pub fn select(mut self, selection: impl Into<Selection>) -> Scan<'d> {
        self.request.filter.selection = selection.into();
        self
    }

    /// Restricts the scan to games that match the query. For games with random access, headers are
    /// tested first, and moves are decoded only where they decide. [`Game::found`] returns where a
    /// game matches. Games that cannot be read are passed on with their errors.
    ///
    /// ```
    /// # fn main() -> Result<(), chessdb::Error> {
    /// # let bytes = &b"[White \"Tal\"]\n\n1. e4 c5 *\n\n[White \"Tal\"]\n\n1. d4 *\n"[..];
    /// let db = chessdb::Database::options().open_files([("games.pgn", bytes)])?;
    /// let query: chessdb::query::Query = "Tal line:\"1.e4 c5\"".parse().unwrap();
    /// for game in db.scan().filter(query) {
    ///     assert_eq!(game?.number(), 1);
    /// }
    /// # Ok(()) }
    /// ```
    #[cfg(feature = "query")]
    #[must_use]
    pub fn filter(mut self, query: impl Into<Arc<Query>>) -> Scan<'d> {
        let store = self.db.store().ok();
        self.request.filter.ask(query.into(), self.db, store);
        self
    }

    /// Reads headers only, without decoding moves. A stream yields whole games nevertheless.
    #[must_use]
    pub fn headers(mut self) -> Scan<'d> {
        self.request.headers_only = true;
        self
    }

    /// Yields game numbers only: a game has its number, and the data that had to be read to test
    /// whether it matches.
    #[must_use]
    pub fn numbers(mut self) -> Scan<'d> {
        self.request.numbers_only = true;
        self.headers()
    }

    /// Sets the number of reader threads, instead of
    /// [`OpenOptions::jobs`](crate::OpenOptions::jobs).
    #[cfg(feature = "threads")]
    #[must_use]
    pub fn jobs(mut self, jobs: usize) -> Scan<'d> {
        self.request.jobs = crate::parallel::threads(jobs);
        self
    }

    /// Iterates over the games on the calling thread, each as a separate value.
    pub fn games(self) -> Games<'d> {
        Games(self.reader())
    }

    /// Returns a reader that works on the calling thread and fills a game that the caller owns.
    pub fn reader(self) -> Reader<'d> {
        let source = self.db.source();
        self.reader_of(source)
    }

    /// Returns a reader of a source of the database that was opened with other options.
    pub fn reader_of(self, source: Result<Source<'d>>) -> Reader<'d> {
        let games = source.map(|source| RequestedGames::new(source, &self.request));
        Reader {
            db: self.db,
            games: games.map_err(Some),
            request: self.request,
            found: Vec::new(),
        }
    }

    /// Passes the games to `visit` in database order, until that breaks; several threads read ahead
    /// if configured. If a game cannot be read, `visit` gets the error and the part of the game
    /// before it, with its diagnostics.
    ///
    /// Returns the diagnostics that belong to no game, such as text after the last game or a
    /// damaged packed file, and the number of damaged games with a readable part that does not
    /// match the query.
    ///
    /// # Errors
    ///
    /// Returns an error if the source failed as a whole.
    pub fn for_each(
        self,
        mut visit: impl FnMut(&mut Game, Result<()>) -> ControlFlow<()>,
    ) -> Result<Vec<Diagnostic>> {
        let path = self.db.path();
        let mut visit = |slot: &mut GameSlot| {
            let result = slot.take_result(path);
            visit(&mut slot.game, result)
        };
        let result = read_in_order(self.db.source()?, &self.request, &mut visit);
        result.map_err(|error| error.with_path(path))
    }

    /// Passes the games to `act` on several threads, in no order. Returns the same diagnostics as
    /// [`Scan::for_each`].
    ///
    /// # Errors
    ///
    /// Returns an error if the source failed as a whole or `act` panicked.
    #[cfg(feature = "threads")]
    pub fn for_each_parallel(
        self,
        act: impl Fn(&mut Game, Result<()>) + Sync,
    ) -> Result<Vec<Diagnostic>> {
        self.map_in_order(act, |()| ControlFlow::Continue(()))
    }

    /// Maps each game on several threads and passes the results to `take` in database order, until
    /// that breaks. The results do not depend on the number of threads. Returns the same
    /// diagnostics as [`Scan::for_each`].
    ///
    /// # Errors
    ///
    /// Returns an error if the source failed as a whole or `map` panicked.
    ///
    /// ```
    /// # use std::ops::ControlFlow;
    /// # fn main() -> Result<(), chessdb::Error> {
    /// # let bytes = &b"[White \"Tal\"]\n\n1. e4 *\n\n1. d4 d5 *\n"[..];
    /// # let db = chessdb::Database::options().open_files([("games.pgn", bytes)])?;
    /// let length = |game: &mut chessdb::Game, read: Result<(), chessdb::Error>| {
    ///     read.map(|()| game.moves.len())
    /// };
    /// let mut lengths = Vec::new();
    /// db.scan().map_in_order(length, |length| {
    ///     lengths.push(length);
    ///     ControlFlow::Continue(())
    /// })?;
    /// assert_eq!(lengths.len(), 2);
    /// # Ok(()) }
    /// ```
    #[cfg(feature = "threads")]
    pub fn map_in_order<T: Send>(
        self,
        map: impl Fn(&mut Game, Result<()>) -> T + Sync,
        mut take: impl FnMut(T) -> ControlFlow<()>,
    ) -> Result<Vec<Diagnostic>> {
        let path = self.db.path();
        let map = |slot: &mut GameSlot| {
            let result = slot.take_result(path);
            map(&mut slot.game, result)
        };
        let result =
            crate::parallel::map_in_order(self.db.source()?, &self.request, &map, &mut take);
        let mut found = result.map_err(|error| error.with_path(path))?;
        found.extend(self.request.left_out());
        Ok(found)
    }
}

impl<'d> IntoIterator for Scan<'d> {
    type Item = Result<Game>;
    type IntoIter = Games<'d>;

    fn into_iter(self) -> Games<'d> {
        self.games()
    }
}

#[cfg(feature = "query")]
impl GameFilter {
    /// Sets the query and prepares the prefilter for `db`, with `store` as the source of its games
    /// (`None` for a stream). The index of the database and the store then exclude games before
    /// they are read.
    pub fn ask(&mut self, query: Arc<Query>, db: &Database, store: Option<&dyn GameStore>) {
        #[cfg(feature = "fs")]
        {
            self.index = db.index().map(Arc::clone);
        }
        if query.needs_positions() {
            let openings = db.opening_lines().iter();
            let lost = openings.map(|moves| query.is_lost_after(moves));
            self.excluded_openings = [false].into_iter().chain(lost).collect();
        }
        #[cfg(feature = "fs")]
        let lines = self.index.is_some();
        #[cfg(not(feature = "fs"))]
        let lines = false;
        if query.needs_headers() || lines && query.needs_positions() {
            let prefilter = store.and_then(|store| query.prefilter(store.base(), lines));
            self.prefilter = prefilter.map(Arc::new);
        }
        self.query = (!query.is_empty()).then_some(query);
    }
}

/// Passes every requested game to `visit` in database order, until that breaks. Errors of single
/// games are in their slots. Returns the diagnostics that belong to no game, such as text after the
/// last game or a damaged packed file.
///
/// # Errors
///
/// Returns an error if the source failed as a whole.
pub fn read_in_order(
    source: Source<'_>,
    request: &ScanRequest,
    visit: &mut Visit<'_>,
) -> Result<Vec<Diagnostic>> {
    #[cfg(feature = "threads")]
    let mut found = match request.jobs > 1 {
        true => crate::parallel::read_in_order(source, request, visit)?,
        false => read_on_this_thread(source, request, visit)?,
    };
    #[cfg(not(feature = "threads"))]
    let mut found = read_on_this_thread(source, request, visit)?;
    found.extend(request.left_out());
    Ok(found)
}
