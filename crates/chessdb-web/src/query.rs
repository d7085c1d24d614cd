//! The query language, as far as a text field needs it.

use chessdb::query::{KEYS, Query};
use serde_json::{Value, json};

/// `{ ok }`, or `{ message, from, to }` with places counted as JavaScript does.
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

/// The keys with what they ask.
pub(crate) fn keys() -> Value {
    let keys = KEYS
        .iter()
        .map(|key| json!([key.name, key.values, key.asks]));
    Value::Array(keys.collect())
}
