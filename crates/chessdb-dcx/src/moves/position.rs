//! The interface that decoding requires of a position, with or without the rules of chess.

use chessdb_core::PackedMove;
use chessdb_core::board::Facts;
use chessdb_core::line::LineTracker;

use super::Promotions;
use crate::raw::MoveWord;

/// A move that was read, whether it is legal, and its known facts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReadMove {
    pub(crate) mv: PackedMove,
    pub(crate) legal: bool,
    pub(crate) facts: Facts,
}

/// The positions of a game, which give words their meaning.
pub(crate) trait Position: LineTracker {
    /// Reads and plays a move, or returns why it is impossible.
    fn play(&mut self, word: MoveWord, promotions: Promotions) -> Result<ReadMove, &'static str>;
    /// Plays a null move.
    fn pass(&mut self);
}
