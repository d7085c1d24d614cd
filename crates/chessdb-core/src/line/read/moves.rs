//! Moves that the lines themselves read: one by one by a numbering, and SCID's in runs.

use super::LineReader;
use crate::legacy::scid::ReadLines;
use crate::legacy::{MoveFault, Numbering};
use crate::line::{LineTracker, Step};
use crate::{Facts, Game, GameReport, Lines, Location, PackedMove, Result, Severity};

impl<'r, 'o, N: Numbering> LineReader<'r, 'o, Lines<N>> {
    /// Begins with the moves of a game whose start position is known. `origin` is the place of
    /// offset 0. Nothing if the pieces of the start position cannot be numbered, which is reported.
    ///
    /// # Errors
    ///
    /// In strict mode if they cannot.
    pub fn begin(
        numbering: N,
        game: &'r mut Game,
        report: &'r mut GameReport<'o>,
        origin: Location,
    ) -> Result<Option<Self>> {
        match Lines::new(numbering, game) {
            Ok(lines) => Ok(Some(LineReader::new(lines, game, report, origin))),
            Err(error) => {
                let (kind, _) = error.into_parts();
                report.add(Severity::Lost, kind, origin)?;
                Ok(None)
            }
        }
    }

    /// The move at the start of these bytes, and how many of them it takes. Nothing is played yet.
    ///
    /// # Errors
    ///
    /// Why there is none. The decoder may try something else, or pass it to
    /// [`LineReader::bad_move`].
    #[inline]
    pub fn decode(&self, bytes: &[u8]) -> std::result::Result<(PackedMove, usize), MoveFault> {
        let lines = &self.lines;
        lines
            .numbering()
            .decode(lines.state(), lines.board(), bytes)
    }

    /// Reads the move of one byte, puts it on the tape and plays it, if it does nothing but go from one
    /// square to another, and is legal, and facts are asked for. Otherwise nothing has happened. Not while
    /// skipping.
    #[inline]
    pub fn take_plain(&mut self, byte: u8) -> bool {
        if !self.report.options.facts || !self.has_ply_room() {
            return false;
        }
        let taken = self.lines.take_plain(byte);
        taken.is_some_and(|(mv, facts)| self.known(mv, facts).is_ok())
    }

    /// A half-move: puts it on the tape and plays it. Not while skipping.
    ///
    /// # Errors
    ///
    /// If the tape is full.
    #[inline]
    pub fn mv(&mut self, mv: PackedMove) -> Step {
        self.check_ply_room()?;
        let facts = match self.report.options.facts {
            true => self.lines.judge_and_play(mv),
            false => {
                self.lines.play(mv);
                Facts::UNKNOWN
            }
        };
        self.known(mv, facts)
    }
}

impl LineReader<'_, '_, ReadLines> {
    /// Puts moves of these bytes on the tape as far as [`ReadLines::run`] plays them, moves on behind
    /// them, and says whether there were any. Not while skipping.
    #[inline]
    pub fn run(&mut self, bytes: &[u8]) -> bool {
        let (tape, before) = (&mut self.tape, self.lines.ply());
        let put = |mv| tape.known(mv, Facts::UNKNOWN).is_ok();
        let used = self.lines.run(bytes, put);
        self.at += used;
        if self.lines.depth() == 0 {
            self.counts.plies += self.lines.ply() - before;
        }
        used > 0
    }
}
