//! What decoding asks of a position, with or without the rules of chess.

use chessdb_core::PackedMove;

use super::Promotions;
use crate::raw::MoveWord;

/// A move that was read, and whether the rules of chess allow it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Read {
    pub(crate) mv: PackedMove,
    pub(crate) legal: bool,
}

/// What decoding needs to know of the positions of a game.
pub(crate) trait Position {
    /// Reads and plays a move; says why not if it is impossible.
    fn play(&mut self, word: MoveWord, promotions: Promotions) -> Result<Read, &'static str>;
    /// Plays a null move.
    fn pass(&mut self);
    /// Goes back to before the last move of the line, for an alternative to it; at the start of a
    /// line stays where it is.
    fn open(&mut self);
    /// Goes back to where the last alternative was opened.
    fn close(&mut self);
    /// Half-moves of the line so far.
    fn ply(&self) -> u32;
}
