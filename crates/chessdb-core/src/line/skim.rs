//! A main line shown to a watch while its codes are read: without a tape, and no further than that looks.

use std::ops::ControlFlow;

use crate::legacy::{MoveFault, Numbering};
use crate::{
    Board, Game, GameStore, MoveFilter, Movetext, PackedMove, Result, Scratch, Start, Watch,
};

/// A main line, as far as a watch was shown it.
///
/// The decoder owns the loop over its codes, as with [`super::LineReader`], passes over what is no move of the main
/// line, and says each that is. What is not as it should be it leaves to whoever reads the whole game, of which
/// [`Skim::show`] shows what follows.
pub struct Skim<'w, N: Numbering> {
    numbering: N,
    state: N::State,
    board: Board,
    watch: &'w mut dyn Watch,
    filter: MoveFilter,
    /// Half-moves that were played, and how many of the last ones the watch was not told of.
    plies: u32,
    passed: u32,
}

impl<'w, N: Numbering> Skim<'w, N> {
    /// Shows game `n` of a store, counted from 0, to a watch. `skim` reads its codes and hands the line back where
    /// something is odd; the whole game is read then, and the rest of it shown.
    ///
    /// # Errors
    ///
    /// Those of reading the head or the game.
    pub fn show<S: GameStore + ?Sized>(
        store: &S,
        n: u32,
        game: &mut Game,
        watch: &'w mut dyn Watch,
        scratch: &mut Scratch,
        skim: impl FnOnce(&'w mut dyn Watch) -> Option<Self>,
    ) -> Result<()> {
        let said = (scratch.diagnostics.len(), scratch.more_diagnostics);
        if watch.needs_header() {
            store.header_into(n, game, scratch)?;
        }
        if let Some(line) = skim(watch) {
            scratch.diagnostics.truncate(said.0);
            scratch.more_diagnostics = said.1;
            store.game_into(n, game, scratch)?;
            line.show_rest(&game.moves);
        }
        Ok(())
    }

    /// Begins at the usual start position; none if the watch has seen enough.
    pub fn begin(numbering: N, state: N::State, watch: &'w mut dyn Watch) -> Option<Self> {
        Skim::begin_at(numbering, state, &Start::Standard, watch)
    }

    /// Begins at any start position; none if the watch has seen enough.
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

    /// Half-moves so far.
    pub fn plies(&self) -> u32 {
        self.plies
    }

    /// The position.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// What the numbering remembers, for decoders that know more of a move than it.
    pub fn state_mut(&mut self) -> &mut N::State {
        &mut self.state
    }

    /// The move at the start of these bytes, and how many of them it takes. Nothing is played yet.
    ///
    /// # Errors
    ///
    /// Why there is none.
    #[inline]
    pub fn decode(&self, bytes: &[u8]) -> std::result::Result<(PackedMove, usize), MoveFault> {
        self.numbering.decode(&self.state, &self.board, bytes)
    }

    /// Plays the next move of the main line, and shows it if the watch has to see it. It breaks if that has seen
    /// enough.
    #[inline]
    pub fn play(&mut self, mv: PackedMove) -> ControlFlow<()> {
        let played = self.board.play(mv);
        self.numbering
            .play(&mut self.state, &self.board, mv, &played);
        self.plies += 1;
        let MoveFilter { squares, captures } = self.filter;
        let is_heeded = squares.has(mv.from())
            || squares.has(mv.to())
            || played.captured.is_some() && self.board.occupied().len() <= captures.into()
            || !mv.is_normal();
        if !is_heeded {
            self.passed += 1;
            return ControlFlow::Continue(());
        }
        self.tell();
        self.watch.played(mv, &played, &self.board)
    }

    /// Tells of the moves that were not shown.
    fn tell(&mut self) {
        if self.passed > 0 {
            self.watch.passed(std::mem::take(&mut self.passed));
        }
    }

    /// There are no more moves.
    pub fn end(mut self) {
        self.tell();
    }

    /// Shows the moves that follow, of a game that was read whole; there are no more.
    pub fn show_rest(mut self, moves: &Movetext) {
        self.tell();
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
