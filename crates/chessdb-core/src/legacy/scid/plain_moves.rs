//! Decoding of consecutive moves without special effects.

use super::{CASTLE_SHORT, DOUBLE_STEP, KING_CODE, PAWN_CODE, PieceLists, diagonal, tables};
use crate::{Board, Square};

/// A move without special effects, before it is played.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlainStep {
    pub(super) from: Square,
    pub(super) to: Square,
    /// The board's code of the piece on the target, 0 for none.
    pub(super) taken: u8,
    /// The number of bytes up to the end of the move.
    pub(super) end: usize,
}

/// The decision about a move and the rest of the run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum RunControl {
    /// The move is played, and the run continues.
    Continue,
    /// The move is played, and the run ends.
    Stop,
    /// The move is not played, and the run ends.
    Reject,
}

/// The board's codes of White's pieces, of Black's, and of kings, as bit sets.
const WHITE: u16 = 0b0111_1110;
const BLACK: u16 = WHITE << 8;
const KINGS: u16 = 1 << KING_CODE | 1 << (KING_CODE + 8);

/// Returns whether a code is in the set.
#[inline(always)]
const fn has(codes: u16, code: u8) -> bool {
    codes >> (code & 15) & 1 != 0
}

/// Returns whether a byte is a mark and not a move (section 4.3), regardless of the piece with
/// number 0.
#[inline(always)]
pub(super) const fn is_mark(byte: u8) -> bool {
    CASTLE_SHORT < byte && byte < 16
}

/// Plays consecutive moves without special effects, as far as `each` accepts them. Returns their
/// length in bytes and their number. Legality is not checked, except that no side captures its own
/// pieces or a king.
#[inline(always)]
pub(super) fn play_plain_moves(
    board: &mut Board,
    lists: &mut PieceLists,
    bytes: &[u8],
    mut each: impl FnMut(PlainStep) -> RunControl,
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
        // If the lists do not match the board, the general decoder must determine the move.
        let in_step = has(us.pick(WHITE, BLACK), piece) & list.has_number(from, number);
        let may_take = has(us.pick(BLACK & !KINGS, WHITE & !KINGS) | 1, taken);
        if is_pawn & (promotes | en_passant) | !in_step | !may_take {
            break;
        }
        let end = used + length;
        let then = each(PlainStep {
            from,
            to,
            taken,
            end,
        });
        if then == RunControl::Reject {
            break;
        }
        board.step(from.index(), to.index(), piece, taken);
        lists.apply_move(us, number, from, to, taken != 0);
        us = us.other();
        used = end;
        moves += 1;
        zeroed = if is_pawn | (taken != 0) {
            moves
        } else {
            zeroed
        };
        last = (from.index(), to.index(), piece);
        if then == RunControl::Stop {
            break;
        }
    }
    if moves > 0 {
        board.end_run(moves, zeroed, last);
    }
    (used, moves)
}
