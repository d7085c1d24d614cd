//! Reading of games, in order or on several threads.

mod of_database;

use std::fmt;
use std::iter::FusedIterator;
use std::ops::ControlFlow;
use std::sync::Arc;

use chessdb_core::{Diagnostic, GameStore};
use chessdb_files::error::{Error, Result};
use chessdb_query::Query;
use chessdb_query::tree::OpeningTree;

use crate::database::Database;
use crate::game::Game;
use crate::reading::{
    CandidateScan, GameSlot, PositionSearchEnd, RequestedGames, ScanRequest, Source, Visit,
};
use crate::selection::Selection;

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
        self.request.selection = selection.into();
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
    #[must_use]
    pub fn filter(mut self, query: impl Into<Arc<Query>>) -> Scan<'d> {
        let store = self.db.store().ok();
        self.request.ask(query.into(), self.db, store);
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

    /// Reads nothing: a game has its number only.
    #[must_use]
    pub(crate) fn unread(mut self) -> Scan<'d> {
        self.request.is_unread = true;
        self
    }

    /// Sets the number of reader threads, instead of
    /// [`OpenOptions::jobs`](crate::OpenOptions::jobs).
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
            end: PositionSearchEnd::new(&self.request),
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
    pub fn map_in_order<T: Send>(
        self,
        map: impl Fn(&mut Game, Result<()>) -> T + Sync,
        mut take: impl FnMut(T) -> ControlFlow<()>,
    ) -> Result<Vec<Diagnostic>> {
        let path = self.db.path();
        let map = |slot: &mut GameSlot| {
            let place = slot.found_index();
            let result = slot.take_result(path);
            (place, map(&mut slot.game, result))
        };
        let mut read = |games, end: &mut SearchEnd| {
            crate::parallel::map_in_order(games, &self.request, &map, &mut |(place, made)| {
                take(made)?;
                end.add(place)
            })
        };
        let diagnostics = read_to_end(self.db.source()?, &self.request, &mut read);
        let mut diagnostics = diagnostics.map_err(|error| error.with_path(path))?;
        diagnostics.extend(self.request.left_out());
        Ok(diagnostics)
    }
}

impl<'d> IntoIterator for Scan<'d> {
    type Item = Result<Game>;
    type IntoIter = Games<'d>;

    fn into_iter(self) -> Games<'d> {
        self.games()
    }
}

/// A reader that fills one game of the caller's repeatedly, so that reading a million games takes
/// the memory of one. Created by [`Database::reader`] and [`Scan::reader`].
pub struct Reader<'d> {
    db: &'d Database,
    /// The error of opening is `None` once it was returned, and at the end.
    games: Result<RequestedGames<'d>, Option<Error>>,
    /// Ends a search for a position; applies to games by number.
    end: Option<PositionSearchEnd>,
    request: ScanRequest,
    /// The diagnostics of the games, available at their end.
    found: Vec<Diagnostic>,
}

impl Reader<'_> {
    /// Reads the next game into `game`; returns false at the end.
    ///
    /// # Errors
    ///
    /// After an error about one game (with [`Error::game`]), the next call continues with the next
    /// game. After any other error nothing more can be read. Damage of a packed file is such an
    /// error here, while [`Scan::for_each`] reports it as a diagnostic.
    pub fn read_into(&mut self, game: &mut Game) -> Result<bool> {
        let games = match &mut self.games {
            Ok(games) => games,
            Err(error) => return error.take().map_or(Ok(false), Err),
        };
        let request = &self.request;
        let read = game.with_scratch(|game, scratch| games.read_into(game, request, scratch));
        if let (Ok(true), RequestedGames::Store(..)) = (&read, &*games)
            && let Some(left) = self.end.as_mut().and_then(|end| end.add(game.index()))
        {
            games.restrict(left);
            self.end = None;
        }
        let is_end = match &read {
            Ok(is_read) => !is_read,
            Err(error) => games.are_ended_by(error),
        };
        if is_end {
            self.found = self.take_diagnostics();
            self.found.extend(self.request.left_out());
            self.games = Err(None);
        }
        read.map_err(|error| Error::from(error).with_path(self.db.path()))
    }

    /// Returns the diagnostics so far that belong to no game, such as text after the last game.
    /// They are complete at the end; problems of a database that is not a stream are in
    /// [`Database::diagnostics`].
    pub fn take_diagnostics(&mut self) -> Vec<Diagnostic> {
        match &mut self.games {
            Ok(RequestedGames::Stream(stream, _)) => stream.take_diagnostics(),
            _ => std::mem::take(&mut self.found),
        }
    }

    fn left(&self) -> Option<usize> {
        match &self.games {
            Ok(RequestedGames::Store(_, candidates)) if self.request.selects_by_number() => {
                Some(candidates.left())
            }
            Ok(_) => None,
            Err(error) => Some(usize::from(error.is_some())),
        }
    }
}

impl fmt::Debug for Reader<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reader").finish_non_exhaustive()
    }
}

/// An iterator over the games of a database, each as a separate value. Created by
/// [`Database::games`], [`Database::headers`], `Database::find` and [`Scan::games`].
///
/// After an error about one game the iterator continues with the next one. [`Iterator::size_hint`]
/// is exact if the number of games is known.
#[derive(Debug)]
pub struct Games<'d>(Reader<'d>);

impl Games<'_> {
    /// Returns the diagnostics so far that belong to no game ([`Reader::take_diagnostics`]).
    pub fn take_diagnostics(&mut self) -> Vec<Diagnostic> {
        self.0.take_diagnostics()
    }
}

impl Iterator for Games<'_> {
    type Item = Result<Game>;

    fn next(&mut self) -> Option<Result<Game>> {
        let mut game = Game::new();
        match self.0.read_into(&mut game) {
            Ok(true) => Some(Ok(game)),
            Ok(false) => None,
            Err(error) => Some(Err(error)),
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        match self.0.left() {
            Some(left) => (left, Some(left)),
            None => (0, None),
        }
    }
}

impl FusedIterator for Games<'_> {}

impl ScanRequest {
    /// Sets the query and prepares the prefilter for `db`, with `store` as the source of its games
    /// (`None` for a stream). The index of the database and the store then exclude games before
    /// they are read.
    pub fn ask(&mut self, query: Arc<Query>, db: &Database, store: Option<&dyn GameStore>) {
        self.index = db.index().map(Arc::clone);
        if query.needs_positions() {
            let openings = db.opening_lines().iter();
            let lost = openings.map(|moves| query.is_lost_after(moves));
            self.excluded_openings = [false].into_iter().chain(lost).collect();
        }
        let lines = self.index.is_some();
        if query.needs_headers() || lines && query.needs_positions() {
            let prefilter = store.and_then(|store| query.prefilter(store.base(), lines));
            self.prefilter = prefilter.map(Arc::new);
        }
        // The tree file describes the stored games.
        let position = query.exact_position().filter(|_| lines);
        let features =
            position.and_then(|board| OpeningTree::new(board.clone(), 1).required_features());
        self.position_features = features.map(Arc::new);
        self.position_games = store.and(db.position_games(&query)).map(Arc::new);
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
    let mut read = |games: RequestedGames<'_>, end: &mut SearchEnd| -> Result<Vec<Diagnostic>> {
        let mut visit = |slot: &mut GameSlot| {
            let place = slot.found_index();
            visit(slot)?;
            end.add(place)
        };
        if request.jobs > 1 {
            return crate::parallel::read_in_order(games, request, &mut visit);
        }
        Ok(games.visit(request, &mut visit)?)
    };
    let mut diagnostics = read_to_end(source, request, &mut read)?;
    diagnostics.extend(request.left_out());
    Ok(diagnostics)
}

/// Calls `read` with the games of a source, and again with those that are left when the first call
/// found all games with the position of the query that the tree file counts.
fn read_to_end<'a>(
    source: Source<'a>,
    request: &ScanRequest,
    read: &mut dyn FnMut(RequestedGames<'a>, &mut SearchEnd) -> Result<Vec<Diagnostic>>,
) -> Result<Vec<Diagnostic>> {
    if let (Some(store), Some(end)) = (source.store(), PositionSearchEnd::new(request)) {
        let mut end = SearchEnd(Some(end), None);
        let mut diagnostics = read(RequestedGames::new(source, request), &mut end)?;
        if let Some(left) = end.1.take() {
            let games = RequestedGames::Store(store, CandidateScan::new(left, store));
            diagnostics.extend(read(games, &mut SearchEnd::default())?);
        }
        return Ok(diagnostics);
    }
    read(
        RequestedGames::new(source, request),
        &mut SearchEnd::default(),
    )
}

/// The end of a search for a position, and the games that are left when it is reached.
#[derive(Default)]
struct SearchEnd(Option<PositionSearchEnd>, Option<Selection>);

impl SearchEnd {
    /// Counts a game that matches; breaks if no other counted game can match.
    fn add(&mut self, place: Option<u32>) -> ControlFlow<()> {
        if let (Some(end), Some(index)) = (&mut self.0, place) {
            self.1 = end.add(index);
            if self.1.is_some() {
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    }
}
