//! How many men of each kind there are.

use crate::{Board, Color, PieceType};

/// How many pawns, knights, bishops, rooks and queens a side has: a byte for each, so that all are compared at once.
///
/// ```
/// use chessdb_core::{Board, Color, PieceCounts};
///
/// let piece_counts = PieceCounts::of(&Board::standard(), Color::White);
/// assert_eq!((piece_counts.counts(), piece_counts.all()), ([8, 2, 2, 2, 1], 15));
/// assert!(piece_counts.is_within(PieceCounts::new([8, 2, 2, 2, 1])) && !piece_counts.is_within(PieceCounts::new([8, 9, 9, 0, 9])));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct PieceCounts(u64);

/// The highest bit of each byte.
const HIGH: u64 = 0x80_8080_8080;

impl PieceCounts {
    /// So many of each kind; more than 127 are 127, which no board has room for.
    #[inline]
    pub fn new(counts: [u8; 5]) -> PieceCounts {
        let [pawns, knights, bishops, rooks, queens] = counts.map(|count| count.min(127));
        PieceCounts(u64::from_le_bytes([
            pawns, knights, bishops, rooks, queens, 0, 0, 0,
        ]))
    }

    /// Those of a colour on a board.
    // Where it stands inline, it is computed for every move of a loop that asks for it after few of them.
    #[inline(never)]
    pub fn of(board: &Board, color: Color) -> PieceCounts {
        let kinds = PieceType::ALL.into_iter().take(5);
        PieceCounts(
            kinds
                .zip((0..).step_by(8))
                .fold(0, |piece_counts, (kind, shift)| {
                    piece_counts | u64::from(board.pieces(color, kind).len()) << shift
                }),
        )
    }

    /// How many of each kind.
    #[inline]
    pub const fn counts(self) -> [u8; 5] {
        let [pawns, knights, bishops, rooks, queens, ..] = self.0.to_le_bytes();
        [pawns, knights, bishops, rooks, queens]
    }

    /// Knights and bishops together.
    #[inline]
    pub const fn minors(self) -> u8 {
        let [_, knights, bishops, ..] = self.counts();
        knights + bishops
    }

    /// All together, kings not counted; at most 255.
    pub fn all(self) -> u8 {
        self.counts().into_iter().fold(0, u8::saturating_add)
    }

    /// Pawns alone.
    #[must_use]
    pub const fn pawns(self) -> PieceCounts {
        PieceCounts(self.0 & 0xFF)
    }

    /// Whether there are of each kind no more than this.
    #[inline]
    pub const fn is_within(self, most: PieceCounts) -> bool {
        // No byte borrows from the next.
        ((most.0 | HIGH) - self.0) & HIGH == HIGH
    }
}
