//! Copying of games with the text that they have in their file.

use crate::utf16::Utf16;
use crate::{Game, GameStore, Losses, ReadOptions, Result};

/// A game as it is stored in a text file ([`GameStore::stored_text`]).
#[derive(Clone, Copy, Debug)]
pub struct StoredText<'s> {
    /// The bytes from the end of the game before to the end of this one; of a file in UTF-16, as
    /// UTF-8.
    pub bytes: &'s [u8],
    /// The encoding of a file in UTF-16.
    pub utf_16: Option<&'s Utf16>,
    /// The options with which the store reads them.
    pub options: &'s ReadOptions,
}

/// The change of a game that otherwise keeps its text.
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

/// Writes games with their text in a file of the same format, so that a change of one game leaves
/// all other bytes as they are.
pub trait GameCopy {
    /// Begins before the first game. Returns whether games of this store can be copied.
    fn begin_copy(&mut self, source: &dyn GameStore) -> bool;

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

    /// Copies the text after the last game of the store.
    ///
    /// # Errors
    ///
    /// Returns the errors of the files.
    fn end_copy(&mut self, source: &dyn GameStore) -> Result<()>;
}
