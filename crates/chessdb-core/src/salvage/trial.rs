//! Reading of records that may be no games.

use super::{Found, Piece, main_line};
use crate::files::Role;
use crate::options::Mode;
use crate::report::GameReport;
use crate::{Diagnostic, Game, ReadOptions, Result, Scratch, Severity};

/// The half-moves of a record that no index entry leads to: fewer legal moves may be chance.
const MIN_PLIES: u32 = 8;

/// A reader of records that may be no games. It keeps its buffers and reports nothing.
#[derive(Debug)]
pub struct TrialReader {
    lenient: ReadOptions,
    strict: ReadOptions,
    /// The game that was read last.
    pub game: Game,
    scratch: Scratch,
}

impl TrialReader {
    /// Creates a reader with the options of a database.
    pub fn new(options: &ReadOptions) -> TrialReader {
        TrialReader {
            lenient: options.clone(),
            strict: options.clone().with_mode(Mode::Strict),
            game: Game::new(),
            scratch: Scratch::new(),
        }
    }

    /// Reads into the empty game with `read`, strictly or by the options of the database. Returns
    /// its result; `None` for an error, or if something is lost in a file that `matters`.
    pub fn read<T>(
        &mut self,
        strictly: bool,
        matters: impl Fn(Option<Role>) -> bool,
        read: impl FnOnce(&mut Game, &mut GameReport<'_>) -> Result<T>,
    ) -> Option<T> {
        self.game.clear();
        self.scratch.diagnostics.clear();
        let options = if strictly { &self.strict } else { &self.lenient };
        let mut report = GameReport::new(options, &mut self.scratch, None);
        let result = read(&mut self.game, &mut report).ok()?;
        (!self.has_lost(matters)).then_some(result)
    }

    /// Returns whether the last reading lost something in a file that `matters`.
    pub fn has_lost(&self, matters: impl Fn(Option<Role>) -> bool) -> bool {
        let is_loss = |diagnostic: &Diagnostic| {
            diagnostic.severity == Severity::Lost && matters(diagnostic.at.file)
        };
        self.scratch.diagnostics.iter().any(is_loss)
    }

    /// Returns the cost of the last reading for [`Work::spend`](super::Work::spend), which counts
    /// bytes. Playing a half-move costs about as much as looking at four.
    pub fn cost(&self) -> usize {
        64 + 4 * self.game.moves.plies() as usize
    }

    /// Returns the key of the game that was read last ([`main_line`]).
    pub fn key(&self) -> Option<u64> {
        main_line(&self.game.header.start, self.game.mainline())
    }

    /// Returns the record that was read last, which has this length. `None` if its moves are too
    /// little evidence. `looking` has the meaning that it has in
    /// [`Carve::record`](super::Carve::record).
    pub fn piece(&self, length: usize, is_whole: bool, looking: bool) -> Option<Piece> {
        let has_moves = self.game.moves.plies() >= MIN_PLIES;
        let found = match (is_whole, looking) {
            (true, true) if !has_moves => return None,
            (true, _) => Found::HeaderUnknown,
            (false, false) if has_moves => Found::MovesUpToFault,
            (false, _) => return None,
        };
        Some(self.piece_as(length, found))
    }

    /// Returns the record that was read last, which has this length and was found like this.
    pub fn piece_as(&self, length: usize, found: Found) -> Piece {
        Piece {
            length,
            found,
            key: self.key().filter(|_| found.is_whole()),
            plies: self.game.plies(),
        }
    }
}
