//! A game as a row of a table, for packages that take lists of objects instead of Arrow streams.

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_array::types::{Date32Type, Int16Type, Int32Type, Int64Type, TimestampMicrosecondType};
use arrow_schema::DataType;
use chessdb::arrow::{Batcher, Columns};
use chessdb::core::Game;
use chessdb::core::store::Origin;
use pyo3::exceptions::PyRuntimeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyList;

/// The columns of a row, which are the columns of a table by default.
const COLUMNS: Columns = Columns::MOVES;

/// The days from the first day of year 1 to 1970-01-01, as Python counts them.
const EPOCH_DAYS: i32 = 719_163;

/// Returns the names and types of the columns of a row.
#[pyfunction]
pub(crate) fn row_fields() -> Vec<(String, &'static str)> {
    let schema = COLUMNS.schema();
    let fields = schema.fields().iter().map(|field| {
        let kind = match field.data_type() {
            DataType::Utf8 => "str",
            DataType::Date32 => "date",
            DataType::Timestamp(..) => "datetime",
            DataType::List(_) => "list",
            _ => "int",
        };
        (field.name().clone(), kind)
    });
    fields.collect()
}

/// Returns the value of a column for one game. `None` if a row has no such column.
pub(crate) fn cell<'py>(
    py: Python<'py>,
    column: &str,
    game: &Game,
    origin: Origin<'_>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let Some(column) = COLUMNS.iter().find(|other| other.name() == column) else {
        return Ok(None);
    };
    let failed = |error: &dyn std::fmt::Display| PyRuntimeError::new_err(error.to_string());
    let columns: Columns = column.name().parse().map_err(|error| failed(&error))?;
    let mut batcher = Batcher::new(columns);
    batcher.take(game);
    batcher.append(origin);
    let batch = batcher.finish().map_err(|error| failed(&error))?;
    let Some(array) = batch.columns().first() else {
        return Ok(None);
    };
    if array.is_null(0) {
        return Ok(Some(py.None().into_bound(py)));
    }
    Ok(Some(match array.data_type() {
        DataType::Utf8 => array
            .as_string::<i32>()
            .value(0)
            .into_pyobject(py)?
            .into_any(),
        DataType::Int16 => number(py, array.as_primitive::<Int16Type>().value(0).into())?,
        DataType::Int32 => number(py, array.as_primitive::<Int32Type>().value(0).into())?,
        DataType::Int64 => number(py, array.as_primitive::<Int64Type>().value(0))?,
        DataType::Date32 => {
            let days = array.as_primitive::<Date32Type>().value(0);
            py.import("datetime")?
                .getattr(intern!(py, "date"))?
                .call_method1(
                    intern!(py, "fromordinal"),
                    (days.saturating_add(EPOCH_DAYS),),
                )?
        }
        DataType::Timestamp(..) => {
            let micros = array.as_primitive::<TimestampMicrosecondType>().value(0);
            let datetime = py.import("datetime")?;
            let utc = datetime.getattr("timezone")?.getattr("utc")?;
            datetime
                .getattr("datetime")?
                .call1((1970, 1, 1, 0, 0, 0, 0, utc))?
                .add(datetime.getattr("timedelta")?.call1((0, 0, micros))?)?
        }
        DataType::List(_) => {
            let values = array.as_list::<i32>().value(0);
            PyList::new(py, values.as_primitive::<Int16Type>().values())?.into_any()
        }
        other => return Err(failed(other)),
    }))
}

fn number(py: Python<'_>, value: i64) -> PyResult<Bound<'_, PyAny>> {
    Ok(value.into_pyobject(py)?.into_any())
}
