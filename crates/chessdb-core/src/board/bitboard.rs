//! Sets of squares.

use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not};

use crate::Square;

/// A set of squares; bit `n` is the square with [`Square::index`] `n`.
#[derive(Clone, Copy, PartialEq, Eq, Default, Hash, Debug)]
pub struct Bitboard(pub u64);

impl Bitboard {
    /// The empty set.
    pub const EMPTY: Bitboard = Bitboard(0);

    /// Returns the eight squares of a file (0 = a); empty outside 0..=7.
    pub const fn file(file: u8) -> Bitboard {
        if file < 8 { Bitboard(0xFF << (file * 8)) } else { Bitboard(0) }
    }

    /// Returns the eight squares of a rank (0 = first); empty outside 0..=7.
    pub const fn rank(rank: u8) -> Bitboard {
        if rank < 8 { Bitboard(0x0101_0101_0101_0101 << rank) } else { Bitboard(0) }
    }

    /// Returns whether the square is in the set.
    pub const fn has(self, square: Square) -> bool {
        self.0 >> square.index() & 1 != 0
    }

    /// Returns the number of squares in the set.
    pub const fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// Returns whether the set is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns whether the set contains two squares or more.
    pub const fn is_many(self) -> bool {
        self.0 & self.0.wrapping_sub(1) != 0
    }

    /// Returns the square with the lowest index.
    pub const fn first(self) -> Option<Square> {
        Square::new(self.0.trailing_zeros() as u8)
    }

    /// Returns the square with the highest index.
    pub const fn last(self) -> Option<Square> {
        if self.0 == 0 { None } else { Square::new(63 - self.0.leading_zeros() as u8) }
    }
}

impl Iterator for Bitboard {
    type Item = Square;

    /// Removes the square with the lowest index and returns it.
    fn next(&mut self) -> Option<Square> {
        let square = self.first()?;
        self.0 &= self.0 - 1;
        Some(square)
    }
}

macro_rules! operators {
    ($($operator:ident $method:ident $assign:ident $assign_method:ident;)*) => { $(
        impl $operator for Bitboard {
            type Output = Bitboard;
            fn $method(self, other: Bitboard) -> Bitboard {
                Bitboard(self.0.$method(other.0))
            }
        }
        impl $assign for Bitboard {
            fn $assign_method(&mut self, other: Bitboard) {
                self.0.$assign_method(other.0);
            }
        }
    )* };
}

operators! {
    BitAnd bitand BitAndAssign bitand_assign;
    BitOr bitor BitOrAssign bitor_assign;
    BitXor bitxor BitXorAssign bitxor_assign;
}

impl Not for Bitboard {
    type Output = Bitboard;
    fn not(self) -> Bitboard {
        Bitboard(!self.0)
    }
}
