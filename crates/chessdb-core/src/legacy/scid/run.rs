//! Moves that stand behind one another and do nothing but go from one square to another.

use super::{CASTLE_SHORT, DOUBLE_STEP, KING_CODE, PAWN_CODE, PieceLists, diagonal, tables};
use crate::{Board, Square};

/// Such a move, before it is played.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plain {
    pub(super) from: Square,
    pub(super) to: Square,
    /// The board's code of what stands there, 0 for nothing.
    pub(super) taken: u8,
    /// How many bytes have gone by behind it.
    pub(super) end: usize,
}

/// What becomes of it, and what after it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Then {
    /// It is played, and the next is looked at.
    On,
    /// It is played, and is the last.
    Last,
    /// It is not played.
    Leave,
}

/// The board's codes of White's men, of Black's, and of kings, as bits.
const WHITE: u16 = 0b0111_1110;
const BLACK: u16 = WHITE << 8;
const KINGS: u16 = 1 << KING_CODE | 1 << (KING_CODE + 8);

/// Whether a code is one of these.
#[inline(always)]
const fn has(codes: u16, code: u8) -> bool {
    codes >> (code & 15) & 1 != 0
}

/// Whether a byte is no move but a mark (section 4.3), whatever piece has number 0.
#[inline(always)]
pub(super) const fn is_mark(byte: u8) -> bool {
    CASTLE_SHORT < byte && byte < 16
}

/// Plays moves that go from one square to another and do nothing else, as far as `each` says and they stand
/// behind one another; how many bytes they took, and how many they were. Nothing is asked of legality but that
/// no side takes its own men or a king.
#[inline(always)]
pub(super) fn run(
    board: &mut Board,
    lists: &mut PieceLists,
    bytes: &[u8],
    mut each: impl FnMut(Plain) -> Then,
) -> (usize, u32) {
    let (mut used, mut moves, mut zeroed) = (0, 0, 0);
    let mut last = (0, 0, 0);
    let mut us = board.turn();
    while let Some(&byte) = bytes.get(used) {
        let (number, code) = (byte >> 4, byte & 15);
        if byte == 0 || is_mark(byte) {
            break;
        }
        let list = lists.side(us);
        let Some(from) = list.square(number) else {
            break;
        };
        let piece = board.code_at(from.index());
        let mut to = tables::target(piece, code, from);
        let mut length = 1;
        if to >= tables::NOWHERE {
            match diagonal(from, bytes.get(used..).unwrap_or_default()) {
                Ok(found) if to == tables::DIAGONAL => (to, length) = found,
                _ => break,
            }
        }
        let to = Square::new_masked(to);
        let taken = board.code_at(to.index());
        let is_pawn = piece & 7 == PAWN_CODE;
        let promotes = code.wrapping_sub(3) < DOUBLE_STEP - 3;
        let en_passant = (taken == 0) & (from.index() ^ to.index() > 7);
        // Where lists are not in step with the board, the way round finds what is played.
        let in_step = has(us.pick(WHITE, BLACK), piece) & list.has_number(from, number);
        let may_take = has(us.pick(BLACK & !KINGS, WHITE & !KINGS) | 1, taken);
        if is_pawn & (promotes | en_passant) | !in_step | !may_take {
            break;
        }
        let end = used + length;
        let then = each(Plain {
            from,
            to,
            taken,
            end,
        });
        if then == Then::Leave {
            break;
        }
        board.step(from.index(), to.index(), piece, taken);
        lists.go(us, number, from, to, taken != 0);
        us = us.other();
        used = end;
        moves += 1;
        zeroed = if is_pawn | (taken != 0) {
            moves
        } else {
            zeroed
        };
        last = (from.index(), to.index(), piece);
        if then == Then::Last {
            break;
        }
    }
    if moves > 0 {
        board.end_run(moves, zeroed, last);
    }
    (used, moves)
}
