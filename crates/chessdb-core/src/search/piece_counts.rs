//! Numbers of pieces by type.

use crate::{Board, Color, PieceType};

/// The numbers of pawns, knights, bishops, rooks and queens of a side: one byte each, so that all
/// are compared at once.
///
/// ```
/// use chessdb_core::search::PieceCounts;
/// use chessdb_core::{Board, Color};
///
/// let piece_counts = PieceCounts::from_board(&Board::standard(), Color::White);
/// assert_eq!((piece_counts.counts(), piece_counts.all()), ([8, 2, 2, 2, 1], 15));
/// assert!(piece_counts.is_within(PieceCounts::new([8, 2, 2, 2, 1])));
/// assert!(!piece_counts.is_within(PieceCounts::new([8, 9, 9, 0, 9])));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct PieceCounts(u64);

/// The highest bit of each byte.
const HIGH: u64 = 0x80_8080_8080;

impl PieceCounts {
    /// Creates piece counts. Numbers above 127, impossible on a board, become 127.
    #[inline]
    pub fn new(counts: [u8; 5]) -> PieceCounts {
        let [pawns, knights, bishops, rooks, queens] = counts.map(|count| count.min(127));
        PieceCounts(u64::from_le_bytes([
            pawns, knights, bishops, rooks, queens, 0, 0, 0,
        ]))
    }

    /// Returns the piece counts of one colour on a board.
    // If this were inlined, it would be computed for every move of loops that need it after few of
    // them.
    #[inline(never)]
    pub fn from_board(board: &Board, color: Color) -> PieceCounts {
        let kinds = PieceType::ALL.into_iter().take(5);
        PieceCounts(
            kinds
                .zip((0..).step_by(8))
                .fold(0, |piece_counts, (kind, shift)| {
                    piece_counts | u64::from(board.pieces(color, kind).len()) << shift
                }),
        )
    }

    /// Returns the counts without one piece of this type, of which there is at least one.
    #[inline]
    #[must_use]
    pub(crate) const fn without(self, kind: PieceType) -> PieceCounts {
        match kind {
            PieceType::King => self,
            _ => PieceCounts(self.0.wrapping_sub(1 << (8 * kind as u32))),
        }
    }

    /// Returns the counts in the order pawns, knights, bishops, rooks, queens.
    #[inline]
    pub const fn counts(self) -> [u8; 5] {
        let [pawns, knights, bishops, rooks, queens, ..] = self.0.to_le_bytes();
        [pawns, knights, bishops, rooks, queens]
    }

    /// Returns the number of knights and bishops.
    #[inline]
    pub const fn minors(self) -> u8 {
        let [_, knights, bishops, ..] = self.counts();
        knights + bishops
    }

    /// Returns the number of all pieces except kings; at most 255.
    pub fn all(self) -> u8 {
        self.counts().into_iter().fold(0, u8::saturating_add)
    }

    /// Returns the pawn count alone.
    #[must_use]
    pub const fn pawns(self) -> PieceCounts {
        PieceCounts(self.0 & 0xFF)
    }

    /// Returns whether no count exceeds the one in `most`.
    #[inline]
    pub const fn is_within(self, limit: PieceCounts) -> bool {
        // No byte borrows from the next.
        ((limit.0 | HIGH) - self.0) & HIGH == HIGH
    }
}
