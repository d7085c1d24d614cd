//! Moves decoded by the lines themselves, with a numbering.

use super::LineReader;
use crate::board::Facts;
use crate::error::Location;
use crate::legacy::{Coded, Numbering};
use crate::line::{Lines, Step};
use crate::report::GameReport;
use crate::{Game, PackedMove, Result};

/// Fills the moves of `game`, whose header is complete, with what `read` appends. `origin` is the
/// location of offset 0. Returns the number of half-moves of the mainline; `None` if the start
/// position is unknown or its pieces cannot be numbered, which is reported.
///
/// # Errors
///
/// Returns the first deviation in strict mode.
pub fn read_game<N: Numbering>(
    numbering: N,
    origin: Location,
    game: &mut Game,
    report: &mut GameReport<'_>,
    read: impl FnOnce(&mut LineReader<'_, '_, Lines<N>>) -> Step,
) -> Result<Option<u32>> {
    if !game.has_known_start() {
        return Ok(None);
    }
    let Some(mut line) = LineReader::begin(numbering, game, report, origin)? else {
        return Ok(None);
    };
    let read = read(&mut line);
    let counts = line.end(read)?;
    line.finish();
    Ok(Some(counts.plies))
}

impl<'r, 'o, N: Numbering> LineReader<'r, 'o, Lines<N>> {
    /// Starts reading the moves of a game with a known start position. `origin` is the location of
    /// offset 0. If the pieces of the start position cannot be numbered, reports this and returns
    /// `None`.
    ///
    /// # Errors
    ///
    /// Returns an error in strict mode if the pieces cannot be numbered.
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
                report.lost(kind, origin)?;
                Ok(None)
            }
        }
    }

    /// Decodes the move at the start of these bytes, without playing it. Returns the move and its
    /// length in bytes.
    ///
    /// # Errors
    ///
    /// Returns the reason if there is no move. The decoder may try something else, or pass it to
    /// [`LineReader::bad_move`].
    #[inline]
    pub fn decode(&self, bytes: &[u8]) -> Coded<(PackedMove, usize)> {
        let lines = &self.lines;
        lines
            .numbering()
            .decode(lines.state(), lines.board(), bytes)
    }

    /// Decodes the move of one byte, pushes and plays it, if it is legal and has no special effects
    /// and facts are requested. Otherwise changes nothing and returns false. Must not be called
    /// while skipping.
    #[inline]
    pub fn take_plain(&mut self, byte: u8) -> bool {
        if !self.report.options.facts || !self.has_ply_room() {
            return false;
        }
        self.lines
            .take_plain(byte)
            .is_some_and(|(mv, facts)| self.known(mv, facts).is_ok())
    }

    /// Pushes and plays a half-move. Must not be called while skipping.
    ///
    /// # Errors
    ///
    /// Returns [`Stop`](crate::line::Stop) if the tape is full.
    #[inline]
    pub fn mv(&mut self, mv: PackedMove) -> Step {
        // A move that is played but not pushed would put the lines ahead of the tape.
        self.check_ply_room()?;
        let facts = if self.report.options.facts {
            self.lines.judge_and_play(mv)
        } else {
            self.lines.play(mv);
            Facts::UNKNOWN
        };
        self.known(mv, facts)
    }
}
