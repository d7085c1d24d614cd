//! Facts about a move in addition to the move itself.

use crate::PieceType;

/// Facts about a legal move according to the rules. Code that has played a move stores them, so
/// that a writer does not have to play it again. [`crate::rules::Referee`] computes them.
///
/// Pieces are numbered: 1 pawn, 2 knight, 3 bishop, 4 rook, 5 queen, 6 king.
///
/// Facts only cache consequences of the previous moves: tapes are equal regardless of the facts
/// about their moves. Only legal moves have facts, and null moves never do.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Facts(u16);

const TAKEN_SHIFT: u32 = 3;
const FILE: u16 = 1 << 6;
const RANK: u16 = 1 << 7;
const CHECK: u16 = 1 << 8;
const MATE: u16 = 1 << 9;
/// The mask of the bits in use.
const BITS: u16 = 0x3FF;

impl Facts {
    /// No facts are known.
    pub const UNKNOWN: Facts = Facts(0);

    /// Creates the facts of a piece that captures another, or none (0).
    pub(crate) const fn new(piece: u8, taken: u8) -> Facts {
        Facts((piece & 7) as u16 | ((taken & 7) as u16) << TAKEN_SHIFT)
    }

    /// Adds whether SAN needs the file and the rank of the from-square.
    #[must_use]
    pub(crate) const fn naming(self, file: bool, rank: bool) -> Facts {
        Facts(self.0 | (file as u16 * FILE) | (rank as u16 * RANK))
    }

    /// Adds whether the move gives check.
    #[must_use]
    pub(crate) const fn checking(self, check: bool) -> Facts {
        Facts(self.0 | (check as u16 * CHECK))
    }

    /// Adds that the check is mate.
    #[must_use]
    pub(crate) const fn mating(self) -> Facts {
        Facts(self.0 | MATE)
    }

    /// Returns the ten bits that a tape stores.
    #[doc(hidden)]
    pub const fn bits(self) -> u16 {
        self.0
    }

    /// Creates facts from the bits that a tape stores.
    #[doc(hidden)]
    pub const fn from_bits(bits: u16) -> Facts {
        Facts(bits & BITS)
    }

    /// Returns whether the facts are known: either all of them are, or none.
    pub const fn are_known(self) -> bool {
        self.0 != 0
    }

    /// Returns the piece that moves, before any promotion; 0 if unknown.
    pub const fn piece(self) -> u8 {
        (self.0 & 7) as u8
    }

    /// Returns the type of the piece that moves, if known.
    #[inline]
    pub fn kind(self) -> Option<PieceType> {
        let kind = usize::from(self.piece()).checked_sub(1)?;
        PieceType::ALL.get(kind).copied()
    }

    /// Returns the captured piece, including en passant captures; 0 for none.
    pub const fn taken(self) -> u8 {
        (self.0 >> TAKEN_SHIFT & 7) as u8
    }

    /// Returns whether SAN needs the file of the from-square because another piece of the same type
    /// could also go there. Always false for pawns: their captures always name the file.
    pub const fn names_file(self) -> bool {
        self.0 & FILE != 0
    }

    /// Returns whether SAN needs the rank of the from-square.
    pub const fn names_rank(self) -> bool {
        self.0 & RANK != 0
    }

    /// Returns whether the move gives check.
    pub const fn gives_check(self) -> bool {
        self.0 & CHECK != 0
    }

    /// Returns whether the move gives mate.
    pub const fn gives_mate(self) -> bool {
        self.0 & MATE != 0
    }
}
