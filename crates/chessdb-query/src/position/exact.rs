//! A single position.

use chessdb_core::{Board, Color, PieceType};

use super::{MinimumMaterial, PieceBounds};

/// A placement of all pieces, and the other properties that must be equal.
#[derive(Clone, Debug)]
pub(crate) struct ExactPosition {
    board: Board,
    same: Equality,
    least: MinimumMaterial,
}

/// The properties of a position that count, besides the placement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Equality {
    /// None.
    Placement,
    /// The side to move.
    Turn,
    /// Also castling rights, and the en passant square if a pawn could capture there.
    Key(u64),
}

impl ExactPosition {
    pub(crate) fn new(board: Board, same: Equality) -> ExactPosition {
        let pawns = |color| board.pieces(color, PieceType::Pawn);
        let home =
            |color: Color| pawns(color).0 & chessdb_core::board::Bitboard::rank(color.rank(1)).0;
        let (white, black) = (Color::White, Color::Black);
        let least = MinimumMaterial {
            home: [home(white), home(black)],
            pawns: [pawns(white).len(), pawns(black).len()],
            pieces: [board.by_color(white).len(), board.by_color(black).len()],
        };
        ExactPosition { board, same, least }
    }

    /// Returns the position if exactly pieces and side to move must be equal.
    pub(crate) fn of_turn(&self) -> Option<&Board> {
        (self.same == Equality::Turn).then_some(&self.board)
    }

    pub(crate) fn least(&self) -> &MinimumMaterial {
        &self.least
    }

    pub(crate) fn piece_bounds(&self) -> PieceBounds {
        PieceBounds::exact(&self.board, self.same != Equality::Placement)
    }

    #[inline]
    pub(crate) fn fits(&self, board: &Board) -> bool {
        let own = &self.board;
        own.by_color(Color::White) == board.by_color(Color::White)
            && own.by_color(Color::Black) == board.by_color(Color::Black)
            && PieceType::ALL
                .into_iter()
                .all(|kind| own.by_type(kind) == board.by_type(kind))
            && match self.same {
                Equality::Placement => true,
                Equality::Turn => own.turn() == board.turn(),
                Equality::Key(key) => key == board.polyglot_key(),
            }
    }
}
