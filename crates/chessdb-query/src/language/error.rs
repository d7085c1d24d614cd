//! What is wrong with a query, and where.

use std::fmt;
use std::ops::Range;

/// Why a text is no query, and which part of it is to blame.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct QueryError {
    message: String,
    span: Range<usize>,
    /// The part of the query, as a message shows it.
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

    /// What is wrong, without the place.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The bytes of the query that are to blame; empty at its end if something is missing there.
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// Two lines for a terminal: the query, and marks below the part that is to blame.
    ///
    /// ```
    /// let query = "player:Tal elo:x";
    /// let error = query.parse::<chessdb_query::Query>().unwrap_err();
    /// assert_eq!(error.pointer(query), "player:Tal elo:x\n               ^");
    /// ```
    pub fn pointer(&self, query: &str) -> String {
        let width = |part: Option<&str>| part.map_or(0, |part| part.chars().count());
        let before = width(query.get(..self.span.start));
        let marks = width(query.get(self.span.clone())).max(1);
        format!("{query}\n{:before$}{:^<marks$}", "", "")
    }
}

/// `"x": a number or a range such as 2500..2600 is meant here`
impl fmt::Display for QueryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.word.as_str() {
            "" => write!(f, "query, at its end: {}", self.message),
            word => write!(f, "query, \"{word}\": {}", self.message),
        }
    }
}

impl std::error::Error for QueryError {}
