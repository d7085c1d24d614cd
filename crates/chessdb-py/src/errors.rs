//! Conversion of errors to Python exceptions. The classes are in `python/chessdb/_errors.py`.

use std::path::Path;

use chessdb::core::ErrorKind;
use chessdb::{Error, Problem};
use pyo3::exceptions::{PyFileExistsError, PyFileNotFoundError, PyKeyboardInterrupt, PyOSError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::report::Report;

/// Error numbers, which are the same on every system.
const NO_SUCH_FILE: i32 = 2;
const FILE_EXISTS: i32 = 17;

/// Converts an error to the matching exception: a built-in one for errors of the operating system,
/// otherwise one of this package with its location.
pub(crate) fn to_exception(error: Error) -> PyErr {
    Python::attach(|py| raise(py, error).unwrap_or_else(|failed| failed))
}

fn raise(py: Python<'_>, error: Error) -> PyResult<PyErr> {
    let path = error.path().map(Path::to_owned);
    if error.is_not_found() {
        let args = (NO_SUCH_FILE, error.problem().to_string(), path);
        return Ok(PyFileNotFoundError::new_err(args));
    }
    if error.is_already_there() {
        let args = (FILE_EXISTS, error.problem().to_string(), path);
        return Ok(PyFileExistsError::new_err(args));
    }
    if error.is_interrupted() {
        return Ok(PyKeyboardInterrupt::new_err(()));
    }
    if let Some((number, io)) = error.io().and_then(|io| Some((io.raw_os_error()?, io))) {
        return Ok(PyOSError::new_err((number, io.to_string(), path)));
    }
    let name = match error.problem() {
        Problem::Refused(_) => "LossError",
        Problem::Format(inner) if !is_about_losses(inner.kind()) => "FormatError",
        Problem::Format(_) => "LossError",
        Problem::Unrecognised
        | Problem::NoDatabase
        | Problem::Packed(_)
        | Problem::PasswordRequired
        | Problem::WrongPassword => "FormatError",
        _ => "ChessDbError",
    };
    let place = PyDict::new(py);
    place.set_item("path", path.map(|path| path.display().to_string()))?;
    place.set_item("file", error.file())?;
    place.set_item("offset", error.offset())?;
    place.set_item("game", error.game())?;
    place.set_item("ply", error.ply())?;
    let class = py.import(intern!(py, "chessdb._errors"))?.getattr(name)?;
    let exception = class.call((error.to_string(),), Some(&place))?;
    if let Ok(report) = error.into_report() {
        exception.setattr("report", Report::new(report))?;
    }
    Ok(PyErr::from_value(exception))
}

fn is_about_losses(kind: &ErrorKind) -> bool {
    matches!(kind, ErrorKind::Unrepresentable(_))
}

/// Returns a `chessdb.ChessDbError` for an invalid argument.
pub(crate) fn invalid_argument(py: Python<'_>, message: &str) -> PyErr {
    let make = || {
        let class = py.import(intern!(py, "chessdb._errors"))?;
        class.getattr("ChessDbError")?.call1((message,))
    };
    make().map_or_else(|failed| failed, PyErr::from_value)
}
