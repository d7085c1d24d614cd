//! Encoding of directions and squares (section 3).

use super::{CASTLE_SHORT, NULL, PROMOTED, PROMOTION};
use crate::board::{MoveKind, Side};
use crate::legacy::{Coded, MoveFault};
use crate::{Board, Color, PackedMove, PieceType, Square, rules};

/// The meaning of the first byte of a move (section 1).
pub(super) enum Code {
    /// A move of the piece in a numbered slot.
    Plain {
        number: u8,
        code: u8,
    },
    Castle(Side),
    Null,
    /// A promotion; a second byte follows.
    Promotion {
        pawn: u8,
    },
    /// A move of a promoted piece; a second byte follows.
    Promoted {
        pawn: u8,
    },
    /// A byte without a known meaning.
    Reserved,
}

impl Code {
    pub(super) const fn from_byte(byte: u8) -> Code {
        let (number, code) = match byte {
            0x00..=0x1F => (byte >> 2, byte & 3),
            0x20..=0x2F => (8 + (byte >> 3 & 1), byte & 7),
            0x30..=0x6F => (7 + (byte >> 4), byte & 15),
            0x70..=0x8F => (14, byte - 0x70),
            0x90..=0x97 => (15, byte & 7),
            _ => return Code::other(byte),
        };
        Code::Plain { number, code }
    }

    const fn other(byte: u8) -> Code {
        match byte {
            CASTLE_SHORT => Code::Castle(Side::Short),
            0x99 => Code::Castle(Side::Long),
            NULL => Code::Null,
            PROMOTION..=0xA7 => Code::Promotion { pawn: byte & 7 },
            PROMOTED..=0xAF => Code::Promoted { pawn: byte & 7 },
            _ => Code::Reserved,
        }
    }
}

/// Returns the byte for code 0 of the piece in a numbered slot.
#[inline]
#[expect(clippy::indexing_slicing, reason = "the number is masked")]
pub(super) fn first_code(number: u8) -> u8 {
    const FIRST: [u8; 16] = [
        0x00, 0x04, 0x08, 0x0C, 0x10, 0x14, 0x18, 0x1C, 0x20, 0x28, 0x30, 0x40, 0x50, 0x60, 0x70,
        0x90,
    ];
    FIRST[usize::from(number & 15)]
}

/// Steps (files, ranks) of the knight's codes (section 3.2).
const KNIGHT: [(i8, i8); 8] = [
    (2, 1),
    (2, -1),
    (1, -2),
    (-1, -2),
    (-2, -1),
    (-2, 1),
    (-1, 2),
    (1, 2),
];
/// Steps of the king's codes (section 3.6).
const KING: [(i8, i8); 8] = [
    (1, 1),
    (1, -1),
    (-1, -1),
    (-1, 1),
    (1, 0),
    (-1, 0),
    (0, 1),
    (0, -1),
];
/// The piece types in promotions (section 3.7).
const PROMOTIONS: [PieceType; 4] = [
    PieceType::Knight,
    PieceType::Bishop,
    PieceType::Rook,
    PieceType::Queen,
];
/// The direction of a pawn's double step; 0 is one step, 1 and 2 are captures.
const DOUBLE_STEP: u8 = 3;

/// Decodes a move without promotion. Bits that the type of piece does not use are ignored.
pub(super) fn piece_move(
    board: &Board,
    from: Square,
    kind: PieceType,
    code: u8,
) -> Coded<PackedMove> {
    let bad = MoveFault::BadCode { piece: kind, code };
    let own = board.by_color(board.turn());
    let to = match kind {
        PieceType::Pawn => return pawn_move(board, from, code & 3).ok_or(bad),
        PieceType::Knight | PieceType::King => step(from, kind, code),
        PieceType::Bishop => diagonal(from, code & 15).filter(|&to| is_free(board, from, to)),
        PieceType::Rook => straight(from, code & 15).filter(|&to| is_free(board, from, to)),
        PieceType::Queen => {
            let to = if code & 0x10 == 0 {
                diagonal(from, code & 15)
            } else {
                straight(from, code & 15)
            };
            to.filter(|&to| is_free(board, from, to))
        }
    };
    let to = to.filter(|&to| to != from && !own.has(to)).ok_or(bad)?;
    Ok(PackedMove::normal(from, to))
}

/// Returns the target of a knight or king (sections 3.2 and 3.6).
#[expect(clippy::indexing_slicing, reason = "codes are masked")]
pub(super) const fn step(from: Square, kind: PieceType, code: u8) -> Option<Square> {
    let (files, ranks) = match kind {
        PieceType::Knight => KNIGHT[(code & 7) as usize],
        _ => KING[(code & 7) as usize],
    };
    from.offset(files, ranks)
}

/// Returns the target on a diagonal (section 3.3): the code contains the rank, and the diagonal.
pub(super) const fn diagonal(from: Square, code: u8) -> Option<Square> {
    let ranks = (code & 7) as i8 - from.rank() as i8;
    from.offset(if code < 8 { ranks } else { -ranks }, ranks)
}

/// Returns the target on a file or rank (section 3.4): the code contains the rank or the file.
pub(super) const fn straight(from: Square, code: u8) -> Option<Square> {
    if code < 8 {
        Square::from_coords(from.file(), code)
    } else {
        Square::from_coords(code & 7, from.rank())
    }
}

/// Returns whether all squares between two squares of a line are empty.
fn is_free(board: &Board, from: Square, to: Square) -> bool {
    let files = (to.file() as i8 - from.file() as i8).signum();
    let ranks = (to.rank() as i8 - from.rank() as i8).signum();
    let step = (files * 8 + ranks) as u8;
    let occupied = board.occupied();
    let mut index = from.index();
    // Squares that are not in line are never reached; the bound ends the loop.
    for _ in 0..7 {
        index = index.wrapping_add(step);
        if index == to.index() {
            return true;
        }
        if occupied.has(Square::new_masked(index)) {
            return false;
        }
    }
    false
}

/// Returns whether a pawn's direction is a capture (section 3.1).
pub(super) const fn is_capture(direction: u8) -> bool {
    direction == 1 || direction == 2
}

/// Decodes a pawn move (section 3.1): a step, a capture, or two steps, as seen from the own side.
fn pawn_move(board: &Board, from: Square, direction: u8) -> Option<PackedMove> {
    let to = pawn_target(board, from, direction)?;
    let us = board.turn();
    if to.rank() == us.rank(7) {
        return None;
    }
    if !is_capture(direction) || board.by_color(us.other()).has(to) {
        return Some(PackedMove::normal(from, to));
    }
    // The pawn that is taken is on the file of the target and the rank of the origin.
    let pawn_square = Square::new_masked(to.index() & 0x38 | from.rank());
    let takes = board.ep_square() == Some(to)
        && to.rank() == us.rank(5)
        && board.pieces(us.other(), PieceType::Pawn).has(pawn_square);
    takes.then(|| PackedMove::new(from, to, MoveKind::EnPassant))
}

/// Returns the target of a pawn if it can go there; for a capture, the square may have any piece
/// except an own one.
fn pawn_target(board: &Board, from: Square, direction: u8) -> Option<Square> {
    let us = board.turn();
    let up = us.pick(1, -1);
    let occupied = board.occupied();
    let ahead = from.offset(0, up);
    let free = |square: &Square| !occupied.has(*square);
    match direction {
        1 => from.offset(up, up),
        2 => from.offset(-up, up),
        DOUBLE_STEP if from.rank() != us.rank(1) => return None,
        DOUBLE_STEP => {
            return ahead
                .filter(free)
                .and_then(|_| from.offset(0, 2 * up))
                .filter(free);
        }
        _ => return ahead.filter(free),
    }
    .filter(|&to| !board.by_color(us).has(to))
}

/// Decodes a promotion (section 3.7); bits without a meaning are ignored.
pub(super) fn promotion(board: &Board, from: Square, second: u8) -> Coded<PackedMove> {
    let direction = second >> 2 & 3;
    let bad = MoveFault::BadCode {
        piece: PieceType::Pawn,
        code: second,
    };
    let us = board.turn();
    // A capture needs a piece to take, a step must not have one.
    let captures = |to: &Square| board.by_color(us.other()).has(*to) == is_capture(direction);
    let to = pawn_target(board, from, direction)
        .filter(|to| to.rank() == us.rank(7))
        .filter(captures)
        .ok_or(bad)?;
    let &kind = PROMOTIONS.get(usize::from(second & 3)).ok_or(bad)?;
    Ok(PackedMove::new(from, to, MoveKind::Promotion(kind)))
}

/// Decodes castling (section 3.9).
pub(super) fn castle(board: &Board, king: Square, side: Side) -> Coded<PackedMove> {
    let mv = PackedMove::castling(king, side);
    if rules::is_pseudo_legal(board, mv) {
        Ok(mv)
    } else {
        Err(MoveFault::NoCastling)
    }
}

/// A code without the piece's number.
pub(super) enum EncodedMove {
    Plain(u8),
    Promotion(u8),
    Castle(u8),
}

/// The codes of moves without special effects, by type, pawn to king and black pawn, and by
/// [`step_index`]; [`NO_CODE`] if there is none.
static PLAIN: [[u8; 256]; 7] = plain_codes();
const NO_CODE: u8 = 255;
/// Flags in an entry of [`PLAIN`]: the rank or the file of the target is added to the code.
const RANK: u8 = 0x40;
const FILE: u8 = 0x80;

/// Returns the index of a step of -7 to 7 files and ranks.
const fn step_index(files: i8, ranks: i8) -> usize {
    // Differences from -7 to 7, four bits each.
    ((files + 7) as u8 as usize & 15) << 4 | (ranks + 7) as u8 as usize & 15
}

#[expect(clippy::indexing_slicing, reason = "evaluated by the compiler")]
const fn plain_codes() -> [[u8; 256]; 7] {
    let mut codes = [[NO_CODE; 256]; 7];
    let mut n = 1;
    while n < 8 {
        let mut sign = -1;
        while sign < 2 {
            let i = n * sign;
            // Files, ranks and the code for bishop or rook.
            let lines = [
                (i, i, RANK),
                (i, -i, RANK | 8),
                (0, i, RANK),
                (i, 0, FILE | 8),
            ];
            let mut line = 0;
            while line < lines.len() {
                let (files, ranks, code) = lines[line];
                let (kind, more) = match line {
                    0 | 1 => (PieceType::Bishop, 0),
                    _ => (PieceType::Rook, 0x10),
                };
                codes[kind as usize][step_index(files, ranks)] = code;
                codes[PieceType::Queen as usize][step_index(files, ranks)] = code + more;
                line += 1;
            }
            sign += 2;
        }
        n += 1;
    }
    let mut code = 0;
    while code < 8 {
        let (files, ranks) = KNIGHT[code];
        codes[PieceType::Knight as usize][step_index(files, ranks)] = code as u8;
        let (files, ranks) = KING[code];
        codes[PieceType::King as usize][step_index(files, ranks)] = code as u8;
        code += 1;
    }
    let mut code = 0;
    while code < 4 {
        let (files, ranks) = [(0, 1), (1, 1), (-1, 1), (0, 2)][code];
        codes[PieceType::Pawn as usize][step_index(files, ranks)] = code as u8;
        codes[BLACK_PAWN][step_index(-files, -ranks)] = code as u8;
        code += 1;
    }
    codes
}

const BLACK_PAWN: usize = 6;

/// Returns the code of a move without special effects.
#[inline]
#[expect(
    clippy::indexing_slicing,
    reason = "types are below 7, steps below 256"
)]
pub(super) fn plain(kind: PieceType, color: Color, mv: PackedMove) -> Option<u8> {
    let (from, to) = (mv.from(), mv.to());
    let files = to.file() as i8 - from.file() as i8;
    let ranks = to.rank() as i8 - from.rank() as i8;
    let row = match (kind, color) {
        (PieceType::Pawn, Color::Black) => BLACK_PAWN,
        _ => kind as usize,
    };
    let code = PLAIN[row][step_index(files, ranks)];
    // The two upper bits of an entry select the coordinate of the target that is added.
    let rank = to.rank() * (code >> 6 & 1);
    let file = to.file() * (code >> 7);
    (code != NO_CODE).then_some((code & 0x3F) + rank + file)
}

/// Returns the code of a move by its geometry, without checking whether it can be played.
#[inline]
pub(super) fn code_of(kind: PieceType, color: Color, mv: PackedMove) -> Option<EncodedMove> {
    if let MoveKind::Promotion(promotion) = mv.kind() {
        let direction = plain(PieceType::Pawn, color, mv).filter(|&code| code != DOUBLE_STEP)?;
        let kind = PROMOTIONS.iter().position(|&entry| entry == promotion)?;
        return Some(EncodedMove::Promotion(direction << 2 | kind as u8));
    }
    match (kind, mv.kind()) {
        (PieceType::King, MoveKind::CastleShort) => return Some(EncodedMove::Castle(CASTLE_SHORT)),
        (PieceType::King, MoveKind::CastleLong) => {
            return Some(EncodedMove::Castle(CASTLE_SHORT + 1));
        }
        (PieceType::Pawn, MoveKind::EnPassant) | (_, MoveKind::Normal) => {}
        _ => return None,
    }
    plain(kind, color, mv).map(EncodedMove::Plain)
}
