//! Errors of attributes that objects do not have, or that cannot be set.

use pyo3::PyTypeInfo;
use pyo3::prelude::*;

/// Raises `AttributeError` with a hint for names that other packages use.
pub(crate) fn missing<'py, T: PyTypeInfo>(
    slf: &Bound<'py, T>,
    name: &str,
) -> PyResult<Bound<'py, PyAny>> {
    slf.py()
        .import("chessdb._hints")?
        .call_method1("missing", (slf, name))
}

/// Raises the `AttributeError` of an attribute that cannot be set, with the way to change it.
pub(crate) fn cannot_set<T: PyTypeInfo>(slf: &Bound<'_, T>, name: &str) -> PyResult<()> {
    slf.py()
        .import("chessdb._hints")?
        .call_method1("cannot_set", (slf, name))?;
    Ok(())
}
