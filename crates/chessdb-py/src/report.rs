//! Reports of conversions.

use std::collections::BTreeMap;
use std::path::PathBuf;

use pyo3::intern;
use pyo3::prelude::*;

/// The fields of a loss.
type LossParts = (String, String, u64, u64, Vec<u32>);
/// The fields of a report; the first are the numbers of games.
type ReportParts = (
    (u64, u64, u64, u64, Option<u64>, bool),
    Vec<Loss>,
    Vec<String>,
    Option<PathBuf>,
    BTreeMap<String, u64>,
);

/// One kind of loss over a whole conversion.
#[pyclass(frozen, get_all, from_py_object, module = "chessdb")]
#[derive(Clone)]
pub(crate) struct Loss {
    /// The kind, one word of a fixed list.
    kind: String,
    /// A description of the lost information.
    what: String,
    /// The number of losses.
    count: u64,
    /// The number of games with this loss; 0 if it concerns the database as a whole.
    games: u64,
    /// The numbers of the first of these games.
    first: Vec<u32>,
}

#[pymethods]
impl Loss {
    fn __repr__(&self) -> String {
        format!("<Loss: {} {}>", self.count, self.what)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, LossParts)> {
        let again = slf.get_type().getattr(intern!(slf.py(), "_again"))?;
        let loss = slf.get().clone();
        let Loss {
            kind,
            what,
            count,
            games,
            first,
        } = loss;
        Ok((again, (kind, what, count, games, first)))
    }

    /// Restores a pickled loss.
    #[staticmethod]
    fn _again(kind: String, what: String, count: u64, games: u64, first: Vec<u32>) -> Loss {
        Loss {
            kind,
            what,
            count,
            games,
            first,
        }
    }
}

/// The result of a conversion.
#[pyclass(frozen, get_all, from_py_object, module = "chessdb")]
#[derive(Clone)]
pub(crate) struct Report {
    /// The number of games read from the sources.
    pub(crate) read: u64,
    /// The number of games in the target.
    written: u64,
    /// The number of games written without some of their moves.
    cut: u64,
    /// The number of games left out.
    skipped: u64,
    /// The number of games that were changed in place; None if the database was written as a whole.
    changed: Option<u64>,
    /// Information that the target format cannot store.
    losses: Vec<Loss>,
    /// Problems in the sources, one line each.
    diagnostics: Vec<String>,
    /// The file that names the new database.
    target: Option<PathBuf>,
    /// The number of games that each rule of `clean_headers` changed.
    pub(crate) cleaned: BTreeMap<String, u64>,
    /// Whether the callback `progress` stopped the conversion, so that nothing was written.
    pub(crate) stopped: bool,
}

impl Report {
    /// Returns the numbers of games in words.
    fn games(&self) -> String {
        if self.stopped {
            return format!("stopped after {} games, nothing written", self.read);
        }
        match self.changed {
            Some(changed) => format!("{changed} games changed in place, {} in all", self.written),
            None => format!("{} of {} games written", self.written, self.read),
        }
    }

    /// Returns the report of a conversion that was stopped after this number of games.
    pub(crate) fn stopped(read: u64) -> Report {
        Report {
            read,
            written: 0,
            cut: 0,
            skipped: 0,
            changed: None,
            losses: Vec::new(),
            diagnostics: Vec::new(),
            target: None,
            cleaned: BTreeMap::new(),
            stopped: true,
        }
    }

    pub(crate) fn new(report: chessdb::convert::Report) -> Report {
        let losses = report.losses().map(|loss| Loss {
            kind: format!("{:?}", loss.kind),
            what: loss.kind.to_string(),
            count: loss.count,
            games: loss.games,
            first: loss.first.iter().map(|example| example.game).collect(),
        });
        let diagnostics = report.diagnostics().iter();
        Report {
            read: report.read(),
            written: report.written(),
            cut: report.cut(),
            skipped: report.skipped(),
            changed: report.changed(),
            losses: losses.collect(),
            diagnostics: diagnostics
                .map(|count| format!("{} {count}", count.count))
                .collect(),
            target: report.target().map(PathBuf::from),
            cleaned: BTreeMap::new(),
            stopped: false,
        }
    }
}

#[pymethods]
impl Report {
    fn __str__(&self) -> String {
        let mut lines = vec![self.games()];
        lines.extend(
            self.losses
                .iter()
                .map(|loss| format!("{} {}", loss.count, loss.what)),
        );
        lines.extend(self.diagnostics.iter().cloned());
        lines.join("\n")
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, ReportParts)> {
        let again = slf.get_type().getattr(intern!(slf.py(), "_again"))?;
        let report = slf.get().clone();
        let Report {
            read,
            written,
            cut,
            skipped,
            changed,
            stopped,
            ..
        } = report;
        let numbers = (read, written, cut, skipped, changed, stopped);
        let Report {
            losses,
            diagnostics,
            target,
            cleaned,
            ..
        } = report;
        Ok((again, (numbers, losses, diagnostics, target, cleaned)))
    }

    /// Restores a pickled report.
    #[staticmethod]
    fn _again(
        numbers: (u64, u64, u64, u64, Option<u64>, bool),
        losses: Vec<Loss>,
        diagnostics: Vec<String>,
        target: Option<PathBuf>,
        cleaned: BTreeMap<String, u64>,
    ) -> Report {
        let (read, written, cut, skipped, changed, stopped) = numbers;
        Report {
            read,
            written,
            cut,
            skipped,
            changed,
            losses,
            diagnostics,
            target,
            cleaned,
            stopped,
        }
    }

    fn __repr__(&self) -> String {
        format!("<Report: {}>", self.games())
    }
}
