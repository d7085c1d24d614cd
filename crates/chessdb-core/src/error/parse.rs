//! The error of parsing a value that people enter.

use std::fmt;

use super::ErrorKind;

/// The error for a text that is no value of its type; it states what was expected.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParseError {
    expected: &'static str,
    input: Box<str>,
}

impl ParseError {
    pub(crate) fn new(expected: &'static str, input: &str) -> ParseError {
        ParseError {
            expected,
            input: ErrorKind::excerpt(input.as_bytes()),
        }
    }

    /// Returns a description of a valid text.
    pub fn expected(&self) -> &'static str {
        self.expected
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected {}, found \"{}\"", self.expected, self.input)
    }
}

impl std::error::Error for ParseError {}
