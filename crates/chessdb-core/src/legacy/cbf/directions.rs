//! The directions and steps of pieces in ChessBase's order, and lookup in a row of counts.

use super::LAST_NUMBER;
use crate::{Square, rules};

/// The directions of a type of piece, where each step of a knight is a direction of its own.
pub(super) struct Directions<const N: usize> {
    /// The difference of square indexes from one square of a direction to the next.
    steps: [i8; N],
    /// The squares of each direction, by the square of the piece.
    squares: [[u64; N]; 64],
}

pub(super) static KNIGHT: Directions<8> = Directions::new(
    [
        (-2, -1),
        (-2, 1),
        (2, -1),
        (2, 1),
        (-1, -2),
        (-1, 2),
        (1, -2),
        (1, 2),
    ],
    false,
);
pub(super) static BISHOP: Directions<4> =
    Directions::new([(-1, -1), (1, -1), (1, 1), (-1, 1)], true);
pub(super) static ROOK: Directions<4> = Directions::new([(-1, 0), (0, -1), (1, 0), (0, 1)], true);

impl<const N: usize> Directions<N> {
    #[expect(
        clippy::indexing_slicing,
        reason = "runs at compile time, over 64 squares and their directions"
    )]
    const fn new(directions: [(i8, i8); N], slides: bool) -> Directions<N> {
        let mut table = Directions {
            steps: [0; N],
            squares: [[0; N]; 64],
        };
        let mut i = 0;
        while i < N {
            let (files, ranks) = directions[i];
            table.steps[i] = files * 8 + ranks;
            let mut from = 0;
            while from < 64 {
                let mut next = Square::new_masked(from as u8).offset(files, ranks);
                while let Some(square) = next {
                    table.squares[from][i] |= 1 << square.index();
                    next = if slides { square.offset(files, ranks) } else { None };
                }
                from += 1;
            }
            i += 1;
        }
        table
    }

    #[inline(always)]
    #[expect(clippy::indexing_slicing, reason = "a square index is below 64")]
    fn from(&self, square: Square) -> &[u64; N] {
        &self.squares[usize::from(square.index() & 63)]
    }

    /// Returns the squares of all directions.
    #[inline(always)]
    pub(super) fn all(&self, from: Square) -> u64 {
        self.from(from)
            .iter()
            .fold(0, |all, direction| all | direction)
    }

    /// Returns the target with this number, from 0, in the order of the directions. In each of them,
    /// the targets must be the squares next to `from`.
    #[inline(always)]
    pub(super) fn nth(&self, from: Square, targets: u64, number: u32) -> Option<u8> {
        // Backwards, so that the count of the first direction is in the lowest byte.
        let directions = self.from(from).iter().rev();
        let counts = directions.fold(0, |counts, direction| {
            let reached = targets & direction;
            // A direction of one square need not be counted.
            let count = if N == 8 { u32::from(reached != 0) } else { reached.count_ones() };
            counts << 8 | u64::from(count)
        });
        let (direction, index) = find_entry(counts, number)?;
        let step = self.steps.get(direction as usize)?;
        Some(from.index().wrapping_add_signed(step * (index as i8 + 1)))
    }

    /// Returns the squares that come before `to`, which must be in one of the directions.
    #[inline(always)]
    pub(super) fn before(&self, from: Square, to: Square) -> u64 {
        let (mut before, mut open) = (rules::between(from.index(), to.index()), !0);
        for direction in self.from(from) {
            // Becomes 0 at the direction of `to`, of which only the squares between count.
            open &= (direction >> to.index() & 1).wrapping_sub(1);
            before |= direction & open;
        }
        before
    }
}

/// Finds the entry with this number, from 0, in eight byte counts. Returns the index of the count
/// it belongs to and its number there; `None` if the number is too large. Free of branches, because
/// the side to move makes them unpredictable.
#[inline(always)]
pub(super) fn find_entry(counts: u64, number: u32) -> Option<(u32, u32)> {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const TOPS: u64 = ONES << 7;
    if sum(counts) > LAST_NUMBER || number >= LAST_NUMBER.into() {
        return find_entry_slowly(counts, number);
    }
    // The sums up to and including each byte. They have seven bits, so the eighth can hold the
    // result of the comparison.
    let ends = counts.wrapping_mul(ONES);
    let passed = ((TOPS | (u64::from(number) * ONES)) - ends) & TOPS;
    let which = ((passed >> 7).wrapping_mul(ONES) >> 56) as u32;
    let before = ((ends << 8) >> ((8 * which) & 63)) & 0xFF;
    (which < 8).then(|| (which, number - before as u32))
}

/// Like [`find_entry`], for numbers larger than a byte of an old record can contain.
#[cold]
fn find_entry_slowly(counts: u64, mut number: u32) -> Option<(u32, u32)> {
    for (which, count) in counts.to_le_bytes().into_iter().enumerate() {
        match number.checked_sub(count.into()) {
            None => return Some((which as u32, number)),
            Some(rest) => number = rest,
        }
    }
    None
}

/// Returns the sum of all eight bytes.
const fn sum(by_file: u64) -> u16 {
    const EVEN: u64 = 0x00FF_00FF_00FF_00FF;
    // Eight counts may exceed a byte, so they are added in lanes of sixteen bits.
    let pairs = (by_file & EVEN) + (by_file >> 8 & EVEN);
    (pairs.wrapping_mul(0x0001_0001_0001_0001) >> 48) as u16
}
