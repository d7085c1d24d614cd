//! Changes of single games in an existing database.

use crate::model::GameFlags;
use crate::{Game, GameStore, Losses, Result};

/// A database whose games are changed in place ([`crate::Format::change`]), in time proportional to
/// the changes. Until [`ChangeGames::finish`] nothing changes.
///
/// A result of `None` means that the format cannot make this change in place. The caller then drops
/// the object and rewrites the database.
pub trait ChangeGames {
    /// Finds game `n` (from 0), which will be changed next, with the help of the open database.
    /// Returns false if the database must be rewritten.
    fn locate(&mut self, _n: u32, _source: &dyn GameStore) -> bool {
        true
    }

    /// Gives game `n` (from 0) with the marks `old` the marks `new`, without reading the game. The
    /// header must not have a spelling of its own for the marks
    /// ([`Field::Flags`](crate::model::Field::Flags)). `None` if marks are not stored apart from the
    /// rest of the game, or cannot be changed in place; [`ChangeGames::replace`] may do it.
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

    /// Writes the changes.
    ///
    /// # Errors
    ///
    /// Returns an error if the files cannot be written. The database is then unchanged. If other
    /// programs only read it, the kind of the error is [`std::io::ErrorKind::ResourceBusy`]; the
    /// database can then be rewritten.
    fn finish(self: Box<Self>) -> Result<()>;
}
