//! Callbacks of long work.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use chessdb::convert::{Observer, OpeningTags};
use chessdb::query::cleaning::CleaningCounts;
use chessdb::result_to_fix;
use pyo3::prelude::*;

use crate::errors::to_exception;
use crate::report::Report;

/// The interval at which Python is asked whether to continue.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(100);

/// Reports progress to a callback and checks for Ctrl-C.
pub(crate) struct ProgressCallback {
    pub(crate) callback: Option<Py<PyAny>>,
    pub(crate) total: Option<u64>,
    next: Instant,
    failed: Option<PyErr>,
    /// The number of games read when the callback ended the work.
    stopped_at: Option<u64>,
    /// The opening tags to set.
    pub(crate) openings: Option<OpeningTags>,
    /// Whether the results of games that end with mate or stalemate are set.
    pub(crate) fixes_results: bool,
    /// The numbers of cleaned headers, if headers are cleaned.
    pub(crate) cleaned: Option<CleaningCounts>,
}

impl ProgressCallback {
    pub(crate) fn new(callback: Option<Py<PyAny>>) -> ProgressCallback {
        ProgressCallback {
            callback,
            total: None,
            // The first call comes at once, so that also short work can be stopped.
            next: Instant::now(),
            failed: None,
            stopped_at: None,
            openings: None,
            fixes_results: false,
            cleaned: None,
        }
    }

    fn tell(&mut self, read: u64) -> PyResult<bool> {
        Python::attach(|py| {
            // A signal raises KeyboardInterrupt only where the interpreter checks for it.
            py.check_signals()?;
            let Some(callback) = &self.callback else {
                return Ok(true);
            };
            let answer = callback.bind(py).call1((read, self.total))?;
            // A callback that returns nothing does not stop the work.
            Ok(answer.is_none() || answer.is_truthy()?)
        })
    }

    /// Calls the callback if it is due.
    pub(crate) fn pass(&mut self, read: u64) -> ControlFlow<()> {
        let now = Instant::now();
        // Calling Python for each game would take longer than converting it.
        if now < self.next {
            return ControlFlow::Continue(());
        }
        self.next = now + PROGRESS_INTERVAL;
        match self.tell(read) {
            Ok(true) => ControlFlow::Continue(()),
            Ok(false) => {
                self.stopped_at = Some(read);
                ControlFlow::Break(())
            }
            Err(error) => {
                self.failed = Some(error);
                ControlFlow::Break(())
            }
        }
    }

    /// Returns the result, unless the callback failed. If it ended the work, calls `stopped` with the
    /// number of games read.
    pub(crate) fn outcome_or<T>(
        &mut self,
        done: chessdb::Result<T>,
        stopped: impl FnOnce(u64) -> T,
    ) -> PyResult<T> {
        // The exception is the reason why the work was interrupted.
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        match (done, self.stopped_at) {
            (Err(error), Some(read)) if error.is_interrupted() => Ok(stopped(read)),
            (done, _) => done.map_err(to_exception),
        }
    }

    /// Returns the report, unless the callback failed.
    pub(crate) fn report(
        &mut self,
        done: chessdb::Result<chessdb::convert::Report>,
    ) -> PyResult<Report> {
        let mut report = self.outcome_or(done.map(Report::new), Report::stopped)?;
        let cleaned = self.cleaned.iter().flat_map(CleaningCounts::iter);
        report.cleaned = cleaned
            .map(|(rule, games)| (rule.code.to_owned(), games))
            .collect();
        Ok(report)
    }
}

impl Observer for ProgressCallback {
    fn edits(&self) -> bool {
        self.openings.is_some() || self.fixes_results || self.cleaned.is_some()
    }

    fn edit(&mut self, game: &mut chessdb::Game) {
        if let Some(openings) = &mut self.openings {
            openings.edit(game);
        }
        if let Some(counts) = &mut self.cleaned {
            counts.clean(game);
        }
        if self.fixes_results
            && let Some((result, _)) = result_to_fix(game)
        {
            game.set_tag("Result", result.as_pgn());
        }
    }

    fn restart(&mut self) {
        self.cleaned
            .iter_mut()
            .for_each(|counts| *counts = CleaningCounts::default());
    }

    fn game(&mut self, report: &chessdb::convert::Report) -> ControlFlow<()> {
        self.pass(report.read())
    }
}
