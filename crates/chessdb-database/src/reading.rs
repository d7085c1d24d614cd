//! The games of a source: which to read, how much of each, and reading them on one thread.

mod candidates;
mod feature_masks;
mod matching;
mod position_games;
mod slot;

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};

use chessdb_core::error::Location;
use chessdb_core::store::Prepare;
use chessdb_core::{Diagnostic, ErrorKind, GameRead, GameStore, Scratch, Severity};
use chessdb_files::filesystem::HAS_FILES;
use chessdb_query::{Query, search::Prefilter};

use crate::game::Game;
use crate::selection::Selection;

use candidates::MAX_SMALL;
pub(crate) use candidates::{Candidate, CandidateScan, GameBlock, JudgeBuffers};
pub(crate) use feature_masks::games_with;
pub(crate) use position_games::{PositionGames, PositionSearchEnd};
pub use slot::GameSlot;
pub(crate) use slot::StreamItem;

/// Maximum number of games that are left by a test of all games.
const MAX_TESTED: usize = 1 << 16;

/// A source of games.
pub enum Source<'a> {
    /// Random access, also from several threads at once.
    Store(&'a dyn GameStore),
    /// Games in order, readable once.
    Stream(Box<dyn GameRead + Send + 'a>),
}

impl<'a> Source<'a> {
    /// Returns the store, if games are available by number.
    pub fn store(&self) -> Option<&'a dyn GameStore> {
        match self {
            Source::Store(store) => Some(*store),
            Source::Stream(_) => None,
        }
    }
}

/// The games to read, how much of each, and how.
#[derive(Clone, Default, Debug)]
pub struct ScanRequest {
    /// Selects games by number.
    pub selection: Selection,
    /// Keeps the selected games that match.
    pub query: Option<Arc<Query>>,
    /// For each opening number of the store, whether no game with that opening can match.
    pub(crate) excluded_openings: Arc<[bool]>,
    /// A prefilter that excludes games by their columns before they are read. It applies only to
    /// the store that is searched.
    pub(crate) prefilter: Option<Arc<Prefilter>>,
    /// The index of the database; it replaces the signatures of the store.
    pub(crate) index: Option<Arc<crate::index::Index>>,
    /// The games that may have the position of the query, if the tree file of the database knows
    /// them. It applies only to the store that is searched.
    pub(crate) position_games: Option<Arc<PositionGames>>,
    /// The features without which the position of the query cannot occur, if it is about one.
    pub(crate) position_features: Option<Arc<chessdb_query::search::RequiredFeatures>>,
    /// Headers are sufficient. A stream yields whole games nevertheless.
    pub headers_only: bool,
    /// Only game numbers are needed.
    pub numbers_only: bool,
    /// Nothing of the selected games is read.
    pub is_unread: bool,
    /// Number of reader threads; with one, the calling thread reads.
    pub jobs: usize,
    /// Work that the reader threads, if there are any, do in advance for a writer.
    pub prepare: Option<Arc<dyn Prepare>>,
    /// Damaged games that the query left out.
    pub left_out: Arc<Mutex<LeftOut>>,
}

impl ScanRequest {
    /// Returns the index file of the database, if it is used.
    pub(crate) fn index(&self) -> Option<&crate::index::Index> {
        self.index.as_deref().filter(|_| HAS_FILES)
    }

    /// Returns whether every game is selected.
    pub fn is_all(&self) -> bool {
        self.selects_by_number() && self.selection.is_all()
    }

    /// Returns whether the selected games are known without reading them.
    pub(crate) fn selects_by_number(&self) -> bool {
        self.query.is_none()
    }

    /// Returns the games of a store that may match.
    fn candidates(&self, store: &dyn GameStore) -> CandidateScan {
        if let Some(position_games) = &self.position_games {
            let games = position_games.of(&self.selection);
            if position_games.is_rare()
                && let Some(tested) = self.tested(&games, store)
            {
                return CandidateScan::new(tested, store).without_test();
            }
            return CandidateScan::new(games, store);
        }
        if let Some(tested) = self.tested(&self.selection, store) {
            return CandidateScan::new(tested, store).without_test();
        }
        CandidateScan::new(self.selection.clone(), store)
    }

    /// Tests the features of all games for the position of the query, which takes less time than a
    /// test for each block of candidates. Returns the games that are left; `None` if a test of
    /// single blocks is better.
    fn tested(&self, games: &Selection, store: &dyn GameStore) -> Option<Selection> {
        let (index, features) = (self.index()?, self.position_features.as_ref()?);
        // Reading so few games takes less time than testing all.
        if games.count_in(store.len()) as usize <= MAX_SMALL {
            return None;
        }
        let left = games_with(index, features, MAX_TESTED, self.jobs)?;
        let left = Selection::of_indexes(left).followed_by(index.games());
        Some(games.within(&left))
    }

    /// Returns whether there is a query that needs more than headers.
    pub(crate) fn needs_moves(&self) -> bool {
        self.query.as_ref().map(|query| query.needs()) > Some(chessdb_query::Needs::Header)
    }

    /// Counts a damaged game with a readable part that does not match the query, if the missing
    /// part might match.
    pub(crate) fn leave_out(&self, game: &Game) {
        if game.is_damaged()
            && let Some(query) = &self.query
            && query.matches_header(game).is_none()
        {
            let mut left_out = self.left_out.lock().unwrap_or_else(PoisonError::into_inner);
            left_out.count += u32::from(left_out.first.insert(game.number()));
            // A search that ends with the last game of its position may read some games again, those
            // that threads have read ahead. All of them are in the list of uncounted games.
            if self.position_games.is_none() && left_out.first.len() > MAX_LISTED {
                left_out.first.pop_last();
            }
        }
    }

    /// Returns a diagnostic about the games of [`ScanRequest::leave_out`] and resets the count.
    pub(crate) fn left_out(&self) -> Option<Diagnostic> {
        let mut left_out = self.left_out.lock().unwrap_or_else(PoisonError::into_inner);
        let LeftOut { count, first } = std::mem::take(&mut *left_out);
        let numbers: Vec<String> = first.iter().take(MAX_LISTED).map(u32::to_string).collect();
        let more = count as usize - numbers.len();
        let numbers = numbers.join(", ");
        let what = match more {
            0 if count == 0 => return None,
            0 if count == 1 => {
                format!("the readable part of one damaged game does not match: {numbers}")
            }
            0 => format!("the readable parts of {count} damaged games do not match: {numbers}"),
            more => format!(
                "the readable parts of {count} damaged games do not match: {numbers} and {more} \
                 more"
            ),
        };
        let (kind, location) = (ErrorKind::Other(what.into()), Location::default());
        Some(Diagnostic::new(Severity::Lost, kind, location))
    }
}

/// Maximum of damaged games listed by number.
const MAX_LISTED: usize = 10;

/// Damaged games that a query left out: the count, and the lowest numbers.
#[derive(Default, Debug)]
pub struct LeftOut {
    count: u32,
    first: BTreeSet<u32>,
}

/// Returns whether an error ends the stream.
pub(crate) fn ends_stream(error: &chessdb_core::Error) -> bool {
    matches!(error.kind(), ErrorKind::Io(_))
}

/// A callback for one game; [`ControlFlow::Break`] ends the reading.
pub(crate) type Visit<'v> = dyn FnMut(&mut GameSlot) -> ControlFlow<()> + 'v;

/// The games of a source that a request asks for, read one after another.
pub(crate) enum RequestedGames<'a> {
    Store(&'a dyn GameStore, CandidateScan),
    Stream(Box<dyn GameRead + Send + 'a>, StreamSelection),
}

impl<'a> RequestedGames<'a> {
    /// Starts before the first game.
    pub(crate) fn new(source: Source<'a>, request: &ScanRequest) -> RequestedGames<'a> {
        match source {
            Source::Store(store) => RequestedGames::Store(store, request.candidates(store)),
            Source::Stream(stream) => {
                let selection = request.selection.clone();
                RequestedGames::Stream(stream, StreamSelection::new(selection))
            }
        }
    }

    /// Restricts the games to read to these. A stream has none of them.
    pub(crate) fn restrict(&mut self, selection: Selection) {
        match self {
            RequestedGames::Store(store, candidates) => {
                *candidates = CandidateScan::new(selection, *store);
            }
            RequestedGames::Stream(_, indexes) => *indexes = StreamSelection::new(selection),
        }
    }

    /// Reads the next game that matches the request; returns false at the end.
    ///
    /// # Errors
    ///
    /// After an error of one game the next call continues with the next game
    /// ([`RequestedGames::are_ended_by`]).
    pub(crate) fn read_into(
        &mut self,
        game: &mut Game,
        request: &ScanRequest,
        scratch: &mut Scratch,
    ) -> chessdb_core::Result<bool> {
        match self {
            RequestedGames::Store(store, candidates) => {
                while let Some(candidate) = candidates.next(*store, request) {
                    if game.fill(*store, candidate, request, scratch)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            RequestedGames::Stream(stream, indexes) => {
                while let Some(index) = indexes.next(&mut **stream)? {
                    if !game.fill_next(&mut **stream, index, scratch)? {
                        return Ok(false);
                    }
                    if game.matches_request(request) {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
        }
    }

    /// Passes every game to `visit`, until that breaks, on the calling thread. Returns the
    /// diagnostics that belong to no game.
    ///
    /// # Errors
    ///
    /// Returns an error if the source failed as a whole.
    pub(crate) fn visit(
        mut self,
        request: &ScanRequest,
        visit: &mut Visit<'_>,
    ) -> chessdb_core::Result<Vec<Diagnostic>> {
        let (mut slot, mut scratch) = (GameSlot::default(), Scratch::new());
        let ended = loop {
            slot.error = match self.read_into(&mut slot.game, request, &mut scratch) {
                Ok(true) => None,
                Ok(false) => break Ok(()),
                Err(error) if self.are_ended_by(&error) => break Err(error),
                Err(error) => Some(error),
            };
            if visit(&mut slot).is_break() {
                break Ok(());
            }
        };
        match self {
            RequestedGames::Store(..) => Ok(Vec::new()),
            RequestedGames::Stream(mut stream, _) => end_of_stream(&mut *stream, ended),
        }
    }

    /// Returns whether no more games can be read after this error.
    pub(crate) fn are_ended_by(&self, error: &chessdb_core::Error) -> bool {
        matches!(self, RequestedGames::Stream(..)) && ends_stream(error)
    }
}

/// Returns the diagnostics of a stream after its last game. Damage of a packed file is a
/// diagnostic; an error of the operating system is returned as an error.
pub(crate) fn end_of_stream(
    stream: &mut dyn GameRead,
    ended: chessdb_core::Result<()>,
) -> chessdb_core::Result<Vec<Diagnostic>> {
    let mut diagnostics = stream.take_diagnostics();
    if let Err(error) = ended {
        // Decompressors report damage as an I/O error without an OS error number.
        if matches!(error.kind(), ErrorKind::Io(io) if io.raw_os_error().is_some()) {
            return Err(error);
        }
        let (kind, location) = error.into_parts();
        diagnostics.push(Diagnostic::new(Severity::Lost, kind, location));
    }
    Ok(diagnostics)
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
