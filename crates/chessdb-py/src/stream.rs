//! Games as tables through the Arrow C stream interface, which polars, pyarrow, DuckDB and others
//! read without a copy.

use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_schema::SchemaRef;
use arrow_schema::ffi::FFI_ArrowSchema;
use chessdb::arrow::{BatchOptions, BatchSource, Batches, Columns};
use chessdb::query::Query;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::args::{self, ColumnNames, open_options, query, selection};

/// Games as a table that is computed while it is read. It can be read repeatedly; each time the
/// games are read again.
#[pyclass(frozen, module = "chessdb")]
#[derive(Clone)]
pub(crate) struct Stream {
    sources: Vec<BatchSource>,
    options: BatchOptions,
    schema: SchemaRef,
    broken: bool,
}

impl Stream {
    pub(crate) fn new(
        py: Python<'_>,
        sources: Vec<BatchSource>,
        columns: Option<ColumnNames>,
        query: Option<Arc<Query>>,
        batch_size: usize,
        jobs: Option<usize>,
        on_error: &str,
    ) -> PyResult<Stream> {
        let columns = match columns {
            Some(names) => names.columns(py)?,
            None => Columns::MOVES,
        };
        let options = BatchOptions {
            columns,
            batch_size,
            threads: jobs.unwrap_or(0),
            on_error: args::on_error(py, on_error)?,
            query,
        };
        Ok(Stream {
            schema: Arc::new(columns.schema()),
            sources,
            options,
            broken: false,
        })
    }

    /// Passes a copy of itself to a function of `chessdb._tables`.
    fn passed_to<'py>(&self, py: Python<'py>, function: &str) -> PyResult<Bound<'py, PyAny>> {
        let stream = Bound::new(py, self.clone())?;
        py.import("chessdb._tables")?
            .call_method1(function, (stream,))
    }
}

#[pymethods]
impl Stream {
    /// The columns.
    #[getter]
    fn schema(&self) -> Schema {
        Schema(Arc::clone(&self.schema))
    }

    /// Starts reading, and returns the games as an Arrow stream.
    #[pyo3(signature = (requested_schema = None))]
    pub(crate) fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        // The interface allows ignoring the requested schema.
        drop(requested_schema);
        let batches = if self.broken {
            Batches::broken()
        } else {
            Batches::new(self.sources.clone(), self.options.clone())
        };
        let stream = FFI_ArrowArrayStream::new(Box::new(batches));
        Ok(PyCapsule::new_with_value(py, stream, c"arrow_array_stream")?.into_any())
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.schema().__arrow_c_schema__(py)
    }

    /// Reads the games to a pandas DataFrame.
    pub(crate) fn df<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.passed_to(py, "df")
    }

    /// Reads the games to a polars DataFrame.
    pub(crate) fn pl<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.passed_to(py, "pl")
    }

    fn __repr__(&self) -> String {
        format!("<Stream of {}>", self.options.columns)
    }
}

/// The columns of a table.
#[pyclass(frozen, module = "chessdb")]
pub(crate) struct Schema(SchemaRef);

#[pymethods]
impl Schema {
    /// The names of the columns.
    #[getter]
    fn names(&self) -> Vec<&str> {
        self.0
            .fields()
            .iter()
            .map(|field| field.name().as_str())
            .collect()
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let schema = FFI_ArrowSchema::try_from(self.0.as_ref())
            .map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
        Ok(PyCapsule::new_with_value(py, schema, c"arrow_schema")?.into_any())
    }

    fn __len__(&self) -> usize {
        self.0.fields().len()
    }

    fn __repr__(&self) -> String {
        let fields = self.0.fields().iter();
        let lines: Vec<String> = fields
            .map(|field| format!("{}: {}", field.name(), field.data_type()))
            .collect();
        format!("<Schema\n  {}>", lines.join("\n  "))
    }
}

/// A database or a part of one: path, format, games, and the byte range if a file is read as a
/// stream.
#[derive(FromPyObject)]
pub(crate) struct SourcePart(PathBuf, Option<String>, Option<String>, Option<(u64, u64)>);

/// Returns the games of several databases as one table.
#[pyfunction]
#[pyo3(signature = (parts, *, columns, r#where, batch_size, jobs, on_error, encoding))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments in Python")]
pub(crate) fn stream(
    py: Python<'_>,
    parts: Vec<SourcePart>,
    columns: ColumnNames,
    r#where: Option<&str>,
    batch_size: usize,
    jobs: Option<usize>,
    on_error: &str,
    encoding: &str,
) -> PyResult<Stream> {
    let mut sources = Vec::new();
    for SourcePart(path, format, games, bytes) in parts {
        let options = open_options(format.as_deref(), encoding, false);
        sources.push(match bytes {
            Some((from, to)) => BatchSource::Bytes(path, from..to, options),
            None => BatchSource::Path(path, options, selection(games.as_deref())?),
        });
    }
    let query = query(py, r#where)?;
    Stream::new(
        py,
        sources,
        Some(columns),
        query,
        batch_size,
        jobs,
        on_error,
    )
}

/// Returns a table with a reader that fails at once, so that tests can check that this is an error
/// and not an empty table.
#[pyfunction]
pub(crate) fn broken_stream(py: Python<'_>) -> PyResult<Stream> {
    let stream = Stream::new(py, Vec::new(), None, None, 1, None, "keep")?;
    Ok(Stream {
        broken: true,
        ..stream
    })
}
