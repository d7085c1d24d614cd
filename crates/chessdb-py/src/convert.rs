//! Conversions and their reports.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use chessdb::convert::{Converter, GameList, Observer, PartitionBy};
use chessdb::core::GameStore;
use chessdb::fs::Positions;
use chessdb::options::OpenOptions;
use chessdb::{Database, Selection};
use pyo3::exceptions::{PyKeyboardInterrupt, PyTypeError};
use pyo3::prelude::*;

use crate::args::{self, ColumnNames, open_options, query, selection};
use crate::database;
use crate::errors::{invalid_argument, to_exception, warn};
use crate::game::Game;
use crate::games::Games;
use crate::report::Report;

/// A source that does not need Python.
pub(crate) enum NativeSource {
    Open(Arc<Database>, Option<Selection>),
    Path(PathBuf),
    Held(Box<GameList>),
}

/// Converts one source or several, in order. A folder represents all databases in it.
pub(crate) fn native_sources(sources: &Bound<'_, PyAny>) -> PyResult<Vec<NativeSource>> {
    let py = sources.py();
    let listed = py
        .import("chessdb._sources")?
        .call_method1("listed", (sources,))?;
    let mut native = Vec::new();
    for source in listed.try_iter()? {
        let source = source?;
        if let Ok(game) = source.cast::<Game>() {
            // Successive games form one source.
            if !matches!(native.last(), Some(NativeSource::Held(_))) {
                native.push(NativeSource::Held(Box::default()));
            }
            if let Some(NativeSource::Held(games)) = native.last_mut() {
                let game = game.get();
                games.push(game.model(), game.is_damaged());
            }
        } else if let Ok(db) = source.cast::<database::Database>() {
            native.push(NativeSource::Open(db.get().get()?, None));
        } else if let Ok(games) = source.cast::<Games>() {
            let (db, selection) = games.get().source()?;
            native.push(NativeSource::Open(db, Some(selection)));
        } else {
            add_path(py, source.extract()?, &mut native)?;
        }
    }
    Ok(native)
}

fn add_path(py: Python<'_>, path: PathBuf, native: &mut Vec<NativeSource>) -> PyResult<()> {
    if !path.is_dir() {
        native.push(NativeSource::Path(path));
        return Ok(());
    }
    let survey = chessdb::fs::survey(&path, chessdb::formats::FormatHint::default())
        .map_err(to_exception)?;
    let shown = chessdb::formats::shown;
    let strangers = survey.strangers.iter();
    let strangers = strangers.map(|(path, what)| format!("{}: {what}", shown(path)));
    let unread = survey.unread.iter().map(ToString::to_string);
    for message in strangers.chain(unread) {
        warn(py, message)?;
    }
    native.extend(survey.bases.into_iter().map(NativeSource::Path));
    Ok(())
}

impl NativeSource {
    /// Adds the source to a conversion.
    pub(crate) fn add_to<'a>(
        &'a self,
        converter: Converter<'a>,
        options: &OpenOptions,
    ) -> Converter<'a> {
        match self {
            NativeSource::Open(db, None) => converter.add_database(db),
            NativeSource::Open(db, Some(selection)) => {
                converter.add_selected(db, selection.clone())
            }
            NativeSource::Path(path) => converter.add_path(path, options.clone()),
            NativeSource::Held(games) => converter.add_store(games.as_ref(), None),
        }
    }
}

/// The interval at which Python is asked whether to continue.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(100);

/// Reports progress to a callback and checks for Ctrl-C.
pub(crate) struct ProgressCallback {
    callback: Option<Py<PyAny>>,
    total: Option<u64>,
    next: Instant,
    failed: Option<PyErr>,
}

impl ProgressCallback {
    pub(crate) fn new(callback: Option<Py<PyAny>>) -> ProgressCallback {
        ProgressCallback {
            callback,
            total: None,
            next: Instant::now() + PROGRESS_INTERVAL,
            failed: None,
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
    fn pass(&mut self, read: u64) -> ControlFlow<()> {
        let now = Instant::now();
        // Calling Python for each game would take longer than converting it.
        if now < self.next {
            return ControlFlow::Continue(());
        }
        self.next = now + PROGRESS_INTERVAL;
        match self.tell(read) {
            Ok(true) => ControlFlow::Continue(()),
            Ok(false) => ControlFlow::Break(()),
            Err(error) => {
                self.failed = Some(error);
                ControlFlow::Break(())
            }
        }
    }

    /// Returns the result, unless the callback failed or ended the work.
    pub(crate) fn outcome<T>(&mut self, done: chessdb::Result<T>) -> PyResult<T> {
        match (done, self.failed.take()) {
            // The exception is the reason why the work was interrupted.
            (_, Some(error)) => Err(error),
            (Ok(done), None) => Ok(done),
            (Err(error), None) if error.is_interrupted() => {
                Err(PyKeyboardInterrupt::new_err("stopped by the callback"))
            }
            (Err(error), None) => Err(to_exception(error)),
        }
    }
}

impl Observer for ProgressCallback {
    fn edits(&self) -> bool {
        false
    }

    fn game(&mut self, report: &chessdb::convert::Report) -> ControlFlow<()> {
        self.pass(report.read())
    }
}

/// Writes the games of databases to a new one; its suffix determines the format.
///
/// With `by` the target is a folder of Parquet tables, partitioned by "year", "decade", "eco" or
/// "base" as query engines expect them.
///
/// Information that the new format cannot store is left out and counted in the report. With
/// `strict` it raises `LossError` instead, and nothing is written. `progress` is called a few times
/// per second with the number of games read and the total, if known; if it returns False, the
/// conversion ends with `KeyboardInterrupt`.
#[pyfunction]
#[pyo3(signature = (
    sources, target, *, format = None, source_format = None, encoding = "auto", to_encoding = None,
    games = None, r#where = None, on_error = "keep", drop_deleted = false, strict = false, replace = false,
    columns = None, positions = false, zstd = None, by = None, jobs = None, progress = None
))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments in Python")]
#[expect(
    clippy::fn_params_excessive_bools,
    reason = "keyword arguments in Python"
)]
pub(crate) fn convert(
    py: Python<'_>,
    sources: &Bound<'_, PyAny>,
    target: PathBuf,
    format: Option<&str>,
    source_format: Option<&str>,
    encoding: &str,
    to_encoding: Option<&str>,
    games: Option<&str>,
    r#where: Option<&str>,
    on_error: &str,
    drop_deleted: bool,
    strict: bool,
    replace: bool,
    columns: Option<ColumnNames>,
    positions: bool,
    zstd: Option<u8>,
    by: Option<&str>,
    jobs: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Report> {
    let inputs = native_sources(sources)?;
    let options = open_options(source_format, encoding, false);
    let selection = selection(games)?;
    let query = query(py, r#where)?;
    let on_error = args::on_error(py, on_error)?;
    let by = match by {
        Some(word) => match PartitionBy::by_name(word) {
            Some(by) => Some(by),
            None => {
                return Err(invalid_argument(
                    py,
                    "by must be \"year\", \"decade\", \"eco\" or \"base\"",
                ));
            }
        },
        None => None,
    };
    let settings = [
        ("columns", columns.map(|names| names.joined())),
        ("positions", positions.then(|| "yes".to_owned())),
        ("zstd", zstd.map(|level| level.to_string())),
    ];
    let total = inputs.iter().map(|input| match input {
        NativeSource::Open(db, None) => db.len().ok().map(u64::from),
        NativeSource::Open(db, Some(selection)) => {
            let len = db.len().ok();
            len.map(|len| selection.count_in(len).into())
        }
        NativeSource::Held(games) => Some(GameStore::len(games.as_ref()).into()),
        // It is opened only by the conversion.
        NativeSource::Path(_) => None,
    });
    let mut progress_callback = ProgressCallback::new(progress);
    progress_callback.total = total
        .sum::<Option<u64>>()
        // How many games match is known only after reading them.
        .filter(|_| query.is_none() && selection.is_all());
    let run = || {
        let converter = match by {
            Some(by) => Converter::to_folders(&target, by),
            None => Converter::to(&target),
        };
        let mut converter = converter
            .strict(strict)
            .replace(replace)
            .on_error(on_error)
            .drop_deleted(drop_deleted)
            .select(selection)
            .jobs(jobs.unwrap_or(0));
        if let Some(query) = query {
            converter = converter.filter(query);
        }
        if let Some(format) = format {
            converter = converter.format(format);
        }
        if let Some(charset) = to_encoding {
            converter = converter.encoding(charset);
        }
        for (name, value) in settings {
            if let Some(value) = value {
                converter = converter.setting(name, value);
            }
        }
        for input in &inputs {
            converter = input.add_to(converter, &options);
        }
        converter.observer(&mut progress_callback).run()
    };
    // Without the interpreter lock, so that other Python threads run meanwhile.
    let done = py.detach(run);
    let report = Report::new(progress_callback.outcome(done)?);
    // What was open at this path is not the database that is there now.
    database::forget(&target);
    if let Some(callback) = &progress_callback.callback {
        // The last call reports all games, even if the interval has not passed.
        callback.call1(py, (report.read, progress_callback.total))?;
    }
    Ok(report)
}

/// Writes the index and the tree file of databases, next to each, and returns the number of games.
/// Position searches, `Database.tree` and `Database.position` use them. Games that were appended
/// later are added by the next call.
///
/// With `parquet`, writes all positions of the mainlines of databases to one table instead, sorted
/// by key, and returns their number. Memory is bounded regardless of the number of positions.
/// `progress` is called with the number of games done in the current database and its total, if
/// known; if it returns False, no table is written, and `KeyboardInterrupt` is raised. Damaged games,
/// for which the table contains the readable part, are counted in a warning.
#[pyfunction]
#[pyo3(signature = (
    sources, *, parquet = None, encoding = "auto", replace = false, jobs = None, progress = None
))]
pub(crate) fn index(
    py: Python<'_>,
    sources: &Bound<'_, PyAny>,
    parquet: Option<PathBuf>,
    encoding: &str,
    replace: bool,
    jobs: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> PyResult<u64> {
    let inputs = native_sources(sources)?;
    if inputs
        .iter()
        .any(|input| matches!(input, NativeSource::Held(_)))
    {
        return Err(PyTypeError::new_err(
            "a source is a path, a Database, the games of one, or a list of these; \
             to index single games write them with chessdb.convert first",
        ));
    }
    let Some(parquet) = parquet else {
        // An index refers to games by their numbers.
        let options = open_options(None, encoding, false).numbered(true);
        let options = options.jobs(jobs.unwrap_or(0));
        return write_indexes(py, inputs, &options, progress);
    };
    // Every game is read once, in order.
    let options = open_options(None, encoding, false).streaming(true);
    let mut progress_callback = ProgressCallback::new(progress);
    let mut damaged = 0;
    let run = || {
        let mut table = Positions::create(&parquet, replace)?;
        for input in inputs {
            let (db, selection) = match input {
                NativeSource::Open(db, selection) => (db, selection.unwrap_or_default()),
                NativeSource::Path(path) => (Arc::new(options.open(path)?), Selection::all()),
                NativeSource::Held(_) => continue,
            };
            let len = db.len().ok();
            progress_callback.total = len.map(|len| selection.count_in(len).into());
            let (_, cut) = table.add(&db, &selection, jobs.unwrap_or(0), |games| {
                progress_callback.pass(games.into())
            })?;
            damaged += u64::from(cut);
        }
        table.finish()
    };
    let done = py.detach(run);
    let positions = progress_callback.outcome(done)?;
    if damaged > 0 {
        let message = format!(
            "{damaged} games are damaged; only the positions of their readable part were written"
        );
        warn(py, message)?;
    }
    Ok(positions)
}

/// Writes the index files of databases and returns the number of games.
fn write_indexes(
    py: Python<'_>,
    inputs: Vec<NativeSource>,
    options: &OpenOptions,
    progress: Option<Py<PyAny>>,
) -> PyResult<u64> {
    if inputs
        .iter()
        .any(|input| matches!(input, NativeSource::Open(_, Some(_))))
    {
        return Err(PyTypeError::new_err(
            "an index has all games of a database; for some games, write a table (parquet=path)",
        ));
    }
    let mut progress_callback = ProgressCallback::new(progress);
    let run = || -> chessdb::Result<u64> {
        let mut games = 0;
        for input in inputs {
            let db = match input {
                NativeSource::Open(db, _) => db,
                NativeSource::Path(path) => Arc::new(options.open(path)?),
                NativeSource::Held(_) => continue,
            };
            let len = db.len()?;
            progress_callback.total = Some(len.into());
            db.write_index(|games| _ = progress_callback.pass(games.into()))?;
            games += u64::from(len);
        }
        Ok(games)
    };
    let done = py.detach(run);
    progress_callback.outcome(done)
}
