//! Copying of games with the text or the row that they have in their file.

use crate::files::Role;
use crate::utf16::Utf16;
use crate::{Game, GameStore, Losses, ReadOptions, Result};

/// A game as it is stored in a text file ([`GameStore::stored_text`]).
#[derive(Clone, Copy, Debug)]
pub struct StoredText<'s> {
    /// The bytes from the end of the game before to the end of this one; of a file in UTF-16, as
    /// UTF-8.
    pub bytes: &'s [u8],
    /// The offset of these bytes in the text of the file; of a file in UTF-16, in its text in UTF-8.
    pub offset: u64,
    /// The encoding of a file in UTF-16.
    pub utf_16: Option<&'s Utf16>,
    /// The options with which the store reads them.
    pub options: &'s ReadOptions,
}

/// The rows of games in a file that also holds other data, such as tables of other programs
/// ([`GameStore::stored_rows`]).
pub trait StoredRows {
    /// Returns the file.
    fn role(&self) -> Role;

    /// Passes the bytes of the whole file to `write`, in order and in their newest state.
    ///
    /// # Errors
    ///
    /// Returns the errors of `write`.
    fn copy_file(&self, write: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()>;

    /// Returns the number of the row of game `n`, counted from 0.
    fn row_number(&self, n: u32) -> Option<i64>;
}

/// The change of a game that otherwise keeps its text or row.
#[derive(Clone, Copy, Debug)]
pub enum TextChange<'g> {
    /// The game is copied byte for byte.
    Unchanged,
    /// The game is left out. Text before it that belongs to no game is copied.
    Removed,
    /// Only the parts that differ from the stored game are written: tags, the result, the moves.
    Game(&'g Game),
    /// This text takes the place of the game.
    Text(&'g str),
}

/// Writes games with their text or row in a file of the same format, so that a change of one game
/// leaves everything else as it is.
pub trait GameCopy {
    /// Begins before the first game. Returns whether games of this store can be copied. With rows
    /// ([`GameStore::stored_rows`]), the new file begins as a copy of the whole old one; games that
    /// are not copied are removed from it.
    ///
    /// # Errors
    ///
    /// Returns the errors of the files.
    fn begin_copy(&mut self, source: &dyn GameStore) -> Result<bool>;

    /// Writes game `n` of the store, counted from 0. Returns what a changed game loses.
    ///
    /// `is_damaged` states that the store reads only a part of the game. Its tags can be changed, and
    /// its text as a whole.
    ///
    /// # Errors
    ///
    /// Returns an error if the change cannot be written without losing other parts of the game, or if
    /// the encoding of the file lacks a character.
    fn copy(
        &mut self,
        source: &dyn GameStore,
        n: u32,
        change: TextChange<'_>,
        is_damaged: bool,
    ) -> Result<Losses>;

    /// Copies the text after the last game of the store, or removes the rows that were not copied.
    ///
    /// # Errors
    ///
    /// Returns the errors of the files.
    fn end_copy(&mut self, source: &dyn GameStore) -> Result<()>;
}
