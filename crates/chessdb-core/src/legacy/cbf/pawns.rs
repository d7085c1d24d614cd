//! The entries of pawns: of all of them at once, to be counted, and of one, to be enumerated.

use super::{List, nth_bit};
use crate::{Color, MoveKind, PackedMove, PieceType, Square};

/// In the order of the four entries that stand in place of one.
const PROMOTIONS: [PieceType; 4] = [
    PieceType::Queen,
    PieceType::Rook,
    PieceType::Bishop,
    PieceType::Knight,
];

/// The own pawns, by what they may do.
pub(super) struct Pawns {
    /// How many single steps and captures each has, in two bits: the lower and the higher one.
    low: u64,
    high: u64,
    /// Those that have a double step.
    two: u64,
    /// Those for which the register has an entry, towards the a-file and the h-file.
    ep: [u64; 2],
    /// Those that promote: four entries in place of one.
    promoting: u64,
}

impl Pawns {
    #[inline(always)]
    pub(super) fn new(all: u64, us: Color, occupied: u64, theirs: u64, register: u8) -> Pawns {
        const FIRST: u64 = 0x0101_0101_0101_0101;
        let rank = |number: u8| FIRST << us.rank(number);
        let empty = !occupied;
        let movable = all & !rank(7);
        let (ahead, behind_it, to_a, to_h) = match us {
            Color::White => (empty >> 1, empty >> 2, theirs << 7, theirs >> 9),
            Color::Black => (empty << 1, empty << 2, theirs << 9, theirs >> 7),
        };
        let one = movable & ahead;
        let (to_a, to_h) = (movable & to_a, movable & to_h);
        let on_file = |file: u8| match file {
            0..8 => all & rank(4) & 0xFF << (8 * file),
            _ => 0,
        };
        Pawns {
            low: one ^ to_a ^ to_h,
            high: one & to_a | one & to_h | to_a & to_h,
            two: one & rank(1) & behind_it,
            ep: [on_file(register), on_file(register.wrapping_sub(2))],
            promoting: all & rank(6),
        }
    }

    /// Whether any has entries of other kinds than steps and captures, one each.
    #[inline(always)]
    fn are_rare(&self) -> bool {
        let [to_a, to_h] = self.ep;
        to_a | to_h | self.promoting != 0
    }

    /// How many entries those on these squares have.
    #[inline(always)]
    pub(super) fn among(&self, set: u64) -> u32 {
        self.count(|squares| (squares & set).count_ones().into()) as u32
    }

    /// How many entries they have, a byte for each file.
    #[inline(always)]
    pub(super) fn by_file(&self) -> u64 {
        self.count(per_file)
    }

    /// How many entries those on this file have, a byte for each rank.
    #[inline(always)]
    pub(super) fn on_file(&self, file: u32) -> u64 {
        self.count(|squares| per_rank((squares >> ((8 * file) & 63)) as u8))
    }

    /// The entries, when this counts squares.
    #[inline(always)]
    fn count(&self, squares: impl Fn(u64) -> u64) -> u64 {
        let pairs = |set: u64| squares(self.low & set) + 2 * squares(self.high & set);
        let plain = pairs(!0) + squares(self.two);
        if !self.are_rare() {
            return plain;
        }
        let [to_a, to_h] = self.ep.map(&squares);
        plain + 3 * pairs(self.promoting) + to_a + to_h
    }
}

/// How many squares of each file are in the set, a byte for each.
const fn per_file(set: u64) -> u64 {
    const TWOS: u64 = 0x3333_3333_3333_3333;
    let twos = set - (set >> 1 & 0x5555_5555_5555_5555);
    let fours = (twos & TWOS) + (twos >> 2 & TWOS);
    (fours + (fours >> 4)) & 0x0F0F_0F0F_0F0F_0F0F
}

/// A byte for each bit: 0 or 1.
const fn per_rank(set: u8) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let each = (set as u64 * ONES) & 0x8040_2010_0804_0201;
    (each + 0x7F * ONES) >> 7 & ONES
}

/// The entries of one pawn: double step, single step, captures towards the a-file and the h-file,
/// en passant likewise.
pub(super) struct Pawn<'l> {
    pub(super) list: &'l List<'l>,
    pub(super) from: Square,
    pub(super) single: u64,
    pub(super) double: u64,
    pub(super) captures: u64,
    /// Entries per move: four if they promote.
    pub(super) each: u32,
    /// The entries of the register, towards the a-file and the h-file.
    pub(super) ep: [bool; 2],
}

impl Pawn<'_> {
    /// The number of a move, from 0.
    #[inline]
    pub(super) fn place_of(&self, mv: PackedMove) -> Option<u32> {
        if self.each > 1 || mv != PackedMove::normal(self.from, mv.to()) {
            return (0..self.count()).find(|n| self.nth(*n) == Some(mv));
        }
        let to = mv.to().bit().0;
        let before = u32::from(self.double != 0);
        if to & (self.single | self.double) != 0 {
            return Some(if to == self.double { 0 } else { before });
        }
        let nearer = self.captures & (to - 1) != 0;
        let before = before + u32::from(self.single != 0) + u32::from(nearer);
        (to & self.captures != 0).then_some(before)
    }

    #[inline(always)]
    pub(super) fn count(&self) -> u32 {
        let [to_a, to_h] = self.ep;
        self.plain() * self.each + u32::from(self.double != 0) + u32::from(to_a) + u32::from(to_h)
    }

    /// Single step and captures. Compared, not counted: half of the pieces are pawns, and processors
    /// are not assumed to count bits.
    #[inline(always)]
    fn plain(&self) -> u32 {
        let many = self.captures & self.captures.wrapping_sub(1);
        u32::from(self.single != 0) + u32::from(self.captures != 0) + u32::from(many != 0)
    }

    /// The entry with this number, from 0; none if it is the phantom, which is counted but points
    /// off the board (QUIRK Q1).
    pub(super) fn nth(&self, mut left: u32) -> Option<PackedMove> {
        let doubles = u32::from(self.double != 0);
        if left < doubles {
            let to = nth_bit(self.double, 0);
            return Some(PackedMove::normal(self.from, Square::new_masked(to)));
        }
        left -= doubles;
        let singles = u32::from(self.single != 0);
        let plain = self.plain() * self.each;
        if left < plain {
            let step = left / self.each;
            let to = match step.checked_sub(singles) {
                None => nth_bit(self.single, 0),
                Some(capture) => nth_bit(self.captures, capture),
            };
            let kind = match self.each {
                4 => MoveKind::Promotion(*PROMOTIONS.get((left % 4) as usize)?),
                _ => MoveKind::Normal,
            };
            return Some(PackedMove::new(self.from, Square::new_masked(to), kind));
        }
        left -= plain;
        let files = match (self.ep, left) {
            ([true, _], 0) => -1,
            ([false, true], 0) | ([true, true], 1) => 1,
            _ => return None,
        };
        let to = self.from.offset(files, self.list.us.pick(1, -1))?;
        let kind = match self.list.is_genuine(self.from, to) {
            true => MoveKind::EnPassant,
            false => MoveKind::GhostEnPassant,
        };
        Some(PackedMove::new(self.from, to, kind))
    }
}
