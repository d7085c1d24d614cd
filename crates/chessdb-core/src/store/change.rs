//! Changes of single games in an existing database.

use super::TextChange;
use crate::model::{GameFlags, NameRole};
use crate::{ErrorKind, Game, GameStore, GameWrite, LossKind, Losses, Result};

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

    /// Returns the writer that appends games in the same step in which games change. `None` if the
    /// database must be rewritten for that.
    ///
    /// # Errors
    ///
    /// Returns an error if the files cannot be read or written.
    fn appender(&mut self) -> Result<Option<&mut dyn GameWrite>> {
        Ok(None)
    }

    /// Appends a game. `None` also if the format cannot append in the same step in which it changes
    /// games, or if the game cannot be stored, so that rewriting the database reports the reason.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`ChangeGames::replace`].
    fn append(&mut self, game: &Game) -> Result<Option<Losses>> {
        match self.appender()?.map(|writer| writer.write(game)) {
            Some(Ok(losses)) if losses.count(LossKind::Game) == 0 => Ok(Some(losses)),
            Some(Err(error)) if !matches!(error.kind(), ErrorKind::LimitExceeded { .. }) => {
                Err(error)
            }
            _ => Ok(None),
        }
    }

    /// Gives the name `old` of a table the spelling `new` in all games, without changing any of them.
    /// No game is changed in the same step. `None` if the database has no such table, or if `new` is
    /// in it already.
    ///
    /// # Errors
    ///
    /// Returns an error if the files cannot be read.
    fn rename(&mut self, _role: NameRole, _old: &str, _new: &str) -> Result<Option<()>> {
        Ok(None)
    }

    /// Writes the changes.
    ///
    /// # Errors
    ///
    /// Returns an error if the files cannot be written. The database is then unchanged. If other
    /// programs only read it, the kind of the error is [`std::io::ErrorKind::ResourceBusy`]; the
    /// database can then be rewritten.
    fn finish(self: Box<Self>) -> Result<()>;
}

/// The offsets of all records of a database in ascending order. They show whether bytes of a record
/// can be changed without changing another game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SortedOffsets(Vec<u64>);

impl SortedOffsets {
    /// Sorts offsets. This takes linear time if few records are out of order.
    pub fn new(mut offsets: Vec<u64>) -> SortedOffsets {
        // The stable sort uses ascending runs, which an index with a few moved records has.
        offsets.sort();
        SortedOffsets(offsets)
    }

    /// Returns the offsets in ascending order.
    pub fn as_slice(&self) -> &[u64] {
        &self.0
    }

    /// Returns whether exactly one record begins at this offset.
    pub fn is_single(&self, offset: u64) -> bool {
        let start = self.0.partition_point(|&other| other < offset);
        let same = self
            .0
            .iter()
            .skip(start)
            .take_while(|&&other| other == offset);
        same.take(2).count() == 1
    }

    /// Returns the greatest offset below this one.
    pub fn before(&self, offset: u64) -> Option<u64> {
        let start = self.0.partition_point(|&other| other < offset);
        self.0.get(start.checked_sub(1)?).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_offsets_are_not_single() {
        let offsets = SortedOffsets::new(vec![30, 10, 20, 10, 40]);
        assert_eq!(offsets.as_slice(), [10, 10, 20, 30, 40]);
        let single = [10, 15, 20, 40, 41].map(|offset| offsets.is_single(offset));
        assert_eq!(single, [false, false, true, true, false]);
        let before = [10, 11, 20, 41].map(|offset| offsets.before(offset));
        assert_eq!(before, [None, Some(10), Some(10), Some(40)]);
    }
}
