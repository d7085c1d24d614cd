//! What the rooms `raw` of format crates share: where a parser of nom stopped, and at what.
//!
//! Only with the feature `nom`, and hidden: the types are nom's, and promise nothing to strangers.

use nom::error::{ContextError, ErrorKind as NomKind, ParseError};

use crate::{Error, ErrorKind, Location, Role};

/// A parser's result over bytes.
pub type Parsed<'a, T> = nom::IResult<&'a [u8], T, Stop>;

/// Where a parser stopped: nom hands on slices, so the place is what was left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stop {
    /// Bytes from the place to the end of what was parsed.
    pub remaining: usize,
    /// What was being read.
    pub what: &'static str,
}

/// What nom's own parsers say they read; the names of [`ContextError`] replace it.
const NAMELESS: &str = "a field";

impl ParseError<&[u8]> for Stop {
    #[inline]
    fn from_error_kind(input: &[u8], _: NomKind) -> Stop {
        Stop::new(input, NAMELESS)
    }

    #[inline]
    fn append(_: &[u8], _: NomKind, other: Stop) -> Stop {
        other
    }
}

/// The innermost name wins: it stands nearest to the place.
impl ContextError<&[u8]> for Stop {
    #[inline]
    fn add_context(_: &[u8], what: &'static str, other: Stop) -> Stop {
        if other.what == NAMELESS {
            Stop { what, ..other }
        } else {
            other
        }
    }
}

impl Stop {
    /// In front of these bytes.
    #[inline]
    pub const fn new(rest: &[u8], what: &'static str) -> Stop {
        Stop {
            remaining: rest.len(),
            what,
        }
    }

    /// The place and the name, out of nom's wrapping.
    #[inline]
    pub fn from_nom(error: nom::Err<Stop>) -> Stop {
        match error {
            nom::Err::Error(stop) | nom::Err::Failure(stop) => stop,
            // Only the `complete` parsers are used, which never ask for more.
            nom::Err::Incomplete(_) => Stop::new(&[], NAMELESS),
        }
    }

    /// The same about a record of this many bytes.
    #[inline]
    pub fn in_record(self, len: usize) -> RecordFault {
        RecordFault {
            offset: u32::try_from(len.saturating_sub(self.remaining)).unwrap_or(u32::MAX),
            had: u32::try_from(self.remaining).unwrap_or(u32::MAX),
            what: self.what,
        }
    }
}

/// nom's error as one about a file of this many bytes, which the caller knows.
pub fn into_error(error: nom::Err<Stop>, len: usize) -> Error {
    let Stop { remaining, what } = Stop::from_nom(error);
    let had = remaining as u64;
    let needed = had + 1;
    let offset = Some(len.saturating_sub(remaining) as u64);
    Error::new(ErrorKind::Truncated { what, needed, had }).at(Location {
        offset,
        ..Location::default()
    })
}

/// Where a record does not follow its grammar.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RecordFault {
    /// Byte in the record.
    pub offset: u32,
    /// Bytes left there.
    pub had: u32,
    /// What should have been there.
    pub what: &'static str,
}

impl RecordFault {
    /// The kind, and the place in this file if the record begins at `start`.
    pub fn into_parts(self, file: Role, start: u64) -> (ErrorKind, Location) {
        let had = u64::from(self.had);
        let (what, needed) = (self.what, had + 1);
        let at = Location::byte(file, start.saturating_add(self.offset.into()));
        (ErrorKind::Truncated { what, needed, had }, at)
    }
}

/// The first `N` bytes as an array.
#[inline]
pub fn array<const N: usize>(input: &[u8]) -> Parsed<'_, [u8; N]> {
    match input.split_first_chunk::<N>() {
        Some((header, rest)) => Ok((rest, *header)),
        None => Err(nom::Err::Error(Stop::new(input, NAMELESS))),
    }
}
