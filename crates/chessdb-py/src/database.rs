//! Databases as Python objects, and the functions that open them.

use std::collections::HashSet;
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock, Weak};

use chessdb::core::report::Finding;
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyMapping};

use crate::args::{ColumnNames, open_options, query, selection, with_dcx_promotions};
use crate::errors::to_exception;
use crate::games::{Games, item, no_numbers, sequence};
use crate::iterate::{GameIterator, GameSelection, PyFailure};
use crate::metadata::{Diagnostic, Format, Info};
use crate::stream::Stream;

/// A chess database of any format: a sequence of its games.
///
/// Several threads may use it at once. It can be sent to other processes, which open it again.
#[pyclass(frozen, sequence, module = "chessdb")]
pub(crate) struct Database {
    db: RwLock<Option<Arc<chessdb::Database>>>,
    reopen_args: Option<ReopenArgs>,
}

/// The arguments with which it was opened: path, format, encoding, strict, numbering of promotions.
type ReopenArgs = (PathBuf, Option<String>, String, bool, String);

impl Database {
    fn new(db: chessdb::Database) -> Database {
        Database {
            db: RwLock::new(Some(register_open(db))),
            reopen_args: None,
        }
    }

    pub(crate) fn get(&self) -> PyResult<Arc<chessdb::Database>> {
        let db = self.db.read().unwrap_or_else(PoisonError::into_inner);
        db.clone()
            .ok_or_else(|| PyValueError::new_err("the database was closed"))
    }

    fn all(&self) -> PyResult<(Arc<chessdb::Database>, GameSelection)> {
        let db = self.get()?;
        let len = db.len().map_err(|_| no_numbers())?;
        Ok((db, GameSelection::All(len)))
    }
}

/// Opens the database at a path: any of its files, the name that they share, or a folder or archive
/// that contains one database. The content determines the format.
#[pyfunction]
#[pyo3(signature = (path, *, format = None, encoding = "auto", strict = false, dcx_promotions = "auto"))]
pub(crate) fn open(
    py: Python<'_>,
    path: PathBuf,
    format: Option<&str>,
    encoding: &str,
    strict: bool,
    dcx_promotions: &str,
) -> PyResult<Database> {
    let options = with_dcx_promotions(open_options(format, encoding, strict), dcx_promotions);
    let db = py.detach(|| options.open(&path)).map_err(to_exception)?;
    let path = std::path::absolute(&path).unwrap_or(path);
    Ok(Database {
        reopen_args: Some((
            path,
            format.map(str::to_owned),
            encoding.to_owned(),
            strict,
            dcx_promotions.to_owned(),
        )),
        ..Database::new(db)
    })
}

/// The open databases. A new database may replace one of them and be made from its games.
static OPENED: Mutex<Vec<Weak<chessdb::Database>>> = Mutex::new(Vec::new());

fn register_open(db: chessdb::Database) -> Arc<chessdb::Database> {
    let db = Arc::new(db);
    let mut opened = OPENED.lock().unwrap_or_else(PoisonError::into_inner);
    opened.retain(|other| other.strong_count() > 0);
    opened.push(Arc::downgrade(&db));
    db
}

/// Forgets the databases that were opened at this path, because Python itself has written there
/// since.
pub(crate) fn forget(path: &Path) {
    let mut opened = OPENED.lock().unwrap_or_else(PoisonError::into_inner);
    opened.retain(|db| {
        let db = db.upgrade();
        let is_at = |base: &Path| chessdb::fs::belongs_to(path, base);
        db.is_some_and(|db| !db.path().is_some_and(is_at))
    });
}

/// Returns the databases that are open or have games that Python still holds.
pub(crate) fn opened() -> Vec<Arc<chessdb::Database>> {
    let opened = OPENED.lock().unwrap_or_else(PoisonError::into_inner);
    opened.iter().filter_map(Weak::upgrade).collect()
}

/// Opens the single database among files in memory, by their names and content.
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

fn bytes_of(content: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    if let Ok(bytes) = content.cast::<PyBytes>() {
        return Ok(bytes.as_bytes().to_vec());
    }
    PyBuffer::<u8>::get(content)?.to_vec(content.py())
}

/// Reads games one after another from a path or an open binary file. Only a few games are in memory
/// at a time.
#[pyfunction]
#[pyo3(signature = (source, *, format = None, encoding = "auto", strict = false))]
pub(crate) fn read(
    py: Python<'_>,
    source: &Bound<'_, PyAny>,
    format: Option<&str>,
    encoding: &str,
    strict: bool,
) -> PyResult<GameIterator> {
    let options = open_options(format, encoding, strict);
    let fault = PyFailure::default();
    let db = if source.hasattr(intern!(py, "read"))? {
        let input = PythonFile {
            file: source.clone().unbind(),
            left: Vec::new(),
            fault: Arc::clone(&fault),
        };
        py.detach(|| options.from_reader(input))
    } else {
        let path: PathBuf = source.extract()?;
        py.detach(|| options.streaming(true).open(path))
    };
    let failed = fault.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(failed) = failed {
        return Err(failed);
    }
    let db = register_open(db.map_err(to_exception)?);
    Ok(match db.len() {
        Ok(len) => GameIterator::by_number(db, GameSelection::All(len), false),
        Err(_) => GameIterator::of_input(db, None, fault),
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
    left: Vec<u8>,
    fault: PyFailure,
}

/// The number of bytes per read.
const READ_SIZE: usize = 64 << 10;

impl Read for PythonFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.left.is_empty() {
            let bytes = Python::try_attach(|py| {
                let bytes = self
                    .file
                    .bind(py)
                    .call_method1(intern!(py, "read"), (READ_SIZE,))?;
                bytes_of(&bytes)
            });
            // Without an interpreter no one waits for games.
            let bytes = bytes.unwrap_or(Ok(Vec::new()));
            self.left = bytes.map_err(|error| {
                let message = error.to_string();
                *self.fault.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                io::Error::other(message)
            })?;
            self.left.reverse();
        }
        let length = buffer.len().min(self.left.len());
        for (to, from) in buffer
            .iter_mut()
            .zip(self.left.drain(self.left.len() - length..).rev())
        {
            *to = from;
        }
        Ok(length)
    }
}

/// The maximum number of findings that are kept.
const FINDINGS: usize = 100_000;

/// Checks the files of a database and its games for damage and contradictions.
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
        let mut known = HashSet::new();
        let mut findings = Vec::new();
        let mut add = |found: Diagnostic| {
            if findings.len() < FINDINGS && known.insert(found.clone()) {
                findings.push(found);
            }
        };
        let format = match format {
            Some(id) => match chessdb::formats::by_id(id) {
                Some(format) => Some(format),
                None => return Err(chessdb::Problem::UnknownFormat(id.to_owned()).into()),
            },
            None => None,
        };
        let found = chessdb::fs::find_as(&path, format)?;
        if options.is_read_whole(&found) {
            let files = found.read()?;
            options.check(&files, &mut |found: Finding| add(Diagnostic::from(&found)))?;
        }
        let db = options.open(&path)?;
        for found in db.diagnostics() {
            add(Diagnostic::from(found));
        }
        let end = db.scan().for_each(|game, read| {
            for found in game.diagnostics() {
                add(Diagnostic::from(found));
            }
            if let Err(error) = read
                && let chessdb::Problem::Format(error) = error.into_problem()
            {
                add(Diagnostic::from(&Finding::from(error)));
            }
            ControlFlow::Continue(())
        })?;
        for found in &end {
            add(Diagnostic::from(found));
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
    let first = groups.iter().filter_map(|group| group.files.first());
    first
        .filter_map(|(_, place)| names.get(*place).cloned())
        .collect()
}

#[pymethods]
impl Database {
    /// The given path, or the file that it led to; None for a database in memory.
    #[getter]
    fn path(&self) -> PyResult<Option<PathBuf>> {
        Ok(self.get()?.path().map(Path::to_owned))
    }

    /// The format.
    #[getter]
    fn format(&self) -> PyResult<Format> {
        Ok(Format(self.get()?.format()))
    }

    /// The detected charset of texts that do not declare one; "" if nothing had to be detected.
    #[getter]
    fn encoding(&self) -> PyResult<String> {
        let db = self.get()?;
        Ok(db
            .charset()
            .map_or_else(String::new, |guess| guess.page.name().to_owned()))
    }

    /// Information about the database as a whole.
    #[getter]
    fn info(&self) -> PyResult<Info> {
        Ok(Info::of(&*self.get()?))
    }

    /// The findings on opening.
    #[getter]
    fn diagnostics(&self) -> PyResult<Vec<Diagnostic>> {
        Ok(Diagnostic::all(self.get()?.diagnostics()).into_vec())
    }

    /// Whether games can only be read one after another, without numbers and length.
    #[getter]
    fn is_stream(&self) -> PyResult<bool> {
        Ok(self.get()?.is_stream())
    }

    /// Returns the games that match a query, such as "white:Tal year:1955..1965 eco:B90-B99".
    #[pyo3(name = "find")]
    fn find_games(&self, py: Python<'_>, r#where: &str) -> PyResult<Games> {
        let db = self.get()?;
        let query = query(py, Some(r#where))?;
        py.detach(|| Games::found(&db, query))
    }

    /// Iterates over the games without their moves, which are read on demand.
    fn headers(&self) -> PyResult<GameIterator> {
        let db = self.get()?;
        Ok(match db.len() {
            Ok(len) => GameIterator::by_number(db, GameSelection::All(len), true),
            Err(_) => GameIterator::of_stream(db, None),
        })
    }

    /// Returns the games as a table. Columns are "headers", "lichess", "moves", "all", or names.
    #[pyo3(signature = (columns = None, *, r#where = None, games = None, batch_size = 16_384, threads = None, on_error = "keep"))]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments in Python")]
    fn arrow(
        &self,
        py: Python<'_>,
        columns: Option<ColumnNames>,
        r#where: Option<&str>,
        games: Option<&str>,
        batch_size: usize,
        threads: Option<usize>,
        on_error: &str,
    ) -> PyResult<Stream> {
        let query = query(py, r#where)?;
        let source = chessdb::arrow::BatchSource::Open(self.get()?, selection(games)?);
        Stream::new(
            py,
            vec![source],
            columns,
            query,
            batch_size,
            threads,
            on_error,
        )
    }

    /// Returns the games as a table of headers and moves, for consumers of Arrow streams such as
    /// polars, pyarrow and DuckDB.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let stream = self.arrow(py, None, None, None, 16_384, None, "keep")?;
        stream.__arrow_c_stream__(py, requested_schema)
    }

    /// Closes the files. Games that were read remain valid.
    fn close(&self) {
        let mut db = self.db.write().unwrap_or_else(PoisonError::into_inner);
        *db = None;
    }

    fn __enter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    #[pyo3(signature = (*_raised))]
    fn __exit__(&self, _raised: &Bound<'_, pyo3::types::PyTuple>) {
        self.close();
    }

    fn __len__(&self) -> PyResult<usize> {
        let len = self.get()?.len().map_err(|_| no_numbers())?;
        Ok(len as usize)
    }

    /// Whether there are games, as far as known.
    fn __bool__(&self) -> PyResult<bool> {
        Ok(self.get()?.len().map_or(true, |len| len > 0))
    }

    fn __getitem__<'py>(&self, at: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let (db, which) = self.all()?;
        item(&db, &which, at)
    }

    fn __iter__(&self) -> PyResult<GameIterator> {
        let db = self.get()?;
        Ok(match db.len() {
            Ok(len) => GameIterator::by_number(db, GameSelection::All(len), false),
            Err(_) => GameIterator::of_stream(db, None),
        })
    }

    /// Returns the first index of this game.
    #[pyo3(signature = (value, start = 0, stop = None))]
    fn index<'py>(
        slf: &Bound<'py, Self>,
        value: &Bound<'py, PyAny>,
        start: isize,
        stop: Option<isize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        sequence(slf.py(), "index", (slf, value, start, stop))
    }

    /// Returns the number of occurrences of this game.
    fn count<'py>(
        slf: &Bound<'py, Self>,
        value: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        sequence(slf.py(), "count", (slf, value))
    }

    fn __repr__(&self) -> String {
        let Ok(db) = self.get() else {
            return "<Database, closed>".to_owned();
        };
        let path = db
            .path()
            .map_or_else(|| "in memory".to_owned(), |path| format!("{path:?}"));
        match db.len() {
            Ok(len) => format!("<Database {path}: {}, {len} games>", db.format().id),
            Err(_) => format!("<Database {path}: {}, a stream>", db.format().id),
        }
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, ReopenArgs)> {
        let Some(reopen_args) = &self.reopen_args else {
            let message = "a database in memory cannot be sent to another process";
            return Err(pyo3::exceptions::PyTypeError::new_err(message));
        };
        let open = py.import("chessdb._again")?.getattr("open_again")?;
        Ok((open, reopen_args.clone()))
    }
}
