//! Conversion of errors to Python exceptions. The classes are in `python/chessdb/_errors.py`.

use std::ffi::CString;
use std::io;
use std::path::{Path, PathBuf};

use chessdb::core::ErrorKind;
use chessdb::{Error, Problem};
use pyo3::exceptions::{PyKeyboardInterrupt, PyOSError, PyUserWarning};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::report::Report;

/// Error numbers, which are the same on every system.
const NO_SUCH_FILE: i32 = 2;
const NO_PERMISSION: i32 = 13;
const FILE_EXISTS: i32 = 17;
const NOT_A_FOLDER: i32 = 20;
const IS_A_FOLDER: i32 = 21;

/// Converts an error to the matching exception: a built-in one for errors of the operating system,
/// otherwise one of this package with its location.
pub(crate) fn to_exception(error: Error) -> PyErr {
    Python::attach(|py| raise(py, error).unwrap_or_else(|failed| failed))
}

fn raise(py: Python<'_>, error: Error) -> PyResult<PyErr> {
    let path = error.path().map(Path::to_owned);
    if error.is_not_found() {
        return system_error(py, NO_SUCH_FILE, path);
    }
    if error.is_already_there() {
        let exists = system_error(py, FILE_EXISTS, path)?;
        let note = "to replace the database, use replace=True";
        exists
            .value(py)
            .call_method1(intern!(py, "add_note"), (note,))?;
        return Ok(exists);
    }
    if error.is_interrupted() {
        return Ok(PyKeyboardInterrupt::new_err(()));
    }
    if let Some(cause) = error.io() {
        match (cause.raw_os_error(), error_number(cause)) {
            (Some(number), _) if cfg!(windows) => {
                // Python computes the first number, the error of C, from the last one.
                let path = path.map(PathBuf::into_os_string);
                return Ok(PyOSError::new_err((0, cause.to_string(), path, number)));
            }
            (_, Some(number)) => return system_error(py, number, path),
            _ => {}
        }
    }
    let name = match error.problem() {
        Problem::Refused(_) => "LossError",
        Problem::Format(inner) if !is_about_losses(inner.kind()) => "FormatError",
        Problem::Format(_) => "LossError",
        Problem::Unrecognised
        | Problem::ForeignSqlite(_)
        | Problem::OpeningBook(_)
        | Problem::NoOpeningBook
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
    let mut message = error.to_string();
    if let Problem::SeveralDatabases(_) = error.problem() {
        message += "; open one of them; chessdb.scan(path) makes one table of all, and \
                    chessdb.survey(path) lists them";
    }
    let exception = class.call((message,), Some(&place))?;
    // Only a refused conversion has one.
    if let Ok(report) = error.into_report() {
        exception.setattr("report", Report::new(report))?;
    }
    Ok(PyErr::from_value(exception))
}

/// Returns the exception that `open` of Python raises for this error number.
fn system_error(py: Python<'_>, number: i32, path: Option<PathBuf>) -> PyResult<PyErr> {
    let text: String = py
        .import("os")?
        .call_method1("strerror", (number,))?
        .extract()?;
    // A text, as in the exceptions of `open`, also if the caller gave a `pathlib.Path`.
    let path = path.map(PathBuf::into_os_string);
    // The class of the exception depends on the number.
    Ok(PyOSError::new_err((number, text, path)))
}

fn error_number(error: &io::Error) -> Option<i32> {
    // Errors that Rust makes itself have a kind, but no number.
    error.raw_os_error().or(match error.kind() {
        io::ErrorKind::PermissionDenied => Some(NO_PERMISSION),
        io::ErrorKind::NotADirectory => Some(NOT_A_FOLDER),
        io::ErrorKind::IsADirectory => Some(IS_A_FOLDER),
        _ => None,
    })
}

fn is_about_losses(kind: &ErrorKind) -> bool {
    matches!(kind, ErrorKind::Unrepresentable(_))
}

/// Warns the caller of the function that Python called.
pub(crate) fn warn(py: Python<'_>, message: String) -> PyResult<()> {
    let message = CString::new(message).unwrap_or_default();
    PyErr::warn(py, &py.get_type::<PyUserWarning>(), &message, 1)
}

/// Returns a `chessdb.ChessDbError` for an invalid argument.
pub(crate) fn invalid_argument(py: Python<'_>, message: &str) -> PyErr {
    let make = || {
        py.import(intern!(py, "chessdb._errors"))?
            .getattr("ChessDbError")?
            .call1((message,))
    };
    make().map_or_else(|failed| failed, PyErr::from_value)
}
