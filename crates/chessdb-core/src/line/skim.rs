//! Showing a mainline to an observer while its codes are decoded, without a tape and only as far as
//! necessary.

use std::ops::ControlFlow;

use crate::legacy::{Coded, Numbering};
use crate::model::Movetext;
use crate::search::{MainlineObserver, MoveFilter};
use crate::{Board, Game, GameStore, PackedMove, Result, Scratch, Start};

/// A mainline, up to the move that an observer was shown last.
///
/// As with [`super::LineReader`], the decoder runs the loop over its codes. It skips everything
/// except the moves of the mainline, which it passes on. On any irregularity it stops;
/// [`Skim::show`] then reads the whole game and shows the remaining moves.
pub struct Skim<'o, N: Numbering> {
    numbering: N,
    state: N::State,
    board: Board,
    observer: &'o mut dyn MainlineObserver,
    filter: MoveFilter,
    /// Half-moves that were played, and the number of the last ones that were not reported to the
    /// observer.
    plies: u32,
    passed: u32,
}

impl<'o, N: Numbering> Skim<'o, N> {
    /// Shows game `n` of a store, counted from 0, to an observer.
    ///
    /// `skim` decodes the codes. On an irregularity it returns the line; the whole game is then
    /// read, and the rest of it shown.
    ///
    /// # Errors
    ///
    /// Returns an error if the header or the game cannot be read.
    pub fn show<S: GameStore + ?Sized>(
        store: &S,
        n: u32,
        game: &mut Game,
        observer: &'o mut dyn MainlineObserver,
        scratch: &mut Scratch,
        skim: impl FnOnce(&'o mut dyn MainlineObserver) -> Option<Self>,
    ) -> Result<()> {
        let reported = (scratch.diagnostics.len(), scratch.dropped_diagnostics);
        if observer.needs_header() {
            store.header_into(n, game, scratch)?;
        }
        if let Some(line) = skim(observer) {
            // Reading the whole game reports the findings again.
            scratch.diagnostics.truncate(reported.0);
            scratch.dropped_diagnostics = reported.1;
            store.game_into(n, game, scratch)?;
            line.show_rest(&game.moves);
        }
        Ok(())
    }

    /// Starts at the standard start position; `None` if the observer has seen enough.
    pub fn begin(
        numbering: N,
        state: N::State,
        observer: &'o mut dyn MainlineObserver,
    ) -> Option<Self> {
        Skim::begin_at(numbering, state, &Start::Standard, observer)
    }

    /// Starts at any start position; `None` if the observer has seen enough.
    pub fn begin_at(
        numbering: N,
        state: N::State,
        start: &Start,
        observer: &'o mut dyn MainlineObserver,
    ) -> Option<Self> {
        let board = start.board();
        if observer.begin(start, &board).is_break() {
            return None;
        }
        let filter = observer.move_filter();
        Some(Skim {
            numbering,
            state,
            board,
            observer,
            filter,
            plies: 0,
            passed: 0,
        })
    }

    /// Returns the number of half-moves so far.
    pub fn plies(&self) -> u32 {
        self.plies
    }

    /// Returns the current position.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// Returns the state of the numbering, for decoders that know more about a move than the
    /// numbering does.
    pub fn state_mut(&mut self) -> &mut N::State {
        &mut self.state
    }

    /// Decodes the move at the start of these bytes, without playing it. Returns the move and its
    /// length in bytes.
    ///
    /// # Errors
    ///
    /// Returns the reason if there is no move.
    #[inline]
    pub fn decode(&self, bytes: &[u8]) -> Coded<(PackedMove, usize)> {
        self.numbering.decode(&self.state, &self.board, bytes)
    }

    /// Plays the next move of the mainline, and shows it if the observer needs it. Breaks if the
    /// observer has seen enough.
    #[inline]
    pub fn play(&mut self, mv: PackedMove) -> ControlFlow<()> {
        let played = self.board.play(mv);
        self.numbering
            .play(&mut self.state, &self.board, mv, &played);
        self.plies += 1;
        let MoveFilter { squares, captures } = self.filter;
        let is_selected = squares.has(mv.from())
            || squares.has(mv.to())
            || played.captured.is_some() && self.board.occupied().len() <= captures.into()
            // Castling, en passant and promotions change more than their two squares.
            || !mv.is_normal();
        if !is_selected {
            self.passed += 1;
            return ControlFlow::Continue(());
        }
        self.report_passed();
        self.observer.played(mv, &played, &self.board)
    }

    /// Reports the moves that were not shown.
    fn report_passed(&mut self) {
        if self.passed > 0 {
            self.observer.passed(std::mem::take(&mut self.passed));
        }
    }

    /// Ends the line: there are no more moves.
    pub fn end(mut self) {
        self.report_passed();
    }

    /// Shows the remaining moves of the line, from the game that was read in full, and ends the
    /// line.
    pub fn show_rest(mut self, moves: &Movetext) {
        self.report_passed();
        let Skim {
            mut board,
            observer,
            plies,
            ..
        } = self;
        for mv in moves.mainline().skip(plies as usize) {
            let played = board.play(mv);
            if observer.played(mv, &played, &board).is_break() {
                return;
            }
        }
    }
}
