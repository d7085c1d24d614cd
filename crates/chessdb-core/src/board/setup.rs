//! The start position of a game.

use std::fmt;

use crate::board::Side;
use crate::{Board, Color, PieceType};

/// The position that a game starts from, as data.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Setup {
    /// The position, legal or not.
    pub board: Board,
    /// Whether the game is Chess960 (Fischer random). Reading a FEN sets this if a castling right
    /// belongs to a king or rook that is not on its square in standard chess. A position without
    /// such rights does not show it.
    pub chess960: bool,
}

impl Setup {
    /// Returns the standard start position.
    pub const fn standard() -> Setup {
        Setup {
            board: Board::standard(),
            chess960: false,
        }
    }

    /// Creates a setup from a position; `chess960` is derived from the castling rights.
    pub fn from_board(board: Board) -> Setup {
        let chess960 = has_chess960_rights(&board);
        Setup { board, chess960 }
    }

    /// Returns whether this is the standard start position, counters included.
    pub fn is_standard(&self) -> bool {
        !self.chess960 && self.board.is_standard_start()
    }
}

/// Formats the position as FEN.
impl fmt::Display for Setup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.board.fmt(f)
    }
}

/// Returns whether any castling right is impossible in standard chess: the king is on another file
/// than e, or the rook on another square than the corner. Rights without a king or rook do not
/// count.
fn has_chess960_rights(board: &Board) -> bool {
    Color::ALL.into_iter().any(|color| {
        let king = board.king(color);
        Side::ALL.into_iter().any(|side| {
            let (Some(king), Some(rook)) = (king, board.castling_rook(color, side)) else {
                return false;
            };
            board.pieces(color, PieceType::Rook).has(rook)
                && king.rank() == color.rank(0)
                && (king.file() != 4 || rook.file() != side.corner(color).file())
        })
    })
}
