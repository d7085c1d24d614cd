//! Arguments of callers: options for opening, columns, games.

use std::sync::Arc;

use chessdb::arrow::Columns;
use chessdb::fs::open_for_queries;
use chessdb::options::OpenOptions;
use chessdb::query::{Query, QueryOptions};
use chessdb::{Database, OnError, Selection};
use pyo3::prelude::*;

use crate::errors::{invalid_argument, to_exception};

/// Returns the options for opening a database.
pub(crate) fn open_options(format: Option<&str>, encoding: &str, strict: bool) -> OpenOptions {
    let options = Database::options().encoding(encoding).strict(strict);
    match format {
        Some(format) => options.format(format),
        None => options,
    }
}

/// Adds the numbering of promotions in DC*: `auto`, `program` or `seed`.
pub(crate) fn with_dcx_promotions(options: OpenOptions, dcx_promotions: &str) -> OpenOptions {
    match dcx_promotions {
        "auto" => options,
        numbering => options.setting("dcx-promotions", numbering),
    }
}

/// Parses a query. Returns `None` if it is missing or empty.
pub(crate) fn query(py: Python<'_>, text: Option<&str>) -> PyResult<Option<Arc<Query>>> {
    let Some(text) = text else { return Ok(None) };
    let options = QueryOptions {
        books: Some(open_for_queries),
        ..QueryOptions::default()
    };
    let query =
        Query::parse(text, options).map_err(|error| invalid_argument(py, &format!("{error}")))?;
    Ok((!query.is_empty()).then(|| Arc::new(query)))
}

/// Parses a list of games such as `1,5-9`; by default all games.
pub(crate) fn selection(text: Option<&str>) -> PyResult<Selection> {
    let parsed = text.map(str::parse).transpose().map_err(to_exception)?;
    Ok(parsed.unwrap_or_default())
}

/// Columns, given by the name of a preset or individually.
#[derive(FromPyObject)]
pub(crate) enum ColumnNames {
    One(String),
    Several(Vec<String>),
}

impl ColumnNames {
    /// Returns the columns in the syntax of the program.
    pub(crate) fn joined(&self) -> String {
        match self {
            ColumnNames::One(name) => name.clone(),
            ColumnNames::Several(names) => names.join(","),
        }
    }

    pub(crate) fn columns(&self, py: Python<'_>) -> PyResult<Columns> {
        self.joined()
            .parse::<Columns>()
            .map_err(|message| invalid_argument(py, &message))
    }
}

/// Parses `keep`, `skip` or `raise`.
pub(crate) fn on_error(py: Python<'_>, word: &str) -> PyResult<OnError> {
    Ok(match word {
        "keep" => OnError::Keep,
        "skip" => OnError::Skip,
        "raise" => OnError::Stop,
        _ => {
            let message = format!("on_error must be \"keep\", \"skip\" or \"raise\", not {word:?}");
            return Err(invalid_argument(py, &message));
        }
    })
}
