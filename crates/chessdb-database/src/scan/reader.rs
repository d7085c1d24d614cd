//! Sequential readers of games.

use std::fmt;
use std::iter::FusedIterator;

use chessdb_core::Diagnostic;
use chessdb_files::error::{Error, Result};

#[cfg(doc)]
use super::Scan;
use crate::database::Database;
use crate::game::Game;
use crate::reading::{RequestedGames, ScanRequest};

/// A reader that fills one game of the caller's repeatedly, so that reading a million games takes
/// the memory of one. Created by [`Database::reader`] and [`Scan::reader`].
pub struct Reader<'d> {
    pub(super) db: &'d Database,
    /// The error of opening is `None` once it was returned, and at the end.
    pub(super) games: Result<RequestedGames<'d>, Option<Error>>,
    pub(super) request: ScanRequest,
    /// The diagnostics of the games, available at their end.
    pub(super) found: Vec<Diagnostic>,
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
            Ok(RequestedGames::Store(_, candidates)) if self.request.filter.selects_by_number() => {
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
