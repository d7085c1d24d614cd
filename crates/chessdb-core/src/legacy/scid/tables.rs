//! Tables of move codes (docs/formats/scid.md, section 5.4). The piece that moves next is hard to
//! predict, so a lookup is several times faster than a branch for each type.

use crate::board::MoveKind;
use crate::{Color, PackedMove, PieceType, Square};

/// Marks above the 64 squares: the code has no meaning for this piece,
pub(super) const NOWHERE: u8 = 64;
/// castling,
pub(super) const CASTLING: u8 = 65;
/// a queen's diagonal move, with its target in the second byte.
pub(super) const DIAGONAL: u8 = 66;

/// Steps (files, ranks) of the king's codes 1..=8.
const KING: [(i8, i8); 8] = [
    (-1, -1),
    (0, -1),
    (1, -1),
    (-1, 0),
    (1, 0),
    (-1, 1),
    (0, 1),
    (1, 1),
];
/// Steps of the knight's codes 1..=8.
const KNIGHT: [(i8, i8); 8] = [
    (-1, -2),
    (1, -2),
    (-2, -1),
    (2, -1),
    (-2, 1),
    (2, 1),
    (-1, 2),
    (1, 2),
];
/// Pieces of the pawn's promotion codes: 3..=5, 6..=8, 9..=11, 12..=14.
pub(super) const PROMOTIONS: [PieceType; 4] = [
    PieceType::Queen,
    PieceType::Rook,
    PieceType::Bishop,
    PieceType::Knight,
];

/// Rows of [`TARGETS`]: none, the six types in the order of the board's codes, black pawns.
const ROWS: usize = 8;
const BLACK_PAWN: u8 = 7;

/// Targets by row, code and square.
static TARGETS: [[[u8; 64]; 16]; ROWS] = targets();
static PAWN_KINDS: [MoveKind; 16] = pawn_kinds();
static KING_CODES: [u8; 256] = step_codes(&KING);
static KNIGHT_CODES: [u8; 256] = step_codes(&KNIGHT);

/// Returns the target of a code for a piece in the board's own code; a square or one of the marks.
#[inline]
#[expect(
    clippy::indexing_slicing,
    reason = "all three indexes are masked to the table's size"
)]
pub(super) fn target(piece: u8, code: u8, from: Square) -> u8 {
    let row = if piece == 9 { BLACK_PAWN } else { piece & 7 };
    TARGETS[usize::from(row & 7)][usize::from(code & 15)][usize::from(from.index() & 63)]
}

/// Returns the kind of move for a pawn's code.
#[inline]
#[expect(
    clippy::indexing_slicing,
    reason = "the index is masked to the table's size"
)]
pub(super) fn pawn_kind(code: u8) -> MoveKind {
    PAWN_KINDS[usize::from(code & 15)]
}

/// Returns the code of a king's step.
#[inline]
pub(super) fn king_code(files: i8, ranks: i8) -> Option<u8> {
    step_code(&KING_CODES, files, ranks)
}

/// Returns the code of a knight's move.
#[inline]
pub(super) fn knight_code(files: i8, ranks: i8) -> Option<u8> {
    step_code(&KNIGHT_CODES, files, ranks)
}

#[inline]
#[expect(clippy::indexing_slicing, reason = "the index has eight bits")]
fn step_code(codes: &[u8; 256], files: i8, ranks: i8) -> Option<u8> {
    match codes[usize::from(step_index(files, ranks))] {
        0 => None,
        code => Some(code),
    }
}

/// Flags in an entry of [`CODES`]: the file of the target is added to the code,
const ADD_FILE: u8 = 0x20;
/// its rank is added,
const ADD_RANK: u8 = 0x40;
/// or the code is the file of a queen's from-square, and the target is in a second byte.
const SECOND: u8 = 0x80;
/// The value for no code.
const NO_CODE: u8 = 0xFF;

/// Codes by row and step: a constant, or one of the flags with a constant.
static CODES: [[u8; 256]; ROWS] = codes();

/// Returns the code of a move of this piece, in the board's own code, and whether a second byte
/// follows.
#[inline]
pub(super) fn code_of(color: Color, piece: u8, mv: PackedMove) -> Option<(u8, bool)> {
    let (from, to) = (mv.from(), mv.to());
    let added = match mv.kind() {
        _ if mv.is_normal() => 0,
        MoveKind::EnPassant => 0,
        MoveKind::CastleLong => return Some((super::CASTLE_LONG, false)),
        MoveKind::CastleShort => return Some((super::CASTLE_SHORT, false)),
        MoveKind::Promotion(kind) => {
            let place = PROMOTIONS.iter().position(|&entry| entry == kind)?;
            place as u8 * 3 + 3
        }
        _ => return None,
    };
    let row = match color {
        Color::Black if piece == PAWN => BLACK_PAWN,
        _ => piece & 7,
    };
    let (code, second) = row_code(row, from, to)?;
    Some((code + added, second))
}

/// Like [`code_of`], for a move without special effects.
#[inline(always)]
pub(super) fn plain_code(color: Color, piece: u8, from: Square, to: Square) -> Option<(u8, bool)> {
    let row = match color {
        Color::Black if piece == PAWN => BLACK_PAWN,
        _ => piece & 7,
    };
    row_code(row, from, to)
}

#[inline(always)]
#[expect(
    clippy::indexing_slicing,
    reason = "the row is masked, the step has eight bits"
)]
fn row_code(row: u8, from: Square, to: Square) -> Option<(u8, bool)> {
    // Sixteen times the file, plus the rank: the difference is the index of the step.
    let wide = |square: Square| square.index() + (square.index() & 0x38);
    let step = wide(to).wrapping_sub(wide(from));
    let entry = CODES[usize::from(row & 7)][usize::from(step)];
    if entry & SECOND != 0 {
        return (entry != NO_CODE).then(|| (from.file(), true));
    }
    let code = (entry & 15) + to.file() * (entry >> 5 & 1) + to.rank() * (entry >> 6 & 1);
    Some((code, false))
}

#[expect(
    clippy::indexing_slicing,
    reason = "evaluated by the compiler, with constant bounds"
)]
const fn codes() -> [[u8; 256]; ROWS] {
    let (kings, knights) = (step_codes(&KING), step_codes(&KNIGHT));
    let mut table = [[NO_CODE; 256]; ROWS];
    let mut files = -7i8;
    while files <= 7 {
        let mut ranks = -7i8;
        while ranks <= 7 {
            let step = step_index(files, ranks) as usize;
            let diagonal = files == ranks || files == -ranks;
            if files != 0 || ranks != 0 {
                table[KNIGHT_ROW as usize][step] = constant(knights[step]);
                table[KING_ROW as usize][step] = constant(kings[step]);
                table[PAWN as usize][step] = pawn_step(files, ranks);
                table[BLACK_PAWN as usize][step] = pawn_step(-files, -ranks);
                if files == ranks {
                    table[BISHOP as usize][step] = ADD_FILE;
                } else if diagonal {
                    table[BISHOP as usize][step] = ADD_FILE + 8;
                }
                let straight = if ranks == 0 {
                    ADD_FILE
                } else if files == 0 {
                    ADD_RANK + 8
                } else {
                    NO_CODE
                };
                table[ROOK as usize][step] = straight;
                table[QUEEN as usize][step] = if diagonal { SECOND } else { straight };
            }
            ranks += 1;
        }
        files += 1;
    }
    table
}

/// Converts the code of a king or knight, where 0 means none.
const fn constant(code: u8) -> u8 {
    if code == 0 { NO_CODE } else { code }
}

/// Returns the code of a pawn's step, as seen from its side.
const fn pawn_step(files: i8, ranks: i8) -> u8 {
    match (files, ranks) {
        (0, 2) => 15,
        (-1..=1, 1) => (files + 1) as u8,
        _ => NO_CODE,
    }
}

/// Packs both differences, -7..=7, into one byte without collisions.
const fn step_index(files: i8, ranks: i8) -> u8 {
    (16 * files).wrapping_add(ranks) as u8
}

#[expect(
    clippy::indexing_slicing,
    reason = "evaluated by the compiler, with constant bounds"
)]
const fn step_codes(steps: &[(i8, i8); 8]) -> [u8; 256] {
    let mut codes = [0; 256];
    let mut n = 0;
    while n < 8 {
        let (files, ranks) = steps[n];
        codes[step_index(files, ranks) as usize] = n as u8 + 1;
        n += 1;
    }
    codes
}

#[expect(
    clippy::indexing_slicing,
    reason = "evaluated by the compiler, with constant bounds"
)]
const fn pawn_kinds() -> [MoveKind; 16] {
    let mut kinds = [MoveKind::Normal; 16];
    let mut code = 3;
    while code < 15 {
        kinds[code] = MoveKind::Promotion(PROMOTIONS[code / 3 - 1]);
        code += 1;
    }
    kinds
}

#[expect(
    clippy::indexing_slicing,
    reason = "evaluated by the compiler, with constant bounds"
)]
const fn targets() -> [[[u8; 64]; 16]; ROWS] {
    let mut table = [[[NOWHERE; 64]; 16]; ROWS];
    let mut row = 1;
    while row < ROWS {
        let mut code = 0;
        while code < 16 {
            let mut from = 0;
            while from < 64 {
                let square = Square::new_masked(from as u8);
                table[row][code][from] = target_of(row as u8, code as u8, square);
                from += 1;
            }
            code += 1;
        }
        row += 1;
    }
    table
}

const PAWN: u8 = PieceType::Pawn as u8 + 1;
const KNIGHT_ROW: u8 = PieceType::Knight as u8 + 1;
const BISHOP: u8 = PieceType::Bishop as u8 + 1;
const ROOK: u8 = PieceType::Rook as u8 + 1;
const QUEEN: u8 = PieceType::Queen as u8 + 1;
const KING_ROW: u8 = PieceType::King as u8 + 1;

#[expect(
    clippy::indexing_slicing,
    reason = "evaluated by the compiler, codes are 1..=8 there"
)]
const fn target_of(row: u8, code: u8, from: Square) -> u8 {
    let (file, rank) = (from.file() as i8, from.rank() as i8);
    let (files, ranks) = match row {
        PAWN | BLACK_PAWN => {
            let up = if row == PAWN { 1 } else { -1 };
            if code == 15 { (0, 2 * up) } else { (((code % 3) as i8 - 1) * up, up) }
        }
        KNIGHT_ROW if 1 <= code && code <= 8 => KNIGHT[code as usize - 1],
        KING_ROW if 1 <= code && code <= 8 => KING[code as usize - 1],
        KING_ROW if code == 9 || code == 10 => return CASTLING,
        BISHOP => {
            let files = (code & 7) as i8 - file;
            (files, if code < 8 { files } else { -files })
        }
        QUEEN if code as i8 == file => return DIAGONAL,
        ROOK | QUEEN if code < 8 => (code as i8 - file, 0),
        ROOK | QUEEN => (0, (code & 7) as i8 - rank),
        _ => return NOWHERE,
    };
    match from.offset(files, ranks) {
        Some(to) if to.index() != from.index() => to.index(),
        _ => NOWHERE,
    }
}
