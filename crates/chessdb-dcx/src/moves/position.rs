//! What decoding asks of a position, with or without the rules of chess.

use chessdb_core::line::LineTracker;
use chessdb_core::{Facts, PackedMove};

use super::Promotions;
use crate::raw::MoveWord;

/// A move that was read, whether the rules of chess allow it, and what they say of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Read {
    pub(crate) mv: PackedMove,
    pub(crate) legal: bool,
    pub(crate) facts: Facts,
}

/// The positions of a game, and what a word means in them.
pub(crate) trait Position: LineTracker {
    /// Reads and plays a move; says why not if it is impossible.
    fn play(&mut self, word: MoveWord, promotions: Promotions) -> Result<Read, &'static str>;
    /// Plays a null move.
    fn pass(&mut self);
}
