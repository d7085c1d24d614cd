//! Functions that open, read and check databases without keeping them open.

use std::collections::HashSet;
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::{Arc, PoisonError};

use chessdb::core::report::Finding;
use pyo3::buffer::PyBuffer;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyMapping, PyString};

use crate::args::{open_options, with_dcx_promotions};
use crate::database::{Database, register_open};
use crate::errors::to_exception;
use crate::iterate::{GameIterator, GameSelection, PyFailure};
use crate::metadata::Diagnostic;

/// Opens the single database among files in memory, by their names and content. A file is bytes, or
/// text, which is encoded as UTF-8. The options work as in `open`.
#[pyfunction]
#[pyo3(signature = (files, *, format = None, encoding = "auto", strict = false, dcx_promotions = "auto"))]
pub(crate) fn open_bytes(
    py: Python<'_>,
    files: &Bound<'_, PyMapping>,
    format: Option<&str>,
    encoding: &str,
    strict: bool,
    dcx_promotions: &str,
) -> PyResult<Database> {
    let mut named: Vec<(PathBuf, Vec<u8>)> = Vec::new();
    for pair in files.items()? {
        let (name, content): (PathBuf, Bound<'_, PyAny>) = pair.extract()?;
        named.push((name, bytes_of(&content)?));
    }
    let options = with_dcx_promotions(open_options(format, encoding, strict), dcx_promotions);
    let db = py
        .detach(|| options.open_files(named))
        .map_err(to_exception)?;
    Ok(Database::new(db))
}

/// Returns bytes; text is encoded as UTF-8.
fn bytes_of(content: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    if let Ok(text) = content.cast::<PyString>() {
        return Ok(text.to_string_lossy().into_owned().into_bytes());
    }
    if let Ok(bytes) = content.cast::<PyBytes>() {
        return Ok(bytes.as_bytes().to_vec());
    }
    PyBuffer::<u8>::get(content)?.to_vec(content.py())
}

/// Reads games one after another from a path or an open file, binary or of text. Only a few games are
/// in memory at a time. `format`, `encoding` and `strict` work as in `open`.
#[pyfunction]
#[pyo3(signature = (source, *, format = None, encoding = "auto", strict = false))]
pub(crate) fn read(
    py: Python<'_>,
    source: &Bound<'_, PyAny>,
    format: Option<&str>,
    encoding: &str,
    strict: bool,
) -> PyResult<GameIterator> {
    // A text file was decoded by Python.
    let text_file = py.import("io")?.getattr("TextIOBase")?;
    let encoding = if source.is_instance(&text_file)? { "utf-8" } else { encoding };
    let options = open_options(format, encoding, strict);
    let fault = PyFailure::default();
    let db = if source.hasattr(intern!(py, "read"))? {
        let input = PythonFile {
            file: source.clone().unbind(),
            unread: Vec::new(),
            fault: Arc::clone(&fault),
        };
        py.detach(|| options.from_reader(input))
    } else {
        let path: PathBuf = source.extract()?;
        py.detach(|| options.streaming(true).open(path))
    };
    // The exception of the file tells more than the error that it caused.
    let failed = fault.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(failed) = failed {
        return Err(failed);
    }
    let db = register_open(db.map_err(to_exception)?);
    Ok(match db.len() {
        Ok(len) => GameIterator::by_number(db, GameSelection::All(len), false),
        Err(_) => GameIterator::from_input(db, None, fault),
    })
}

/// Opens the games of a part of a file as a stream, which can be read once.
#[pyfunction]
#[pyo3(signature = (path, start, stop, *, format = None, encoding = "auto"))]
pub(crate) fn open_part(
    path: PathBuf,
    start: u64,
    stop: u64,
    format: Option<&str>,
    encoding: &str,
) -> PyResult<Database> {
    let options = open_options(format, encoding, false);
    let db = chessdb::arrow::open_part(&path, &(start..stop), &options);
    Ok(Database::new(db.map_err(to_exception)?))
}

/// Returns the offsets at which a file packed with Zstandard can be split: the first frame after
/// each multiple of `step` bytes.
#[pyfunction]
pub(crate) fn frames(py: Python<'_>, path: PathBuf, step: u64) -> PyResult<Vec<u64>> {
    py.detach(|| chessdb::arrow::frames(&path, step))
        .map_err(to_exception)
}

/// A Python file object.
struct PythonFile {
    file: Py<PyAny>,
    unread: Vec<u8>,
    fault: PyFailure,
}

/// The number of bytes per read.
const READ_SIZE: usize = 64 << 10;

impl Read for PythonFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.unread.is_empty() {
            let bytes = Python::try_attach(|py| {
                let bytes = self
                    .file
                    .bind(py)
                    .call_method1(intern!(py, "read"), (READ_SIZE,))?;
                bytes_of(&bytes)
            });
            // Without an interpreter no one waits for games.
            let bytes = bytes.unwrap_or(Ok(Vec::new()));
            self.unread = bytes.map_err(|error| {
                let message = error.to_string();
                *self.fault.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                io::Error::other(message)
            })?;
            // Taking bytes from the end moves none of the others.
            self.unread.reverse();
        }
        let length = buffer.len().min(self.unread.len());
        for (to, from) in buffer
            .iter_mut()
            .zip(self.unread.drain(self.unread.len() - length..).rev())
        {
            *to = from;
        }
        Ok(length)
    }
}

/// The maximum number of findings that are kept.
const FINDINGS: usize = 100_000;

/// Checks the files of a database and its games for damage and contradictions. `format` names the
/// format instead of detecting it, and `encoding` the charset of texts that do not declare one.
#[pyfunction]
#[pyo3(signature = (path, *, format = None, encoding = "auto"))]
pub(crate) fn check(
    py: Python<'_>,
    path: PathBuf,
    format: Option<&str>,
    encoding: &str,
) -> PyResult<Vec<Diagnostic>> {
    let options = open_options(format, encoding, false);
    let work = || -> chessdb::Result<Vec<Diagnostic>> {
        let mut seen = HashSet::new();
        let mut findings = Vec::new();
        let mut add = |diagnostic: Diagnostic| {
            // Checking the files and reading the games find some faults twice.
            if findings.len() < FINDINGS && seen.insert(diagnostic.clone()) {
                findings.push(diagnostic);
            }
        };
        let format = match format {
            Some(id) => match chessdb::formats::by_id(id) {
                Some(format) => Some(format),
                None => return Err(chessdb::Problem::UnknownFormat(id.to_owned()).into()),
            },
            None => None,
        };
        let database = chessdb::fs::find_as(&path, format)?;
        if options.is_read_whole(&database) {
            let files = database.read()?;
            options.check(&files, &mut |finding: Finding| {
                add(Diagnostic::from(&finding))
            })?;
        }
        let db = options.open(&path)?;
        for diagnostic in db.diagnostics() {
            add(Diagnostic::from(diagnostic));
        }
        let end = db.scan().for_each(|game, read| {
            for diagnostic in game.diagnostics() {
                add(Diagnostic::from(diagnostic));
            }
            if let Err(error) = read
                && let chessdb::Problem::Format(error) = error.into_problem()
            {
                add(Diagnostic::from(&Finding::from(error)));
            }
            ControlFlow::Continue(())
        })?;
        for diagnostic in &end {
            add(Diagnostic::from(diagnostic));
        }
        Ok(findings)
    };
    py.detach(work).map_err(to_exception)
}

/// Lists the databases at a path: those in a folder and its subfolders, or the single one at that
/// path.
#[pyfunction]
pub(crate) fn survey(py: Python<'_>, path: PathBuf) -> PyResult<Vec<PathBuf>> {
    let work = || chessdb::fs::survey(&path, chessdb::formats::FormatHint::default());
    Ok(py.detach(work).map_err(to_exception)?.bases)
}

/// Lists the databases among files with these names, each by the file that names it. Only the names
/// are examined.
#[pyfunction]
pub(crate) fn group(names: Vec<PathBuf>) -> Vec<PathBuf> {
    let groups = chessdb::formats::group(&names);
    groups
        .iter()
        .filter_map(|group| group.files.first())
        .filter_map(|(_, place)| names.get(*place).cloned())
        .collect()
}
