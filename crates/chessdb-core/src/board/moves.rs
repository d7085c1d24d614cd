//! A half-move in sixteen bits.

use std::fmt;

use super::Side;
use crate::{PieceType, Square};

/// The effect of a half-move beyond going from one square to another.
///
/// It is part of the move itself, so a writer recognizes a special move without a board.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MoveKind {
    /// A plain move or capture, a double step of a pawn included.
    Normal,
    /// The side to move passes (`--`). From and to are a1.
    Null,
    /// Castling with the rook on the king's h-side. From and to are the king's squares, g-file.
    CastleShort,
    /// Castling with the rook on the king's a-side. From and to are the king's squares, c-file.
    CastleLong,
    /// A pawn takes en passant.
    EnPassant,
    /// ChessBase's illegal en passant (docs/formats/cbf.md, section 7.2, quirk Q2): a pawn captures
    /// diagonally although the right had lapsed, due to a bug in the program. No rules of chess
    /// allow it, PGN cannot express it.
    GhostEnPassant,
    /// A pawn is promoted to a knight, bishop, rook or queen.
    Promotion(PieceType),
}

/// A half-move: from-square, to-square and [`MoveKind`] in sixteen bits. Moves are ordered by their
/// bits, for sorting.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PackedMove(u16);

const KIND_SHIFT: u32 = 12;

impl PackedMove {
    /// The null move.
    pub const NULL: PackedMove = PackedMove(1 << KIND_SHIFT);

    /// Packs a move. A promotion to pawn or king, impossible under any rules, becomes a promotion
    /// to queen.
    pub const fn new(from: Square, to: Square, kind: MoveKind) -> PackedMove {
        let kind = match kind {
            MoveKind::Normal => 0,
            MoveKind::Null => return PackedMove::NULL,
            MoveKind::CastleShort => 2,
            MoveKind::CastleLong => 3,
            MoveKind::EnPassant => 4,
            MoveKind::GhostEnPassant => 5,
            MoveKind::Promotion(PieceType::Knight) => 6,
            MoveKind::Promotion(PieceType::Bishop) => 7,
            MoveKind::Promotion(PieceType::Rook) => 8,
            MoveKind::Promotion(_) => 9,
        };
        PackedMove((from.index() as u16) | (to.index() as u16) << 6 | kind << KIND_SHIFT)
    }

    /// Creates a move without any special effect.
    pub const fn normal(from: Square, to: Square) -> PackedMove {
        PackedMove::new(from, to, MoveKind::Normal)
    }

    /// Creates the castling move of a king, which goes to the g- or c-file of its rank.
    pub const fn castling(king: Square, side: Side) -> PackedMove {
        let to = Square::new_masked(side.king_file() << 3 | king.rank());
        PackedMove::new(king, to, side.castling())
    }

    /// Returns the move with these sixteen bits, if they contain a known kind.
    pub const fn from_bits(bits: u16) -> Option<PackedMove> {
        let kind = bits >> KIND_SHIFT;
        if kind == 1 {
            Some(PackedMove::NULL)
        } else if kind <= 9 {
            Some(PackedMove(bits))
        } else {
            None
        }
    }

    /// Returns the bits: from-square in bits 0..=5, to-square in bits 6..=11, kind above.
    pub const fn bits(self) -> u16 {
        self.0
    }

    /// Returns the square that the piece leaves.
    pub const fn from(self) -> Square {
        Square::new_masked(self.0 as u8)
    }

    /// Returns the square that the piece reaches; in castling, the king's.
    pub const fn to(self) -> Square {
        Square::new_masked((self.0 >> 6) as u8)
    }

    /// Returns the kind of the move.
    pub const fn kind(self) -> MoveKind {
        match self.0 >> KIND_SHIFT {
            1 => MoveKind::Null,
            2 => MoveKind::CastleShort,
            3 => MoveKind::CastleLong,
            4 => MoveKind::EnPassant,
            5 => MoveKind::GhostEnPassant,
            6 => MoveKind::Promotion(PieceType::Knight),
            7 => MoveKind::Promotion(PieceType::Bishop),
            8 => MoveKind::Promotion(PieceType::Rook),
            9 => MoveKind::Promotion(PieceType::Queen),
            _ => MoveKind::Normal,
        }
    }

    /// Returns whether the move has no effect beyond going from one square to another.
    pub const fn is_normal(self) -> bool {
        self.0 >> KIND_SHIFT == 0
    }

    /// Returns whether this is the null move.
    pub const fn is_null(self) -> bool {
        self.0 >> KIND_SHIFT == 1
    }

    /// Returns the side of a castling move.
    pub const fn castling_side(self) -> Option<Side> {
        match self.kind() {
            MoveKind::CastleShort => Some(Side::Short),
            MoveKind::CastleLong => Some(Side::Long),
            _ => None,
        }
    }

    /// Returns the type of piece that the pawn is promoted to.
    pub const fn promotion(self) -> Option<PieceType> {
        match self.kind() {
            MoveKind::Promotion(kind) => Some(kind),
            _ => None,
        }
    }
}

/// Formats the move as coordinates in UCI style: `e2e4`, `a7a8q`, `e1g1`, `0000`.
impl fmt::Display for PackedMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_null() {
            return f.write_str("0000");
        }
        write!(f, "{}{}", self.from(), self.to())?;
        match self.promotion() {
            Some(kind) => write!(f, "{}", char::from(kind.letter().to_ascii_lowercase())),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for PackedMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind() {
            MoveKind::Normal | MoveKind::Null | MoveKind::Promotion(_) => write!(f, "{self}"),
            kind => write!(f, "{self} ({kind:?})"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_round_trip_or_are_rejected() {
        for bits in (0..=u16::MAX).step_by(if cfg!(miri) { 97 } else { 1 }) {
            if let Some(mv) = PackedMove::from_bits(bits) {
                assert_eq!(PackedMove::new(mv.from(), mv.to(), mv.kind()), mv);
            } else {
                assert!(bits >> KIND_SHIFT > 9);
            }
        }
    }
}
