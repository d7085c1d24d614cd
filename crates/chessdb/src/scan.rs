//! Reading of games, in order or on several threads.

mod block;
mod candidates;
mod filter;
mod reader;
mod slot;

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};

use chessdb_core::{
    Diagnostic, ErrorKind, GameRead, GameStore, Location, Prepare, Scratch, Severity,
};
#[cfg(feature = "query")]
use chessdb_query::Query;

use crate::error::Result;
use crate::{Database, Game, Selection};

pub(crate) use block::Candidate;
#[cfg(feature = "threads")]
pub(crate) use block::{GameBlock, JudgeBuffer};
#[cfg(feature = "threads")]
pub(crate) use candidates::BlockReader;
pub(crate) use candidates::CandidateScan;
pub(crate) use filter::GameFilter;
use reader::ReaderState;
pub use reader::{Games, Reader};
#[cfg(feature = "threads")]
pub(crate) use slot::single_thread_limits;
pub(crate) use slot::{GameSlot, StreamItem};

/// A source of games.
pub(crate) enum Source<'a> {
    /// Random access, also from several threads at once.
    Store(&'a dyn GameStore),
    /// Games in order, readable once.
    Stream(Box<dyn GameRead + Send + 'a>),
}

#[cfg(feature = "query")]
impl<'a> Source<'a> {
    /// Returns the store, if games are available by number.
    pub(crate) fn store(&self) -> Option<&'a dyn GameStore> {
        match self {
            Source::Store(store) => Some(*store),
            Source::Stream(_) => None,
        }
    }
}

/// The games to read, how much of each, and how.
#[derive(Clone, Default, Debug)]
pub(crate) struct ScanRequest {
    /// The games to read.
    pub(crate) filter: GameFilter,
    /// Headers are sufficient. A stream yields whole games nevertheless.
    pub(crate) headers_only: bool,
    /// Only game numbers are needed.
    pub(crate) numbers_only: bool,
    /// Number of reader threads; with one, the calling thread reads.
    #[cfg_attr(
        not(feature = "threads"),
        expect(dead_code, reason = "used with threads only")
    )]
    pub(crate) jobs: usize,
    /// Work that the reader threads, if there are any, do in advance for a writer.
    #[cfg_attr(
        not(feature = "threads"),
        expect(dead_code, reason = "used with threads only")
    )]
    pub(crate) prepare: Option<Arc<dyn Prepare>>,
    /// Damaged games that the query left out.
    pub(crate) left_out: Arc<Mutex<LeftOut>>,
}

impl ScanRequest {
    /// Returns whether there is a query that needs more than headers.
    #[cfg(feature = "threads")]
    pub(crate) fn needs_moves(&self) -> bool {
        #[cfg(feature = "query")]
        return self.filter.query.as_ref().map(|query| query.needs())
            > Some(chessdb_query::Needs::Header);
        #[cfg(not(feature = "query"))]
        false
    }

    /// Counts a damaged game with a readable part that does not match the query, if the missing
    /// part might match.
    #[cfg(feature = "query")]
    pub(crate) fn leave_out(&self, game: &Game) {
        if game.is_damaged()
            && let Some(query) = &self.filter.query
            && query.matches_header(game).is_none()
        {
            let mut left_out = self.left_out.lock().unwrap_or_else(PoisonError::into_inner);
            left_out.count += 1;
            left_out.first.insert(game.number());
            if left_out.first.len() > MAX_LISTED {
                left_out.first.pop_last();
            }
        }
    }

    /// Returns a diagnostic about the games of [`ScanRequest::leave_out`] and resets the count.
    pub(crate) fn left_out(&self) -> Option<Diagnostic> {
        let mut left_out = self.left_out.lock().unwrap_or_else(PoisonError::into_inner);
        let LeftOut { count, first } = std::mem::take(&mut *left_out);
        let numbers: Vec<String> = first.iter().map(u32::to_string).collect();
        let numbers = numbers.join(", ");
        let what = match count as usize - first.len() {
            0 if count == 0 => return None,
            0 if count == 1 => {
                format!("a damaged game does not fit as far as it can be read: {numbers}")
            }
            0 => format!("{count} damaged games do not fit as far as they can be read: {numbers}"),
            more => format!(
                "{count} damaged games do not fit as far as they can be read: {numbers} and {more} more"
            ),
        };
        let (kind, at) = (ErrorKind::Other(what.into()), Location::default());
        Some(Diagnostic::new(Severity::Lost, kind, at))
    }
}

/// Maximum of damaged games listed by number.
#[cfg(feature = "query")]
const MAX_LISTED: usize = 10;

/// Damaged games that a query left out: the count, and the lowest numbers.
#[derive(Default, Debug)]
pub(crate) struct LeftOut {
    count: u32,
    first: BTreeSet<u32>,
}

/// Returns whether an error ends the stream.
fn ends_stream(error: &chessdb_core::Error) -> bool {
    matches!(error.kind(), ErrorKind::Io(_))
}

/// A callback for one game; [`ControlFlow::Break`] ends the reading.
pub(crate) type Visit<'v> = dyn FnMut(&mut GameSlot) -> ControlFlow<()> + 'v;

/// Passes every requested game to `visit` in database order, until that breaks. Errors of single
/// games are in their slots. Returns the diagnostics that belong to no game, such as text after the
/// last game or a damaged packed file.
///
/// # Errors
///
/// Returns an error if the source failed as a whole.
pub(crate) fn read_in_order(
    source: Source<'_>,
    request: &ScanRequest,
    visit: &mut Visit<'_>,
) -> Result<Vec<Diagnostic>> {
    let mut found = read_all(source, request, visit)?;
    found.extend(request.left_out());
    Ok(found)
}

fn read_all(
    source: Source<'_>,
    request: &ScanRequest,
    visit: &mut Visit<'_>,
) -> Result<Vec<Diagnostic>> {
    #[cfg(feature = "threads")]
    if request.jobs > 1 {
        return crate::parallel::read_in_order(source, request, visit);
    }
    match source {
        Source::Store(store) => {
            let mut candidates = CandidateScan::new(&request.filter, store);
            let games = std::iter::from_fn(|| candidates.next(store, request));
            let _ = ThreadReader::default().read(store, games, request, visit);
        }
        Source::Stream(mut stream) => {
            let mut scratch = Scratch::new();
            let mut slot = GameSlot::default();
            let mut indexes = StreamSelection::new(request.filter.selection.clone());
            let mut next = || -> chessdb_core::Result<bool> {
                let Some(index) = indexes.next(&mut *stream)? else {
                    return Ok(false);
                };
                Ok(
                    match slot.read_next(&mut *stream, index, request, &mut scratch)? {
                        StreamItem::Game => visit(&mut slot).is_continue(),
                        StreamItem::Filtered => true,
                        StreamItem::End => false,
                    },
                )
            };
            let ended = loop {
                match next() {
                    Ok(true) => {}
                    Ok(false) => break Ok(()),
                    Err(error) => break Err(error),
                }
            };
            return Ok(end_of_stream(&mut *stream, ended)?);
        }
    }
    Ok(Vec::new())
}

/// The buffers of a reader thread.
#[derive(Default)]
pub(crate) struct ThreadReader {
    slot: GameSlot,
    scratch: Scratch,
}

impl ThreadReader {
    /// Passes the games of a store that match the request to `visit`, until that breaks.
    pub(crate) fn read(
        &mut self,
        store: &dyn GameStore,
        games: impl Iterator<Item = Candidate>,
        request: &ScanRequest,
        visit: &mut Visit<'_>,
    ) -> ControlFlow<()> {
        let ThreadReader { slot, scratch } = self;
        for game in games {
            if slot.read(store, game, request, scratch) {
                visit(slot)?;
            }
        }
        ControlFlow::Continue(())
    }
}

/// Returns the diagnostics of a stream after its last game. Damage of a packed file is a
/// diagnostic; an error of the operating system is returned as an error.
pub(crate) fn end_of_stream(
    stream: &mut dyn GameRead,
    ended: chessdb_core::Result<()>,
) -> chessdb_core::Result<Vec<Diagnostic>> {
    let mut found = stream.take_diagnostics();
    if let Err(error) = ended {
        // Decompressors report damage as an I/O error without an OS error number.
        if matches!(error.kind(), ErrorKind::Io(io) if io.raw_os_error().is_some()) {
            return Err(error);
        }
        let (kind, at) = error.into_parts();
        found.push(Diagnostic::new(Severity::Lost, kind, at));
    }
    Ok(found)
}

/// The indexes of the selected games of a stream.
#[derive(Debug)]
pub(crate) struct StreamSelection {
    selection: Selection,
    next: u32,
}

impl StreamSelection {
    /// Starts before the first game.
    pub(crate) fn new(selection: Selection) -> StreamSelection {
        StreamSelection { selection, next: 0 }
    }

    /// Skips to the next selected game, which the caller reads, and returns its index, from 0.
    /// `None` if no selected game follows or the stream ends.
    pub(crate) fn next(&mut self, stream: &mut dyn GameRead) -> chessdb_core::Result<Option<u32>> {
        while self.next < self.selection.last() {
            self.next += 1;
            if self.selection.contains(self.next) {
                return Ok(Some(self.next - 1));
            }
            if !skip(stream)? {
                return Ok(None);
            }
        }
        Ok(None)
    }
}

/// Skips a game; ignores errors that concern only this game. Returns false at the end.
pub(crate) fn skip(stream: &mut dyn GameRead) -> chessdb_core::Result<bool> {
    match stream.skip_game() {
        Err(error) if !ends_stream(&error) => Ok(true),
        skipped => skipped,
    }
}

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
    /// [`OpenOptions::jobs`](crate::options::OpenOptions::jobs).
    #[cfg(feature = "threads")]
    #[must_use]
    pub fn jobs(mut self, jobs: usize) -> Scan<'d> {
        self.request.jobs = crate::parallel::threads(jobs);
        self
    }

    /// Returns a reader that works on the calling thread and fills a game that the caller owns.
    pub fn reader(self) -> Reader<'d> {
        let source = self.db.source();
        self.reader_of(source)
    }

    /// Returns a reader of a source of the database that was opened with other options.
    pub(crate) fn reader_of(self, source: Result<Source<'d>>) -> Reader<'d> {
        let source = match source {
            Ok(Source::Store(store)) => {
                ReaderState::Store(store, CandidateScan::new(&self.request.filter, store))
            }
            Ok(Source::Stream(stream)) => {
                let selection = self.request.filter.selection.clone();
                ReaderState::Stream(stream, StreamSelection::new(selection))
            }
            Err(error) => ReaderState::Failed(Some(error)),
        };
        Reader {
            db: self.db,
            source,
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
    /// let mut all = Vec::new(); let length = |game: &mut chessdb::Game, read: Result<(), _>|
    /// read.map(|()| game.moves.len()); db.scan().map_in_order(length, |length| {
    ///     all.push(length);
    ///     ControlFlow::Continue(())
    /// })?;
    /// assert_eq!(all.len(), 2);
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
        Games(self.reader())
    }
}
