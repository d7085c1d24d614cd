//! JSON, as much as is needed to print some.

use std::fmt;

/// The version of all JSON output, named in it as `schema`.
pub(crate) const SCHEMA: u64 = 1;

/// A value to print. Its depth is that of our own code, never that of a file.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Json {
    Null,
    Bool(bool),
    Number(u64),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(&'static str, Json)>),
}

impl Json {
    /// An object that begins with the version.
    pub(crate) fn document(fields: Vec<(&'static str, Json)>) -> Json {
        let mut all = vec![("schema", Json::Number(SCHEMA))];
        all.extend(fields);
        Json::Object(all)
    }

    /// A list of anything.
    pub(crate) fn list<T: Into<Json>>(items: impl IntoIterator<Item = T>) -> Json {
        Json::List(items.into_iter().map(Into::into).collect())
    }
}

impl From<bool> for Json {
    fn from(value: bool) -> Json {
        Json::Bool(value)
    }
}

impl From<u64> for Json {
    fn from(value: u64) -> Json {
        Json::Number(value)
    }
}

impl From<u32> for Json {
    fn from(value: u32) -> Json {
        Json::Number(value.into())
    }
}

impl From<&str> for Json {
    fn from(value: &str) -> Json {
        Json::Text(value.to_owned())
    }
}

impl From<String> for Json {
    fn from(value: String) -> Json {
        Json::Text(value)
    }
}

impl<T: Into<Json>> From<Option<T>> for Json {
    fn from(value: Option<T>) -> Json {
        value.map_or(Json::Null, Into::into)
    }
}

impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Json::Null => f.write_str("null"),
            Json::Bool(value) => write!(f, "{value}"),
            Json::Number(value) => write!(f, "{value}"),
            Json::Text(value) => write!(f, "{}", Quoted(value)),
            Json::List(items) => {
                f.write_str("[")?;
                for (n, item) in items.iter().enumerate() {
                    write!(f, "{}{item}", if n == 0 { "" } else { "," })?;
                }
                f.write_str("]")
            }
            Json::Object(fields) => {
                f.write_str("{")?;
                for (n, (name, value)) in fields.iter().enumerate() {
                    write!(
                        f,
                        "{}{}:{value}",
                        if n == 0 { "" } else { "," },
                        Quoted(name)
                    )?;
                }
                f.write_str("}")
            }
        }
    }
}

/// A text in quotation marks.
pub(crate) struct Quoted<'a>(pub(crate) &'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use fmt::Write;
        f.write_char('"')?;
        for c in self.0.chars() {
            match c {
                '"' => f.write_str("\\\"")?,
                '\\' => f.write_str("\\\\")?,
                '\n' => f.write_str("\\n")?,
                '\r' => f.write_str("\\r")?,
                '\t' => f.write_str("\\t")?,
                // Also the two line ends that JavaScript sees, and what a terminal would obey.
                c if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') => {
                    write!(f, "\\u{:04x}", u32::from(c))?;
                }
                c => f.write_char(c)?,
            }
        }
        f.write_char('"')
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_real_parser_reads_it() {
        let odd = "a\"b\\c\nd\te\u{1b}f\u{7f}\u{85}\u{2028}ж😀\0";
        let json = Json::document(vec![
            ("text", odd.into()),
            ("none", None::<u32>.into()),
            ("list", Json::list([1u32, 2])),
            ("object", Json::Object(vec![("yes", true.into())])),
        ]);
        let read: serde_json::Value = serde_json::from_str(&json.to_string()).unwrap();
        assert_eq!(read["schema"], 1);
        assert_eq!(read["text"], odd);
        assert!(read["none"].is_null());
        assert_eq!(read["list"][1], 2);
        assert_eq!(read["object"]["yes"], true);
    }
}
