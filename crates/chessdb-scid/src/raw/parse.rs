//! What the parsers of this crate share. nom stays private to it.

use chessdb_core::{Error, ErrorKind, Location};
use nom::error::{ContextError, ErrorKind as NomKind, ParseError};

/// A parser's result over bytes.
pub(crate) type Parsed<'a, T> = nom::IResult<&'a [u8], T, Stop>;

/// Where a parser stopped: nom hands on slices, so the place is what was left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Stop {
    /// Bytes from the place to the end of what was parsed.
    pub(crate) remaining: usize,
    /// What was being read.
    pub(crate) what: &'static str,
}

impl ParseError<&[u8]> for Stop {
    fn from_error_kind(input: &[u8], _: NomKind) -> Stop {
        Stop {
            remaining: input.len(),
            what: "a field",
        }
    }

    fn append(_: &[u8], _: NomKind, other: Stop) -> Stop {
        other
    }
}

/// The innermost name wins: it stands nearest to the place.
impl ContextError<&[u8]> for Stop {
    fn add_context(_: &[u8], context: &'static str, other: Stop) -> Stop {
        if other.what == "a field" {
            Stop {
                what: context,
                ..other
            }
        } else {
            other
        }
    }
}

impl Stop {
    /// The place and the name, out of nom's wrapping.
    pub(crate) fn from_nom(error: nom::Err<Stop>) -> Stop {
        match error {
            nom::Err::Error(stop) | nom::Err::Failure(stop) => stop,
            // Only the `complete` parsers are used, which never ask for more.
            nom::Err::Incomplete(_) => Stop {
                remaining: 0,
                what: "a field",
            },
        }
    }

    /// The same as an error about a file of this many bytes.
    pub(crate) fn into_error(self, len: usize) -> Error {
        let at = byte_at(len.saturating_sub(self.remaining) as u64);
        let had = self.remaining as u64;
        Error::new(ErrorKind::Truncated {
            what: self.what,
            needed: had + 1,
            had,
        })
        .at(at)
    }
}

/// A byte of a file that the caller knows.
pub(crate) fn byte_at(offset: u64) -> Location {
    Location {
        offset: Some(offset),
        ..Location::default()
    }
}

/// The first `N` bytes as an array.
pub(crate) fn array<const N: usize>(input: &[u8]) -> Parsed<'_, [u8; N]> {
    match input.split_first_chunk::<N>() {
        Some((head, rest)) => Ok((rest, *head)),
        None => Err(nom::Err::Error(Stop::from_error_kind(input, NomKind::Eof))),
    }
}
