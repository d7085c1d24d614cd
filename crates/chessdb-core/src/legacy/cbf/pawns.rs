//! The entries of pawns: counted for all pawns at once, and enumerated for one pawn.

use super::{MoveList, nth_bit};
use crate::board::MoveKind;
use crate::{Color, PackedMove, PieceType, Square};

/// The order of the four entries that replace an entry of a promoting pawn.
const PROMOTIONS: [PieceType; 4] = [
    PieceType::Queen,
    PieceType::Rook,
    PieceType::Bishop,
    PieceType::Knight,
];

/// The own pawns, as sets by their possible moves.
pub(super) struct Pawns {
    /// The number of single steps and captures of each pawn, in two bits: the lower and the higher
    /// one.
    low: u64,
    high: u64,
    /// The pawns with a double step.
    two: u64,
    /// The pawns for which the register adds an entry, towards the a-file and the h-file.
    ep: [u64; 2],
    /// The pawns that promote: they have four entries in place of one.
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
        // The register is the file of the target from 1. The pawns next to it are on the files
        // `register` and `register - 2`, counted from 0.
        let on_file = |file: u8| match file {
            0..8 => all & rank(4) & 0xFF << (8 * file),
            _ => 0,
        };
        Pawns {
            // A full adder: the two bits of the sum of three sets.
            low: one ^ to_a ^ to_h,
            high: one & to_a | one & to_h | to_a & to_h,
            two: one & rank(1) & behind_it,
            ep: [on_file(register), on_file(register.wrapping_sub(2))],
            promoting: all & rank(6),
        }
    }

    /// Returns whether any pawn has entries other than one per step and capture.
    #[inline(always)]
    fn are_rare(&self) -> bool {
        let [to_a, to_h] = self.ep;
        to_a | to_h | self.promoting != 0
    }

    /// Returns the number of entries of the pawns on these squares.
    #[inline(always)]
    pub(super) fn among(&self, set: u64) -> u32 {
        self.count(|squares| (squares & set).count_ones().into()) as u32
    }

    /// Returns the number of entries per file, a byte each.
    #[inline(always)]
    pub(super) fn by_file(&self) -> u64 {
        self.count(per_file)
    }

    /// Returns the number of entries of the pawns on this file, a byte per rank.
    #[inline(always)]
    pub(super) fn on_file(&self, file: u32) -> u64 {
        self.count(|squares| per_rank((squares >> ((8 * file) & 63)) as u8))
    }

    /// Adds up the entries; `squares` counts the squares of a set.
    #[inline(always)]
    fn count(&self, squares: impl Fn(u64) -> u64) -> u64 {
        let pairs = |set: u64| squares(self.low & set) + 2 * squares(self.high & set);
        let plain = pairs(!0) + squares(self.two);
        if !self.are_rare() {
            return plain;
        }
        let [to_a, to_h] = self.ep.map(&squares);
        // Each entry of a promoting pawn counts four times; `plain` contains it once.
        plain + 3 * pairs(self.promoting) + to_a + to_h
    }
}

/// Returns the number of squares of each file in the set, a byte each.
const fn per_file(set: u64) -> u64 {
    const TWOS: u64 = 0x3333_3333_3333_3333;
    // The first steps of the usual population count, which end at bytes.
    let twos = set - (set >> 1 & 0x5555_5555_5555_5555);
    let fours = (twos & TWOS) + (twos >> 2 & TWOS);
    (fours + (fours >> 4)) & 0x0F0F_0F0F_0F0F_0F0F
}

/// Returns a byte for each bit: 0 or 1.
const fn per_rank(set: u8) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    // Byte n keeps bit n only; adding 0x7F moves it to the top of the byte.
    let each = (set as u64 * ONES) & 0x8040_2010_0804_0201;
    (each + 0x7F * ONES) >> 7 & ONES
}

/// The entries of a pawn: double step, single step, captures towards the a-file and the h-file, and
/// en passant likewise.
pub(super) struct Pawn<'l> {
    pub(super) list: &'l MoveList<'l>,
    pub(super) from: Square,
    pub(super) single: u64,
    pub(super) double: u64,
    pub(super) captures: u64,
    /// Entries per move: four for promotions.
    pub(super) each: u32,
    /// Whether the register adds an entry, towards the a-file and the h-file.
    pub(super) ep: [bool; 2],
}

impl Pawn<'_> {
    /// Returns the number of a move, from 0.
    #[inline]
    pub(super) fn index_of(&self, mv: PackedMove) -> Option<u32> {
        // Promotions and en passant are rare enough to be searched for.
        if self.each > 1 || mv != PackedMove::normal(self.from, mv.to()) {
            return (0..self.count()).find(|n| self.nth(*n) == Some(mv));
        }
        let to = mv.to().bit().0;
        let before = u32::from(self.double != 0);
        if to & (self.single | self.double) != 0 {
            return Some(if to == self.double { 0 } else { before });
        }
        // There are at most two captures; the one towards the a-file is the lower bit.
        let nearer = self.captures & (to - 1) != 0;
        let before = before + u32::from(self.single != 0) + u32::from(nearer);
        (to & self.captures != 0).then_some(before)
    }

    #[inline(always)]
    pub(super) fn count(&self) -> u32 {
        let [to_a, to_h] = self.ep;
        self.plain() * self.each + u32::from(self.double != 0) + u32::from(to_a) + u32::from(to_h)
    }

    /// Returns the number of single steps and captures. Uses comparisons: half of the pieces are
    /// pawns, and the processor might lack an instruction to count bits.
    #[inline(always)]
    fn plain(&self) -> u32 {
        let many = self.captures & self.captures.wrapping_sub(1);
        u32::from(self.single != 0) + u32::from(self.captures != 0) + u32::from(many != 0)
    }

    /// Returns the entry with this number, from 0; `None` for the phantom, which is counted but
    /// points off the board (QUIRK Q1).
    pub(super) fn nth(&self, mut index: u32) -> Option<PackedMove> {
        let doubles = u32::from(self.double != 0);
        if index < doubles {
            let to = nth_bit(self.double, 0);
            return Some(PackedMove::normal(self.from, Square::new_masked(to)));
        }
        index -= doubles;
        let singles = u32::from(self.single != 0);
        let plain = self.plain() * self.each;
        if index < plain {
            let step = index / self.each;
            let to = match step.checked_sub(singles) {
                None => nth_bit(self.single, 0),
                Some(capture) => nth_bit(self.captures, capture),
            };
            let kind = match self.each {
                4 => MoveKind::Promotion(*PROMOTIONS.get((index % 4) as usize)?),
                _ => MoveKind::Normal,
            };
            return Some(PackedMove::new(self.from, Square::new_masked(to), kind));
        }
        index -= plain;
        // En passant comes last, towards the a-file first.
        let files = match (self.ep, index) {
            ([true, _], 0) => -1,
            ([false, true], 0) | ([true, true], 1) => 1,
            _ => return None,
        };
        let to = self.from.offset(files, self.list.us.pick(1, -1))?;
        let kind = if self.list.is_genuine(self.from, to) {
            MoveKind::EnPassant
        } else {
            MoveKind::GhostEnPassant
        };
        Some(PackedMove::new(self.from, to, kind))
    }
}
