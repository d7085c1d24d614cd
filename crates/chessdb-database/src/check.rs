//! The counts of a check.

use chessdb_core::error::Location;
use chessdb_core::{ErrorKind, Severity};
use chessdb_files::error::{Error, Problem};

use crate::game::Game;

/// The numbers of games and findings of a check, as `chessdb check` reports them.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct CheckCounts {
    /// The number of games, including those that cannot be read.
    pub games: u64,
    /// The number of findings without data loss.
    pub notes: u64,
    /// The number of findings that were corrected while reading.
    pub repaired: u64,
    /// The number of findings with data loss.
    pub lost: u64,
    /// The number of findings that were not kept because a game had too many.
    pub dropped: u64,
}

impl CheckCounts {
    /// Counts a finding.
    pub fn add(&mut self, severity: Severity) {
        *match severity {
            Severity::Note => &mut self.notes,
            Severity::Repaired => &mut self.repaired,
            Severity::Lost => &mut self.lost,
        } += 1;
    }

    /// Counts a game and its findings, and passes these to `visit`. `error` is the error of a game
    /// that could not be read.
    pub fn add_game(
        &mut self,
        game: &Game,
        error: Option<&Error>,
        visit: &mut dyn FnMut(Severity, &ErrorKind, &Location),
    ) {
        self.games += 1;
        self.dropped += u64::from(game.dropped_diagnostics());
        for found in game.diagnostics() {
            self.add(found.severity);
            visit(found.severity, &found.kind, &found.at);
        }
        if let Some(Problem::Format(error)) = error.map(Error::problem) {
            self.add(Severity::Lost);
            visit(Severity::Lost, error.kind(), error.location());
        }
    }

    /// Returns whether the check found damage, so that `chessdb check` exits with 1.
    pub fn has_problems(&self) -> bool {
        self.repaired + self.lost > 0
    }
}
