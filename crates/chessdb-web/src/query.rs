//! The parts of the query language that a text field needs.

use chessdb::query::{KEYS, Query};
use serde_json::{Value, json};

/// Checks a query. Returns `{ ok, empty }`, or `{ ok, message, from, to }` with positions in UTF-16
/// code units, like JavaScript.
pub(crate) fn check(text: &str) -> Value {
    match text.parse::<Query>() {
        Ok(query) => json!({ "ok": true, "empty": query.is_empty() }),
        Err(error) => {
            let span = error.span();
            let place = |at: usize| {
                let before = text.get(..at).unwrap_or(text);
                before.encode_utf16().count()
            };
            json!({
                "ok": false,
                "message": error.message(),
                "from": place(span.start),
                "to": place(span.end),
            })
        }
    }
}

/// Returns the keys with their values and meanings.
pub(crate) fn keys() -> Value {
    let keys = KEYS
        .iter()
        .map(|key| json!([key.name, key.values, key.asks]));
    Value::Array(keys.collect())
}
