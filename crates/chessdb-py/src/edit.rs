//! Changes of a database that are saved together, at the end of a `with` block.

pub(crate) mod in_place;

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use chessdb::Selection;
use chessdb::convert::{GameEdits, GameList};
use chessdb::core::model::GameFlags;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::database::Database;
use crate::errors::{invalid_argument, to_exception};
use crate::game::Game;
use crate::games::place;
use crate::report::Report;
use crate::sources::{NativeSource, native_sources};

/// Changes of a database, made by `Database.edit`. Indexes are those of the database before the
/// `with` block, at the end of which all changes are saved as one.
#[pyclass(frozen, module = "chessdb")]
pub(crate) struct Edit {
    db: Py<Database>,
    state: Mutex<EditState>,
}

#[derive(Default)]
struct EditState {
    edits: GameEdits,
    report: Option<Report>,
    is_ended: bool,
}

impl Edit {
    pub(crate) fn new(db: Py<Database>) -> Edit {
        Edit {
            db,
            state: Mutex::default(),
        }
    }

    /// Returns the state, unless the changes were saved or discarded.
    fn open(&self) -> PyResult<MutexGuard<'_, EditState>> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.is_ended {
            return Err(PyValueError::new_err(
                "the `with` block has ended; call db.edit() again",
            ));
        }
        Ok(state)
    }

    /// Returns the number of the game at an index of the database before the changes.
    fn number(&self, index: isize) -> PyResult<u32> {
        let (_, which) = self.db.get().all()?;
        Ok(place(index, &which)?.index + 1)
    }

    fn mark(&self, index: isize, set: GameFlags, remove: GameFlags) -> PyResult<()> {
        let number = self.number(index)?;
        self.open()?.edits.set_flags(number, set, remove);
        Ok(())
    }
}

#[pymethods]
impl Edit {
    /// The report about the changes, once they are saved.
    #[getter]
    fn report(&self) -> Option<Report> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.report.clone()
    }

    /// Sets tags of a game: a mapping, or keyword arguments. A tag with the value None is removed.
    #[pyo3(signature = (index, tags = None, /, **named))]
    fn tag(
        &self,
        py: Python<'_>,
        index: isize,
        tags: Option<&Bound<'_, PyAny>>,
        named: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<()> {
        let all = PyDict::new(py);
        for more in [tags, named.map(|named| named.as_any())]
            .into_iter()
            .flatten()
        {
            all.call_method1("update", (more,))?;
        }
        let headers = py.import("chessdb._headers")?;
        let number = self.number(index)?;
        let mut tags = Vec::new();
        for (name, value) in all {
            let value: Option<String> = if value.is_none() {
                None
            } else {
                Some(headers.call_method1("tag_text", (value,))?.extract()?)
            };
            tags.push((name.extract::<String>()?, value));
        }
        let mut state = self.open()?;
        for (name, value) in tags {
            let set = state.edits.set_tag(number, &name, value.as_deref());
            set.map_err(|message| invalid_argument(py, &message))?;
        }
        Ok(())
    }

    /// Sets and removes flags of a game: names such as "brilliancy,endgame", or letters as in the
    /// tag ScidFlags.
    #[pyo3(signature = (index, set = "", *, remove = ""))]
    fn flag(&self, py: Python<'_>, index: isize, set: &str, remove: &str) -> PyResult<()> {
        self.mark(index, flags(py, set)?, flags(py, remove)?)
    }

    /// Marks a game as deleted. `chessdb compact` removes such games.
    fn delete(&self, index: isize) -> PyResult<()> {
        self.mark(index, GameFlags::DELETED, GameFlags::empty())
    }

    /// Removes the mark of a deleted game.
    fn undelete(&self, index: isize) -> PyResult<()> {
        self.mark(index, GameFlags::empty(), GameFlags::DELETED)
    }

    /// Replaces a game.
    fn replace(&self, py: Python<'_>, index: isize, game: &Bound<'_, PyAny>) -> PyResult<()> {
        let (number, game) = (self.number(index)?, model(py, game)?);
        self.open()?.edits.replace(number, game);
        Ok(())
    }

    /// Appends games, which are kept in memory until they are saved. The sources are those of
    /// `chessdb.convert`.
    fn append(&self, py: Python<'_>, games: &Bound<'_, PyAny>) -> PyResult<()> {
        let mut added = GameList::new();
        for source in native_sources(games)? {
            let read = py.detach(|| -> chessdb::Result<()> {
                let (db, selection) = match source {
                    NativeSource::Open(db, selection) => (db, selection.unwrap_or_default()),
                    NativeSource::Path(path) => {
                        (Arc::new(chessdb::Database::open(path)?), Selection::all())
                    }
                    NativeSource::Held(games) => {
                        added.extend(*games);
                        return Ok(());
                    }
                };
                db.scan().select(selection).for_each(|game, _| {
                    let model = chessdb::core::Game::clone(game);
                    added.push(Arc::new(model), game.is_damaged());
                    ControlFlow::Continue(())
                })?;
                Ok(())
            });
            read.map_err(to_exception)?;
        }
        self.open()?.edits.append_all(added);
        Ok(())
    }

    fn __enter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    #[pyo3(signature = (raised, *_more))]
    fn __exit__(
        &self,
        py: Python<'_>,
        raised: &Bound<'_, PyAny>,
        _more: &Bound<'_, PyTuple>,
    ) -> PyResult<()> {
        let edits = {
            let mut state = self.open()?;
            state.is_ended = true;
            std::mem::take(&mut state.edits)
        };
        if !raised.is_none() || edits.is_empty() {
            return Ok(());
        }
        let report = self.db.get().save(py, &edits)?;
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.report = Some(report);
        Ok(())
    }

    fn __repr__(&self) -> String {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        format!("<Edit of {} games>", state.edits.len())
    }
}

/// Returns a game, which may be one of python-chess or PGN text.
pub(crate) fn model(py: Python<'_>, game: &Bound<'_, PyAny>) -> PyResult<Arc<chessdb::core::Game>> {
    let sources = py.import("chessdb._sources")?;
    let game = sources.call_method1("game", (game,))?.cast_into::<Game>()?;
    Ok(game.get().model())
}

fn flags(py: Python<'_>, text: &str) -> PyResult<GameFlags> {
    let mut all = GameFlags::empty();
    for word in text
        .split(',')
        .map(str::trim)
        .filter(|word| !word.is_empty())
    {
        let read = chessdb::query::language::read_flags(word);
        all |= read.map_err(|error| invalid_argument(py, error.message()))?;
    }
    if all.contains(GameFlags::DELETED) {
        return Err(invalid_argument(
            py,
            "use `delete` and `undelete` for deletion marks",
        ));
    }
    Ok(all)
}
