//! Callbacks of a conversion.

use std::ops::ControlFlow;

use chessdb_core::Diagnostic;
use chessdb_core::loss::Loss;

use super::{GameRef, Report};

/// A game that takes the place of a stored one ([`Observer::replacement`]).
#[derive(Clone, Default, Debug)]
pub struct Replacement {
    /// The game.
    pub game: chessdb_core::Game,
    /// The text of the game for a text format that keeps texts ([`super::Editor`]); `None` to write
    /// only what differs from the stored game.
    pub text: Option<String>,
}

/// The games that are written in place of a game ([`Observer::parts`]).
pub type GameParts<'g> = Box<dyn Iterator<Item = chessdb_core::Game> + 'g>;

/// Callbacks of a conversion, which may also change games. All methods have defaults.
pub trait Observer {
    /// Called when a source was opened, before its games.
    fn source(&mut self, _source: usize, _db: &chessdb_database::Database) {}

    /// Called when a source cannot be opened. An error ends the conversion, `Ok` skips the source.
    ///
    /// # Errors
    ///
    /// Returns the given error by default.
    fn unopened(
        &mut self,
        _source: usize,
        error: chessdb_files::error::Error,
    ) -> chessdb_files::error::Result<()> {
        Err(error)
    }

    /// Called for each game, also for damaged ones. A game that is returned takes the place of the
    /// stored one, with its damage.
    fn replacement(&mut self, _number: u32) -> Option<Replacement> {
        None
    }

    /// Called for a game that was read, which is then written as changed here.
    fn edit(&mut self, _game: &mut chessdb_database::Game) {}

    /// Called after [`Observer::edit`]. Returns the games that are written in place of a game, which
    /// may be none; without a result the game itself is written. Not called for a change in place.
    fn parts<'g>(&mut self, _game: &'g chessdb_core::Game) -> Option<GameParts<'g>> {
        None
    }

    /// Returns whether [`Observer::edit`] or [`Observer::parts`] may change games. If not, more work is done in parallel.
    fn edits(&self) -> bool {
        true
    }

    /// Called if a change in place turned out to be impossible, so that the database is rewritten.
    /// All games are passed again, from the first one; an observer that counts starts again. Sources,
    /// losses and diagnostics are not reported twice.
    fn restart(&mut self) {}

    /// Called after each game. [`ControlFlow::Break`] interrupts the conversion.
    fn game(&mut self, _report: &Report) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// Called for each loss: something of this game that the target cannot store.
    fn loss(&mut self, _at: GameRef, _loss: &Loss) {}

    /// Called for each diagnostic of a source.
    fn diagnostic(&mut self, _source: usize, _diagnostic: &Diagnostic) {}
}

/// An observer that does nothing.
impl Observer for () {
    fn edits(&self) -> bool {
        false
    }
}
