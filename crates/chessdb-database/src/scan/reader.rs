//! Sequential readers of games.

use std::fmt;
use std::iter::FusedIterator;

use chessdb_core::{Diagnostic, GameRead, GameStore};
use chessdb_files::error::{Error, Result};

#[cfg(doc)]
use super::Scan;
use crate::database::Database;
use crate::game::Game;
use crate::reading::{CandidateScan, ScanRequest, StreamSelection, ends_stream};

/// A reader that fills one game of the caller's repeatedly, so that reading a million games takes
/// the memory of one. Created by [`Database::reader`] and [`Scan::reader`].
pub struct Reader<'d> {
    pub(super) db: &'d Database,
    pub(super) source: ReaderState<'d>,
    pub(super) request: ScanRequest,
    /// Diagnostics of a stream, available at its end.
    pub(super) found: Vec<Diagnostic>,
}

/// The source of games, and the games left to read.
pub(super) enum ReaderState<'d> {
    Store(&'d dyn GameStore, CandidateScan),
    Stream(Box<dyn GameRead + Send + 'd>, StreamSelection),
    /// The error of opening; `None` once it was returned, or at the end of a stream.
    Failed(Option<Error>),
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
        let error = loop {
            let result = match &mut self.source {
                ReaderState::Store(store, candidates) => {
                    match candidates.next(*store, &self.request) {
                        Some(found) => match game.fill(*store, found.index, &self.request) {
                            Ok(true) => return Ok(true),
                            Ok(false) => continue,
                            Err(error) => Err(error),
                        },
                        None => {
                            self.found.extend(self.request.left_out());
                            return Ok(false);
                        }
                    }
                }
                ReaderState::Stream(stream, indexes) => match indexes.next(&mut **stream) {
                    Ok(Some(index)) => game.fill_next(&mut **stream, index),
                    end => end.map(|_| false),
                },
                ReaderState::Failed(error) => return error.take().map_or(Ok(false), Err),
            };
            match result {
                Ok(true) if game.matches_request(&self.request) => return Ok(true),
                Ok(true) => {}
                Ok(false) => {
                    self.end();
                    return Ok(false);
                }
                Err(error) => break error,
            }
        };
        if matches!(self.source, ReaderState::Stream(..)) && ends_stream(&error) {
            self.end();
        }
        Err(Error::from(error).with_path(self.db.path()))
    }

    /// Returns the diagnostics so far that belong to no game, such as text after the last game.
    /// They are complete at the end; problems of a database that is not a stream are in
    /// [`Database::diagnostics`].
    pub fn take_diagnostics(&mut self) -> Vec<Diagnostic> {
        match &mut self.source {
            ReaderState::Stream(stream, _) => stream.take_diagnostics(),
            _ => std::mem::take(&mut self.found),
        }
    }

    /// Ends the reading and keeps the diagnostics of the stream.
    fn end(&mut self) {
        self.found = self.take_diagnostics();
        self.found.extend(self.request.left_out());
        self.source = ReaderState::Failed(None);
    }

    fn left(&self) -> Option<usize> {
        match &self.source {
            ReaderState::Store(_, candidates) if self.request.filter.selects_by_number() => {
                Some(candidates.left())
            }
            ReaderState::Store(..) => None,
            ReaderState::Stream(..) => None,
            ReaderState::Failed(error) => Some(usize::from(error.is_some())),
        }
    }
}

impl fmt::Debug for Reader<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reader").finish_non_exhaustive()
    }
}

/// An iterator over the games of a database, each as a separate value. Created by
/// [`Database::games`], [`Database::headers`] and by iterating over a [`Scan`].
///
/// After an error about one game the iterator continues with the next one. [`Iterator::size_hint`]
/// is exact if the number of games is known.
#[derive(Debug)]
pub struct Games<'d>(pub(super) Reader<'d>);

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
