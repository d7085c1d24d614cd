//! Databases as Python objects, and the functions that open them.

mod explorer;

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, Weak};

use chessdb::Selection;
use chessdb::convert::GameEdits;
use chessdb::options::OpenOptions;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::args::{ColumnNames, open_options, query, selection, with_dcx_promotions};
use crate::edit::{self, Edit, in_place};
use crate::errors::{invalid_argument, to_exception, warn};
use crate::games::{Games, count, item, no_numbers, place, sequence};
use crate::hints::missing;
use crate::iterate::{GameIterator, GameSelection};
use crate::metadata::{Diagnostic, Format, Info};
use crate::report::Report;
use crate::stream::Stream;
use explorer::ExplorerState;
pub(crate) use explorer::{Position, Tree};

/// A chess database of any format: a sequence of its games.
///
/// Several threads may use it at once. It can be sent to other processes, which open it again.
#[pyclass(frozen, sequence, module = "chessdb")]
pub(crate) struct Database {
    db: RwLock<Option<Arc<chessdb::Database>>>,
    reopen_args: Option<ReopenArgs>,
    explorer: Mutex<ExplorerState>,
}

/// The arguments with which it was opened: path, format, encoding, strict, numbering of promotions.
type ReopenArgs = (PathBuf, Option<String>, String, bool, String);

impl Database {
    pub(crate) fn new(db: chessdb::Database) -> Database {
        Database {
            db: RwLock::new(Some(register_open(db))),
            reopen_args: None,
            explorer: Mutex::default(),
        }
    }

    /// Returns the explorer. Only a thread without the interpreter's lock may wait for it, because
    /// the thread that has it may wait for that lock.
    pub(crate) fn explorer(&self) -> MutexGuard<'_, ExplorerState> {
        self.explorer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn get(&self) -> PyResult<Arc<chessdb::Database>> {
        let db = self.db.read().unwrap_or_else(PoisonError::into_inner);
        db.clone()
            .ok_or_else(|| PyValueError::new_err("the database was closed"))
    }

    /// Returns the arguments with which it was opened, if it can be changed in place.
    fn reopen_args(&self) -> PyResult<&ReopenArgs> {
        self.reopen_args.as_ref().ok_or_else(|| {
            PyValueError::new_err(
                "a database in memory cannot be changed; write a new one with chessdb.convert",
            )
        })
    }

    /// Opens the database again after it was changed.
    fn reopen(&self, py: Python<'_>, args: &ReopenArgs) -> PyResult<()> {
        forget(&args.0);
        let options = reopen_options(args);
        let db = py.detach(|| options.open(&args.0)).map_err(to_exception)?;
        // What was counted is no longer true.
        py.detach(|| *self.explorer() = ExplorerState::default());
        let mut current = self.db.write().unwrap_or_else(PoisonError::into_inner);
        *current = Some(register_open(db));
        Ok(())
    }

    /// Saves changes of this database, and opens it again.
    pub(crate) fn save(&self, py: Python<'_>, edits: &GameEdits) -> PyResult<Report> {
        let args = self.reopen_args()?;
        let report = in_place::save(py, &*self.get()?, &args.0, reopen_options(args), edits)?;
        self.reopen(py, args)?;
        Ok(report)
    }

    pub(crate) fn all(&self) -> PyResult<(Arc<chessdb::Database>, GameSelection)> {
        let db = self.get()?;
        let len = db.len().map_err(|_| no_numbers())?;
        Ok((db, GameSelection::All(len)))
    }
}

/// Opens the database at a path: any of its files, the name that they share, or a folder or archive
/// that contains one database. The content determines the format. A table with a column of moves (a
/// DataFrame, an Arrow table, a dictionary of columns) is opened as a database in memory.
///
/// `format` names the format instead of detecting it. `encoding` is the charset of texts that do not
/// declare one. `strict` raises an exception for every deviation from the format. `dcx_promotions` is
/// the numbering of promotions in DC*: "program", "seed", or "auto", by the games. A packed file of up
/// to 64 MiB is unpacked into memory; without `unpack` it is a stream.
#[pyfunction]
#[pyo3(signature = (
    path, *, format = None, encoding = "auto", strict = false, dcx_promotions = "auto", unpack = true
))]
pub(crate) fn open(
    py: Python<'_>,
    path: &Bound<'_, PyAny>,
    format: Option<&str>,
    encoding: &str,
    strict: bool,
    dcx_promotions: &str,
    unpack: bool,
) -> PyResult<Py<Database>> {
    let sources = py.import("chessdb._sources")?;
    let table = sources.call_method1("table", (path,))?;
    if let Ok(db) = table.cast_into::<Database>() {
        return Ok(db.unbind());
    }
    let path: PathBuf = path.extract()?;
    let options = with_dcx_promotions(open_options(format, encoding, strict), dcx_promotions);
    let options = options.index(true).unpacking(unpack);
    let db = py.detach(|| options.open(&path)).map_err(to_exception)?;
    explorer::warn_of(py, db.indexed())?;
    // Another process, which opens it again, may be in another folder.
    let path = std::path::absolute(&path).unwrap_or(path);
    let db = Database {
        reopen_args: Some((
            path,
            format.map(str::to_owned),
            encoding.to_owned(),
            strict,
            dcx_promotions.to_owned(),
        )),
        ..Database::new(db)
    };
    Py::new(py, db)
}

fn reopen_options(args: &ReopenArgs) -> OpenOptions {
    let (_, format, encoding, strict, dcx_promotions) = args;
    let options = open_options(format.as_deref(), encoding, *strict);
    let options = with_dcx_promotions(options, dcx_promotions);
    options.index(true).unpacking(true)
}

/// The open databases. A new database may replace one of them and be made from its games.
static OPENED: Mutex<Vec<Weak<chessdb::Database>>> = Mutex::new(Vec::new());

pub(crate) fn register_open(db: chessdb::Database) -> Arc<chessdb::Database> {
    let db = Arc::new(db);
    let mut opened = OPENED.lock().unwrap_or_else(PoisonError::into_inner);
    // The list would grow with every database.
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
        Ok(Info::new(&*self.get()?))
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
        py.detach(|| Games::matching(&db, Selection::all(), query))
    }

    /// Returns the moves played in a position as a table, the most frequent first. The position is a
    /// FEN, moves such as "1.e4 e5", or a board of python-chess; the start position by default.
    ///
    /// Of each game that matches the query, the first occurrence of the position in the main line
    /// counts. The tree file of `chessdb index` is used if there is one. Otherwise the first call
    /// reads the games and keeps their first positions for further calls.
    #[pyo3(signature = (position = None, r#where = None))]
    fn tree(
        &self,
        py: Python<'_>,
        position: Option<&Bound<'_, PyAny>>,
        r#where: Option<&str>,
    ) -> PyResult<Tree> {
        explorer::tree(py, self, &explorer::board(py, position)?, r#where)
    }

    /// Returns the cross-table of the only event of the games that match the query.
    ///
    /// `kind` is "grid", "rounds" or "pairs", `tie_breaks` rank players with equal points, `factor`
    /// is K of the rating changes. Raises `ValueError` if there is no event, or several;
    /// `chessdb.crosstables` returns the tables of several.
    #[pyo3(signature = (r#where = None, **options))]
    fn crosstable<'py>(
        slf: &Bound<'py, Self>,
        r#where: Option<&str>,
        options: Option<Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let options = options.unwrap_or_else(|| PyDict::new(slf.py()));
        options.set_item("where", r#where)?;
        let module = slf.py().import("chessdb._crosstables")?;
        module.call_method("only_crosstable", (slf,), Some(&options))
    }

    /// Writes all positions of the tree file of `chessdb index` as a Parquet table, with a row for
    /// each move (docs/parquet.md, section 4), and returns the number of rows. The tree file must be
    /// current.
    #[pyo3(signature = (path, *, replace = false))]
    fn write_tree(&self, py: Python<'_>, path: PathBuf, replace: bool) -> PyResult<u64> {
        let db = self.get()?;
        let end_or_continue = |_| match Python::attach(|py| py.check_signals()) {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        };
        let table = py.detach(|| db.write_tree_table(&path, replace, end_or_continue));
        let Some(table) = table.map_err(to_exception)? else {
            let message = "there is no tree file in use; chessdb.index(path) writes it, then open \
                           the database again";
            return Err(invalid_argument(py, message));
        };
        if table.uncounted > 0 {
            let message = format!(
                "{} games are not in the tree file and not in the table",
                table.uncounted
            );
            warn(py, message)?;
        }
        Ok(table.rows)
    }

    /// Returns a position (see `tree`), whose games can be listed and counted.
    fn position(slf: Bound<'_, Self>, position: &Bound<'_, PyAny>) -> PyResult<Position> {
        let board = explorer::board(slf.py(), Some(position))?;
        Ok(Position::new(slf.unbind(), board))
    }

    /// Iterates over the games without their moves, which are read on demand.
    fn headers(&self) -> PyResult<GameIterator> {
        let db = self.get()?;
        Ok(match db.len() {
            Ok(len) => GameIterator::by_number(db, GameSelection::All(len), true),
            // The games of a stream have no numbers.
            Err(_) => GameIterator::from_stream(db, None),
        })
    }

    /// Returns the games as a table. Columns are "headers", "lichess", "moves", "all", or names.
    #[pyo3(signature = (columns = None, *, r#where = None, games = None, batch_size = 16_384, jobs = None, on_error = "keep"))]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments in Python")]
    fn arrow(
        &self,
        py: Python<'_>,
        columns: Option<ColumnNames>,
        r#where: Option<&str>,
        games: Option<&str>,
        batch_size: usize,
        jobs: Option<usize>,
        on_error: &str,
    ) -> PyResult<Stream> {
        let query = query(py, r#where)?;
        let source = chessdb::arrow::BatchSource::Open(self.get()?, selection(games)?);
        Stream::new(py, vec![source], columns, query, batch_size, jobs, on_error)
    }

    /// Returns the games as a table of headers and moves, for consumers of Arrow streams such as
    /// polars, pyarrow and DuckDB.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.arrow(py, None, None, None, 16_384, None, "keep")?
            .__arrow_c_stream__(py, requested_schema)
    }

    /// Closes the files. Games that were read remain valid.
    fn close(&self, py: Python<'_>) {
        py.detach(|| *self.explorer() = ExplorerState::default());
        let mut db = self.db.write().unwrap_or_else(PoisonError::into_inner);
        // Threads that are reading keep the database until they are done.
        *db = None;
    }

    fn __enter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    #[pyo3(signature = (*raised))]
    fn __exit__(&self, raised: &Bound<'_, pyo3::types::PyTuple>) {
        self.close(raised.py());
    }

    fn __len__(&self) -> PyResult<usize> {
        let len = self.get()?.len().map_err(|_| no_numbers())?;
        Ok(len as usize)
    }

    /// Whether there are games, as far as known.
    fn __bool__(&self) -> PyResult<bool> {
        Ok(self.get()?.len().map_or(true, |len| len > 0))
    }

    fn __getitem__<'py>(&self, index: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let (db, which) = self.all()?;
        item(&db, &which, index)
    }

    fn __iter__(&self) -> PyResult<GameIterator> {
        let db = self.get()?;
        Ok(match db.len() {
            Ok(len) => GameIterator::by_number(db, GameSelection::All(len), false),
            Err(_) => GameIterator::from_stream(db, None),
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

    /// Returns the number of games that match a query, or of all. Reads a stream to its end.
    #[pyo3(signature = (r#where = None))]
    #[pyo3(name = "count")]
    fn count_games(&self, py: Python<'_>, r#where: Option<&str>) -> PyResult<u64> {
        let (db, query) = (self.get()?, query(py, r#where)?);
        py.detach(|| count(&db, Selection::all(), query))
    }

    /// Returns the games as a pandas DataFrame, with the columns of `arrow`.
    #[pyo3(signature = (columns = None, *, r#where = None))]
    fn df<'py>(
        &self,
        py: Python<'py>,
        columns: Option<ColumnNames>,
        r#where: Option<&str>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.arrow(py, columns, r#where, None, 16_384, None, "keep")?
            .df(py)
    }

    /// Returns the games as a polars DataFrame, with the columns of `arrow`.
    #[pyo3(signature = (columns = None, *, r#where = None))]
    fn pl<'py>(
        &self,
        py: Python<'py>,
        columns: Option<ColumnNames>,
        r#where: Option<&str>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.arrow(py, columns, r#where, None, 16_384, None, "keep")?
            .pl(py)
    }

    /// Appends games to the database and returns the report. If the format allows it, the time is
    /// proportional to the new games; otherwise the database is rewritten.
    ///
    /// `games` are the sources of `chessdb.convert`. Information that the format cannot store is
    /// left out and counted in the report. With `strict` it raises `LossError` instead, and the
    /// database is unchanged.
    #[pyo3(signature = (games, *, strict = false))]
    fn append(&self, py: Python<'_>, games: &Bound<'_, PyAny>, strict: bool) -> PyResult<Report> {
        let args = self.reopen_args()?;
        self.get()?;
        let report = in_place::append(py, &args.0, args.1.as_deref(), games, strict)?;
        self.reopen(py, args)?;
        Ok(report)
    }

    /// Replaces the game at an index, `db[index]`, and returns the report; like `edit` with one
    /// change.
    ///
    /// Raises `LossError` if the format cannot store the new game, and the database is unchanged.
    fn replace(&self, py: Python<'_>, index: isize, game: &Bound<'_, PyAny>) -> PyResult<Report> {
        self.reopen_args()?;
        let (_, which) = self.all()?;
        let number = place(index, &which)?.index + 1;
        let mut edits = GameEdits::new();
        edits.replace(number, edit::model(py, game)?);
        self.save(py, &edits)
    }

    /// Returns an object for changing games, to be used in a `with` block. At its end all changes are
    /// saved as one, which `chessdb.undo` takes back; after an exception none is.
    ///
    /// If the format allows it, the time is proportional to the changes; otherwise the database is
    /// rewritten. Raises `LossError` if the format cannot store a changed game.
    fn edit(slf: Bound<'_, Self>) -> PyResult<Edit> {
        slf.get().reopen_args()?;
        slf.get().all()?;
        Ok(Edit::new(slf.unbind()))
    }

    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py()
            .import("chessdb._html")?
            .call_method1("games", (slf,))
    }

    fn __getattr__<'py>(slf: &Bound<'py, Self>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        missing(slf, name)
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
