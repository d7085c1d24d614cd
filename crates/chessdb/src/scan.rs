//! Reading the games of a base: one after another, or by several threads.

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
use reader::State;
pub use reader::{Games, Reader};
#[cfg(feature = "threads")]
pub(crate) use slot::alone;
pub(crate) use slot::{GameSlot, Next};

/// Where games come from: by number, or one after another.
pub(crate) enum Source<'a> {
    /// Any game at any time, by several threads at once.
    Store(&'a dyn GameStore),
    /// In order, once.
    Stream(Box<dyn GameRead + Send + 'a>),
}

#[cfg(feature = "query")]
impl<'a> Source<'a> {
    /// What games are read from by number.
    pub(crate) fn store(&self) -> Option<&'a dyn GameStore> {
        match self {
            Source::Store(store) => Some(*store),
            Source::Stream(_) => None,
        }
    }
}

/// What is wanted of a source.
#[derive(Clone, Default, Debug)]
pub(crate) struct ScanRequest {
    /// Which games.
    pub(crate) choice: GameFilter,
    /// Heads suffice. A stream gives whole games all the same.
    pub(crate) headers_only: bool,
    /// Not even these are wanted, but which games there are.
    pub(crate) numbers_only: bool,
    /// Threads that read; with one, the calling thread does.
    #[cfg_attr(not(feature = "threads"), expect(dead_code, reason = "for threads"))]
    pub(crate) jobs: usize,
    /// What is to be done for a writer by the threads that read, if there are any.
    #[cfg_attr(not(feature = "threads"), expect(dead_code, reason = "for threads"))]
    pub(crate) prepare: Option<Arc<dyn Prepare>>,
    /// Damaged games that a query left out.
    pub(crate) left_out: Arc<Mutex<LeftOut>>,
}

impl ScanRequest {
    /// Whether the query, if there is one, asks more than heads.
    #[cfg(feature = "threads")]
    pub(crate) fn looks_at_lines(&self) -> bool {
        #[cfg(feature = "query")]
        return self.choice.query.as_ref().map(|query| query.needs())
            > Some(chessdb_query::Needs::Header);
        #[cfg(not(feature = "query"))]
        false
    }

    /// Counts a game that does not fit the query as far as it can be read, if the rest might.
    #[cfg(feature = "query")]
    pub(crate) fn leave_out(&self, game: &Game) {
        if game.is_damaged()
            && let Some(query) = &self.choice.query
            && query.matches_header(game).is_none()
        {
            let mut left_out = self.left_out.lock().unwrap_or_else(PoisonError::into_inner);
            left_out.count += 1;
            left_out.first.insert(game.number());
            if left_out.first.len() > NAMED {
                left_out.first.pop_last();
            }
        }
    }

    /// What is to be said of such games, once all were looked at.
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

/// Numbers of damaged games that are named.
#[cfg(feature = "query")]
const NAMED: usize = 10;

/// Damaged games that a query left out: how many, and the numbers of the first.
#[derive(Default, Debug)]
pub(crate) struct LeftOut {
    count: u32,
    first: BTreeSet<u32>,
}

/// Whether an error means that nothing more will come.
fn is_of_stream(error: &chessdb_core::Error) -> bool {
    matches!(error.kind(), ErrorKind::Io(_))
}

/// Takes games one by one; [`ControlFlow::Break`] ends the reading.
pub(crate) type Visit<'v> = dyn FnMut(&mut GameSlot) -> ControlFlow<()> + 'v;

/// Hands every game asked for to `visit` in the order of the base, until that breaks. Faults of single
/// games are in their slots. The answer is what was found on the way that belongs to no game: text
/// behind the last one, a packed file that is damaged. An error means that the source failed as a
/// whole.
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
            let mut wanted = CandidateScan::new(&request.choice, store);
            let games = std::iter::from_fn(|| wanted.next(store, request));
            let _ = ThreadReader::default().read(store, games, request, visit);
        }
        Source::Stream(mut stream) => {
            let mut scratch = Scratch::new();
            let mut slot = GameSlot::default();
            let mut indexes = StreamIndexes::new(request.choice.selection.clone());
            let mut next = || -> chessdb_core::Result<bool> {
                let Some(index) = indexes.next(&mut *stream)? else {
                    return Ok(false);
                };
                Ok(
                    match slot.read_next(&mut *stream, index, request, &mut scratch)? {
                        Next::Game => visit(&mut slot).is_continue(),
                        Next::Unwanted => true,
                        Next::End => false,
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

/// What one thread reads games with.
#[derive(Default)]
pub(crate) struct ThreadReader {
    slot: GameSlot,
    scratch: Scratch,
}

impl ThreadReader {
    /// Hands these games of a store to `visit`, if they are wanted, until that breaks.
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

/// What a stream has to say once no further game is taken from it. That a packed file is damaged
/// belongs there; that the system cannot read is an error.
pub(crate) fn end_of_stream(
    stream: &mut dyn GameRead,
    ended: chessdb_core::Result<()>,
) -> chessdb_core::Result<Vec<Diagnostic>> {
    let mut found = stream.take_diagnostics();
    if let Err(error) = ended {
        // Whoever unpacks reports damage as an input error without a number of the system's.
        if matches!(error.kind(), ErrorKind::Io(io) if io.raw_os_error().is_some()) {
            return Err(error);
        }
        let (kind, at) = error.into_parts();
        found.push(Diagnostic::new(Severity::Lost, kind, at));
    }
    Ok(found)
}

/// Goes through a stream, skipping what a selection leaves out.
#[derive(Debug)]
pub(crate) struct StreamIndexes {
    selection: Selection,
    next: u32,
}

impl StreamIndexes {
    /// Begins before the first game.
    pub(crate) fn new(selection: Selection) -> StreamIndexes {
        StreamIndexes { selection, next: 0 }
    }

    /// Skips to the next game that is wanted and says its place, from 0; the caller reads it. None if
    /// no further game is wanted or the stream is at its end.
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

/// Goes past a game that nobody asked for; a fault in it is none of the stream's.
pub(crate) fn skip(stream: &mut dyn GameRead) -> chessdb_core::Result<bool> {
    match stream.skip_game() {
        Err(error) if !is_of_stream(&error) => Ok(true),
        skipped => skipped,
    }
}

/// Games of a base to be read: which, how much of each, by how many threads. Made by
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

    /// Only these games.
    #[must_use]
    pub fn select(mut self, selection: impl Into<Selection>) -> Scan<'d> {
        self.request.choice.selection = selection.into();
        self
    }

    /// Only games that fit. Of games that stand in a store the heads are asked first, and moves are read
    /// only where they decide. [`Game::found`] says where a game fits. Games that cannot be read are handed
    /// on, with their errors.
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
        self.request.choice.ask(query.into(), self.db, store);
        self
    }

    /// Heads only: no moves are decoded. From a stream whole games come all the same.
    #[must_use]
    pub fn headers(mut self) -> Scan<'d> {
        self.request.headers_only = true;
        self
    }

    /// Only which games there are: those that are handed on have their numbers, and what of them had to be read to find
    /// out whether they fit.
    #[must_use]
    pub fn numbers(mut self) -> Scan<'d> {
        self.request.numbers_only = true;
        self.headers()
    }

    /// The number of threads that read, if [`OpenOptions::jobs`](crate::options::OpenOptions::jobs) is not
    /// what is wanted.
    #[cfg(feature = "threads")]
    #[must_use]
    pub fn jobs(mut self, jobs: usize) -> Scan<'d> {
        self.request.jobs = crate::parallel::threads(jobs);
        self
    }

    /// Reads on the calling thread into a game that the caller owns.
    pub fn reader(self) -> Reader<'d> {
        let source = self.db.source();
        self.reader_of(source)
    }

    /// Reads from a source of the base that was opened with other options.
    pub(crate) fn reader_of(self, source: Result<Source<'d>>) -> Reader<'d> {
        let source = match source {
            Ok(Source::Store(store)) => {
                State::Store(store, CandidateScan::new(&self.request.choice, store))
            }
            Ok(Source::Stream(stream)) => {
                let selection = self.request.choice.selection.clone();
                State::Stream(stream, StreamIndexes::new(selection))
            }
            Err(error) => State::Failed(Some(error)),
        };
        Reader {
            db: self.db,
            source,
            request: self.request,
            found: Vec::new(),
        }
    }

    /// Hands the games to `visit` in the order of the base, until that breaks; threads read ahead if
    /// there are several. `visit` also learns whether the game could be read; if not, the game holds what
    /// was read before the fault, with its diagnostics. The answer is what was found that belongs to no
    /// game: text behind the last one, a packed file that is damaged; and how many damaged games a query left
    /// out that do not fit as far as they can be read.
    ///
    /// # Errors
    ///
    /// The source failed as a whole.
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

    /// Hands the games to `act` on several threads, in no order. The answer is that of
    /// [`Scan::for_each`].
    ///
    /// # Errors
    ///
    /// The source failed as a whole, or `act` panicked.
    #[cfg(feature = "threads")]
    pub fn for_each_parallel(
        self,
        act: impl Fn(&mut Game, Result<()>) + Sync,
    ) -> Result<Vec<Diagnostic>> {
        self.map_in_order(act, |()| ControlFlow::Continue(()))
    }

    /// Lets several threads make something of each game, and hands it on in the order of the base,
    /// until `take` breaks. What comes out does not depend on the number of threads. The answer is that
    /// of [`Scan::for_each`].
    ///
    /// # Errors
    ///
    /// The source failed as a whole, or `map` panicked.
    ///
    /// ```
    /// # use std::ops::ControlFlow;
    /// # fn main() -> Result<(), chessdb::Error> {
    /// # let bytes = &b"[White \"Tal\"]\n\n1. e4 *\n\n1. d4 d5 *\n"[..];
    /// # let db = chessdb::Database::options().open_files([("games.pgn", bytes)])?;
    /// let mut all = Vec::new();
    /// let length = |game: &mut chessdb::Game, read: Result<(), _>| read.map(|()| game.moves.len());
    /// db.scan().map_in_order(length, |length| {
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
