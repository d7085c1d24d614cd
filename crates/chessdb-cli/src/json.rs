//! Helpers for the output of `--json`.

use std::fmt;
use std::io::{self, Write};

use chessdb::core::store::Remark;
pub(crate) use serde_json::Value as Json;

/// The version of all JSON output, its member `schema`.
pub(crate) const SCHEMA: u64 = 1;

/// Returns an object with these members in this order: `object! { "games": 3, "event": None }`.
/// Unlike [`serde_json::json`], it moves the values.
macro_rules! object {
    ($($name:literal: $value:expr),+ $(,)?) => {
        $crate::json::members([$(($name, $crate::json::Json::from($value))),+])
    };
}

pub(crate) use object;

/// Returns an object with these members in this order.
pub(crate) fn members<const N: usize>(members: [(&str, Json); N]) -> Json {
    let members = members.map(|(name, value)| (name.to_owned(), value));
    Json::Object(members.into_iter().collect())
}

/// Returns an object with one more member, the first.
pub(crate) fn with_first(name: &str, value: impl Into<Json>, mut object: Json) -> Json {
    if let Json::Object(members) = &mut object {
        members.shift_insert(0, name.to_owned(), value.into());
    }
    object
}

/// Returns names with their numbers of games.
pub(crate) fn games_by_name<S: Into<Json>>(names: impl IntoIterator<Item = (S, u64)>) -> Json {
    let names = names.into_iter();
    list(names.map(|(name, games)| object! { "name": name.into(), "games": games }))
}

/// Returns a text, or null for an empty one.
pub(crate) fn text_or_null(text: &str) -> Json {
    Some(text).filter(|text| !text.is_empty()).into()
}

/// Returns a share, rounded to four places.
pub(crate) fn rounded(share: Option<f64>) -> Json {
    // Without rounding, JSON would show the noise of binary fractions, as in 0.30000000000000004.
    share
        .map(|share| (share * 10_000.0).round() / 10_000.0)
        .into()
}

/// Returns an array.
pub(crate) fn list<T: Into<Json>>(items: impl IntoIterator<Item = T>) -> Json {
    Json::Array(items.into_iter().map(Into::into).collect())
}

/// Returns a document: an object with the schema version and one member.
pub(crate) fn document(name: &str, value: Json) -> String {
    line(&members([("schema", SCHEMA.into()), (name, value)]))
}

/// Returns a format-specific fact about a database.
pub(crate) fn remark(remark: &Remark) -> Json {
    object! { "title": remark.title, "text": remark.text.as_str() }
}

/// Returns a value on one line.
pub(crate) fn line(value: &Json) -> String {
    escape(&value.to_string())
}

/// A document with an object for each database: that object if there is one database, or a list.
pub(crate) struct DatabaseList {
    is_several: bool,
    count: u64,
}

impl DatabaseList {
    /// Begins the document.
    pub(crate) fn begin(is_several: bool, out: &mut impl Write) -> io::Result<DatabaseList> {
        if is_several {
            write!(out, "{{\"schema\":{SCHEMA},\"bases\":[")?;
        }
        let count = 0;
        Ok(DatabaseList { is_several, count })
    }

    fn next(&mut self) -> &'static str {
        self.count += 1;
        if self.count == 1 { "\n" } else { ",\n" }
    }

    /// Begins the object of a database.
    pub(crate) fn open(&mut self, out: &mut impl Write) -> io::Result<()> {
        if self.is_several {
            write!(out, "{}{{", self.next())
        } else {
            write!(out, "{{\"schema\":{SCHEMA},")
        }
    }

    /// Ends the object of a database.
    pub(crate) fn close(&self, out: &mut impl Write) -> io::Result<()> {
        out.write_all(if self.is_several { b"}" } else { b"}\n" })
    }

    /// Ends the document, after the databases that could not be read. The members `more` follow the
    /// list, each after a comma.
    pub(crate) fn end(
        &mut self,
        unread: &[Json],
        more: &str,
        out: &mut impl Write,
    ) -> io::Result<()> {
        if !self.is_several {
            return Ok(());
        }
        for failed in unread {
            write!(out, "{}{}", self.next(), line(failed))?;
        }
        writeln!(out, "\n]{more}}}")
    }
}

/// A text as a JSON string.
pub(crate) struct Quoted<'a>(pub(crate) &'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = serde_json::to_string(self.0).map_err(|_| fmt::Error)?;
        f.write_str(&escape(&text))
    }
}

/// Escapes control characters, which a terminal would obey, and line separators of JavaScript. JSON
/// allows them only within strings, where the library leaves some of them as they are.
fn escape(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') {
            out += &format!("\\u{:04x}", u32::from(c));
        } else {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_come_back_and_hold_nothing_that_a_terminal_obeys() {
        let odd = "a\"b\\c\nd\te\u{1b}f\u{7f}\u{85}\u{2028}ж😀\0";
        let json = document("list", list([odd, "b"]));
        assert!(json.starts_with("{\"schema\":1,\"list\":[\"a"), "{json}");
        assert!(!json.contains(|c: char| c.is_control() || c == '\u{2028}'));
        let read: Json = serde_json::from_str(&json).unwrap();
        assert_eq!(read["list"][0], odd);
        assert_eq!(
            serde_json::from_str::<String>(&Quoted(odd).to_string()).unwrap(),
            odd
        );
    }
}
