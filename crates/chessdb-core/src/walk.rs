//! Following a game's lines with a board, and with whatever else a numbering has to remember.

use crate::legacy::{Numbering, PlainNumbering};
use crate::model::{Event, Events, Game};
use crate::rules::Referee;
use crate::{Board, Facts, PackedMove, Played, Result};

/// A position and the state that a numbering keeps beside it.
#[derive(Clone, Debug)]
struct Here<S> {
    referee: Referee,
    state: S,
}

/// How many moves a line goes on before its position is noted again.
const REACH: usize = 16;

/// A line that is being followed.
///
/// To take a move back for a variation, the line is played again from a noted position; noting one
/// at every move would cost as much as everything else, and few moves have variations.
#[derive(Clone, Debug)]
struct Line<S> {
    now: Here<S>,
    /// A position of this line at most [`REACH`] moves ago.
    noted: Here<S>,
    /// The moves since. There is one whenever the line has a move.
    since: [PackedMove; REACH],
    since_len: usize,
    /// Half-moves from the start position to `now`.
    ply: u32,
    /// Half-moves before which nothing can be taken back.
    start: u32,
    /// Whether the state was changed by something else than the moves since.
    changed: bool,
}

impl<S: Clone> Line<S> {
    fn new(now: Here<S>, ply: u32) -> Line<S> {
        Line {
            noted: now.clone(),
            now,
            since: [PackedMove::NULL; REACH],
            since_len: 0,
            ply,
            start: ply,
            changed: false,
        }
    }

    fn restart(&mut self) {
        self.noted.clone_from(&self.now);
        self.since_len = 0;
        self.ply = 0;
        self.start = 0;
        self.changed = false;
    }

    /// Notes a move that is about to be played.
    #[inline]
    fn note(&mut self, mv: PackedMove) {
        if self.since_len >= REACH || self.changed {
            self.noted.clone_from(&self.now);
            self.since_len = 0;
            self.changed = false;
        }
        if let Some(slot) = self.since.get_mut(self.since_len) {
            *slot = mv;
        }
        self.since_len += 1;
        self.ply += 1;
    }

    /// The line that replaces the last move; without a move it starts where this one does.
    fn alternative<N: Numbering<State = S>>(&self, numbering: &N) -> Line<S> {
        let Some(last) = self.since_len.checked_sub(1) else {
            return Line::new(self.now.clone(), self.ply);
        };
        let mut before = self.noted.clone();
        for &mv in self.since.get(..last).unwrap_or_default() {
            before.play(numbering, mv, Facts::UNKNOWN);
        }
        Line::new(before, self.ply - 1)
    }

    /// Informs the numbering that a variation of this line has ended, whose last state is `left`.
    fn returned<N: Numbering<State = S>>(&mut self, numbering: &N, left: &S) {
        let last = self.since_len.checked_sub(1);
        numbering.returned(&mut self.now.state, left, last.is_some());
        let Some(&mv) = last.and_then(|last| self.since.get(last)) else {
            self.noted.clone_from(&self.now);
            return;
        };
        // The next variation begins before the move that was played again. What the numbering has
        // forgotten there cannot be found by playing again, so that position is noted.
        let mut before = self.alternative(numbering).now;
        numbering.returned(&mut before.state, left, false);
        self.noted = before;
        self.since_len = 1;
        if let Some(slot) = self.since.first_mut() {
            *slot = mv;
        }
    }
}

impl<S> Here<S> {
    #[inline]
    fn play<N: Numbering<State = S>>(
        &mut self,
        numbering: &N,
        mv: PackedMove,
        facts: Facts,
    ) -> Played {
        let played = self.referee.play(mv, facts);
        numbering.play(&mut self.state, self.referee.board(), mv, &played);
        played
    }
}

/// The lines of a game that are open: the position now, and those of every line that a variation
/// interrupted. Decoders drive it directly; encoders may use [`Walk`].
#[derive(Clone, Debug)]
pub struct Lines<N: Numbering> {
    numbering: N,
    line: Line<N::State>,
    interrupted: Vec<Line<N::State>>,
}

impl<N: Numbering> Lines<N> {
    /// Begins at a game's start position.
    pub fn new(numbering: N, game: &Game) -> Result<Lines<N>> {
        let state = numbering.start(&game.head.start)?;
        Ok(Lines::with_state(numbering, game, state))
    }

    /// The same where a file says how the pieces of the start position are numbered.
    pub fn with_state(numbering: N, game: &Game, state: N::State) -> Lines<N> {
        let now = Here {
            referee: Referee::at(&game.start_board()),
            state,
        };
        Lines {
            numbering,
            line: Line::new(now, 0),
            interrupted: Vec::new(),
        }
    }

    /// Those of the last game, begun anew with this one, or new ones if there are none yet: for
    /// encoders, which keep them from game to game.
    ///
    /// # Errors
    ///
    /// If the numbering cannot number the pieces of the start position.
    pub fn reuse<'l>(
        kept: &'l mut Option<Lines<N>>,
        numbering: N,
        game: &Game,
    ) -> Result<&'l mut Lines<N>> {
        match kept {
            Some(lines) => {
                lines.numbering = numbering;
                lines.restart(game)?;
                Ok(lines)
            }
            None => Ok(kept.insert(Lines::new(numbering, game)?)),
        }
    }

    /// Begins anew at a game's start position, keeping the memory.
    pub fn restart(&mut self, game: &Game) -> Result<()> {
        self.interrupted.clear();
        self.line.now.state = self.numbering.start(&game.head.start)?;
        self.line.now.referee = Referee::at(&game.start_board());
        self.line.restart();
        Ok(())
    }

    /// The position now.
    pub fn board(&self) -> &Board {
        self.line.now.referee.board()
    }

    /// What the numbering remembers now.
    pub fn state(&self) -> &N::State {
        &self.line.now.state
    }

    /// What the numbering remembers now, to be changed: for schemes whose files say more about a
    /// move than the move itself (Chess Assistant's promotions name a slot).
    pub fn state_mut(&mut self) -> &mut N::State {
        // Replaying the moves would not bring the change back: note the position before the next.
        self.line.changed = true;
        &mut self.line.now.state
    }

    /// The numbering.
    pub fn numbering(&self) -> &N {
        &self.numbering
    }

    /// Half-moves from the start position to the position now.
    pub fn ply(&self) -> u32 {
        self.line.ply
    }

    /// How many lines are interrupted.
    pub fn depth(&self) -> usize {
        self.interrupted.len()
    }

    /// Whether the current line has no move yet.
    pub fn at_line_start(&self) -> bool {
        self.line.ply == self.line.start
    }

    /// What the rules say of the move that comes now; nothing if it is not legal.
    #[inline]
    pub fn judge(&mut self, mv: PackedMove) -> Facts {
        self.line.now.referee.judge(mv).unwrap_or_default()
    }

    /// Plays a move.
    #[inline]
    pub fn play(&mut self, mv: PackedMove) -> Played {
        self.play_known(mv, Facts::UNKNOWN)
    }

    /// Plays a move of which [`Lines::judge`] has said this.
    #[inline]
    pub fn play_known(&mut self, mv: PackedMove, facts: Facts) -> Played {
        self.line.note(mv);
        self.line.now.play(&self.numbering, mv, facts)
    }

    /// Both together, with less work.
    #[inline]
    pub fn judge_and_play(&mut self, mv: PackedMove) -> Facts {
        self.line.note(mv);
        let Here { referee, state } = &mut self.line.now;
        let (facts, played) = referee.judge_and_play(mv);
        self.numbering.play(state, referee.board(), mv, &played);
        facts
    }

    /// Takes the last move of the line back for an alternative to it; at the start of a line the
    /// position stays, and the answer is false.
    pub fn open(&mut self) -> bool {
        let has_move = !self.at_line_start();
        let alternative = self.line.alternative(&self.numbering);
        self.interrupted
            .push(std::mem::replace(&mut self.line, alternative));
        has_move
    }

    /// Goes back to the line that was interrupted last; false if there is none.
    pub fn close(&mut self) -> bool {
        let Some(line) = self.interrupted.pop() else {
            return false;
        };
        let left = std::mem::replace(&mut self.line, line);
        if self.numbering.forgets() {
            self.line.returned(&self.numbering, &left.now.state);
        }
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
