//! Iteration over the games of a database.

use std::ops::ControlFlow;
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::vec;

use chessdb::core::Diagnostic;
use chessdb::query::Query;
use chessdb::query::search::Match;
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

    pub(crate) fn get(&self, index: usize) -> Option<FoundGame> {
        match self {
            GameSelection::All(len) => u32::try_from(index)
                .ok()
                .filter(|index| index < len)
                .map(FoundGame::from),
            GameSelection::List(list) => list.get(index).cloned(),
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
    remaining: Option<Mutex<usize>>,
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
        let remaining = Some(Mutex::new(which.len()));
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
            remaining,
            headers,
            fault: PyFailure::default(),
        }
    }

    /// Iterates over a database that can only be read in order.
    pub(crate) fn from_stream(db: Arc<Database>, query: Option<Arc<Query>>) -> GameIterator {
        GameIterator::from_input(db, query, PyFailure::default())
    }

    /// Iterates like [`GameIterator::from_stream`] over a Python file object, which may fail with an
    /// exception.
    pub(crate) fn from_input(
        db: Arc<Database>,
        query: Option<Arc<Query>>,
        fault: PyFailure,
    ) -> GameIterator {
        // One portion waits while the next one is read; without a consumer the thread blocks.
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
                games.push(Game::from_read(game, read).with_database(&db));
                if games.len() >= size {
                    // The first games arrive early, and later portions cost less per game.
                    size = (size * 2).min(MOST);
                    gone = give.send(Some(Ok(std::mem::take(&mut games)))).is_err();
                }
                // The iterator was dropped.
                if gone { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            if gone {
                return;
            }
            let sent = give.send(Some(Ok(games)));
            let failed = match read {
                Ok(diagnostics) => refused.or_else(|| first_lost(diagnostics)),
                Err(error) => Some(error),
            };
            if let (Ok(()), Some(error)) = (sent, failed)
                && give.send(Some(Err(error))).is_err()
            {
                return;
            }
            // Distinguishes the end from a thread that panicked.
            let _ = give.send(None);
        });
        GameIterator {
            source: Mutex::new(Source::Thread(take)),
            ready: Mutex::default(),
            remaining: None,
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
                // Reading several games per call releases the lock of the interpreter less often.
                let end = (*next + *portion).min(which.len());
                let mut games = Vec::with_capacity(end - *next);
                while *next < end {
                    let read = which
                        .get(*next)
                        .map(|game_number| read(db, game_number, self.headers, game));
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
                // A loop that ends early reads few games too many.
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
        if let Some(remaining) = &self.remaining {
            let mut remaining = remaining.lock().unwrap_or_else(PoisonError::into_inner);
            *remaining = remaining.saturating_sub(1);
        }
        Some(game)
    }
}

fn first_lost(diagnostics: Vec<Diagnostic>) -> Option<chessdb::Error> {
    let lost = diagnostics
        .into_iter()
        .find(|diagnostic| diagnostic.severity == Severity::Lost)?;
    Some(chessdb::core::Error::new(lost.kind).at(lost.at).into())
}

/// Reads a game. In strict mode, a game that cannot be read is an error.
pub(crate) fn read(
    db: &Arc<Database>,
    FoundGame {
        index,
        found: matched,
    }: FoundGame,
    headers: bool,
    game: &mut chessdb::Game,
) -> PyResult<Game> {
    let read = if headers { db.header_into(index, game) } else { db.game_into(index, game) };
    let read = match read {
        Err(error) if db.is_strict() => return Err(to_exception(error)),
        read => read,
    };
    let game = if headers {
        Game::header_from_read(game, read, db)
    } else {
        Game::from_read(game, read)
    };
    Ok(game.with_database(db).with_match(matched))
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
            // The exception of a file object explains the error that it causes in the reader.
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
        let remaining = self.remaining.as_ref();
        remaining.map_or(0, |remaining| {
            *remaining.lock().unwrap_or_else(PoisonError::into_inner)
        })
    }
}
