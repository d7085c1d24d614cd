//! Bishops on squares of the same color, or of opposite colors.

use chessdb_core::board::Bitboard;
use chessdb_core::{Board, Color, PieceType};

use crate::syntax::Fault;

/// The relation between the bishops' squares, if each side has exactly one bishop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Bishops {
    Opposite,
    Same,
}

/// The dark squares, file by file: a1 is one.
pub(crate) const DARK: Bitboard = Bitboard(0xAA55_AA55_AA55_AA55);

impl Bishops {
    /// Reads `opposite` or `same`.
    pub(crate) fn read(text: &str) -> Result<Bishops, Fault> {
        match text.to_ascii_lowercase().as_str() {
            "opposite" => Ok(Bishops::Opposite),
            "same" => Ok(Bishops::Same),
            text => Err(Fault::unknown(
                text,
                "opposite or same",
                ["opposite", "same"],
            )),
        }
    }

    pub(super) fn fits(self, board: &Board) -> bool {
        let bishops = |color| board.pieces(color, PieceType::Bishop);
        let (white, black) = (bishops(Color::White), bishops(Color::Black));
        let is_dark = |bishop: Bitboard| bishop.0 & DARK.0 != 0;
        let is_same = is_dark(white) == is_dark(black);
        white.len() == 1 && black.len() == 1 && is_same == (self == Bishops::Same)
    }

    /// Returns whether a side has no bishop, and no pawn that may become one.
    pub(super) fn are_over(board: &Board) -> bool {
        Color::ALL.into_iter().any(|color| {
            let count = |kind| board.pieces(color, kind).len();
            count(PieceType::Bishop) == 0 && count(PieceType::Pawn) == 0
        })
    }
}
