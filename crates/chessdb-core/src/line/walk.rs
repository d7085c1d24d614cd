//! Traversal of a game's lines with a board and the state of a move numbering.

use crate::board::{Facts, Played};
use crate::legacy::{Coded, Numbering, PlainNumbering};
use crate::line::TokenSource;
use crate::model::{Event, Events, Game, Start};
use crate::rules::Referee;
use crate::{Board, Color, PackedMove, PieceType, Result};

/// A position and the state of the numbering in it.
#[derive(Clone, Debug)]
struct NumberedPosition<S> {
    referee: Referee,
    state: S,
    /// Whether all moves are known, so that none is played. Then the board remains at the start
    /// position and only its side to move is updated.
    known: bool,
}

/// The maximum number of moves between two saved positions of a line.
const MAX_REPLAY: usize = 16;

/// A line that is being followed.
///
/// To take back a move for a variation, the line is replayed from a saved position. Saving every
/// position would cost as much as everything else, and few moves have variations.
#[derive(Clone, Debug)]
struct OpenLine<S> {
    now: NumberedPosition<S>,
    /// A position of this line at most [`MAX_REPLAY`] moves ago.
    saved: NumberedPosition<S>,
    /// The moves since then. There is at least one if the line has a move.
    since: [(PackedMove, Facts); MAX_REPLAY],
    since_len: usize,
    /// Half-moves from the start position to `now`.
    ply: u32,
    /// The ply at which the line starts: earlier half-moves cannot be taken back.
    start: u32,
    /// Whether the state was changed by anything other than the moves in `since`.
    changed: bool,
    /// Whether moves can be taken back; false for a game without variations.
    takes_back: bool,
}

impl<S: Clone> OpenLine<S> {
    fn new(now: NumberedPosition<S>, ply: u32) -> OpenLine<S> {
        OpenLine {
            saved: now.clone(),
            now,
            since: [(PackedMove::NULL, Facts::UNKNOWN); MAX_REPLAY],
            since_len: 0,
            ply,
            start: ply,
            changed: false,
            takes_back: true,
        }
    }

    fn restart(&mut self) {
        self.now.known = false;
        self.takes_back = true;
        self.saved.clone_from(&self.now);
        self.since_len = 0;
        self.ply = 0;
        self.start = 0;
        self.changed = false;
    }

    /// Records a move that is about to be played.
    #[inline]
    fn record(&mut self, mv: PackedMove, facts: Facts) {
        self.ply += 1;
        if !self.takes_back {
            return;
        }
        // A replay cannot repeat a change from outside, so the position after it is saved.
        if self.since_len >= MAX_REPLAY || self.changed {
            self.saved.clone_from(&self.now);
            self.since_len = 0;
            self.changed = false;
        }
        if let Some(slot) = self.since.get_mut(self.since_len) {
            *slot = (mv, facts);
        }
        self.since_len += 1;
    }

    /// Returns the line that replaces the last move. If there is no move, it starts at the same
    /// position as this one.
    fn alternative<N: Numbering<State = S>>(&self, numbering: &N) -> OpenLine<S> {
        let Some(last) = self.since_len.checked_sub(1) else {
            return OpenLine::new(self.now.clone(), self.ply);
        };
        let mut before = self.saved.clone();
        for &(mv, facts) in self.since.get(..last).unwrap_or_default() {
            before.pass(numbering, mv, facts);
        }
        OpenLine::new(before, self.ply - 1)
    }

    /// Notifies the numbering that a variation of this line has ended with the state `ended_state`.
    fn returned<N: Numbering<State = S>>(&mut self, numbering: &N, ended_state: &S) {
        let last = self.since_len.checked_sub(1);
        numbering.returned(&mut self.now.state, ended_state, last.is_some());
        let Some(&last) = last.and_then(|last| self.since.get(last)) else {
            // A variation can now begin only at this position.
            self.saved.clone_from(&self.now);
            return;
        };
        // The next variation begins before the replayed move. A replay cannot reproduce that the
        // numbering has forgotten something, so save that position.
        let mut before = self.alternative(numbering).now;
        numbering.returned(&mut before.state, ended_state, false);
        self.saved = before;
        self.since_len = 1;
        if let Some(slot) = self.since.first_mut() {
            *slot = last;
        }
    }
}

impl<S> NumberedPosition<S> {
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

    /// Advances by a move with these facts from the tape.
    #[inline]
    fn pass<N: Numbering<State = S>>(&mut self, numbering: &N, mv: PackedMove, facts: Facts) {
        if self.known {
            numbering.play_known(&mut self.state, self.referee.board(), mv, facts);
            self.referee.pass();
        } else if mv.is_normal() && facts.are_known() {
            let played = Played::of_plain_move(self.referee.board().turn(), mv, facts);
            self.referee.play_plain_known(mv, facts);
            numbering.play(&mut self.state, self.referee.board(), mv, &played);
        } else {
            self.play(numbering, mv, facts);
        }
    }
}

/// The open lines of a game: the current position, and the positions of all lines that a variation
/// interrupted. Decoders drive it directly; encoders may use [`Walk`].
#[derive(Clone, Debug)]
pub struct Lines<N: Numbering> {
    numbering: N,
    line: OpenLine<N::State>,
    interrupted: Vec<OpenLine<N::State>>,
}

impl<N: Numbering> Lines<N> {
    /// Creates lines at a game's start position.
    ///
    /// # Errors
    ///
    /// Returns an error if the numbering cannot number the pieces of the start position.
    pub fn new(numbering: N, game: &Game) -> Result<Lines<N>> {
        let state = numbering.start(&game.header.start)?;
        Ok(Lines::with_state(numbering, game, state))
    }

    /// Like [`Lines::new`], with the piece numbers of the start position as given by the file.
    pub fn with_state(numbering: N, game: &Game, state: N::State) -> Lines<N> {
        let now = NumberedPosition {
            referee: Referee::at(&game.start_board()).without_take_back(),
            state,
            known: false,
        };
        Lines {
            numbering,
            line: OpenLine::new(now, 0),
            interrupted: Vec::new(),
        }
    }

    /// Restarts the lines kept from the last game for this one, or creates them. For encoders,
    /// which keep them from game to game and follow the tape.
    ///
    /// # Errors
    ///
    /// Returns an error if the numbering cannot number the pieces of the start position.
    pub fn reuse<'l>(
        cached: &'l mut Option<Lines<N>>,
        numbering: N,
        game: &Game,
    ) -> Result<&'l mut Lines<N>> {
        let lines = match cached {
            Some(lines) => {
                lines.numbering = numbering;
                lines.restart(game)?;
                lines
            }
            None => cached.insert(Lines::new(numbering, game)?),
        };
        // Without variations, saving positions would be wasted time.
        lines.line.takes_back = game.moves.has_variations();
        Ok(lines)
    }

    /// Like [`Lines::reuse`], but follows the game's moves from `start`. For encoders of formats
    /// that cannot store the game's own start position exactly, so that a reader may reject moves.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Lines::reuse`].
    pub fn reuse_from<'l>(
        cached: &'l mut Option<Lines<N>>,
        numbering: N,
        game: &Game,
        start: &Start,
    ) -> Result<&'l mut Lines<N>> {
        let lines = Lines::reuse(cached, numbering, game)?;
        lines.restart_at(start)?;
        lines.line.takes_back = game.moves.has_variations();
        Ok(lines)
    }

    /// Like [`Lines::reuse`], but plays no moves if the tape has facts for all of them and the
    /// numbering needs no more ([`Numbering::goes_by_facts`]). In this case the board remains at
    /// the start position, with only the side to move updated.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Lines::reuse`].
    pub fn reuse_known<'l>(
        cached: &'l mut Option<Lines<N>>,
        numbering: N,
        game: &Game,
    ) -> Result<&'l mut Lines<N>> {
        let lines = Lines::reuse(cached, numbering, game)?;
        let board = lines.board();
        let has_one_king = |color| board.pieces(color, PieceType::King).len() == 1;
        if game.moves.is_known()
            && lines.numbering.goes_by_facts()
            && Color::ALL.into_iter().all(has_one_king)
        {
            lines.line.now.known = true;
            lines.line.saved.known = true;
        }
        Ok(lines)
    }

    /// Restarts at a game's start position and keeps the allocations.
    ///
    /// # Errors
    ///
    /// Returns an error if the numbering cannot number the pieces of the start position.
    pub fn restart(&mut self, game: &Game) -> Result<()> {
        self.restart_at(&game.header.start)
    }

    fn restart_at(&mut self, start: &Start) -> Result<()> {
        self.interrupted.clear();
        self.line.now.state = self.numbering.start(start)?;
        self.line.now.referee = Referee::at(&start.board()).without_take_back();
        self.line.restart();
        Ok(())
    }

    /// Returns whether all moves are known, so that none is played ([`Lines::reuse_known`]).
    #[inline]
    pub fn are_known(&self) -> bool {
        self.line.now.known
    }

    /// Appends the bytes of the next move, with its facts from the tape, if they decode to the same
    /// move.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Numbering::encode_readable`].
    #[inline]
    pub fn encode(&self, mv: PackedMove, facts: Facts, out: &mut Vec<u8>) -> Coded {
        let (state, board) = (self.state(), self.board());
        if self.are_known() {
            self.numbering
                .encode_known(state, board.turn(), mv, facts, out)
        } else {
            self.numbering.encode_readable(state, board, mv, out)
        }
    }

    /// Returns the current position.
    pub fn board(&self) -> &Board {
        self.line.now.referee.board()
    }

    /// Returns the current state of the numbering.
    pub fn state(&self) -> &N::State {
        &self.line.now.state
    }

    /// Returns the current state of the numbering for modification, for formats that store more
    /// about a move than the move itself (Chess Assistant's promotions contain a slot).
    pub fn state_mut(&mut self) -> &mut N::State {
        // Replaying the moves would not repeat the change, so save the position before the next
        // move.
        self.line.changed = true;
        &mut self.line.now.state
    }

    /// Returns the numbering.
    pub fn numbering(&self) -> &N {
        &self.numbering
    }

    /// Returns the number of half-moves from the start position to the current one.
    pub fn ply(&self) -> u32 {
        self.line.ply
    }

    /// Returns the number of interrupted lines.
    pub fn depth(&self) -> usize {
        self.interrupted.len()
    }

    /// Returns whether the current line has no move yet.
    pub fn at_line_start(&self) -> bool {
        self.line.ply == self.line.start
    }

    /// Returns the facts about the next move; unknown if it is not legal.
    #[inline]
    pub fn judge(&mut self, mv: PackedMove) -> Facts {
        self.line.now.referee.judge(mv).unwrap_or_default()
    }

    /// Plays a move.
    #[inline]
    pub fn play(&mut self, mv: PackedMove) -> Played {
        self.line.record(mv, Facts::UNKNOWN);
        self.line.now.play(&self.numbering, mv, Facts::UNKNOWN)
    }

    /// Plays a move with facts from [`Lines::judge`] or from the tape.
    #[inline]
    pub fn play_known(&mut self, mv: PackedMove, facts: Facts) {
        self.line.record(mv, facts);
        self.line.now.pass(&self.numbering, mv, facts);
    }

    /// Writes and plays consecutive half-moves without special effects, and returns their number.
    /// Works only if all moves are known and there are no variations; otherwise returns 0.
    #[inline]
    pub fn write_run<'g>(&mut self, tokens: &mut impl TokenSource<'g>, out: &mut Vec<u8>) -> u32 {
        let Lines {
            numbering, line, ..
        } = self;
        let first_ply = line.ply;
        let NumberedPosition {
            referee,
            state,
            known: true,
        } = &mut line.now
        else {
            return 0;
        };
        // With variations, each move must be recorded to be taken back later.
        while !line.takes_back
            && let Some((mv, facts)) = tokens.next_move()
        {
            let start = referee.board();
            if !mv.is_normal() || numbering.write_known(state, start, mv, facts, out).is_err() {
                // The caller's ordinary path reports why the move cannot be written.
                tokens.go_back();
                break;
            }
            referee.pass();
            line.ply += 1;
        }
        line.ply - first_ply
    }

    /// Decodes and plays the move of this byte if it is legal and has no special effects. Otherwise
    /// nothing is changed, and [`Numbering::decode`] gives the details.
    #[inline]
    pub fn take_plain(&mut self, byte: u8) -> Option<(PackedMove, Facts)> {
        let NumberedPosition { referee, state, .. } = &mut self.line.now;
        let us = referee.board().turn();
        let (from, to) = self.numbering.squares(state, us, byte)?;
        let plain_move = referee.find_plain_move(from.index(), to.index())?;
        let mv = plain_move.mv();
        // Before the move is played: the position that is saved is the one before it.
        self.line.record(mv, Facts::UNKNOWN);
        let NumberedPosition { referee, state, .. } = &mut self.line.now;
        let facts = referee.play_plain(plain_move);
        let played = Played::of_plain_move(us, mv, facts);
        self.numbering.play(state, referee.board(), mv, &played);
        Some((mv, facts))
    }

    /// Combines [`Lines::judge`] and [`Lines::play`] at less cost.
    #[inline]
    pub fn judge_and_play(&mut self, mv: PackedMove) -> Facts {
        self.line.record(mv, Facts::UNKNOWN);
        let NumberedPosition { referee, state, .. } = &mut self.line.now;
        let (facts, played) = referee.judge_and_play(mv);
        self.numbering.play(state, referee.board(), mv, &played);
        facts
    }

    /// Opens a variation and takes back the last move of the line. At the start of a line, keeps
    /// the position and returns false.
    pub fn open(&mut self) -> bool {
        let has_move = !self.at_line_start();
        let alternative = self.line.alternative(&self.numbering);
        self.interrupted
            .push(std::mem::replace(&mut self.line, alternative));
        has_move
    }

    /// Returns to the line that was interrupted last; false if there is none.
    pub fn close(&mut self) -> bool {
        let Some(line) = self.interrupted.pop() else {
            return false;
        };
        let ended = std::mem::replace(&mut self.line, line);
        // Other numberings return to the state before the variation by themselves.
        if self.numbering.forgets() {
            self.line.returned(&self.numbering, &ended.now.state);
        }
        true
    }
}

/// An iterator over a game's events that tracks the position of each event.
#[derive(Debug)]
pub struct Walk<'g, N: Numbering = PlainNumbering> {
    events: Events<'g>,
    lines: Lines<N>,
    pending: Option<PackedMove>,
}

impl<'g> Walk<'g> {
    /// Creates a walk that tracks only the boards. Never returns an error.
    pub fn plain(game: &'g Game) -> Result<Walk<'g>> {
        Walk::new(PlainNumbering, game)
    }
}

impl<'g, N: Numbering> Walk<'g, N> {
    /// Creates a walk that tracks the boards and a numbering.
    ///
    /// # Errors
    ///
    /// Returns an error if the numbering cannot number the pieces of the start position.
    pub fn new(numbering: N, game: &'g Game) -> Result<Walk<'g, N>> {
        Ok(Walk {
            events: game.events(),
            lines: Lines::new(numbering, game)?,
            pending: None,
        })
    }

    /// Returns the next event. Until the next call, [`Walk::lines`] is at the position of the
    /// event: before a move, inside a variation that was opened, or after one that was closed.
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

    /// Returns the lines at the current position.
    pub fn lines(&self) -> &Lines<N> {
        &self.lines
    }

    /// Skips the variation that [`Walk::step`] just opened.
    pub fn skip_variation(&mut self, branch: crate::model::Branch) {
        self.events.skip_variation(branch);
        self.lines.close();
    }
}
