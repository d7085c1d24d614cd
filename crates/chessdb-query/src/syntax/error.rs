//! The error type for queries.

use std::fmt;
use std::ops::Range;

/// An error in a query, with the part of the text that caused it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct QueryError {
    message: String,
    span: Range<usize>,
    /// The part of the query, as shown in a message.
    word: String,
}

impl QueryError {
    pub(crate) fn new(text: &str, span: Range<usize>, message: impl Into<String>) -> QueryError {
        let word = text.get(span.clone()).unwrap_or_default();
        QueryError {
            message: message.into(),
            word: word.trim().to_owned(),
            span,
        }
    }

    /// Returns the message, without the position.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Returns the byte range of the query that caused the error. It is empty, at the end, if
    /// something is missing there.
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// Returns two lines for a terminal: the query, and marks below the part that caused the error.
    ///
    /// ```
    /// let query = "player:Tal elo:x";
    /// let error = query.parse::<chessdb_query::Query>().unwrap_err();
    /// assert_eq!(error.pointer(query), "player:Tal elo:x\n               ^");
    /// ```
    pub fn pointer(&self, query: &str) -> String {
        let width = |part: Option<&str>| part.map_or(0, |part| part.chars().map(columns).sum());
        let before = width(query.get(..self.span.start));
        let marks = width(query.get(self.span.clone())).max(1);
        format!("{query}\n{:before$}{:^<marks$}", "", "")
    }
}

/// Returns the number of terminal columns of a character.
fn columns(c: char) -> usize {
    match u32::from(c) {
        // Combining marks and characters without width.
        0x300..=0x36F | 0x483..=0x489 | 0x591..=0x5BD | 0x610..=0x61A | 0x64B..=0x65F => 0,
        0xE31 | 0xE34..=0xE3A | 0xE47..=0xE4E => 0,
        0x1AB0..=0x1AFF | 0x1DC0..=0x1DFF | 0x200B..=0x200F | 0x2060..=0x2064 => 0,
        0x20D0..=0x20FF | 0x302A..=0x302D | 0x3099..=0x309A => 0,
        0xFE00..=0xFE0F | 0xFE20..=0xFE2F | 0xFEFF => 0,
        // East Asian letters, and emoji.
        0x1100..=0x115F | 0x2E80..=0x303E | 0x3041..=0x33FF | 0x3400..=0x4DBF => 2,
        0x4E00..=0xA4CF | 0xA960..=0xA97F | 0xAC00..=0xD7A3 | 0xF900..=0xFAFF => 2,
        0xFE30..=0xFE6F | 0xFF01..=0xFF60 | 0xFFE0..=0xFFE6 => 2,
        0x1F300..=0x1F64F | 0x1F680..=0x1F6FF | 0x1F900..=0x1F9FF | 0x20000..=0x3FFFD => 2,
        _ => 1,
    }
}

/// Formats the message with the word of the query that it refers to.
impl fmt::Display for QueryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.word.as_str() {
            "" => write!(f, "query, at the end: {}", self.message),
            word => write!(f, "query, \"{word}\": {}", self.message),
        }
    }
}

impl std::error::Error for QueryError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn error_marks_are_below_the_word_in_any_script() {
        for (before, columns) in [
            ("player:Tal ", 11),
            ("player:Müller ", 14),
            ("player:Иванов ", 14),
            ("player:Mu\u{308}ller ", 14),
            ("event:中文赛 ", 13),
            ("event:プロ ", 11),
            ("event:한국 ", 11),
            ("player:\u{1F600} ", 10),
            ("player:\u{200E}שלום ", 12),
        ] {
            let error = QueryError {
                message: String::new(),
                word: "x".to_owned(),
                span: before.len()..before.len() + 1,
            };
            let pointer = error.pointer(&format!("{before}x y"));
            let marks = pointer.lines().nth(1).unwrap();
            assert_eq!(marks, format!("{:columns$}^", ""), "{before}");
        }
    }
}
