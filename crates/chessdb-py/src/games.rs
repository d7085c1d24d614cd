//! A selection of games of a database as a sequence.

use std::ops::ControlFlow;
use std::sync::Arc;

use chessdb::query::Query;
use chessdb::{Database, Selection};
use pyo3::exceptions::{PyIndexError, PyTypeError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyList, PySlice};

use crate::args::{ColumnNames, query};
use crate::errors::to_exception;
use crate::hints::missing;
use crate::iterate::{FoundGame, GameIterator, GameSelection, read};
use crate::stream::Stream;

/// A selection of games of a database, as a sequence. Games are read on demand.
#[pyclass(frozen, sequence, module = "chessdb")]
pub(crate) struct Games {
    db: Arc<Database>,
    which: Option<GameSelection>,
    query: Option<Arc<Query>>,
}

impl Games {
    /// Finds the selected games of a database that match. All games of a stream are selected.
    pub(crate) fn matching(
        db: &Arc<Database>,
        selection: Selection,
        query: Option<Arc<Query>>,
    ) -> PyResult<Games> {
        let which = match (&query, db.len()) {
            // A stream has no number of games; it is searched during the iteration.
            (_, Err(_)) => None,
            (None, Ok(len)) => Some(GameSelection::All(len)),
            (Some(query), Ok(_)) => Some(GameSelection::List(search(db, selection, query)?.into())),
        };
        Ok(Games {
            db: Arc::clone(db),
            which,
            query,
        })
    }

    /// Returns a slice of a sequence.
    pub(crate) fn part(
        db: &Arc<Database>,
        which: &GameSelection,
        slice: &Bound<'_, PySlice>,
    ) -> PyResult<Games> {
        // Cuts the bounds to the length, like Python's own sequences.
        let indices = slice.indices(isize::try_from(which.len())?)?;
        let mut list = Vec::with_capacity(indices.slicelength);
        let mut index = indices.start;
        for _ in 0..indices.slicelength {
            list.extend(usize::try_from(index).ok().and_then(|n| which.get(n)));
            index += indices.step;
        }
        Ok(Games {
            db: Arc::clone(db),
            which: Some(GameSelection::List(list.into())),
            query: None,
        })
    }

    /// Returns the database and the selected games, for a conversion.
    pub(crate) fn source(&self) -> PyResult<(Arc<Database>, Selection)> {
        match &self.which {
            Some(which) => Ok((Arc::clone(&self.db), which.selection())),
            None if self.query.is_none() => Ok((Arc::clone(&self.db), Selection::all())),
            None => Err(no_numbers()),
        }
    }

    fn numbers(&self) -> PyResult<&GameSelection> {
        self.which.as_ref().ok_or_else(no_numbers)
    }
}

/// Returns a `TypeError`, so that `list(db)` works without a length.
pub(crate) fn no_numbers() -> PyErr {
    PyTypeError::new_err(
        "games cannot be accessed by number, because the database is read as a stream (packed, \
         very large, or from a pipe)",
    )
}

/// Converts a Python index to the index of a game in the database.
pub(crate) fn place(index: isize, which: &GameSelection) -> PyResult<FoundGame> {
    let len = which.len();
    // Python counts negative indexes from the end.
    let index = if index < 0 { index + isize::try_from(len)? } else { index };
    let game = usize::try_from(index).ok().and_then(|n| which.get(n));
    game.ok_or_else(|| PyIndexError::new_err(format!("there are {len} games")))
}

/// Returns the selected games that match.
pub(crate) fn search(
    db: &Arc<Database>,
    selection: Selection,
    query: &Arc<Query>,
) -> PyResult<Vec<FoundGame>> {
    let mut matching = Vec::new();
    let scan = db.scan().select(selection).filter(Arc::clone(query));
    let matches = |game: &mut chessdb::Game, read: chessdb::Result<()>| {
        // It is unknown whether an unreadable game matches.
        read.is_ok().then(|| FoundGame {
            index: game.index(),
            found: game.found().clone(),
        })
    };
    let read = scan.headers().map_in_order(matches, |game| {
        matching.extend(game);
        ControlFlow::Continue(())
    });
    read.map_err(to_exception)?;
    Ok(matching)
}

/// Returns the number of the selected games that match, or of all of them. Reads a stream to its
/// end.
pub(crate) fn count(
    db: &Arc<Database>,
    selection: Selection,
    query: Option<Arc<Query>>,
) -> PyResult<u64> {
    // Without a query no game has to be read.
    if let (None, Ok(len)) = (&query, db.len()) {
        return Ok(selection.count_in(len).into());
    }
    let mut count = 0;
    let has_query = query.is_some();
    let mut scan = db.scan().select(selection).headers();
    if let Some(query) = query {
        scan = scan.filter(query);
    }
    let read = scan.map_in_order(
        // An unreadable game counts as a game, but matches no query.
        |_, read| !has_query || read.is_ok(),
        |matches| {
            count += u64::from(matches);
            ControlFlow::Continue(())
        },
    );
    read.map_err(to_exception)?;
    Ok(count)
}

/// Returns the game at an index, or the games of a slice.
pub(crate) fn item<'py>(
    db: &Arc<Database>,
    which: &GameSelection,
    index: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = index.py();
    if let Ok(slice) = index.cast::<PySlice>() {
        return Ok(Bound::new(py, Games::part(db, which, slice)?)?.into_any());
    }
    let game_number = place(index.extract()?, which)?;
    let game = py.detach(|| read(db, game_number, false, &mut chessdb::Game::new()))?;
    Ok(Bound::new(py, game)?.into_any())
}

#[pymethods]
impl Games {
    fn __len__(&self) -> PyResult<usize> {
        Ok(self.numbers()?.len())
    }

    fn __bool__(&self) -> bool {
        self.which.as_ref().is_none_or(|which| which.len() > 0)
    }

    fn __getitem__<'py>(&self, index: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        item(&self.db, self.numbers()?, index)
    }

    fn __iter__(&self) -> GameIterator {
        match &self.which {
            Some(which) => GameIterator::by_number(Arc::clone(&self.db), which.clone(), false),
            None => GameIterator::from_stream(Arc::clone(&self.db), self.query.clone()),
        }
    }

    /// Iterates over the games without their moves, which are read on demand.
    fn headers(&self) -> GameIterator {
        match &self.which {
            Some(which) => GameIterator::by_number(Arc::clone(&self.db), which.clone(), true),
            // A game of a stream cannot be read again later.
            None => self.__iter__(),
        }
    }

    /// Returns the numbers of the games in their database, from 1.
    fn game_numbers<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let which = self.numbers()?;
        let games = (0..which.len()).filter_map(|index| which.get(index));
        PyList::new(py, games.map(|game| game.index + 1).collect::<Vec<_>>())
    }

    /// Returns the games as a table.
    #[pyo3(signature = (columns = None, *, batch_size = 16_384, jobs = None, on_error = "keep"))]
    fn arrow(
        &self,
        py: Python<'_>,
        columns: Option<ColumnNames>,
        batch_size: usize,
        jobs: Option<usize>,
        on_error: &str,
    ) -> PyResult<Stream> {
        let (selection, query) = match &self.which {
            Some(which) => (which.selection(), None),
            None => (Selection::all(), self.query.clone()),
        };
        let source = chessdb::arrow::BatchSource::Open(Arc::clone(&self.db), selection);
        Stream::new(py, vec![source], columns, query, batch_size, jobs, on_error)
    }

    /// Returns the games as a table, for consumers of Arrow streams.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.arrow(py, None, 16_384, None, "keep")?
            .__arrow_c_stream__(py, requested_schema)
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

    /// Returns the number of games that match a query, or of all.
    #[pyo3(signature = (r#where = None))]
    fn count(&self, py: Python<'_>, r#where: Option<&str>) -> PyResult<u64> {
        let query = query(py, r#where)?;
        let (selection, query) = match (&self.which, query) {
            (Some(which), query) => (which.selection(), query),
            (None, None) => (Selection::all(), self.query.clone()),
            (None, Some(_)) => return Err(no_numbers()),
        };
        py.detach(|| count(&self.db, selection, query))
    }

    /// Returns the games as a pandas DataFrame.
    #[pyo3(signature = (columns = None))]
    fn df<'py>(
        &self,
        py: Python<'py>,
        columns: Option<ColumnNames>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.arrow(py, columns, 16_384, None, "keep")?.df(py)
    }

    /// Returns the games as a polars DataFrame.
    #[pyo3(signature = (columns = None))]
    fn pl<'py>(
        &self,
        py: Python<'py>,
        columns: Option<ColumnNames>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.arrow(py, columns, 16_384, None, "keep")?.pl(py)
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
        match &self.which {
            Some(which) => format!("<Games: {}>", which.len()),
            None => "<Games of a stream>".to_owned(),
        }
    }
}

/// Calls a method of `collections.abc.Sequence`.
pub(crate) fn sequence<'py>(
    py: Python<'py>,
    method: &str,
    args: impl pyo3::call::PyCallArgs<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    py.import("collections.abc")?
        .getattr(intern!(py, "Sequence"))?
        .getattr(method)?
        .call1(args)
}
