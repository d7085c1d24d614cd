//! A reusable slot that carries a game from a source to a visitor.

use std::path::Path;

use chessdb_core::store::Prepared;
use chessdb_core::{GameRead, GameStore, Scratch};
use chessdb_files::error::{Error, Result};

use super::{Candidate, ScanRequest, ends_stream};
use crate::game::Game;

/// A game, filled repeatedly, and the error of reading it. After an error the game is not
/// meaningful.
#[derive(Default, Debug)]
pub struct GameSlot {
    /// The game.
    pub game: Game,
    /// The error of reading it.
    pub error: Option<chessdb_core::Error>,
    prepared: Prepared,
    /// Whether the game was prepared for its writer since it was read.
    is_prepared: bool,
}

impl GameSlot {
    /// Returns the game, and the prepared data if there is any.
    pub fn with_prepared(&mut self) -> (&Game, Option<&mut Prepared>) {
        let prepared = Some(&mut self.prepared).filter(|_| self.is_prepared);
        (&self.game, prepared)
    }

    /// Returns the index of the game, counted from 0; `None` if it could not be read.
    pub(crate) fn found_index(&self) -> Option<u32> {
        self.error.is_none().then(|| self.game.index())
    }

    /// Returns the error of reading the game, if any, with this path.
    pub(crate) fn take_result(&mut self, path: Option<&Path>) -> Result<()> {
        match self.error.take() {
            Some(error) => Err(Error::from(error).with_path(path)),
            None => Ok(()),
        }
    }
}

impl GameSlot {
    /// Does the requested preparation for the writer.
    pub(crate) fn prepare(&mut self, request: &ScanRequest) {
        let prepare = request.prepare.as_ref().filter(|_| self.error.is_none());
        self.is_prepared = prepare.is_some();
        if let Some(prepare) = prepare {
            prepare.prepare(&self.game, &mut self.prepared);
        }
    }

    /// Reads the requested part of a game of a store; returns false if it does not match the
    /// request. Returns true for a game that cannot be read, because it might match.
    pub(crate) fn read(
        &mut self,
        store: &dyn GameStore,
        game: Candidate,
        request: &ScanRequest,
        scratch: &mut Scratch,
    ) -> bool {
        let read = self.game.fill(store, game, request, scratch);
        self.error = None;
        read.unwrap_or_else(|error| {
            self.error = Some(error);
            true
        })
    }

    /// Reads the next game of a stream.
    ///
    /// # Errors
    ///
    /// Returns an error if the stream itself failed.
    pub(crate) fn read_next(
        &mut self,
        stream: &mut dyn GameRead,
        index: u32,
        request: &ScanRequest,
        scratch: &mut Scratch,
    ) -> chessdb_core::Result<StreamItem> {
        self.error = None;
        match self.game.fill_next(stream, index, scratch) {
            Ok(false) => Ok(StreamItem::End),
            Ok(true) if self.game.matches_request(request) => Ok(StreamItem::Game),
            Ok(true) => Ok(StreamItem::Filtered),
            Err(error) if ends_stream(&error) => Err(error),
            Err(error) => {
                self.error = Some(error);
                Ok(StreamItem::Game)
            }
        }
    }
}

/// The result of reading from a stream.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum StreamItem {
    /// A game was read.
    Game,
    /// A game that does not match.
    Filtered,
    /// There are no more games.
    End,
}

impl StreamItem {
    /// Returns the result for a skipped game, or for the end of the stream.
    pub(crate) fn of_skip(more: bool) -> StreamItem {
        if more { StreamItem::Filtered } else { StreamItem::End }
    }
}
