//! The lines of a game that is read: position and piece numbers kept in step.

use super::run::{Then, is_mark, run};
use super::{Moved, PAWN_CODE, PieceLists, ScidNumbering, diagonal, tables};
use crate::legacy::{MoveFault, Numbering as _};
use crate::line::LineTracker;
use crate::model::Start;
use crate::rules::Referee;
use crate::{Board, Facts, PackedMove, Result, Square};

/// Where the lines of a game stand while its bytes are read.
///
/// What [`crate::Lines`] does with [`ScidNumbering`] this does with less work: nearly every move goes
/// from one square to another and does nothing else, and which piece it is, what it takes and where
/// these stand in the lists, is known from reading it.
#[derive(Clone, Debug)]
pub struct ReadLines {
    now: Place,
    /// Before the last move, if that is [`Last::Other`] and the game has variations.
    before: Place,
    with_variations: bool,
    line_start: u32,
    interrupted: Vec<(Place, Place, u32)>,
    /// Whether to find out what the rules say of the moves.
    facts: bool,
}

/// A place in a line.
#[derive(Clone, Debug)]
struct Place {
    referee: Referee,
    lists: PieceLists,
    last: Last,
    ply: u32,
}

/// The last move of a line, as far as it is needed to take it back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Last {
    /// The referee takes it back on the board.
    PlainMove(Moved),
    /// The place before it was noted.
    Other,
}

impl ReadLines {
    /// At the start of a game, with variations in it or without; `facts` asks for what the rules say
    /// of the moves.
    ///
    /// # Errors
    ///
    /// If the pieces cannot be numbered.
    pub fn new(start: &Start, with_variations: bool, facts: bool) -> Result<ReadLines> {
        let referee = match start {
            Start::Standard => Referee::default(),
            Start::Setup(setup) => Referee::at(&setup.board),
        };
        let now = Place {
            lists: ScidNumbering.start(start)?,
            referee: match with_variations {
                true => referee,
                false => referee.without_take_back(),
            },
            last: Last::Other,
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

    /// The position.
    #[inline]
    pub fn board(&self) -> &Board {
        self.now.referee.board()
    }

    /// The move at the start of these bytes, and how many of them it takes.
    ///
    /// # Errors
    ///
    /// Why there is none.
    pub fn decode(&self, bytes: &[u8]) -> std::result::Result<(PackedMove, usize), MoveFault> {
        ScidNumbering.decode(&self.now.lists, self.board(), bytes)
    }

    /// Plays a move that [`ReadLines::decode`] read.
    pub fn play(&mut self, mv: PackedMove) -> Facts {
        if self.with_variations {
            self.before.clone_from(&self.now);
        }
        let Place {
            referee,
            lists,
            last,
            ply,
        } = &mut self.now;
        let (facts, played) = match self.facts {
            true => referee.judge_and_play(mv),
            false => (Facts::UNKNOWN, referee.play(mv, Facts::UNKNOWN)),
        };
        ScidNumbering.play(lists, referee.board(), mv, &played);
        *last = Last::Other;
        *ply += 1;
        facts
    }

    /// Reads and plays moves of a game whose facts nobody asks for, as far as they do nothing but go from one
    /// square to another, stand behind one another, and `put` takes them; says how many bytes they took. Of
    /// moves that a variation may replace [`ReadLines::decode`] says more: in a game that has some, whatever
    /// stands before a mark or at the end.
    #[inline]
    pub fn run(&mut self, bytes: &[u8], mut put: impl FnMut(PackedMove) -> bool) -> usize {
        if self.facts {
            return 0;
        }
        let with_variations = self.with_variations;
        let Place {
            referee,
            lists,
            last,
            ply,
        } = &mut self.now;
        let (used, moves) = run(referee.board_mut(), lists, bytes, |plain| {
            if with_variations && bytes.get(plain.end).copied().is_none_or(is_mark)
                || !put(PackedMove::normal(plain.from, plain.to))
            {
                return Then::Leave;
            }
            Then::On
        });
        *last = Last::Other;
        *ply += moves;
        used
    }

    /// Reads and plays the move at the start of these bytes, and says how many of them it took, if it
    /// does nothing but go from one square to another, is legal, and facts are asked for.
    /// Otherwise nothing has happened, and [`ReadLines::decode`] says more.
    #[inline]
    pub fn take_plain(&mut self, bytes: &[u8]) -> Option<(PackedMove, Facts, usize)> {
        if !self.facts {
            return None;
        }
        let Place {
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
        // Promotions, and lists that are not in step with the board.
        if is_pawn && (3..15).contains(&code) || lists.number(us, from) != Some(number) {
            return None;
        }
        let usual = referee.find_usual(from.index(), to.index())?;
        let facts = referee.play_plain(usual);
        *last = Last::PlainMove(lists.go(us, number, from, to, takes));
        *ply += 1;
        Some((PackedMove::normal(from, to), facts, used))
    }

    /// The place before the last move.
    fn take_back(&self) -> Place {
        let (Last::PlainMove(moved), Some(board)) = (self.now.last, self.now.referee.before())
        else {
            return self.before.clone();
        };
        let mut lists = self.now.lists.clone();
        lists.take_back(board.turn(), moved);
        Place {
            referee: Referee::at(&board),
            lists,
            last: Last::Other,
            ply: self.now.ply - 1,
        }
    }
}

impl LineTracker for ReadLines {
    fn open(&mut self) {
        let inner = match self.at_line_start() {
            true => self.now.clone(),
            false => self.take_back(),
        };
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
