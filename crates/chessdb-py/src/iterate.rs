//! Iteration over the games of a database.

use std::ops::ControlFlow;
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::vec;

use chessdb::core::Diagnostic;
use chessdb::query::{Match, Query};
use chessdb::{Database, Selection, Severity};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::errors::to_exception;
use crate::game::Game;

/// The number of games in the first portion. Each further portion is twice as large, …
const FIRST: usize = 2;
/// … up to this limit.
const MOST: usize = 128;

/// Games read ahead, or the error that ended the reading.
type Portion = Result<Vec<Game>, chessdb::Error>;

/// The source of an iterator.
enum Source {
    /// A database with random access.
    Numbers {
        db: Arc<Database>,
        which: GameSelection,
        next: usize,
        portion: usize,
        game: Box<chessdb::Game>,
    },
    /// A thread that reads a stream. Its last message is `None`; a thread that ends without it has
    /// failed.
    Thread(Receiver<Option<Portion>>),
    End,
}

/// The selected games, by their indexes from 0.
#[derive(Clone)]
pub(crate) enum GameSelection {
    /// All games below this index.
    All(u32),
    /// These games.
    List(Arc<[FoundGame]>),
}

/// A selected game.
#[derive(Clone, Default)]
pub(crate) struct FoundGame {
    /// Its index, from 0.
    pub(crate) index: u32,
    /// Where it matches the query that selected it.
    pub(crate) found: Match,
}

impl From<u32> for FoundGame {
    fn from(index: u32) -> FoundGame {
        FoundGame {
            index,
            ..FoundGame::default()
        }
    }
}

impl GameSelection {
    pub(crate) fn len(&self) -> usize {
        match self {
            GameSelection::All(len) => *len as usize,
            GameSelection::List(list) => list.len(),
        }
    }

    pub(crate) fn get(&self, at: usize) -> Option<FoundGame> {
        match self {
            GameSelection::All(len) => {
                let at = u32::try_from(at).ok().filter(|at| at < len);
                at.map(FoundGame::from)
            }
            GameSelection::List(list) => list.get(at).cloned(),
        }
    }

    /// Returns the games as a selection, which counts from 1.
    pub(crate) fn selection(&self) -> Selection {
        match self {
            GameSelection::All(_) => Selection::all(),
            GameSelection::List(list) => {
                let numbers = list.iter().map(|game| game.index.saturating_add(1));
                Selection::in_order(numbers.collect())
            }
        }
    }
}

/// An iterator over games.
#[pyclass(frozen, module = "chessdb")]
pub(crate) struct GameIterator {
    source: Mutex<Source>,
    ready: Mutex<vec::IntoIter<Game>>,
    left: Option<Mutex<usize>>,
    headers: bool,
    fault: PyFailure,
}

/// The exception of a Python file object. Readers of games take a failure for the end of the file.
pub(crate) type PyFailure = Arc<Mutex<Option<PyErr>>>;

impl GameIterator {
    pub(crate) fn by_number(
        db: Arc<Database>,
        which: GameSelection,
        headers: bool,
    ) -> GameIterator {
        let left = Some(Mutex::new(which.len()));
        let source = Source::Numbers {
            db,
            which,
            next: 0,
            portion: FIRST,
            game: Box::default(),
        };
        GameIterator {
            source: Mutex::new(source),
            ready: Mutex::default(),
            left,
            headers,
            fault: PyFailure::default(),
        }
    }

    /// Iterates over a database that can only be read in order.
    pub(crate) fn of_stream(db: Arc<Database>, query: Option<Arc<Query>>) -> GameIterator {
        GameIterator::of_input(db, query, PyFailure::default())
    }

    /// Iterates like [`GameIterator::of_stream`] over a Python file object, which may fail with an
    /// exception.
    pub(crate) fn of_input(
        db: Arc<Database>,
        query: Option<Arc<Query>>,
        fault: PyFailure,
    ) -> GameIterator {
        let (give, take) = sync_channel(1);
        thread::spawn(move || {
            let mut size = FIRST;
            let mut games = Vec::new();
            let mut scan = db.scan();
            if let Some(query) = query {
                scan = scan.filter(query);
            }
            let mut gone = false;
            let mut refused = None;
            let strict = db.is_strict();
            let read = scan.for_each(|game, read| {
                let read = match read {
                    Err(error) if strict => {
                        refused = Some(error);
                        return ControlFlow::Break(());
                    }
                    read => read,
                };
                games.push(Game::take(game, read).of_database(&db));
                if games.len() >= size {
                    size = (size * 2).min(MOST);
                    gone = give.send(Some(Ok(std::mem::take(&mut games)))).is_err();
                }
                match gone {
                    true => ControlFlow::Break(()),
                    false => ControlFlow::Continue(()),
                }
            });
            if gone {
                return;
            }
            let said = give.send(Some(Ok(games)));
            let failed = match read {
                Ok(found) => refused.or_else(|| first_lost(found)),
                Err(error) => Some(error),
            };
            if let (Ok(()), Some(error)) = (said, failed)
                && give.send(Some(Err(error))).is_err()
            {
                return;
            }
            let _ = give.send(None);
        });
        GameIterator {
            source: Mutex::new(Source::Thread(take)),
            ready: Mutex::default(),
            left: None,
            headers: false,
            fault,
        }
    }

    /// Reads more games. Returns none at the end.
    fn more(&self) -> PyResult<Vec<Game>> {
        let mut source = self.source.lock().unwrap_or_else(PoisonError::into_inner);
        match &mut *source {
            Source::Numbers {
                db,
                which,
                next,
                portion,
                game,
            } => {
                let end = (*next + *portion).min(which.len());
                let mut games = Vec::with_capacity(end - *next);
                while *next < end {
                    let read = which
                        .get(*next)
                        .map(|found| read(db, found, self.headers, game));
                    match read {
                        // Games that were read before the error are returned first.
                        Some(Err(_)) if !games.is_empty() => return Ok(games),
                        Some(Err(error)) => {
                            *next += 1;
                            return Err(error);
                        }
                        Some(Ok(game)) => games.push(game),
                        None => {}
                    }
                    *next += 1;
                }
                *portion = (*portion * 2).min(MOST);
                Ok(games)
            }
            Source::Thread(take) => match take.recv() {
                Ok(Some(Ok(games))) => Ok(games),
                Ok(Some(Err(error))) => {
                    *source = Source::End;
                    Err(to_exception(error))
                }
                Ok(None) => {
                    *source = Source::End;
                    Ok(Vec::new())
                }
                Err(_) => {
                    *source = Source::End;
                    Err(PyRuntimeError::new_err(
                        "internal error: a reader thread ended early",
                    ))
                }
            },
            Source::End => Ok(Vec::new()),
        }
    }

    fn take_ready(&self) -> Option<Game> {
        let mut ready = self.ready.lock().unwrap_or_else(PoisonError::into_inner);
        let game = ready.next()?;
        if let Some(left) = &self.left {
            let mut left = left.lock().unwrap_or_else(PoisonError::into_inner);
            *left = left.saturating_sub(1);
        }
        Some(game)
    }
}

fn first_lost(found: Vec<Diagnostic>) -> Option<chessdb::Error> {
    let lost = found
        .into_iter()
        .find(|found| found.severity == Severity::Lost)?;
    Some(chessdb::core::Error::new(lost.kind).at(lost.at).into())
}

/// Reads a game. In strict mode, a game that cannot be read is an error.
pub(crate) fn read(
    db: &Arc<Database>,
    FoundGame { index, found }: FoundGame,
    headers: bool,
    game: &mut chessdb::Game,
) -> PyResult<Game> {
    let read = match headers {
        true => db.header_into(index, game),
        false => db.game_into(index, game),
    };
    let read = match read {
        Err(error) if db.is_strict() => return Err(to_exception(error)),
        read => read,
    };
    let game = match headers {
        true => Game::take_header(game, read, db),
        false => Game::take(game, read),
    };
    Ok(game.of_database(db).with_match(found))
}

#[pymethods]
impl GameIterator {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Game>> {
        loop {
            if let Some(game) = self.take_ready() {
                return Ok(Some(game));
            }
            let more = py.detach(|| self.more())?;
            let fault = self
                .fault
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .take();
            if let Some(fault) = fault {
                return Err(fault);
            }
            if more.is_empty() {
                // Another thread may have read some meanwhile.
                return Ok(self.take_ready());
            }
            let mut ready = self.ready.lock().unwrap_or_else(PoisonError::into_inner);
            let mut all: Vec<Game> = std::mem::take(&mut *ready).collect();
            all.extend(more);
            *ready = all.into_iter();
        }
    }

    fn __length_hint__(&self) -> usize {
        let left = self.left.as_ref();
        left.map_or(0, |left| {
            *left.lock().unwrap_or_else(PoisonError::into_inner)
        })
    }
}
