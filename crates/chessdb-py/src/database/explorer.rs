//! Positions of a database: the moves played there, and the games.

use std::sync::Arc;

use arrow_array::builder::{Int32Builder, ListBuilder};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{
    ArrayRef, Float64Array, Int16Array, Int32Array, Int64Array, RecordBatch, RecordBatchIterator,
    StringArray,
};
use chessdb::explorer::Explorer;
use chessdb::fs::IndexUse;
use chessdb::query::tree::{OpeningTree, Tally, line_board};
use chessdb::query::{Query, openings::opening_at};
use chessdb::{Selection, core::Board};
use pyo3::exceptions::{PyIndexError, PyRuntimeError, PyTypeError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyIterator, PyList, PySlice, PyString};

use super::Database;
use crate::args::query;
use crate::errors::{invalid_argument, to_exception, warn};
use crate::games::{Games, count, search};
use crate::hints::missing;

/// What is kept of a database between calls.
pub(crate) struct ExplorerState {
    explorer: Explorer,
    /// The last query and the indexes of its games.
    last: Option<(String, Arc<[u32]>)>,
    /// Whether a tree file that is not used has been reported.
    is_reported: bool,
}

impl Default for ExplorerState {
    fn default() -> ExplorerState {
        ExplorerState {
            explorer: Explorer::new(Explorer::STANDARD_BYTES),
            last: None,
            is_reported: false,
        }
    }
}

/// Returns the position of an argument.
pub(crate) fn board(py: Python<'_>, position: Option<&Bound<'_, PyAny>>) -> PyResult<Board> {
    let Some(position) = position else {
        return Ok(Board::standard());
    };
    let text: String = match position.cast::<PyString>() {
        Ok(text) => text.extract()?,
        Err(_) if position.hasattr(intern!(py, "fen"))? => {
            position.call_method0(intern!(py, "fen"))?.extract()?
        }
        Err(_) => {
            let message = "a position is a FEN, moves such as \"1.e4 e5\", or a chess.Board";
            return Err(PyTypeError::new_err(message));
        }
    };
    // Ranks are separated by slashes, which no move contains.
    let board = if text.contains('/') {
        text.parse().map_err(|fault| format!("{fault}"))
    } else {
        line_board(&text).map_err(|error| format!("{error}"))
    };
    board.map_err(|fault| {
        let hint = "a position is a FEN or moves from the start such as \"1.e4 e5\"";
        invalid_argument(py, &format!("{text:?} is no position: {fault}; {hint}"))
    })
}

/// Warns of an index or tree file that is not used.
pub(crate) fn warn_of(py: Python<'_>, state: &IndexUse) -> PyResult<()> {
    let hint = "chessdb.index(path) writes it again";
    let message = match state {
        IndexUse::Refused(path, why) => format!("{} is not used: {why}; {hint}", path.display()),
        IndexUse::Damaged(path) => format!("{} is damaged; {hint}", path.display()),
        _ => return Ok(()),
    };
    warn(py, message)
}

/// Counts the moves played in a position in the games that match.
pub(crate) fn tree(
    py: Python<'_>,
    database: &Database,
    board: &Board,
    r#where: Option<&str>,
) -> PyResult<Tree> {
    let db = database.get()?;
    let query = query(py, r#where)?;
    let text = r#where.unwrap_or_default();
    let counted = py.detach(|| {
        let mut state = database.explorer();
        let state = &mut *state;
        let games = match (&query, db.is_stream()) {
            (None, _) => None,
            // Its games have no numbers.
            (Some(_), true) => return Err(crate::games::no_numbers()),
            (Some(query), false) => Some(match &state.last {
                // A program that follows a line asks for each position with the same query.
                Some((last_text, games)) if last_text == text => Arc::clone(games),
                _ => {
                    let matches = search(&db, Selection::all(), query)?;
                    let games: Arc<[u32]> = matches.iter().map(|game| game.index).collect();
                    state.last = Some((text.to_owned(), Arc::clone(&games)));
                    games
                }
            }),
        };
        let explored = state.explorer.count(&db, board, games.as_deref());
        let explored = explored.map_err(to_exception)?;
        let is_bad = matches!(
            db.tree_indexed(),
            Some(IndexUse::Refused(..) | IndexUse::Damaged(_))
        );
        let is_new = is_bad && !state.is_reported;
        state.is_reported |= is_bad;
        Ok((Tree::new(board, &explored), is_new))
    });
    let (tree, is_new) = counted?;
    if let Some(state) = db.tree_indexed().filter(|_| is_new)
        // An index that is refused, too, was reported when it was opened.
        && !matches!(db.indexed(), IndexUse::Refused(..))
    {
        warn_of(py, state)?;
    }
    Ok(tree)
}

/// A position of a database: pieces and side to move.
#[pyclass(frozen, module = "chessdb")]
pub(crate) struct Position {
    database: Py<Database>,
    board: Board,
}

impl Position {
    pub(crate) fn new(database: Py<Database>, board: Board) -> Position {
        Position { database, board }
    }

    /// Returns the query for the position and other conditions.
    fn query(&self, py: Python<'_>, r#where: Option<&str>) -> PyResult<Option<Arc<Query>>> {
        let mut text = format!("fen:\"{}\"", self.board);
        if let Some(r#where) = r#where
            && query(py, Some(r#where))?.is_some()
        {
            text = format!("{text} ({})", r#where);
        }
        query(py, Some(&text))
    }
}

#[pymethods]
impl Position {
    /// The position as FEN.
    #[getter]
    fn fen(&self) -> String {
        self.board.to_string()
    }

    /// Returns the moves played here as a table (`Database.tree`).
    #[pyo3(signature = (r#where = None))]
    fn tree(&self, py: Python<'_>, r#where: Option<&str>) -> PyResult<Tree> {
        tree(py, self.database.get(), &self.board, r#where)
    }

    /// Returns the games with this position that match, as `Database.find`. `game.ply` is the number
    /// of half-moves before it.
    #[pyo3(signature = (r#where = None))]
    fn games(&self, py: Python<'_>, r#where: Option<&str>) -> PyResult<Games> {
        let database = self.database.get();
        let (db, query) = (database.get()?, self.query(py, r#where)?);
        py.detach(|| {
            let selection = database.explorer().explorer.candidates(&self.board);
            Games::matching(&db, selection.unwrap_or_default(), query)
        })
    }

    /// Returns the number of games with this position that match.
    #[pyo3(signature = (r#where = None))]
    fn count(&self, py: Python<'_>, r#where: Option<&str>) -> PyResult<u64> {
        let database = self.database.get();
        let (db, query) = (database.get()?, self.query(py, r#where)?);
        py.detach(|| {
            // The tree file counts all games, so it does not help with a query.
            let counted = r#where.is_none().then(|| db.position_moves(&self.board));
            if let Some(moves) = counted.flatten() {
                return Ok(moves.games() + count(&db, moves.unread(), query)?);
            }
            let selection = database.explorer().explorer.candidates(&self.board);
            count(&db, selection.unwrap_or_default(), query)
        })
    }

    fn __getattr__<'py>(slf: &Bound<'py, Self>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        missing(slf, name)
    }

    fn __repr__(&self) -> String {
        format!("<Position {}>", self.board)
    }
}

/// The moves played in a position as a table, the most frequent first.
#[pyclass(frozen, sequence, module = "chessdb")]
pub(crate) struct Tree {
    board: Board,
    total: Tally,
    moves: Vec<TreeMove>,
}

/// A row of the table.
struct TreeMove {
    san: String,
    uci: String,
    share: f64,
    tally: Tally,
    opening: Option<(String, &'static str)>,
    /// The numbers of the games, from 1.
    best: Vec<i32>,
}

fn opening(board: &Board) -> Option<(String, &'static str)> {
    let opening = opening_at(board)?;
    Some((opening.eco.to_string(), opening.name))
}

fn year(tally: &Tally) -> Option<i16> {
    i16::try_from(tally.last_year).ok().filter(|year| *year > 0)
}

/// Returns a number as a column of signed numbers has it.
fn signed<T: TryFrom<i64>>(number: impl TryInto<i64>) -> Option<T> {
    number
        .try_into()
        .ok()
        .and_then(|number| T::try_from(number).ok())
}

impl Tree {
    fn new(board: &Board, tree: &OpeningTree) -> Tree {
        let total = tree.tally(tree.root());
        let moves = tree.moves(tree.root()).map(|node| {
            let tally = tree.tally(node);
            TreeMove {
                san: tree.san(node),
                uci: tree.uci(node),
                share: tally.games as f64 / total.games.max(1) as f64,
                tally,
                opening: opening(&tree.board(node)),
                best: tree
                    .best(node)
                    .filter_map(|game| signed::<i32>(game.saturating_add(1)))
                    .collect(),
            }
        });
        Tree {
            moves: moves.collect(),
            board: board.clone(),
            total,
        }
    }

    fn batch(&self) -> Result<RecordBatch, arrow_schema::ArrowError> {
        let each = || self.moves.iter();
        let text = |value: fn(&TreeMove) -> Option<&str>| -> ArrayRef {
            Arc::new(each().map(value).collect::<StringArray>())
        };
        let long = |value: fn(&Tally) -> u64| -> ArrayRef {
            let values = each().map(|row| signed::<i64>(value(&row.tally)));
            Arc::new(values.collect::<Int64Array>())
        };
        let number = |value: fn(&Tally) -> Option<i32>| -> ArrayRef {
            Arc::new(each().map(|row| value(&row.tally)).collect::<Int32Array>())
        };
        let share = |value: fn(&TreeMove) -> Option<f64>| -> ArrayRef {
            Arc::new(each().map(value).collect::<Float64Array>())
        };
        let years: ArrayRef = Arc::new(each().map(|row| year(&row.tally)).collect::<Int16Array>());
        let mut best = ListBuilder::new(Int32Builder::new());
        for row in &self.moves {
            best.append_value(row.best.iter().copied().map(Some));
        }
        let best: ArrayRef = Arc::new(best.finish());
        let columns = vec![
            ("san", text(|row| Some(&row.san))),
            ("uci", text(|row| Some(&row.uci))),
            ("games", long(|tally| tally.games)),
            ("share", share(|row| Some(row.share))),
            ("white", long(|tally| tally.white)),
            ("draws", long(|tally| tally.draws)),
            ("black", long(|tally| tally.black)),
            ("score", share(|row| row.tally.score())),
            (
                "rating",
                number(|tally| tally.rating().and_then(signed::<i32>)),
            ),
            (
                "performance",
                number(|tally| tally.performance().and_then(signed::<i32>)),
            ),
            ("last_year", years),
            ("longest", number(|tally| signed::<i32>(tally.longest))),
            (
                "eco",
                text(|row| row.opening.as_ref().map(|(eco, _)| eco.as_str())),
            ),
            (
                "opening",
                text(|row| row.opening.as_ref().map(|(_, name)| *name)),
            ),
            ("best", best),
        ];
        let nullable = columns
            .into_iter()
            .map(|(name, values)| (name, values, true));
        RecordBatch::try_from_iter_with_nullable(nullable)
    }

    fn rows<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        self.moves.iter().map(|row| row.to_python(py)).collect()
    }
}

impl TreeMove {
    fn to_python<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let class = py
            .import(intern!(py, "chessdb._moves"))?
            .getattr("TreeMove")?;
        let (eco, name) = self.opening.clone().unzip();
        let tally = &self.tally;
        let counts = (&self.san, &self.uci, tally.games, self.share);
        let results = (tally.white, tally.draws, tally.black, tally.score());
        let rest = (
            tally.rating(),
            tally.performance(),
            year(tally),
            tally.longest,
        );
        let values = (counts, results, rest, (eco, name, &self.best));
        class.call_method1(intern!(py, "of"), values)
    }
}

#[pymethods]
impl Tree {
    /// The position as FEN.
    #[getter]
    fn fen(&self) -> String {
        self.board.to_string()
    }

    /// The ECO code of the position.
    #[getter]
    fn eco(&self) -> Option<String> {
        opening(&self.board).map(|(eco, _)| eco)
    }

    /// The name of the opening.
    #[getter]
    fn opening(&self) -> Option<&'static str> {
        opening(&self.board).map(|(_, name)| name)
    }

    /// The number of games with the position.
    #[getter]
    fn games(&self) -> u64 {
        self.total.games
    }

    /// The number of games that White won.
    #[getter]
    fn white(&self) -> u64 {
        self.total.white
    }

    /// The number of draws.
    #[getter]
    fn draws(&self) -> u64 {
        self.total.draws
    }

    /// The number of games that Black won.
    #[getter]
    fn black(&self) -> u64 {
        self.total.black
    }

    /// White's score in the games with a result, from 0 to 1.
    #[getter]
    fn score(&self) -> Option<f64> {
        self.total.score()
    }

    /// The average rating of the players to move.
    #[getter]
    fn rating(&self) -> Option<u64> {
        self.total.rating()
    }

    /// The performance of the players to move.
    #[getter]
    fn performance(&self) -> Option<i64> {
        self.total.performance()
    }

    /// The latest year.
    #[getter]
    fn last_year(&self) -> Option<i16> {
        year(&self.total)
    }

    /// The largest number of half-moves that follow.
    #[getter]
    fn longest(&self) -> u32 {
        self.total.longest
    }

    fn __len__(&self) -> usize {
        self.moves.len()
    }

    fn __getitem__<'py>(&self, index: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let (py, len) = (index.py(), self.moves.len());
        if let Ok(slice) = index.cast::<PySlice>() {
            let rows = PyList::new(py, self.rows(py)?)?;
            return rows.as_any().get_item(slice);
        }
        let index = match index.extract::<isize>()? {
            // As in Python, a negative index counts from the end.
            from_end @ ..0 => from_end + isize::try_from(len)?,
            index => index,
        };
        let row = usize::try_from(index).ok().and_then(|n| self.moves.get(n));
        row.ok_or_else(|| PyIndexError::new_err(format!("there are {len} moves")))?
            .to_python(py)
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        PyList::new(py, self.rows(py)?)?.try_iter()
    }

    /// Returns the table as an Arrow stream, for polars, pyarrow, DuckDB and others.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        // The interface allows ignoring the requested schema.
        drop(requested_schema);
        let batch = self.batch();
        let batch = batch.map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
        let schema = batch.schema();
        let batches = RecordBatchIterator::new([Ok(batch)], schema);
        let stream = FFI_ArrowArrayStream::new(Box::new(batches));
        Ok(PyCapsule::new_with_value(py, stream, c"arrow_array_stream")?.into_any())
    }

    /// Returns the table as a pandas DataFrame.
    fn df<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py()
            .import("chessdb._tables")?
            .call_method1("df", (slf,))
    }

    /// Returns the table as a polars DataFrame.
    fn pl<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py()
            .import("chessdb._tables")?
            .call_method1("pl", (slf,))
    }

    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py()
            .import("chessdb._moves")?
            .call_method1("html", (slf,))
    }

    fn __getattr__<'py>(slf: &Bound<'py, Self>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        missing(slf, name)
    }

    fn __str__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py()
            .import("chessdb._moves")?
            .call_method1("text", (slf,))
    }

    fn __repr__(&self) -> String {
        format!(
            "<Tree: {} games, {} moves>",
            self.total.games,
            self.moves.len()
        )
    }
}
