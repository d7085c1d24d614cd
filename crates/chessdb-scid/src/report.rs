//! Where findings about one game go while it is read.

use chessdb_core::{ErrorKind, Location, ReadOptions, Result, Scratch, Severity};

use crate::generation::Spec;

/// Findings about one game: errors in strict mode, diagnostics otherwise.
pub(crate) struct Report<'r> {
    pub(crate) options: &'r ReadOptions,
    pub(crate) spec: &'static Spec,
    pub(crate) scratch: &'r mut Scratch,
    /// From 1.
    pub(crate) game: u32,
}

impl Report<'_> {
    /// A byte of the games file.
    pub(crate) fn in_games(&self, offset: u64) -> Location {
        Location::byte(self.spec.games_file(), offset)
    }

    /// A byte of this game's index entry.
    pub(crate) fn in_entry(&self, offset: u64) -> Location {
        Location::byte(self.spec.index_file(), self.spec.place(self.game) + offset)
    }

    /// A deviation at this place of this game.
    pub(crate) fn add(&mut self, severity: Severity, kind: ErrorKind, at: Location) -> Result<()> {
        self.scratch
            .deviation(self.options, severity, kind, at.in_game(self.game))
    }
}
