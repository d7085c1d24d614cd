//! Changes of single games in an existing database.

use super::TextChange;
use crate::model::GameFlags;
use crate::{Game, GameStore, Losses, Result};

/// A database whose games are changed in place ([`crate::Format::change`]), in time proportional to
/// the changes. Until [`ChangeGames::finish`] nothing changes.
///
/// A result of `None` means that the format cannot make this change in place. The caller then drops
/// the object and rewrites the database.
pub trait ChangeGames {
    /// Gives game `n` (from 0) with the marks `old` the marks `new`, without reading the game. The
    /// header must not have a spelling of its own for the marks
    /// ([`Field::Flags`](crate::model::Field::Flags)).
    ///
    /// # Errors
    ///
    /// Returns an error for a loss that is not allowed, and if the files cannot be read or written.
    fn set_flags(&mut self, n: u32, old: GameFlags, new: GameFlags) -> Result<Option<Losses>>;

    /// Replaces game `n` (from 0), which is read as `old`, with `new`. What is equal in both keeps
    /// its bytes.
    ///
    /// # Errors
    ///
    /// Returns an error for a loss of the new game that is not allowed, and if the files cannot be
    /// read or written.
    fn replace(&mut self, n: u32, old: &Game, new: &Game) -> Result<Option<Losses>>;

    /// Changes the text of game `n` (from 0), which is read as `old`, of a store that has the texts of
    /// its games ([`GameStore::stored_text`]) and reads this database. `is_damaged` has the
    /// meaning that it has in [`super::GameCopy::copy`]. Formats without texts return `None`.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`ChangeGames::replace`], and an error if the encoding of the file lacks
    /// a character.
    fn change_text(
        &mut self,
        _store: &dyn GameStore,
        _n: u32,
        _old: &Game,
        _change: TextChange<'_>,
        _is_damaged: bool,
    ) -> Result<Option<Losses>> {
        Ok(None)
    }

    /// Appends a game. `None` also if the format cannot append in the same step in which it changes
    /// games.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`ChangeGames::replace`].
    fn append(&mut self, _game: &Game) -> Result<Option<Losses>> {
        Ok(None)
    }

    /// Writes the changes.
    ///
    /// # Errors
    ///
    /// Returns an error if the files cannot be written. The database is then unchanged.
    fn finish(self: Box<Self>) -> Result<()>;
}
