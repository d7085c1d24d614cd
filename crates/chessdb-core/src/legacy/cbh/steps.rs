//! The piece and step of each one-byte code (docs/formats/cbh.md, section 6.3).

use crate::{PieceType, Square};

pub(super) const KING: u8 = 1;
pub(super) const SHORT: u8 = 9;
pub(super) const LONG: u8 = 10;
/// The first code of each of the three knights, bishops, rooks, queens.
pub(super) const FIRST: [[u8; 3]; 4] =
    [[95, 103, 227], [67, 81, 213], [39, 53, 199], [11, 143, 171]];
pub(super) const PAWN: u8 = 111;

/// The steps of the king and the knight, files and ranks.
const KING_STEPS: [(i8, i8); 8] = [
    (0, 1),
    (1, 1),
    (1, 0),
    (1, -1),
    (0, -1),
    (-1, -1),
    (-1, 0),
    (-1, 1),
];
const KNIGHT_STEPS: [(i8, i8); 8] = [
    (2, 1),
    (1, 2),
    (-1, 2),
    (-2, 1),
    (-2, -1),
    (-1, -2),
    (1, -2),
    (2, -1),
];

/// The meaning of a code.
#[derive(Clone, Copy)]
pub(super) struct Code {
    /// 0 to 3 as in [`FIRST`], or one of the constants below.
    pub(super) piece: u8,
    pub(super) slot: u8,
    /// The step, modulo 8; for a pawn, the step of a white one.
    pub(super) files: i8,
    pub(super) ranks: i8,
}

pub(super) const IS_PAWN: u8 = 4;
pub(super) const IS_KING: u8 = 5;
const IS_OTHER: u8 = 6;

pub(super) static CODES: [Code; 256] = CODE_TABLE;
const CODE_TABLE: [Code; 256] = table();

/// Returns step `n` of a sliding piece: seven steps in each direction.
const fn slide(piece: u8, n: u8) -> (i8, i8) {
    let i = (n % 7 + 1) as i8;
    // Bishops have the last two directions of the queen, rooks the first two.
    match n / 7 + if piece == 1 { 2 } else { 0 } {
        0 => (0, i),
        1 => (i, 0),
        2 => (i, i),
        _ => (i, -i),
    }
}

/// The number of codes of each of the four types.
const STEPS: [u8; 4] = [8, 14, 14, 28];

/// The value for no step.
const NO_STEP: u8 = 255;

/// The numbers of the steps of each type, pawn to king, by files * 8 + ranks, modulo 8. If two
/// steps lead to the same square, the first counts.
static PLACES: [[u8; 64]; 6] = places();

#[expect(
    clippy::indexing_slicing,
    reason = "runs at compile time, over the codes of the format page"
)]
const fn places() -> [[u8; 64]; 6] {
    let mut places = [[NO_STEP; 64]; 6];
    let mut kind = 0;
    while kind < 6 {
        let (first, count) = match kind {
            0 => (PAWN, 4),
            5 => (KING, 8),
            kind => (FIRST[kind - 1][0], STEPS[kind - 1]),
        };
        // Backwards, so that of two equal steps the first remains.
        let mut n = count;
        while n > 0 {
            n -= 1;
            let code = CODE_TABLE[(first + n) as usize];
            places[kind][step_of(code.files as u8, code.ranks as u8)] = n;
        }
        kind += 1;
    }
    places
}

const fn step_of(files: u8, ranks: u8) -> usize {
    ((files & 7) * 8 + (ranks & 7)) as usize
}

/// Returns the number of the step of a piece of this type from one square to another; `turned` for
/// black pawns.
#[inline]
#[expect(clippy::indexing_slicing, reason = "types are below 6, steps below 64")]
pub(super) fn place_of(kind: PieceType, turned: bool, from: Square, to: Square) -> Option<u8> {
    // A black pawn steps as a white one does in the opposite direction.
    let (from, to) = if turned { (to, from) } else { (from, to) };
    let files = to.file().wrapping_sub(from.file());
    let ranks = to.rank().wrapping_sub(from.rank());
    let place = PLACES[kind as usize][step_of(files, ranks)];
    (place != NO_STEP).then_some(place)
}

#[expect(
    clippy::indexing_slicing,
    reason = "runs at compile time, over the codes of the format page"
)]
const fn table() -> [Code; 256] {
    let mut table = [Code {
        piece: IS_OTHER,
        slot: 0,
        files: 0,
        ranks: 0,
    }; 256];
    let mut n = 0;
    while n < 8 {
        let (files, ranks) = KING_STEPS[n];
        table[KING as usize + n] = Code {
            piece: IS_KING,
            slot: 0,
            files,
            ranks,
        };
        n += 1;
    }
    let mut piece = 0;
    while piece < 4 {
        let mut slot = 0;
        while slot < 3 {
            let mut n = 0;
            while n < STEPS[piece] {
                let (files, ranks) = match piece {
                    0 => KNIGHT_STEPS[n as usize],
                    piece => slide(piece as u8, n),
                };
                table[(FIRST[piece][slot] + n) as usize] = Code {
                    piece: piece as u8,
                    slot: slot as u8,
                    files,
                    ranks,
                };
                n += 1;
            }
            slot += 1;
        }
        piece += 1;
    }
    let mut n = 0;
    while n < 32 {
        let (files, ranks) = PAWN_STEPS[n % 4];
        table[PAWN as usize + n] = Code {
            piece: IS_PAWN,
            slot: (n / 4) as u8,
            files,
            ranks,
        };
        n += 1;
    }
    table
}

/// One step, two steps, capture to the right and to the left; reversed for Black.
const PAWN_STEPS: [(i8, i8); 4] = [(0, 1), (0, 2), (1, 1), (-1, 1)];

/// The types of pieces in [`FIRST`].
pub(super) const KINDS: [PieceType; 4] = [
    PieceType::Knight,
    PieceType::Bishop,
    PieceType::Rook,
    PieceType::Queen,
];

/// Returns the square a step away, with coordinates modulo 8.
pub(super) const fn step(from: Square, files: i8, ranks: i8) -> Square {
    let file = (from.file() as i8 + files) as u8 & 7;
    let rank = (from.rank() as i8 + ranks) as u8 & 7;
    Square::new_masked(file * 8 + rank)
}
