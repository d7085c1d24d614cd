//! What is known of a move beside the move itself.

use crate::PieceType;

/// What the rules say of a legal move: whoever played it knows, and whoever writes it need not play
/// it again. [`crate::rules::Referee`] finds it.
///
/// Pieces are numbered: 1 pawn, 2 knight, 3 bishop, 4 rook, 5 queen, 6 king.
///
/// Facts are a memory of what the moves before say, never information of their own: tapes are equal
/// whatever is known of their moves. Only legal moves have them, and never null moves.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Facts(u16);

const TAKEN_SHIFT: u32 = 3;
const FILE: u16 = 1 << 6;
const RANK: u16 = 1 << 7;
const CHECK: u16 = 1 << 8;
const MATE: u16 = 1 << 9;
/// Facts have so many bits.
const BITS: u16 = 0x3FF;

impl Facts {
    /// Nothing is known.
    pub const UNKNOWN: Facts = Facts(0);

    /// Of a piece that takes another, or none (0).
    pub(crate) const fn new(piece: u8, taken: u8) -> Facts {
        Facts((piece & 7) as u16 | ((taken & 7) as u16) << TAKEN_SHIFT)
    }

    /// With what SAN has to name of the square that the piece comes from.
    #[must_use]
    pub(crate) const fn naming(self, file: bool, rank: bool) -> Facts {
        Facts(self.0 | (file as u16 * FILE) | (rank as u16 * RANK))
    }

    /// Of a move that gives check, or not.
    #[must_use]
    pub(crate) const fn checking(self, check: bool) -> Facts {
        Facts(self.0 | (check as u16 * CHECK))
    }

    /// Of one whose check is mate.
    #[must_use]
    pub(crate) const fn mating(self) -> Facts {
        Facts(self.0 | MATE)
    }

    /// The ten bits that a tape keeps.
    #[doc(hidden)]
    pub const fn bits(self) -> u16 {
        self.0
    }

    /// What a tape kept.
    #[doc(hidden)]
    pub const fn from_bits(bits: u16) -> Facts {
        Facts(bits & BITS)
    }

    /// Whether anything is known: then everything is.
    pub const fn are_known(self) -> bool {
        self.0 != 0
    }

    /// The piece that moves, before any promotion; 0 if nothing is known.
    pub const fn piece(self) -> u8 {
        (self.0 & 7) as u8
    }

    /// The kind of the piece that moves, if anything is known.
    #[inline]
    pub fn kind(self) -> Option<PieceType> {
        let kind = usize::from(self.piece()).checked_sub(1)?;
        PieceType::ALL.get(kind).copied()
    }

    /// What is taken, en passant, too; 0 for nothing.
    pub const fn taken(self) -> u8 {
        (self.0 >> TAKEN_SHIFT & 7) as u8
    }

    /// Whether SAN names the file that the piece comes from, since another of its kind could go there
    /// as well. Of pawns it is not said: they name it when they take.
    pub const fn names_file(self) -> bool {
        self.0 & FILE != 0
    }

    /// Whether SAN names the rank that the piece comes from.
    pub const fn names_rank(self) -> bool {
        self.0 & RANK != 0
    }

    /// Whether the opponent is in check afterwards.
    pub const fn gives_check(self) -> bool {
        self.0 & CHECK != 0
    }

    /// Whether the opponent has been mated.
    pub const fn gives_mate(self) -> bool {
        self.0 & MATE != 0
    }
}
