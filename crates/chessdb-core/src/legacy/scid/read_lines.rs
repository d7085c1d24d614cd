//! The lines of a game that is being read, with position and piece numbers.

use super::plain_moves::{RunControl, is_mark, play_plain_moves};
use super::{Moved, PAWN_CODE, PieceLists, ScidNumbering, diagonal, tables};
use crate::board::Facts;
use crate::legacy::{Coded, Numbering as _};
use crate::line::LineTracker;
use crate::model::Start;
use crate::rules::Referee;
use crate::{Board, PackedMove, Result, Square};

/// The current position in the lines of a game while its bytes are decoded.
///
/// Like [`crate::line::Lines`] with [`ScidNumbering`], but faster: nearly every move has no special
/// effects, and decoding it already determines the piece, the captured piece, and their numbers.
#[derive(Clone, Debug)]
pub struct ReadLines {
    now: LineState,
    /// The state before the last move, if that is [`LastMove::Other`] and the game has variations.
    before: LineState,
    with_variations: bool,
    line_start: u32,
    interrupted: Vec<(LineState, LineState, u32)>,
    /// Whether to compute the facts about the moves.
    facts: bool,
}

/// A state in a line.
#[derive(Clone, Debug)]
struct LineState {
    referee: Referee,
    lists: PieceLists,
    last: LastMove,
    ply: u32,
}

/// The last move of a line, as needed to take it back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum LastMove {
    /// The referee can take it back on the board.
    PlainMove(Moved),
    /// The state before it was saved.
    Other,
}

impl ReadLines {
    /// Creates the lines at the start of a game, with or without variations. `facts` requests the
    /// facts about the moves.
    ///
    /// # Errors
    ///
    /// Returns an error if the pieces cannot be numbered.
    pub fn new(start: &Start, with_variations: bool, facts: bool) -> Result<ReadLines> {
        let referee = match start {
            Start::Standard => Referee::default(),
            Start::Setup(setup) => Referee::at(&setup.board),
        };
        let now = LineState {
            lists: ScidNumbering.start(start)?,
            referee: if with_variations { referee } else { referee.without_take_back() },
            last: LastMove::Other,
            ply: 0,
        };
        Ok(ReadLines {
            before: now.clone(),
            now,
            with_variations,
            line_start: 0,
            interrupted: Vec::new(),
            facts,
        })
    }

    /// Returns the current position.
    #[inline]
    pub fn board(&self) -> &Board {
        self.now.referee.board()
    }

    /// Decodes the move at the start of these bytes, without playing it. Returns the move and its
    /// length in bytes.
    ///
    /// # Errors
    ///
    /// Returns the reason if there is no move.
    pub fn decode(&self, bytes: &[u8]) -> Coded<(PackedMove, usize)> {
        ScidNumbering.decode(&self.now.lists, self.board(), bytes)
    }

    /// Plays a move that [`ReadLines::decode`] returned.
    pub fn play(&mut self, mv: PackedMove) -> Facts {
        // A variation may replace this move.
        if self.with_variations {
            self.before.clone_from(&self.now);
        }
        let LineState {
            referee,
            lists,
            last,
            ply,
        } = &mut self.now;
        let (facts, played) = if self.facts {
            referee.judge_and_play(mv)
        } else {
            (Facts::UNKNOWN, referee.play(mv, Facts::UNKNOWN))
        };
        ScidNumbering.play(lists, referee.board(), mv, &played);
        *last = LastMove::Other;
        *ply += 1;
        facts
    }

    /// Decodes and plays consecutive moves without special effects as long as `put` accepts them,
    /// and returns their length in bytes. Returns 0 if facts are requested.
    ///
    /// In a game with variations, stops before a move that is followed by a mark or the end of the
    /// bytes, because a variation might replace it; such a move is left to [`ReadLines::decode`].
    #[inline]
    pub fn run(&mut self, bytes: &[u8], mut put: impl FnMut(PackedMove) -> bool) -> usize {
        if self.facts {
            return 0;
        }
        let with_variations = self.with_variations;
        let LineState {
            referee,
            lists,
            last,
            ply,
        } = &mut self.now;
        let (used, moves) = play_plain_moves(referee.board_mut(), lists, bytes, |mv, end| {
            // A variation may replace the move before a mark; `play` then keeps the position before
            // it.
            if with_variations && bytes.get(end).copied().is_none_or(is_mark)
                || !put(PackedMove::normal(mv.from, mv.to))
            {
                return RunControl::Reject;
            }
            RunControl::Continue
        });
        *last = LastMove::Other;
        *ply += moves;
        used
    }

    /// Decodes and plays the move at the start of these bytes, and returns the move, its facts and
    /// its length in bytes. The move must be legal and without special effects, and facts must be
    /// requested. Otherwise nothing is changed, and [`ReadLines::decode`] gives the details.
    #[inline]
    pub fn take_plain(&mut self, bytes: &[u8]) -> Option<(PackedMove, Facts, usize)> {
        if !self.facts {
            return None;
        }
        let LineState {
            referee,
            lists,
            last,
            ply,
        } = &mut self.now;
        let &byte = bytes.first()?;
        let (number, code) = (byte >> 4, byte & 15);
        let board = referee.board();
        let us = board.turn();
        let from = lists.side(us).square(number)?;
        let piece = board.code_at(from.index());
        let mut used = 1;
        let to = match tables::target(piece, code, from) {
            tables::DIAGONAL => {
                let (to, length) = diagonal(from, bytes).ok()?;
                used = length;
                to
            }
            tables::NOWHERE.. => return None,
            to => to,
        };
        let to = Square::new_masked(to);
        let takes = board.code_at(to.index()) != 0;
        let is_pawn = piece & 7 == PAWN_CODE;
        // Promotions, and lists that do not match the board.
        if is_pawn && (3..15).contains(&code) || lists.number(us, from) != Some(number) {
            return None;
        }
        let plain_move = referee.find_plain_move(from.index(), to.index())?;
        let facts = referee.play_plain(plain_move);
        *last = LastMove::PlainMove(lists.apply_move(us, number, from, to, takes));
        *ply += 1;
        Some((PackedMove::normal(from, to), facts, used))
    }

    /// Returns the state before the last move.
    fn take_back(&self) -> LineState {
        let (LastMove::PlainMove(moved), Some(board)) = (self.now.last, self.now.referee.before())
        else {
            return self.before.clone();
        };
        let mut lists = self.now.lists.clone();
        lists.take_back(board.turn(), moved);
        LineState {
            referee: Referee::at(&board),
            lists,
            last: LastMove::Other,
            ply: self.now.ply - 1,
        }
    }
}

impl LineTracker for ReadLines {
    fn open(&mut self) {
        let inner = if self.at_line_start() { self.now.clone() } else { self.take_back() };
        let outer = std::mem::replace(&mut self.now, inner);
        self.interrupted
            .push((outer, self.before.clone(), self.line_start));
        self.line_start = self.now.ply;
    }

    fn close(&mut self) -> bool {
        let Some((now, before, line_start)) = self.interrupted.pop() else {
            return false;
        };
        self.now = now;
        self.before = before;
        self.line_start = line_start;
        true
    }

    #[inline]
    fn ply(&self) -> u32 {
        self.now.ply
    }

    #[inline]
    fn depth(&self) -> usize {
        self.interrupted.len()
    }

    #[inline]
    fn at_line_start(&self) -> bool {
        self.now.ply == self.line_start
    }
}
