//! Databases that are written game by game.

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::database::{forget, opened};
use crate::errors::raised;
use crate::game::Game;

/// A message to the thread that owns a database.
enum Task {
    Write(Box<chessdb::core::Game>),
    Finish,
}

/// The answer: descriptions of losses, or the number of games at the end.
enum Answer {
    Written(Vec<(String, u32)>),
    Finished(u32),
    Failed(chessdb::Error),
}

/// The writing thread. A writer is bound to one thread, while Python objects may be used by any.
struct Worker {
    tasks: Sender<Task>,
    answers: Receiver<Answer>,
}

/// A database that is being written, as a context manager. The database appears when the block
/// ends; if it ends with an exception, the database does not appear at all.
#[pyclass(frozen, module = "chessdb")]
pub(crate) struct Writer {
    worker: Mutex<Option<Worker>>,
    path: PathBuf,
}

/// Starts a database; its suffix determines the format.
#[pyfunction]
#[pyo3(signature = (path, *, format = None, encoding = None, replace = false, strict = false))]
pub(crate) fn create(
    py: Python<'_>,
    path: PathBuf,
    format: Option<&str>,
    encoding: Option<&str>,
    replace: bool,
    strict: bool,
) -> PyResult<Writer> {
    let mut options = chessdb::Writer::options().replace(replace);
    if !strict {
        options = options.allow(chessdb::Allow::Everything);
    }
    if replace {
        // The games may come from the database that is replaced.
        options = opened()
            .iter()
            .fold(options, |options, db| options.source(db));
    }
    if let Some(format) = format {
        options = options.format(format);
    }
    if let Some(charset) = encoding {
        options = options.encoding(charset);
    }
    let (tasks, todo) = channel();
    let (say, answers) = channel();
    let target = path.clone();
    let (started, answers) = py.detach(move || {
        thread::spawn(move || {
            let mut writer = match options.create(&target) {
                Ok(writer) => writer,
                Err(error) => {
                    let _ = say.send(Answer::Failed(error));
                    return;
                }
            };
            let _ = say.send(Answer::Written(Vec::new()));
            while let Ok(task) = todo.recv() {
                let answer = match task {
                    Task::Write(game) => match writer.write(&*game) {
                        Ok(losses) => Answer::Written(
                            losses
                                .iter()
                                .map(|loss| (format!("{:?}", loss.kind), loss.count))
                                .collect(),
                        ),
                        Err(error) => Answer::Failed(error),
                    },
                    Task::Finish => {
                        let _ = say.send(match writer.finish() {
                            Ok(games) => Answer::Finished(games),
                            Err(error) => Answer::Failed(error),
                        });
                        return;
                    }
                };
                if say.send(answer).is_err() {
                    return;
                }
            }
        });
        (answers.recv(), answers)
    });
    match started {
        Ok(Answer::Failed(error)) => Err(raised(error)),
        Ok(_) => Ok(Writer {
            worker: Mutex::new(Some(Worker { tasks, answers })),
            path,
        }),
        Err(_) => Err(gone()),
    }
}

fn gone() -> PyErr {
    PyRuntimeError::new_err("the thread that writes ended early")
}

impl Writer {
    /// Sends a message to the worker. Without a worker the database is already finished.
    fn ask(&self, task: Task) -> PyResult<Answer> {
        let mut worker = self.worker.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(Worker { tasks, answers }) = &*worker else {
            return Err(PyValueError::new_err("the base was finished already"));
        };
        let is_last = matches!(task, Task::Finish);
        let answer = tasks.send(task).ok().and_then(|()| answers.recv().ok());
        if is_last || answer.is_none() {
            *worker = None;
        }
        match answer {
            Some(Answer::Failed(error)) => Err(raised(error)),
            Some(answer) => Ok(answer),
            None => Err(gone()),
        }
    }
}

#[pymethods]
impl Writer {
    /// The path of the future database.
    #[getter]
    fn path(&self) -> PathBuf {
        self.path.clone()
    }

    /// Appends a game, and returns the losses by kind. With `strict` a loss raises `LossError`
    /// instead, and the game is not written.
    fn write(
        &self,
        py: Python<'_>,
        game: &Game,
    ) -> PyResult<std::collections::BTreeMap<String, u32>> {
        let task = Task::Write(Box::new(game.model().clone()));
        match py.detach(|| self.ask(task))? {
            Answer::Written(losses) => Ok(losses.into_iter().collect()),
            _ => Ok(std::collections::BTreeMap::new()),
        }
    }

    /// Completes the database and returns its number of games.
    fn finish(&self, py: Python<'_>) -> PyResult<u32> {
        match py.detach(|| self.ask(Task::Finish))? {
            Answer::Finished(games) => {
                forget(&self.path);
                Ok(games)
            }
            _ => Ok(0),
        }
    }

    /// Stops without creating a database.
    fn abandon(&self, py: Python<'_>) {
        py.detach(|| {
            let mut worker = self.worker.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(Worker { tasks, answers }) = worker.take() {
                drop(tasks);
                // The worker sends nothing more; when it has ended, its files are removed.
                let _ = answers.recv();
            }
        });
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
        if !raised.is_none() {
            self.abandon(py);
            return Ok(());
        }
        let is_open = self
            .worker
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .is_some();
        if is_open {
            self.finish(py)?;
        }
        Ok(())
    }

    fn __repr__(&self) -> String {
        format!("<Writer {:?}>", self.path)
    }
}
