//! The report of a salvage: how each game was found.

use std::ops::ControlFlow;

use chessdb_core::salvage::{Found, Salvaged};
use chessdb_core::{Diagnostic, Severity};
use chessdb_database::Database;

use super::{Observer, Report};

/// Records how each game of a conversion was found. The source must have been opened with
/// [`chessdb_database::OpenOptions::salvage`].
#[derive(Default, Debug)]
pub struct SalvageObserver {
    salvaged: Salvaged,
    /// The state of the current game, if reading it has reported findings.
    found: Option<Found>,
    written: u64,
    games: Vec<Option<Found>>,
    faults: Vec<String>,
}

/// How each game was found, and the bytes without games.
#[derive(Default, Debug)]
#[non_exhaustive]
pub struct SalvageReport {
    /// The result of the search when the database was opened.
    pub salvaged: Salvaged,
    /// The state of each game; `None` for a game that could not be read or written.
    pub games: Vec<Option<Found>>,
    /// The losses of the database as a whole.
    pub faults: Vec<String>,
}

impl SalvageObserver {
    /// Returns the state of the game that is being read.
    fn present(&self) -> Found {
        let n = u32::try_from(self.games.len()).unwrap_or(u32::MAX);
        self.salvaged.found(n)
    }

    /// Returns the report.
    pub fn end(self) -> SalvageReport {
        SalvageReport {
            salvaged: self.salvaged,
            games: self.games,
            faults: self.faults,
        }
    }
}

impl Observer for SalvageObserver {
    fn source(&mut self, _source: usize, db: &Database) {
        self.salvaged = db.salvaged().cloned().unwrap_or_default();
    }

    fn edits(&self) -> bool {
        false
    }

    fn game(&mut self, report: &Report) -> ControlFlow<()> {
        let state = self.found.take().unwrap_or_else(|| self.present());
        let written = report.written() > self.written;
        self.games.push(written.then_some(state));
        self.written = report.written();
        ControlFlow::Continue(())
    }

    fn diagnostic(&mut self, _source: usize, diagnostic: &Diagnostic) {
        if diagnostic.severity == Severity::Lost {
            match diagnostic.at.game {
                Some(_) => {
                    let state = self.found.unwrap_or_else(|| self.present());
                    self.found = Some(self.salvaged.judge(state, diagnostic));
                }
                None => self.faults.push(diagnostic.to_string()),
            }
        }
    }
}

impl SalvageReport {
    /// Returns whether every game was found where the index states, complete, and nothing else was
    /// lost.
    pub fn is_whole(&self) -> bool {
        let exact = |game: &Option<Found>| *game == Some(Found::Exact);
        self.games.iter().all(exact) && self.salvaged.barren.is_empty() && self.faults.is_empty()
    }

    /// Returns the number of games in this state; `None` counts those that were left out.
    pub fn count(&self, state: Option<Found>) -> u64 {
        self.games.iter().filter(|&&game| game == state).count() as u64
    }

    /// Returns the number of bytes in which no game was found.
    pub fn barren_bytes(&self) -> u64 {
        let barren = self.salvaged.barren.iter();
        barren.map(|(_, range, _)| range.end - range.start).sum()
    }
}
