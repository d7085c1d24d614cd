//! The main line of a game of which a watch is shown a part.

use super::{
    CASTLE_SHORT, DOUBLE_STEP, KING_CODE, PAWN_CODE, PieceLists, ScidNumbering, diagonal, tables,
};
use crate::legacy::{MoveFault, Numbering as _};
use crate::model::Start;
use crate::{Board, Heed, PackedMove, Played, Result, Square};

/// Where a main line stands whose bytes are gone through for a [`crate::Watch`]: position and piece numbers.
#[derive(Clone, Debug)]
pub struct SkimLine {
    board: Board,
    lists: PieceLists,
}

/// What [`SkimLine::pass`] came past.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Passed {
    /// Bytes of the moves.
    pub used: usize,
    /// Moves that nobody has to be shown.
    pub moves: u32,
    /// The one behind them that has to be, and what it did; none if there is something else.
    pub shown: Option<(PackedMove, Played)>,
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

impl SkimLine {
    /// At the start of a game; `board` is its position.
    ///
    /// # Errors
    ///
    /// If the pieces cannot be numbered.
    pub fn new(start: &Start, board: Board) -> Result<SkimLine> {
        let lists = ScidNumbering.start(start)?;
        Ok(SkimLine { board, lists })
    }

    /// The position.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// Plays moves that go from one square to another and do nothing else, up to the first that is heeded, or
    /// to whatever else there is: that is left for [`SkimLine::take`].
    pub fn pass(&mut self, bytes: &[u8], heed: Heed) -> Passed {
        let SkimLine { board, lists } = self;
        let captures = if heed.captures { u64::MAX } else { 0 };
        let (mut used, mut moves, mut zeroed) = (0, 0, 0);
        let mut last = (0, 0, 0);
        let mut shown = None;
        let mut us = board.turn();
        while let Some(&byte) = bytes.get(used) {
            let (number, code) = (byte >> 4, byte & 15);
            // Null moves and marks (section 4.3), whatever piece has number 0.
            if byte < 16 && (byte == 0 || byte > CASTLE_SHORT) {
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
            let squares = (from.bit() | to.bit()).0;
            let is_heeded = squares & heed.squares.0 | captures & u64::from(taken) != 0;
            if is_heeded {
                let captured = board.piece_at(to).map(|piece| (to, piece));
                let rook = None;
                shown = Some((PackedMove::normal(from, to), Played { captured, rook }));
            }
            board.step(from.index(), to.index(), piece, taken);
            lists.go(us, number, from, to, taken != 0);
            us = us.other();
            used += length;
            moves += 1;
            zeroed = if is_pawn | (taken != 0) {
                moves
            } else {
                zeroed
            };
            last = (from.index(), to.index(), piece);
            if is_heeded {
                break;
            }
        }
        if moves > 0 {
            board.end_run(moves, zeroed, last);
        }
        moves -= u32::from(shown.is_some());
        Passed { used, moves, shown }
    }

    /// Plays the move at the start of these bytes, whichever it is, and says how many it takes.
    ///
    /// # Errors
    ///
    /// Why there is none.
    pub fn take(
        &mut self,
        bytes: &[u8],
    ) -> std::result::Result<(PackedMove, Played, usize), MoveFault> {
        let SkimLine { board, lists } = self;
        let (mv, used) = ScidNumbering.decode(lists, board, bytes)?;
        let played = board.play(mv);
        ScidNumbering.play(lists, board, mv, &played);
        Ok((mv, played, used))
    }
}
