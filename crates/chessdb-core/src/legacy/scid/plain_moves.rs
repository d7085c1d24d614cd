//! Decoding of consecutive moves without special effects.

use super::{CASTLE_SHORT, DOUBLE_STEP, KING_CODE, PAWN_CODE, PieceLists, diagonal, tables};
use crate::{Board, Color, Square};

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

/// A move without special effects, with all that playing it needs.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlainMove {
    pub(super) from: Square,
    pub(super) to: Square,
    /// The board's code of the piece that moves.
    pub(super) piece: u8,
    /// The board's code of the piece on the target, 0 for none.
    pub(super) taken: u8,
    /// The number of the piece that moves.
    number: u8,
    /// The length of the move in bytes.
    pub(super) length: usize,
}

impl PlainMove {
    /// Decodes the move at the start of these bytes; `None` if there is something else, or if the
    /// general decoder must determine the move. Legality is not checked, except that no side captures
    /// its own pieces or a king.
    #[inline(always)]
    pub(super) fn decode(
        board: &Board,
        lists: &PieceLists,
        us: Color,
        bytes: &[u8],
    ) -> Option<PlainMove> {
        let &byte = bytes.first()?;
        let (number, code) = (byte >> 4, byte & 15);
        if byte == 0 || is_mark(byte) {
            return None;
        }
        let list = lists.side(us);
        let from = list.square(number)?;
        let piece = board.code_at(from.index());
        let mut to = tables::target(piece, code, from);
        let mut length = 1;
        if to >= tables::NOWHERE {
            match diagonal(from, bytes) {
                Ok(target) if to == tables::DIAGONAL => (to, length) = target,
                _ => return None,
            }
        }
        let to = Square::new_masked(to);
        let taken = board.code_at(to.index());
        let is_pawn = piece & 7 == PAWN_CODE;
        // One comparison for the codes from 3 up to the double step.
        let promotes = code.wrapping_sub(3) < DOUBLE_STEP - 3;
        // The file is in the bits above the lowest three: a pawn that changes it without a capture
        // on the target captures en passant.
        let en_passant = (taken == 0) & (from.index() ^ to.index() > 7);
        // If the lists do not match the board, the general decoder must determine the move.
        let in_step = has(us.pick(WHITE, BLACK), piece) & list.has_number(from, number);
        let may_take = has(us.pick(BLACK & !KINGS, WHITE & !KINGS) | 1, taken);
        if is_pawn & (promotes | en_passant) | !in_step | !may_take {
            return None;
        }
        Some(PlainMove {
            from,
            to,
            piece,
            taken,
            number,
            length,
        })
    }

    /// Returns whether the fifty-move counter starts again.
    #[inline(always)]
    fn zeroes(&self) -> bool {
        self.piece & 7 == PAWN_CODE || self.taken != 0
    }

    /// Plays the move, except for the state that [`Board::end_run`] updates.
    #[inline(always)]
    fn step(&self, board: &mut Board, lists: &mut PieceLists, us: Color) {
        board.step(self.from.index(), self.to.index(), self.piece, self.taken);
        lists.apply_move(us, self.number, self.from, self.to, self.taken != 0);
    }

    /// Plays the move.
    #[inline(always)]
    pub(super) fn play(&self, board: &mut Board, lists: &mut PieceLists, us: Color) {
        self.step(board, lists, us);
        board.end_move(self.from.index(), self.to.index(), self.piece, self.taken);
    }
}

/// Plays consecutive moves without special effects, as far as `each` accepts them. Returns their
/// length in bytes and their number. `each` also gets the number of bytes up to the end of the move.
#[inline(always)]
pub(super) fn play_plain_moves(
    board: &mut Board,
    lists: &mut PieceLists,
    bytes: &[u8],
    mut each: impl FnMut(&PlainMove, usize) -> RunControl,
) -> (usize, u32) {
    let (mut used, mut moves, mut zeroed) = (0, 0, 0);
    let mut last = (0, 0, 0);
    let mut us = board.turn();
    while let Some(rest) = bytes.get(used..)
        && let Some(mv) = PlainMove::decode(board, lists, us, rest)
    {
        let end = used + mv.length;
        let then = each(&mv, end);
        if then == RunControl::Reject {
            break;
        }
        mv.step(board, lists, us);
        us = us.other();
        used = end;
        moves += 1;
        // Only the last of these moves matters for the clock.
        zeroed = if mv.zeroes() { moves } else { zeroed };
        last = (mv.from.index(), mv.to.index(), mv.piece);
        if then == RunControl::Stop {
            break;
        }
    }
    if moves > 0 {
        board.end_run(moves, zeroed, last);
    }
    (used, moves)
}
