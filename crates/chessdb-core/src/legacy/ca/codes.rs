//! The compact rule for the codes 0..=206 (docs/formats/chess-assistant.md, section 9).

use crate::Color;

/// Shifts in the order of their codes: ranks in the upper, files in the lower four bits, each
/// modulo 8.
const KNIGHT: [u8; 8] = [0x67, 0x76, 0x16, 0x27, 0x21, 0x12, 0x72, 0x61];
/// Thirteen entries: on the second diagonal 44 is the same square modulo 8.
const BISHOP: [u8; 13] = [
    0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x17, 0x26, 0x35, 0x53, 0x62, 0x71,
];
const ROOK: [u8; 14] = [
    0x07, 0x06, 0x05, 0x04, 0x03, 0x02, 0x01, 0x70, 0x60, 0x50, 0x40, 0x30, 0x20, 0x10,
];
const KING: [u8; 8] = [0x11, 0x77, 0x17, 0x71, 0x07, 0x01, 0x70, 0x10];
/// Shifts of White's pawns; Black's ranks are negated. One step, capture towards a, capture towards
/// h, two steps.
const PAWN: [u8; 4] = [0x10, 0x17, 0x11, 0x20];

/// The number of codes by the rule.
const COUNT: usize = 207;
/// The first code of each slot from 8 on.
const FIRST: [usize; 10] = [32, 40, 48, 61, 74, 88, 102, 129, 137, 172];

/// Slot and shift of each code, for White.
static MEANINGS: [(u8, u8); COUNT] = meanings();
/// The code of each shift (ranks * 8 + files) of the slots 8..=17; `NO_CODE` if it has none.
static CODES: [[u8; 64]; 10] = codes();

const NO_CODE: u8 = 255;

#[expect(clippy::indexing_slicing, reason = "runs at compile time")]
const fn meanings() -> [(u8, u8); COUNT] {
    let mut table = [(0, 0); COUNT];
    let mut code = 0;
    while code < 32 {
        table[code] = (code as u8 >> 2, PAWN[code & 3]);
        code += 1;
    }
    let mut slot = 8;
    while slot <= 17 {
        let mut n = 0;
        while n < shifts(slot) {
            table[FIRST[slot - 8] + n] = (slot as u8, shift(slot, n));
            n += 1;
        }
        slot += 1;
    }
    table
}

/// Returns the number of shifts in the list of a slot.
const fn shifts(slot: usize) -> usize {
    match slot {
        8 | 9 | 15 => 8,
        10 | 11 => 13,
        12 | 13 => 14,
        14 => 27,
        _ => 35,
    }
}

/// Returns a shift from the list of a slot. The queen's list is the bishop's followed by the
/// rook's; the list of the slots 16 and 17 is the queen's followed by the knight's.
#[expect(clippy::indexing_slicing, reason = "runs at compile time")]
const fn shift(slot: usize, n: usize) -> u8 {
    match slot {
        8 | 9 => KNIGHT[n],
        10 | 11 => BISHOP[n],
        12 | 13 => ROOK[n],
        15 => KING[n],
        _ if n < 13 => BISHOP[n],
        _ if n < 27 => ROOK[n - 13],
        _ => KNIGHT[n - 27],
    }
}

#[expect(clippy::indexing_slicing, reason = "runs at compile time")]
const fn codes() -> [[u8; 64]; 10] {
    let mut table = [[NO_CODE; 64]; 10];
    let mut slot = 8;
    while slot <= 17 {
        let mut n = 0;
        while n < shifts(slot) {
            let column = index(shift(slot, n));
            table[slot - 8][column] = (FIRST[slot - 8] + n) as u8;
            n += 1;
        }
        slot += 1;
    }
    table
}

const fn index(shift: u8) -> usize {
    (shift >> 4 & 7) as usize * 8 + (shift & 7) as usize
}

/// Mirrors the rank part of a shift, for Black's pawns; their files are unchanged.
const fn mirrored(shift: u8) -> u8 {
    0x80_u8.wrapping_sub(shift & 0x70) & 0x70 | shift & 7
}

/// Returns the slot and shift of a code.
#[inline]
pub(super) fn meaning(code: u8, color: Color) -> Option<(u8, u8)> {
    let &(slot, shift) = MEANINGS.get(usize::from(code))?;
    // The lists are for White; only pawns have a direction.
    let turned = slot < 8 && color == Color::Black;
    Some((slot, if turned { mirrored(shift) } else { shift }))
}

/// Returns the code of a pawn's move.
pub(super) fn pawn(slot: u8, shift: u8, color: Color) -> Option<u8> {
    let shift = color.pick(shift, mirrored(shift));
    let kind = PAWN.iter().position(|&entry| entry == shift)?;
    (slot < 8).then_some(slot << 2 | kind as u8)
}

/// Returns the code for a move of the piece in a slot from 8 on.
pub(super) fn piece(slot: u8, shift: u8) -> Option<u8> {
    let codes = CODES.get(usize::from(slot.checked_sub(8)?))?;
    let &code = codes.get(index(shift))?;
    (code != NO_CODE).then_some(code)
}
