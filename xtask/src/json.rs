//! A small JSON reader for what cargo and the comparison scripts print.

use std::fmt;

/// A JSON value. Numbers stay text: nothing here calculates with them.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Json {
    Null,
    Bool(bool),
    Number(String),
    String(String),
    Array(Vec<Json>),
    Object(Vec<(String, Json)>),
}

static NULL: Json = Json::Null;

impl Json {
    /// Reads one value; anything but white space after it is an error.
    pub(crate) fn parse(text: &str) -> Result<Json, String> {
        let mut reader = Reader { text, at: 0 };
        let value = reader.value(0)?;
        reader.space();
        if reader.at < text.len() {
            Err(reader.fault("the end"))
        } else {
            Ok(value)
        }
    }

    /// The member of an object; null where there is none, or where this is no object.
    pub(crate) fn get(&self, name: &str) -> &Json {
        match self {
            Json::Object(members) => members
                .iter()
                .find(|(key, _)| key == name)
                .map_or(&NULL, |(_, value)| value),
            _ => &NULL,
        }
    }

    pub(crate) fn str(&self) -> Option<&str> {
        if let Json::String(text) = self {
            Some(text)
        } else {
            None
        }
    }

    /// A whole number from 0; none where this is something else.
    pub(crate) fn number(&self) -> Option<u64> {
        if let Json::Number(text) = self {
            text.parse().ok()
        } else {
            None
        }
    }

    /// The elements of an array; none where this is no array.
    pub(crate) fn items(&self) -> &[Json] {
        if let Json::Array(items) = self {
            items
        } else {
            &[]
        }
    }
}

/// Short form for messages.
impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Json::Null => f.write_str("null"),
            Json::Bool(value) => write!(f, "{value}"),
            Json::Number(text) => f.write_str(text),
            Json::String(text) => write!(f, "{text:?}"),
            Json::Array(items) => {
                f.write_str("[")?;
                for (n, item) in items.iter().enumerate() {
                    write!(f, "{}{item}", if n > 0 { ", " } else { "" })?;
                }
                f.write_str("]")
            }
            Json::Object(members) => {
                f.write_str("{")?;
                for (n, (key, value)) in members.iter().enumerate() {
                    write!(f, "{}{key:?}: {value}", if n > 0 { ", " } else { "" })?;
                }
                f.write_str("}")
            }
        }
    }
}

/// Nesting beyond this is refused; cargo needs about ten, a variation tree some dozens.
const MAX_DEPTH: u32 = 2000;

struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Reader<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn fault(&self, wanted: &str) -> String {
        let found: String = self.rest().chars().take(12).collect();
        format!("JSON, byte {}: {wanted} expected, found {found:?}", self.at)
    }

    fn space(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n']).len();
    }

    /// Takes `token` if it comes next.
    fn take(&mut self, token: &str) -> bool {
        let found = self.rest().starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    fn value(&mut self, depth: u32) -> Result<Json, String> {
        if depth > MAX_DEPTH {
            return Err(self.fault("less nesting"));
        }
        self.space();
        match self.rest().as_bytes().first() {
            Some(b'{') => self.object(depth),
            Some(b'[') => self.array(depth),
            Some(b'"') => self.string().map(Json::String),
            Some(b'-' | b'0'..=b'9') => {
                let rest = self.rest();
                let end = rest
                    .find(|c: char| !matches!(c, '0'..='9' | '+' | '-' | '.' | 'e' | 'E'))
                    .unwrap_or(rest.len());
                self.at += end;
                Ok(Json::Number(rest.get(..end).unwrap_or(rest).to_owned()))
            }
            _ if self.take("null") => Ok(Json::Null),
            _ if self.take("true") => Ok(Json::Bool(true)),
            _ if self.take("false") => Ok(Json::Bool(false)),
            _ => Err(self.fault("a value")),
        }
    }

    fn object(&mut self, depth: u32) -> Result<Json, String> {
        self.take("{");
        let mut members = Vec::new();
        self.space();
        if self.take("}") {
            return Ok(Json::Object(members));
        }
        loop {
            self.space();
            let key = self.string()?;
            self.space();
            if !self.take(":") {
                return Err(self.fault("`:`"));
            }
            members.push((key, self.value(depth + 1)?));
            self.space();
            if self.take("}") {
                return Ok(Json::Object(members));
            }
            if !self.take(",") {
                return Err(self.fault("`,` or `}`"));
            }
        }
    }

    fn array(&mut self, depth: u32) -> Result<Json, String> {
        self.take("[");
        let mut items = Vec::new();
        self.space();
        if self.take("]") {
            return Ok(Json::Array(items));
        }
        loop {
            items.push(self.value(depth + 1)?);
            self.space();
            if self.take("]") {
                return Ok(Json::Array(items));
            }
            if !self.take(",") {
                return Err(self.fault("`,` or `]`"));
            }
        }
    }

    fn string(&mut self) -> Result<String, String> {
        if !self.take("\"") {
            return Err(self.fault("a string"));
        }
        let mut text = String::new();
        loop {
            let rest = self.rest();
            let stop = rest
                .find(['"', '\\'])
                .ok_or_else(|| self.fault("the end of a string"))?;
            text.push_str(rest.get(..stop).unwrap_or(""));
            self.at += stop;
            if self.take("\"") {
                return Ok(text);
            }
            self.take("\\");
            let escape = self
                .rest()
                .chars()
                .next()
                .ok_or_else(|| self.fault("an escape"))?;
            self.at += escape.len_utf8();
            text.push(match escape {
                '"' | '\\' | '/' => escape,
                'b' => '\u{8}',
                'f' => '\u{c}',
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                'u' => self.unicode()?,
                _ => return Err(self.fault("a known escape")),
            });
        }
    }

    /// The character of a `\u` escape whose `\u` is read, of two where it is a surrogate pair.
    fn unicode(&mut self) -> Result<char, String> {
        let high = self.hex4()?;
        let code = if (0xD800..0xDC00).contains(&high) && self.take("\\u") {
            let low = self.hex4()?;
            0x10000 + ((high - 0xD800) << 10) + low.wrapping_sub(0xDC00)
        } else {
            high
        };
        char::from_u32(code).ok_or_else(|| self.fault("a whole surrogate pair before this"))
    }

    fn hex4(&mut self) -> Result<u32, String> {
        let digits = self
            .rest()
            .get(..4)
            .filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit()));
        let code = digits.and_then(|d| u32::from_str_radix(d, 16).ok());
        let code = code.ok_or_else(|| self.fault("four hexadecimal digits"))?;
        self.at += 4;
        Ok(code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_every_kind() {
        let text = r#" {"a": [1, -2.5e3, true, false, null], "b": {"c": "x"}, "d": [], "e": {}} "#;
        let json = Json::parse(text).unwrap();
        assert_eq!(json.get("a").items().len(), 5);
        assert_eq!(json.get("a").items()[1], Json::Number("-2.5e3".into()));
        assert_eq!(json.get("a").items()[2], Json::Bool(true));
        assert_eq!(json.get("b").get("c").str(), Some("x"));
        assert_eq!(json.get("d"), &Json::Array(Vec::new()));
        assert_eq!(json.get("missing").get("deeper"), &Json::Null);
        assert_eq!(
            json.to_string(),
            r#"{"a": [1, -2.5e3, true, false, null], "b": {"c": "x"}, "d": [], "e": {}}"#
        );
    }

    #[test]
    fn escapes() {
        let json = Json::parse(r#""q\" b\\ s\/ n\n t\t Ж \ud83d\ude00 Ж""#).unwrap();
        assert_eq!(json.str(), Some("q\" b\\ s/ n\n t\t Ж 😀 Ж"));
    }

    #[test]
    fn faults_name_the_byte() {
        for (text, byte) in [
            ("", 0),
            ("[1 2]", 3),
            ("{\"a\" 1}", 5),
            ("{\"a\":1,}", 7),
            ("[1,]", 3),
            ("\"abc", 1),
            (r#""\x""#, 3),
            (r#""\u12""#, 3),
            (r#""\ud800""#, 7),
            ("1 1", 2),
            ("nul", 0),
        ] {
            let fault = Json::parse(text).unwrap_err();
            assert!(fault.contains(&format!("byte {byte}:")), "{text}: {fault}");
        }
        assert!(Json::parse(&"[".repeat(100_000)).is_err());
    }
}
