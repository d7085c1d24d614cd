//! Changes to a database in place, and undoing them.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use chessdb::convert::{Editor, GameEdits};
use chessdb::fs::LastChange;
use chessdb::options::OpenOptions;
use chessdb::{Converter, Database, Error, Problem};
use pyo3::prelude::*;

use crate::database::forget;
use crate::errors::to_exception;
use crate::progress::ProgressCallback;
use crate::report::Report;
use crate::sources::{NativeSource, native_sources};

/// Appends games to the database at a path.
pub(crate) fn append(
    py: Python<'_>,
    path: &Path,
    format: Option<&str>,
    games: &Bound<'_, PyAny>,
    strict: bool,
) -> PyResult<Report> {
    let sources = native_sources(games)?;
    let mut interrupts = ProgressCallback::new(None);
    let run = || {
        let mut converter = Converter::to(path).append(true).strict(strict);
        if let Some(format) = format {
            converter = converter.format(format);
        }
        let options = Database::options();
        let add = |converter, source| NativeSource::add_to(source, converter, &options);
        let converter = sources.iter().fold(converter, add);
        converter.observer(&mut interrupts).run()
    };
    let done = py.detach(run);
    interrupts.report(done)
}

/// Saves changes of the database at a path. `db` is the database as Python sees it.
pub(crate) fn save(
    py: Python<'_>,
    db: &Database,
    path: &Path,
    options: OpenOptions,
    edits: &GameEdits,
) -> PyResult<Report> {
    let mut interrupts = ProgressCallback::new(None);
    let run = || {
        let mut editor = Editor::open(path, options)?;
        // The numbers may belong to other games by now.
        if db
            .snapshot()
            .is_some_and(|snapshot| snapshot.changed().is_some())
        {
            return Err(Error::new(path, Problem::Changed).while_writing());
        }
        editor.record("edit in Python", edits.len());
        editor.save(edits, &mut interrupts)
    };
    let done = py.detach(run);
    interrupts.report(done)
}

/// A change of a database, as `chessdb undo --list` shows it.
#[pyclass(frozen, get_all, module = "chessdb", name = "Change")]
pub(crate) struct RecordedChange {
    /// The time at which it was made.
    time: SystemTime,
    /// The command of the program, or a description.
    command: String,
    /// The number of changed and appended games, if it is known.
    games: Option<u64>,
    /// Whether it was undone.
    undone: bool,
}

impl RecordedChange {
    fn all(changes: LastChange) -> Vec<RecordedChange> {
        let LastChange {
            commands,
            is_undone,
        } = changes;
        let all = commands
            .into_iter()
            .enumerate()
            .map(|(n, command)| RecordedChange {
                time: command.time,
                command: command.command,
                games: command.games,
                undone: n == 0 && is_undone,
            });
        all.collect()
    }
}

#[pymethods]
impl RecordedChange {
    fn __repr__(&self) -> String {
        let games = self
            .games
            .map_or(String::new(), |games| format!(", {games} games"));
        let undone = if self.undone { ", undone" } else { "" };
        format!("<Change: {}{games}{undone}>", self.command)
    }
}

/// Undoes the last change of the database at a path that was made in place, and returns it; once
/// more repeats it. Open the database again afterwards.
///
/// Raises `ChessDbError` if there is no such change, or if another program has changed the database
/// since.
#[pyfunction]
pub(crate) fn undo(py: Python<'_>, path: PathBuf) -> PyResult<Option<RecordedChange>> {
    let undone = py.detach(|| chessdb::fs::undo_last(&path));
    let undone = undone.map_err(to_exception)?;
    forget(&path);
    Ok(RecordedChange::all(undone).into_iter().next())
}

/// Returns the last changes of the database at a path that were made in place, the latest first.
/// Only that one can be undone.
#[pyfunction]
pub(crate) fn changes(py: Python<'_>, path: PathBuf) -> PyResult<Vec<RecordedChange>> {
    let changes = py.detach(|| chessdb::fs::last_changes(&path));
    Ok(changes
        .map_err(to_exception)?
        .map_or_else(Vec::new, RecordedChange::all))
}
