//! Where findings about one game go while it is read.

use chessdb_core::{ErrorKind, Location, ReadOptions, Result, Scratch, Severity};

/// Findings about one game: errors in strict mode, diagnostics otherwise.
pub(crate) struct Report<'r> {
    pub(crate) options: &'r ReadOptions,
    pub(crate) scratch: &'r mut Scratch,
    /// From 1.
    pub(crate) game: u32,
}

impl Report<'_> {
    /// A deviation at this place of this game.
    pub(crate) fn add(&mut self, severity: Severity, kind: ErrorKind, at: Location) -> Result<()> {
        self.scratch
            .deviation(self.options, severity, kind, at.in_game(self.game))
    }
}
