//! Attacks of pieces.

use super::shak;
use crate::board::{Bitboard, Piece};
use crate::{Board, Color, PieceType, Square};

// Codes of the piece types, as used by the board.
pub(super) const PAWN: u8 = 1;
pub(super) const KNIGHT: u8 = 2;
pub(super) const BISHOP: u8 = 3;
pub(super) const ROOK: u8 = 4;
pub(super) const QUEEN: u8 = 5;
pub(super) const KING: u8 = 6;

/// The row of black pawns in [`REACH`]; the row of white pawns is their code.
const BLACK_PAWN: u8 = 7;

/// The squares that each type of piece attacks on an empty board, by code and square; empty for the
/// unused code 0.
#[expect(
    clippy::indexing_slicing,
    reason = "runs at compile time, over 64 squares and the codes of pieces"
)]
static REACH: [[u64; 64]; 8] = {
    let mut reach = [[0; 64]; 8];
    let mut square = 0;
    while square < 64 {
        let bishop = step_lines(square, [(1, 1), (1, -1), (-1, 1), (-1, -1)]);
        let rook = step_lines(square, [(1, 0), (-1, 0), (0, 1), (0, -1)]);
        reach[KNIGHT as usize][square as usize] = shak::knight(square);
        reach[BISHOP as usize][square as usize] = bishop;
        reach[ROOK as usize][square as usize] = rook;
        reach[QUEEN as usize][square as usize] = bishop | rook;
        reach[KING as usize][square as usize] = shak::king(square);
        reach[PAWN as usize][square as usize] = pawn_steps(Color::White, square);
        reach[BLACK_PAWN as usize][square as usize] = pawn_steps(Color::Black, square);
        square += 1;
    }
    reach
};

/// Returns all squares in four directions from a square.
#[expect(
    clippy::indexing_slicing,
    reason = "runs at compile time, over four directions"
)]
const fn step_lines(from: u8, directions: [(i8, i8); 4]) -> u64 {
    let mut set = 0;
    let mut i = 0;
    while i < 4 {
        let mut square = Square::new_masked(from);
        while let Some(next) = square.offset(directions[i].0, directions[i].1) {
            set |= 1 << next.index();
            square = next;
        }
        i += 1;
    }
    set
}

/// Returns the squares that a piece of this type (code 2 to 6, or [`row`]) attacks on the empty
/// board.
#[inline(always)]
#[expect(clippy::indexing_slicing, reason = "both indexes are masked")]
pub(super) const fn reach(kind: u8, square: u8) -> u64 {
    REACH[(kind & 7) as usize][(square & 63) as usize]
}

/// Returns the row of a piece for [`reach`] and [`hits`]. `piece` is the board's code, 1 to 6 or 9
/// to 14.
#[inline(always)]
pub(super) const fn row(piece: u8) -> u8 {
    if piece == PAWN + 8 { BLACK_PAWN } else { piece & 7 }
}

/// Returns the squares that a pawn of `color` attacks.
#[inline(always)]
pub(super) const fn pawn(color: Color, square: u8) -> u64 {
    match color {
        Color::White => reach(PAWN, square),
        Color::Black => reach(BLACK_PAWN, square),
    }
}

/// Returns the squares strictly between two squares of a line; empty if they are not on one line.
#[cfg(not(target_family = "wasm"))]
#[inline(always)]
#[expect(clippy::indexing_slicing, reason = "both indexes are masked")]
pub(crate) const fn between(a: u8, b: u8) -> u64 {
    // Computed in advance for each pair, because shakmaty needs a dozen steps to derive it from
    // whole lines. On the web, the size of the table matters more.
    static BETWEEN: [[u64; 64]; 64] = {
        let mut between = [[0; 64]; 64];
        let mut pair = 0;
        while pair < 64 * 64 {
            between[pair / 64][pair % 64] = shak::between((pair / 64) as u8, (pair % 64) as u8);
            pair += 1;
        }
        between
    };
    BETWEEN[(a & 63) as usize][(b & 63) as usize]
}

#[cfg(target_family = "wasm")]
pub(crate) use shak::between;

const fn pawn_steps(color: Color, square: u8) -> u64 {
    let bit = 1u64 << (square & 63);
    // The files to the left and right, then one rank up or down, but not across the edge.
    const FIRST: u64 = 0x0101_0101_0101_0101;
    let sides = bit << 8 | bit >> 8;
    match color {
        Color::White => (sides & !(FIRST << 7)) << 1,
        Color::Black => (sides & !FIRST) >> 1,
    }
}

/// Returns the squares that a piece of this type (code 2 to 6) attacks.
#[inline(always)]
pub(super) fn attacks(kind: u8, square: u8, occupied: u64) -> u64 {
    match kind {
        BISHOP => shak::bishop(square, occupied),
        ROOK => shak::rook(square, occupied),
        QUEEN => shak::bishop(square, occupied) | shak::rook(square, occupied),
        _ => reach(kind, square),
    }
}

/// Returns the squares that a piece attacks, including those with own pieces.
#[inline]
pub fn attacks_from(piece: Piece, square: Square, occupied: Bitboard) -> Bitboard {
    Bitboard(match piece.kind {
        PieceType::Pawn => pawn(piece.color, square.index()),
        kind => attacks(kind as u8 + 1, square.index(), occupied.0),
    })
}

/// Returns whether a piece of this type (code 2 to 6, or [`row`]) on `from` attacks `to`.
#[inline(always)]
pub(super) fn hits(kind: u8, from: u8, to: u8, occupied: u64) -> bool {
    // Nothing is between the squares of a knight's or king's step, so only sliders can be blocked.
    reach(kind, from) >> (to & 63) & 1 != 0 && between(from, to) & occupied == 0
}

/// Returns the pieces of a colour that attack a square, given the occupied squares. A piece on the
/// square may be of either colour: the result contains the pieces that would recapture there,
/// ignoring pins and the side to move.
pub fn attackers_to(board: &Board, square: Square, by: Color, occupied: Bitboard) -> Bitboard {
    let index = square.index();
    let set = |kind| board.by_type(kind).0;
    let queens = set(PieceType::Queen);
    let from = (pawn(by.other(), index) & set(PieceType::Pawn))
        | (reach(KNIGHT, index) & set(PieceType::Knight))
        | (reach(KING, index) & set(PieceType::King))
        | (shak::bishop(index, occupied.0) & (set(PieceType::Bishop) | queens))
        | (shak::rook(index, occupied.0) & (set(PieceType::Rook) | queens));
    Bitboard(from) & board.by_color(by)
}

/// Returns whether the king of a colour is attacked. Always false without a king or with several.
pub fn in_check(board: &Board, color: Color) -> bool {
    match sole(board.pieces(color, PieceType::King).0) {
        Some(king) => attacked(board, king, color.other(), board.occupied().0, 0),
        None => false,
    }
}

/// Returns the only square of a set; `None` if the set has none or several.
#[inline(always)]
pub(super) const fn sole(set: u64) -> Option<u8> {
    if set != 0 && set & (set - 1) == 0 {
        Some(set.trailing_zeros() as u8)
    } else {
        None
    }
}

/// Returns whether any piece of `by` attacks a square, given the occupied squares. Pieces on
/// `ignored` squares do not count.
///
/// Checks only the few lines on which there is a slider, which is cheaper than two magic lookups
/// and does not disturb the cache.
#[inline]
pub(super) fn attacked(board: &Board, square: u8, by: Color, occupied: u64, ignored: u64) -> bool {
    let them = board.by_color(by).0 & !ignored;
    if step_attackers(board, square, by) & them != 0 {
        return true;
    }
    let mut sliders = aligned_sliders(board, square) & them;
    while sliders != 0 {
        if between(sliders.trailing_zeros() as u8, square) & occupied == 0 {
            return true;
        }
        sliders &= sliders - 1;
    }
    false
}

/// Returns the pawns, knights and kings, of both colours, that attack a square if they are of
/// colour `by`.
#[inline(always)]
pub(super) fn step_attackers(board: &Board, square: u8, by: Color) -> u64 {
    (pawn(by.other(), square) & board.type_set(PAWN))
        | (reach(KNIGHT, square) & board.type_set(KNIGHT))
        | (reach(KING, square) & board.type_set(KING))
}

/// Returns the bishops, rooks and queens, of both colours, that attack a square on an otherwise
/// empty board.
#[inline(always)]
pub(super) fn aligned_sliders(board: &Board, square: u8) -> u64 {
    let queens = board.type_set(QUEEN);
    (reach(BISHOP, square) & (board.type_set(BISHOP) | queens))
        | (reach(ROOK, square) & (board.type_set(ROOK) | queens))
}
