//! Squares, in file-major order.
//!
//! A square is `file * 8 + rank`: a1 = 0, a2 = 1, … a8 = 7, b1 = 8, … h8 = 63. Iterating over the
//! bits of a [`Bitboard`] in ascending order is therefore exactly ChessBase's scan order
//! (docs/formats/cbf.md, section 7.2), and attack sets of all pieces except pawns are not affected
//! by the transposition. Formats that count a1 = 0, b1 = 1 convert with [`Square::from_rank_major`]
//! and [`Square::rank_major`].

use std::fmt;

use crate::board::Bitboard;

/// One of the 64 squares; its index is `file * 8 + rank`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Square(u8);

impl Square {
    /// Returns the square with this index (`file * 8 + rank`); `None` above 63.
    pub const fn new(index: u8) -> Option<Square> {
        if index < 64 { Some(Square(index)) } else { None }
    }

    /// Returns the square with the lowest six bits of `index`; the other bits are ignored.
    pub const fn new_masked(index: u8) -> Square {
        Square(index & 63)
    }

    /// Returns the square on a file (0 = a) and rank (0 = first); `None` outside 0..=7.
    pub const fn from_coords(file: u8, rank: u8) -> Option<Square> {
        if file < 8 && rank < 8 { Some(Square(file * 8 + rank)) } else { None }
    }

    /// Returns the square with this number, counted a1 = 0, b1 = 1, … h8 = 63.
    pub const fn from_rank_major(n: u8) -> Option<Square> {
        if n < 64 { Some(Square((n & 7) << 3 | n >> 3)) } else { None }
    }

    /// Returns the number of this square, counted a1 = 0, b1 = 1, … h8 = 63.
    pub const fn rank_major(self) -> u8 {
        (self.0 & 7) << 3 | self.0 >> 3
    }

    /// Returns `file * 8 + rank`, 0..=63.
    pub const fn index(self) -> u8 {
        self.0
    }

    /// Returns the file: 0 = a … 7 = h.
    pub const fn file(self) -> u8 {
        self.0 >> 3
    }

    /// Returns the rank: 0 = first … 7 = eighth.
    pub const fn rank(self) -> u8 {
        self.0 & 7
    }

    /// Returns the square this many files to the right and ranks up, if it is on the board.
    pub const fn offset(self, files: i8, ranks: i8) -> Option<Square> {
        let file = self.file() as i8 + files;
        let rank = self.rank() as i8 + ranks;
        if 0 <= file && file < 8 && 0 <= rank && rank < 8 {
            Some(Square((file * 8 + rank) as u8))
        } else {
            None
        }
    }

    /// Returns the set that contains only this square.
    pub const fn bit(self) -> Bitboard {
        Bitboard(1 << self.0)
    }

    /// Parses a name such as `e4`; the file letter may be a capital.
    pub const fn from_ascii(name: &[u8]) -> Option<Square> {
        match name {
            [file, rank @ b'1'..=b'8'] => match file.to_ascii_lowercase() {
                file @ b'a'..=b'h' => Square::from_coords(file - b'a', *rank - b'1'),
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns the two characters of the name, such as `e4`.
    pub const fn to_ascii(self) -> [u8; 2] {
        [b'a' + self.file(), b'1' + self.rank()]
    }

    /// Returns all 64 squares: a1, a2, … h8.
    pub fn all() -> impl Iterator<Item = Square> {
        (0..64).map(Square)
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [file, rank] = self.to_ascii();
        write!(f, "{}{}", char::from(file), char::from(rank))
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_indexes_and_both_orders_agree() {
        for square in Square::all() {
            assert_eq!(Square::from_ascii(&square.to_ascii()), Some(square));
            assert_eq!(Square::from_rank_major(square.rank_major()), Some(square));
            assert_eq!(
                Square::from_coords(square.file(), square.rank()),
                Some(square)
            );
        }
        assert_eq!(Square::from_ascii(b"b1").map(Square::index), Some(8));
        assert_eq!(Square::from_ascii(b"b1").map(Square::rank_major), Some(1));
        assert_eq!(Square::from_ascii(b"i1"), None);
    }

    #[test]
    fn offsets_stop_at_the_edge() {
        let a1 = Square::new_masked(0);
        assert_eq!(
            a1.offset(1, 2).map(|s| s.to_string()).as_deref(),
            Some("b3")
        );
        assert_eq!(a1.offset(-1, 0), None);
        assert_eq!(a1.offset(0, 8), None);
    }
}
