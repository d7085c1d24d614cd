//! The main line of a game of which a watch is shown a part.

use super::run::{Plain, Then, run};
use super::{PieceLists, ScidNumbering};
use crate::board::decode;
use crate::legacy::{MoveFault, Numbering as _};
use crate::model::Start;
use crate::{Board, MoveFilter, PackedMove, Played, Result};

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
    pub fn pass(&mut self, bytes: &[u8], filter: MoveFilter) -> Passed {
        // Each man on the board has a number, and adding two lengths is less than counting the board.
        let mut piece_counts = self.lists.piece_counts();
        let mut shown = None;
        let (used, moves) = run(&mut self.board, &mut self.lists, bytes, |plain| {
            let Plain {
                from, to, taken, ..
            } = plain;
            let squares = (from.bit() | to.bit()).0;
            let takes = taken != 0;
            piece_counts -= u8::from(takes);
            if squares & filter.squares.0 == 0 && !(takes & (piece_counts <= filter.captures)) {
                return Then::On;
            }
            let captured = decode(taken).map(|piece| (to, piece));
            let rook = None;
            shown = Some((PackedMove::normal(from, to), Played { captured, rook }));
            Then::Last
        });
        let moves = moves - u32::from(shown.is_some());
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
