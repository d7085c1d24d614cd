//! The form of what `--json` prints.

use std::fmt;

use chessdb::core::Remark;
pub(crate) use serde_json::Value as Json;

/// The version of all JSON output, named in it as `schema`.
pub(crate) const SCHEMA: u64 = 1;

/// An object with these members, in this order.
pub(crate) fn object<const N: usize>(members: [(&str, Json); N]) -> Json {
    let members = members.map(|(name, value)| (name.to_owned(), value));
    Json::Object(members.into_iter().collect())
}

/// A list of anything.
pub(crate) fn list<T: Into<Json>>(items: impl IntoIterator<Item = T>) -> Json {
    Json::Array(items.into_iter().map(Into::into).collect())
}

/// What a command prints: an object of one member, with the version in front.
pub(crate) fn document(name: &str, value: Json) -> String {
    line(&object([("schema", SCHEMA.into()), (name, value)]))
}

/// A fact about a database that only its format has.
pub(crate) fn remark(remark: &Remark) -> Json {
    let text = remark.text.as_str();
    object([("title", remark.title.into()), ("text", text.into())])
}

/// A value on one line.
pub(crate) fn line(value: &Json) -> String {
    escape(&value.to_string())
}

/// A text in quotation marks.
pub(crate) struct Quoted<'a>(pub(crate) &'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = serde_json::to_string(self.0).map_err(|_| fmt::Error)?;
        f.write_str(&escape(&text))
    }
}

/// The same JSON without what a terminal would obey, or JavaScript take for the end of a line: within
/// strings, the only place for it, the library leaves some such characters as they are.
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
