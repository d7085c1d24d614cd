//! A selection of games of a database as a sequence.

use std::ops::ControlFlow;
use std::sync::Arc;

use chessdb::query::Query;
use chessdb::{Database, Selection};
use pyo3::exceptions::{PyIndexError, PyTypeError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyList, PySlice};

use crate::args::ColumnNames;
use crate::errors::to_exception;
use crate::iterate::{GameIterator, GameSelection, read};
use crate::stream::Stream;

/// A selection of games of a database, as a sequence. Games are read on demand.
#[pyclass(frozen, sequence, module = "chessdb")]
pub(crate) struct Games {
    db: Arc<Database>,
    which: Option<GameSelection>,
    query: Option<Arc<Query>>,
}

impl Games {
    /// Finds the games of a database that match.
    pub(crate) fn found(db: &Arc<Database>, query: Option<Arc<Query>>) -> PyResult<Games> {
        let which = match (&query, db.len()) {
            (_, Err(_)) => None,
            (None, Ok(len)) => Some(GameSelection::All(len)),
            (Some(query), Ok(_)) => Some(GameSelection::List(search(db, query)?)),
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
        let indices = slice.indices(isize::try_from(which.len())?)?;
        let mut list = Vec::with_capacity(indices.slicelength);
        let mut at = indices.start;
        for _ in 0..indices.slicelength {
            list.extend(usize::try_from(at).ok().and_then(|at| which.get(at)));
            at += indices.step;
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
pub(crate) fn place(at: isize, which: &GameSelection) -> PyResult<u32> {
    let len = which.len();
    let at = if at < 0 {
        at + isize::try_from(len)?
    } else {
        at
    };
    let at = usize::try_from(at).ok().and_then(|at| which.get(at));
    at.ok_or_else(|| PyIndexError::new_err(format!("there are {len} games")))
}

/// Returns the indexes of the games that match.
fn search(db: &Arc<Database>, query: &Arc<Query>) -> PyResult<Arc<[u32]>> {
    let mut places = Vec::new();
    let scan = db.scan().filter(Arc::clone(query)).headers();
    let number = |game: &mut chessdb::Game, read: chessdb::Result<()>| {
        // It is unknown whether an unreadable game matches.
        read.is_ok().then(|| game.index())
    };
    let read = scan.map_in_order(number, |index| {
        places.extend(index);
        ControlFlow::Continue(())
    });
    read.map_err(to_exception)?;
    Ok(places.into())
}

/// Returns the game at an index, or the games of a slice.
pub(crate) fn item<'py>(
    db: &Arc<Database>,
    which: &GameSelection,
    at: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = at.py();
    if let Ok(slice) = at.cast::<PySlice>() {
        return Ok(Bound::new(py, Games::part(db, which, slice)?)?.into_any());
    }
    let index = place(at.extract()?, which)?;
    let game = py.detach(|| read(db, index, false, &mut chessdb::Game::new()))?;
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

    fn __getitem__<'py>(&self, at: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        item(&self.db, self.numbers()?, at)
    }

    fn __iter__(&self) -> GameIterator {
        match &self.which {
            Some(which) => GameIterator::by_number(Arc::clone(&self.db), which.clone(), false),
            None => GameIterator::of_stream(Arc::clone(&self.db), self.query.clone()),
        }
    }

    /// Iterates over the games without their moves, which are read on demand.
    fn headers(&self) -> GameIterator {
        match &self.which {
            Some(which) => GameIterator::by_number(Arc::clone(&self.db), which.clone(), true),
            None => self.__iter__(),
        }
    }

    /// Returns the numbers of the games in their database, from 1.
    fn game_numbers<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let which = self.numbers()?;
        let places = (0..which.len()).filter_map(|at| which.get(at));
        PyList::new(py, places.map(|place| place + 1).collect::<Vec<_>>())
    }

    /// Returns the games as a table.
    #[pyo3(signature = (columns = None, *, batch_size = 16_384, threads = None, on_error = "keep"))]
    fn arrow(
        &self,
        py: Python<'_>,
        columns: Option<ColumnNames>,
        batch_size: usize,
        threads: Option<usize>,
        on_error: &str,
    ) -> PyResult<Stream> {
        let (selection, query) = match &self.which {
            Some(which) => (which.selection(), None),
            None => (Selection::all(), self.query.clone()),
        };
        let source = chessdb::arrow::BatchSource::Open(Arc::clone(&self.db), selection);
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

    /// Returns the games as a table, for consumers of Arrow streams.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let stream = self.arrow(py, None, 16_384, None, "keep")?;
        stream.__arrow_c_stream__(py, requested_schema)
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
    let class = py
        .import("collections.abc")?
        .getattr(intern!(py, "Sequence"))?;
    class.getattr(method)?.call1(args)
}
