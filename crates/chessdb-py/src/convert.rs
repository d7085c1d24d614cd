//! Conversions and their reports.

use std::path::PathBuf;
use std::sync::Arc;

use chessdb::convert::{Converter, OpeningTags, PartitionBy};
use chessdb::core::GameStore;
use chessdb::fs::Positions;
use chessdb::html::BULLETIN_ORDER;
use chessdb::options::OpenOptions;
use chessdb::query::cleaning::CleaningCounts;
use chessdb::{Problem, Selection};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::args::{self, ColumnNames, open_options, query, selection};
use crate::choice::{Arrangement, OpenSources};
use crate::database;
use crate::errors::{invalid_argument, warn};
use crate::progress::ProgressCallback;
use crate::report::Report;
use crate::sources::{NativeSource, native_sources};

/// Whether a page is a bulletin, or the tie-breaks of its table.
#[derive(FromPyObject)]
pub(crate) enum BulletinChoice {
    Is(bool),
    TieBreaks(String),
}

impl BulletinChoice {
    /// Returns the tie-breaks; empty for the defaults.
    fn tie_breaks(self) -> Option<String> {
        match self {
            BulletinChoice::Is(is_bulletin) => is_bulletin.then(String::new),
            BulletinChoice::TieBreaks(names) => Some(names),
        }
    }
}

/// Parses which opening tags are set.
fn openings(py: Python<'_>, eco: Option<&str>, names: bool) -> PyResult<Option<OpeningTags>> {
    let mut openings = OpeningTags::default();
    match eco {
        None if !names => return Ok(None),
        None | Some("missing") => {}
        Some("all") => openings.all = true,
        Some(_) => return Err(invalid_argument(py, "eco must be \"missing\" or \"all\"")),
    }
    openings.names = names;
    Ok(Some(openings))
}

/// Writes the games of databases to a new one; its suffix determines the format.
///
/// With `by` the target is a folder of Parquet tables, partitioned by "year", "decade", "eco" or
/// "base" as query engines expect them.
///
/// Information that the new format cannot store is left out and counted in the report. With
/// `strict` it raises `LossError` instead, and nothing is written. `progress` is called a few times
/// per second with the number of games read and the total, if known. If it returns False, the
/// conversion stops: nothing is written, and the report has `stopped` set.
///
/// The options: `format` and `source_format` name the formats of target and sources. `encoding` is
/// the charset of texts in the sources that do not declare one, `to_encoding` the charset of the target.
/// `games` selects games by number ("1,5-9"), `where` by a query. `on_error` is "keep" (the readable
/// part of damaged games), "skip" or "raise"; `drop_deleted` leaves out games marked as deleted;
/// `replace` allows to replace an existing target. `columns`, `positions` and `zstd` (a level) are
/// for tables; `diagrams` are moves of an HTML page such as "12,20b". `bulletin` makes an HTML page the
/// bulletin of a tournament, with cross-table, rounds and games: True, or the tie-breaks of the table
/// such as "direct,wins". `dedupe` leaves out copies by the rule "strict", "sure" or "likely";
/// `only_new` leaves out the games that this database has, by the same rule, and only reads it.
/// `sample` is a number of random games, the same ones for the same `seed`; `sort` orders the games by
/// keys such as "date" or "-elo,white", and `limit` is the number of games to write. `fix_result` sets
/// the result of games that end with mate or stalemate. `clean_headers` moves values of servers'
/// exports to the tags where they belong; the report has the numbers. `eco` sets "missing" or "all" ECO
/// codes, `opening_names` also the tag Opening. `jobs` is the number of reader threads, by default one
/// per processor.
#[pyfunction]
#[pyo3(signature = (
    sources, target, *, format = None, source_format = None, encoding = "auto", to_encoding = None,
    games = None, r#where = None, on_error = "keep", drop_deleted = false, strict = false, replace = false,
    columns = None, positions = false, zstd = None, diagrams = None, bulletin = None, by = None, dedupe = None,
    sort = None, limit = None, only_new = None, sample = None, seed = 0, fix_result = false,
    clean_headers = false, eco = None, opening_names = false, jobs = None, progress = None
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
    diagrams: Option<String>,
    bulletin: Option<BulletinChoice>,
    by: Option<&str>,
    dedupe: Option<&str>,
    sort: Option<&str>,
    limit: Option<u32>,
    only_new: Option<PathBuf>,
    sample: Option<u32>,
    seed: u64,
    fix_result: bool,
    clean_headers: bool,
    eco: Option<&str>,
    opening_names: bool,
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
    let bulletin = bulletin.and_then(BulletinChoice::tie_breaks);
    let sort = sort.or(bulletin.as_ref().map(|_| BULLETIN_ORDER));
    let settings = [
        ("columns", columns.map(|names| names.joined())),
        ("positions", positions.then(|| "yes".to_owned())),
        ("zstd", zstd.map(|level| level.to_string())),
        ("diagrams", diagrams),
        ("bulletin", bulletin),
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
    let sample = sample.map(|size| (size, seed));
    let arrangement = Arrangement::new(py, dedupe, only_new, sort, limit, sample)?;
    let mut progress_callback = ProgressCallback::new(progress);
    progress_callback.openings = openings(py, eco, opening_names)?;
    progress_callback.fixes_results = fix_result;
    progress_callback.cleaned = clean_headers.then(CleaningCounts::default);
    progress_callback.total = total
        .sum::<Option<u64>>()
        // How many games match is known only after reading them.
        .filter(|_| query.is_none() && selection.is_all() && arrangement.is_plain());
    let run = || {
        let mut opened = OpenSources::default();
        let mut runs = Vec::new();
        if !arrangement.is_plain() {
            opened = OpenSources::open(&inputs, &options)?;
            opened.select(&selection);
            runs = arrangement.choose(&mut opened, query.as_ref(), &options)?;
        }
        let converter = match by {
            Some(by) => Converter::to_folders(&target, by),
            None => Converter::to(&target),
        };
        let mut converter = converter
            .strict(strict)
            .replace(replace)
            .on_error(on_error)
            .drop_deleted(drop_deleted)
            .select(selection.clone())
            .jobs(jobs.unwrap_or(0));
        if let Some(query) = &query {
            converter = converter.filter(Arc::clone(query));
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
        for (source, games) in runs {
            if let Some((db, _)) = opened.0.get(source) {
                converter = converter.add_selected(db, games);
            }
        }
        for input in inputs.iter().filter(|_| arrangement.is_plain()) {
            converter = input.add_to(converter, &options);
        }
        converter.observer(&mut progress_callback).run()
    };
    // Without the interpreter lock, so that other Python threads run meanwhile.
    let done = py.detach(run);
    let report = progress_callback.report(done)?;
    if report.stopped {
        return Ok(report);
    }
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
/// known; if it returns False, no table is written, and 0 is returned. An index is always completed.
/// Damaged games, for which the table contains the readable part, are counted in a warning.
///
/// `encoding` is the charset of texts that do not declare one, `replace` allows to replace an existing
/// table, and `jobs` is the number of threads.
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
        if progress_callback.pass(0).is_break() {
            return Err(Problem::Interrupted.into());
        }
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
    let positions = progress_callback.outcome_or(done, |_| 0)?;
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
    progress_callback.outcome_or(done, |_| 0)
}
