//! Skimming of a mainline for an observer that needs only some of its moves.

use std::ops::ControlFlow;

use super::plain_moves::{PlainMove, RunControl, play_plain_moves};
use super::{PieceLists, ScidNumbering};
use crate::board::{Played, decode};
use crate::legacy::{Coded, Numbering as _};
use crate::model::Start;
use crate::search::{MainlineObserver, MoveFilter};
use crate::{Board, PackedMove, Result};

/// The current position in a mainline that is skimmed for a [`crate::search::MainlineObserver`]:
/// the board and the piece numbers.
#[derive(Clone, Debug)]
pub struct SkimLine {
    board: Board,
    lists: PieceLists,
    plies: u32,
}

/// The result of [`SkimLine::pass`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SkimResult {
    /// The length of the moves in bytes.
    pub used: usize,
    /// The number of moves that need not be shown.
    pub moves: u32,
    /// The next move, if it must be shown, and its effects; `None` if something else follows.
    pub shown: Option<(PackedMove, Played)>,
}

impl SkimLine {
    /// Creates a line at the start of a game; `board` is the start position.
    ///
    /// # Errors
    ///
    /// Returns an error if the pieces cannot be numbered.
    pub fn new(start: &Start, board: Board) -> Result<SkimLine> {
        let lists = ScidNumbering.start(start)?;
        let plies = 0;
        Ok(SkimLine {
            board,
            lists,
            plies,
        })
    }

    /// Returns the current position.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// Returns the number of half-moves that were played.
    pub fn plies(&self) -> u32 {
        self.plies
    }

    /// Plays moves without special effects, up to the first that the filter selects. Anything else
    /// is left to [`SkimLine::take`].
    pub fn pass(&mut self, bytes: &[u8], filter: MoveFilter) -> SkimResult {
        // Each piece on the board has a number, and adding two lengths is cheaper than counting the
        // board.
        let mut piece_count = self.lists.piece_count();
        let mut shown = None;
        let (used, moves) = play_plain_moves(&mut self.board, &mut self.lists, bytes, |mv, _| {
            let PlainMove {
                from, to, taken, ..
            } = *mv;
            let squares = (from.bit() | to.bit()).0;
            let takes = taken != 0;
            piece_count -= u8::from(takes);
            if squares & filter.squares.0 == 0 && !(takes & (piece_count <= filter.captures)) {
                return RunControl::Continue;
            }
            let captured = decode(taken).map(|piece| (to, piece));
            let rook = None;
            shown = Some((PackedMove::normal(from, to), Played { captured, rook }));
            RunControl::Stop
        });
        self.plies = self.plies.saturating_add(moves);
        let moves = moves - u32::from(shown.is_some());
        SkimResult { used, moves, shown }
    }

    /// Plays moves without special effects and shows all of them to `observer`, until that breaks or
    /// something else follows, which is left to [`SkimLine::take`]. Returns the length of the moves in
    /// bytes.
    pub fn show(
        &mut self,
        bytes: &[u8],
        observer: &mut dyn MainlineObserver,
    ) -> (usize, ControlFlow<()>) {
        let SkimLine {
            board,
            lists,
            plies,
        } = self;
        let mut used = 0;
        while let Some(rest) = bytes.get(used..)
            && let Some(plain) = PlainMove::decode(board, lists, board.turn(), rest)
        {
            let us = board.turn();
            plain.play(board, lists, us);
            used += plain.length;
            *plies = plies.saturating_add(1);
            let played = Played {
                captured: decode(plain.taken).map(|piece| (plain.to, piece)),
                rook: None,
            };
            let mv = PackedMove::normal(plain.from, plain.to);
            if observer.played(mv, &played, board).is_break() {
                return (used, ControlFlow::Break(()));
            }
        }
        (used, ControlFlow::Continue(()))
    }

    /// Plays the move at the start of these bytes, of any kind, and returns the move, its effects
    /// and its length in bytes.
    ///
    /// # Errors
    ///
    /// Returns the reason if there is no move.
    pub fn take(&mut self, bytes: &[u8]) -> Coded<(PackedMove, Played, usize)> {
        let SkimLine {
            board,
            lists,
            plies,
        } = self;
        let (mv, used) = ScidNumbering.decode(lists, board, bytes)?;
        let played = board.play(mv);
        ScidNumbering.play(lists, board, mv, &played);
        *plies = plies.saturating_add(1);
        Ok((mv, played, used))
    }
}
