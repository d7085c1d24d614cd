//! Following a game's lines with a board, and with whatever else a numbering has to remember.

use crate::legacy::{Numbering, PlainNumbering};
use crate::model::{Event, Events, Game};
use crate::{Board, PackedMove, Played, Result};

/// A position and the state that a numbering keeps beside it.
#[derive(Clone, Debug)]
struct Here<S> {
    board: Board,
    state: S,
}

/// The lines of a game that are open: the position now, the one before the last move, and both for
/// every line that a variation interrupted. Decoders drive it directly; encoders use [`Walk`].
#[derive(Clone, Debug)]
pub struct Lines<N: Numbering> {
    numbering: N,
    now: Here<N::State>,
    before: Here<N::State>,
    /// Half-moves of this line before `now`.
    ply: u32,
    /// Half-moves of this line before which nothing can be taken back.
    line_start: u32,
    interrupted: Vec<Interrupted<N::State>>,
}

#[derive(Clone, Debug)]
struct Interrupted<S> {
    now: Here<S>,
    before: Here<S>,
    ply: u32,
    line_start: u32,
}

impl<N: Numbering> Lines<N> {
    /// Begins at a game's start position.
    pub fn new(numbering: N, game: &Game) -> Result<Lines<N>> {
        let state = numbering.start(&game.head.start)?;
        let now = Here {
            board: game.start_board(),
            state,
        };
        let before = now.clone();
        Ok(Lines {
            numbering,
            now,
            before,
            ply: 0,
            line_start: 0,
            interrupted: Vec::new(),
        })
    }

    /// Begins anew at a game's start position, keeping the memory.
    pub fn restart(&mut self, game: &Game) -> Result<()> {
        self.now.state = self.numbering.start(&game.head.start)?;
        self.now.board = game.start_board();
        self.before.clone_from(&self.now);
        self.ply = 0;
        self.line_start = 0;
        self.interrupted.clear();
        Ok(())
    }

    /// The position now.
    pub fn board(&self) -> &Board {
        &self.now.board
    }

    /// What the numbering remembers now.
    pub fn state(&self) -> &N::State {
        &self.now.state
    }

    /// What the numbering remembers now, to be changed: for schemes whose files say more about a
    /// move than the move itself (Chess Assistant's promotions name a slot).
    pub fn state_mut(&mut self) -> &mut N::State {
        &mut self.now.state
    }

    /// The numbering.
    pub fn numbering(&self) -> &N {
        &self.numbering
    }

    /// Half-moves from the start position to the position now.
    pub fn ply(&self) -> u32 {
        self.ply
    }

    /// How many lines are interrupted.
    pub fn depth(&self) -> usize {
        self.interrupted.len()
    }

    /// Whether the current line has no move yet.
    pub fn at_line_start(&self) -> bool {
        self.ply == self.line_start
    }

    /// Plays a move.
    #[inline]
    pub fn play(&mut self, mv: PackedMove) -> Played {
        self.before.clone_from(&self.now);
        let played = self.now.board.play(mv);
        self.numbering
            .play(&mut self.now.state, &self.now.board, mv, &played);
        self.ply += 1;
        played
    }

    /// Takes the last move of the line back for an alternative to it; at the start of a line the
    /// position stays, and the answer is false.
    pub fn open(&mut self) -> bool {
        let has_move = !self.at_line_start();
        let now = if has_move {
            self.before.clone()
        } else {
            self.now.clone()
        };
        let ply = if has_move { self.ply - 1 } else { self.ply };
        self.interrupted.push(Interrupted {
            now: std::mem::replace(&mut self.now, now.clone()),
            before: std::mem::replace(&mut self.before, now),
            ply: std::mem::replace(&mut self.ply, ply),
            line_start: std::mem::replace(&mut self.line_start, ply),
        });
        has_move
    }

    /// Goes back to the line that was interrupted last; false if there is none.
    pub fn close(&mut self) -> bool {
        let Some(line) = self.interrupted.pop() else {
            return false;
        };
        self.now = line.now;
        self.before = line.before;
        self.ply = line.ply;
        self.line_start = line.line_start;
        true
    }
}

/// A game's events together with the position in which each of them stands.
#[derive(Debug)]
pub struct Walk<'g, N: Numbering = PlainNumbering> {
    events: Events<'g>,
    lines: Lines<N>,
    pending: Option<PackedMove>,
}

impl<'g> Walk<'g> {
    /// Follows the boards only.
    pub fn plain(game: &'g Game) -> Result<Walk<'g>> {
        Walk::new(PlainNumbering, game)
    }
}

impl<'g, N: Numbering> Walk<'g, N> {
    /// Follows the boards and a numbering.
    pub fn new(numbering: N, game: &'g Game) -> Result<Walk<'g, N>> {
        Ok(Walk {
            events: game.events(),
            lines: Lines::new(numbering, game)?,
            pending: None,
        })
    }

    /// The next event. Until the one after it, [`Walk::lines`] stands at the event's place: before
    /// the move if it is one, inside the variation that it opens, behind the one that it closes.
    #[inline]
    pub fn step(&mut self) -> Option<Event<'g>> {
        if let Some(mv) = self.pending.take() {
            self.lines.play(mv);
        }
        let event = self.events.next()?;
        match event {
            Event::Move(mv) => self.pending = Some(mv),
            Event::Open(_) => {
                self.lines.open();
            }
            Event::Close => {
                self.lines.close();
            }
            _ => {}
        }
        Some(event)
    }

    /// Where the walk stands.
    pub fn lines(&self) -> &Lines<N> {
        &self.lines
    }

    /// Goes on behind a variation that [`Walk::step`] just opened.
    pub fn skip_variation(&mut self, branch: crate::model::Branch) {
        self.events.skip_variation(branch);
        self.lines.close();
    }
}
