//! Showing a mainline to a watch while its codes are decoded, without a tape and only as far as
//! necessary.

use std::ops::ControlFlow;

use crate::legacy::{MoveFault, Numbering};
use crate::{
    Board, Game, GameStore, MoveFilter, Movetext, PackedMove, Result, Scratch, Start, Watch,
};

/// A mainline, up to the move that a watch was shown last.
///
/// As with [`super::LineReader`], the decoder runs the loop over its codes. It skips everything
/// except the moves of the mainline, which it passes on. On any irregularity it stops;
/// [`Skim::show`] then reads the whole game and shows the remaining moves.
pub struct Skim<'w, N: Numbering> {
    numbering: N,
    state: N::State,
    board: Board,
    watch: &'w mut dyn Watch,
    filter: MoveFilter,
    /// Half-moves that were played, and the number of the last ones that were not reported to the
    /// watch.
    plies: u32,
    passed: u32,
}

impl<'w, N: Numbering> Skim<'w, N> {
    /// Shows game `n` of a store, counted from 0, to a watch.
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
        watch: &'w mut dyn Watch,
        scratch: &mut Scratch,
        skim: impl FnOnce(&'w mut dyn Watch) -> Option<Self>,
    ) -> Result<()> {
        let reported = (scratch.diagnostics.len(), scratch.dropped_diagnostics);
        if watch.needs_header() {
            store.header_into(n, game, scratch)?;
        }
        if let Some(line) = skim(watch) {
            scratch.diagnostics.truncate(reported.0);
            scratch.dropped_diagnostics = reported.1;
            store.game_into(n, game, scratch)?;
            line.show_rest(&game.moves);
        }
        Ok(())
    }

    /// Starts at the standard start position; `None` if the watch has seen enough.
    pub fn begin(numbering: N, state: N::State, watch: &'w mut dyn Watch) -> Option<Self> {
        Skim::begin_at(numbering, state, &Start::Standard, watch)
    }

    /// Starts at any start position; `None` if the watch has seen enough.
    pub fn begin_at(
        numbering: N,
        state: N::State,
        start: &Start,
        watch: &'w mut dyn Watch,
    ) -> Option<Self> {
        let board = start.board();
        if watch.begin(start, &board).is_break() {
            return None;
        }
        let filter = watch.move_filter();
        Some(Skim {
            numbering,
            state,
            board,
            watch,
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
    pub fn decode(&self, bytes: &[u8]) -> std::result::Result<(PackedMove, usize), MoveFault> {
        self.numbering.decode(&self.state, &self.board, bytes)
    }

    /// Plays the next move of the mainline, and shows it if the watch needs it. Breaks if the watch
    /// has seen enough.
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
            || !mv.is_normal();
        if !is_selected {
            self.passed += 1;
            return ControlFlow::Continue(());
        }
        self.report_passed();
        self.watch.played(mv, &played, &self.board)
    }

    /// Reports the moves that were not shown.
    fn report_passed(&mut self) {
        if self.passed > 0 {
            self.watch.passed(std::mem::take(&mut self.passed));
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
            watch,
            plies,
            ..
        } = self;
        for mv in moves.mainline().skip(plies as usize) {
            let played = board.play(mv);
            if watch.played(mv, &played, &board).is_break() {
                return;
            }
        }
    }
}
