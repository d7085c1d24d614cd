//! The parts of the query language that a text field needs.

use chessdb::query::Query;
use chessdb::query::language::KEYS;
use serde_json::{Value, json};

use crate::page::open_database::OpenDatabase;

/// The number of names that are suggested.
const SUGGESTED: usize = 8;

/// Checks a query. Returns `{ ok, empty }`, or `{ ok, message, from, to }` with positions in UTF-16
/// code units, like JavaScript.
pub(crate) fn check(text: &str) -> Value {
    match text.parse::<Query>() {
        Ok(query) => json!({ "ok": true, "empty": query.is_empty() }),
        Err(error) => {
            let span = error.span();
            json!({
                "ok": false,
                "message": error.message(),
                "from": utf16_place(text, span.start),
                "to": utf16_place(text, span.end),
            })
        }
    }
}

/// Converts a byte offset to UTF-16 code units, in which JavaScript counts.
pub(crate) fn utf16_place(text: &str, offset: usize) -> usize {
    text.get(..offset).unwrap_or(text).encode_utf16().count()
}

/// Returns the keys with their values and meanings, without that for files, which queries of the page
/// do not open.
pub(crate) fn keys() -> Value {
    let keys = KEYS
        .iter()
        .filter(|key| key.name != "book")
        .map(|key| json!([key.name, key.values, key.asks]));
    Value::Array(keys.collect())
}

/// Returns the most frequent names of a field (`player`, `event` or `opening`) with words that begin
/// like those of `text`, as pairs of name and number of games.
pub(crate) fn suggest(base: &OpenDatabase, field: &str, text: &str) -> Value {
    let names = base.names.as_ref();
    let names = names.map(|names| names.suggest(field, text, SUGGESTED));
    json!(names.unwrap_or_default())
}
