//! Databases that are written game by game.

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::database::{forget, opened};
use crate::errors::to_exception;
use crate::game::Game;

/// A message to the thread that owns a database.
enum WriterRequest {
    Write(Arc<chessdb::core::Game>),
    Finish,
}

/// The answer: descriptions of losses, or the number of games at the end.
enum WriterReply {
    Written(Vec<(String, u32)>),
    Finished(u32),
    Failed(chessdb::Error),
}

/// The writing thread. A writer is bound to one thread, while Python objects may be used by any.
struct Worker {
    requests: Sender<WriterRequest>,
    replies: Receiver<WriterReply>,
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
    let (requests, incoming) = channel();
    let (outgoing, replies) = channel();
    let target = path.clone();
    let (started, replies) = py.detach(move || {
        thread::spawn(move || {
            let mut writer = match options.create(&target) {
                Ok(writer) => writer,
                Err(error) => {
                    let _ = outgoing.send(WriterReply::Failed(error));
                    return;
                }
            };
            // Tells `create` that the database could be created.
            let _ = outgoing.send(WriterReply::Written(Vec::new()));
            while let Ok(request) = incoming.recv() {
                let reply = match request {
                    WriterRequest::Write(game) => match writer.write(&*game) {
                        Ok(losses) => WriterReply::Written(
                            losses
                                .iter()
                                .map(|loss| (format!("{:?}", loss.kind), loss.count))
                                .collect(),
                        ),
                        Err(error) => WriterReply::Failed(error),
                    },
                    WriterRequest::Finish => {
                        let _ = outgoing.send(match writer.finish() {
                            Ok(games) => WriterReply::Finished(games),
                            Err(error) => WriterReply::Failed(error),
                        });
                        return;
                    }
                };
                if outgoing.send(reply).is_err() {
                    return;
                }
            }
        });
        (replies.recv(), replies)
    });
    match started {
        Ok(WriterReply::Failed(error)) => Err(to_exception(error)),
        Ok(_) => Ok(Writer {
            worker: Mutex::new(Some(Worker { requests, replies })),
            path,
        }),
        Err(_) => Err(gone()),
    }
}

fn gone() -> PyErr {
    PyRuntimeError::new_err("internal error: the writer thread ended early")
}

impl Writer {
    /// Sends a message to the worker. Without a worker the database is already finished.
    fn ask(&self, request: WriterRequest) -> PyResult<WriterReply> {
        let mut worker = self.worker.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(Worker { requests, replies }) = &*worker else {
            return Err(PyValueError::new_err("the database is already finished"));
        };
        let is_last = matches!(request, WriterRequest::Finish);
        let reply = requests
            .send(request)
            .ok()
            .and_then(|()| replies.recv().ok());
        // A worker that has ended takes no further requests.
        if is_last || reply.is_none() {
            *worker = None;
        }
        match reply {
            Some(WriterReply::Failed(error)) => Err(to_exception(error)),
            Some(reply) => Ok(reply),
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
        let request = WriterRequest::Write(game.model());
        match py.detach(|| self.ask(request))? {
            WriterReply::Written(losses) => Ok(losses.into_iter().collect()),
            _ => Ok(std::collections::BTreeMap::new()),
        }
    }

    /// Completes the database and returns its number of games.
    fn finish(&self, py: Python<'_>) -> PyResult<u32> {
        match py.detach(|| self.ask(WriterRequest::Finish))? {
            WriterReply::Finished(games) => {
                forget(&self.path);
                Ok(games)
            }
            _ => Ok(0),
        }
    }

    /// Stops without creating a database.
    fn discard(&self, py: Python<'_>) {
        py.detach(|| {
            let mut worker = self.worker.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(Worker { requests, replies }) = worker.take() {
                // A closed channel without `Finish` makes the worker discard the database.
                drop(requests);
                // The worker sends nothing more; when it has ended, its files are removed.
                let _ = replies.recv();
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
            self.discard(py);
            return Ok(());
        }
        // `finish` may have been called inside the block.
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
