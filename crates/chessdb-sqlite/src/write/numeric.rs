//! Texts in columns that SQLite declares numeric.

use crate::file::{TextEncoding, Value};

/// Returns whether a column of integers or numbers gives a text back as it was. SQLite stores a
/// text that is a number as this number, so that `05` becomes `5` and `1.10` becomes `1.1`.
pub(crate) fn survives_as_number(text: &str) -> bool {
    let Some(number) = number(text) else {
        return true;
    };
    number
        .to_text(TextEncoding::Utf8)
        .is_some_and(|stored| *stored == *text.as_bytes())
}

/// Returns the number as which SQLite stores a text; `None` if it remains a text.
fn number(text: &str) -> Option<Value<'static>> {
    // The white space of SQLite includes a form feed and a vertical tab.
    let trimmed = text.trim_matches(|letter| matches!(letter, ' ' | '\t'..='\r'));
    let unsigned = trimmed.strip_prefix(['+', '-']).unwrap_or(trimmed);
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let has_exponent = exponent.is_none_or(|exponent| {
        let magnitude = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        !magnitude.is_empty() && digits(magnitude)
    });
    let is_number = digits(whole) && digits(fraction) && has_exponent;
    if !is_number || whole.is_empty() && fraction.is_empty() {
        return None;
    }
    if let Ok(number) = trimmed.parse() {
        return Some(Value::Int(number));
    }
    let number: f64 = trimmed.parse().ok()?;
    // SQLite stores whole numbers that fit into 64 bits as integers.
    let is_whole = number.fract() == 0.0 && number.abs() < 9.0e18;
    Some(if is_whole { Value::Int(number as i64) } else { Value::Real(number) })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rusqlite::Connection;
    use rusqlite::types::ValueRef;

    use super::*;

    thread_local! {
        static CONNECTION: Connection = {
            let connection = Connection::open_in_memory().unwrap();
            connection.execute_batch("CREATE TABLE t(a INTEGER)").unwrap();
            connection
        };
    }

    /// Returns the value that SQLite stores, as the reader of this crate shows it.
    fn stored(text: &str) -> String {
        CONNECTION.with(|connection| {
            connection.execute("DELETE FROM t", []).unwrap();
            connection
                .execute("INSERT INTO t VALUES (?1)", [text])
                .unwrap();
            let shown = |row: &rusqlite::Row<'_>| {
                let value = match row.get_ref(0)? {
                    ValueRef::Integer(number) => Value::Int(number),
                    ValueRef::Real(number) => Value::Real(number),
                    ValueRef::Text(text) => Value::Text(text),
                    _ => Value::Null,
                };
                let text = value.to_text(TextEncoding::Utf8).unwrap_or_default();
                Ok(String::from_utf8(text.into_owned()).unwrap())
            };
            connection.query_row("SELECT a FROM t", [], shown).unwrap()
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(3000))]

        #[test]
        fn survives_as_number_agrees_with_sqlite(text in "[ \t]?[+-]?[0-9]{0,20}[.]?[0-9]{0,4}([eE][+-]?[0-9]{0,3})?[ x]?") {
            let (found, back) = (survives_as_number(&text), stored(&text));
            prop_assert_eq!(found, back == text, "{} is read back as {}", text, back);
        }
    }
}
