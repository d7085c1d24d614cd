//! Common code of the `raw` modules of format crates: the place where a nom parser stopped and the
//! item it was reading.
//!
//! Compiled only with the feature `nom`, and hidden from the docs: the types come from nom and are
//! not part of the stable API.

use nom::error::{ContextError, ErrorKind as NomKind, ParseError};

use crate::error::Location;
use crate::files::Role;
use crate::{Error, ErrorKind};

/// The result of a parser over bytes.
pub type Parsed<'a, T> = nom::IResult<&'a [u8], T, Stop>;

/// The place where a parser stopped. nom passes slices, so the place is given as the number of
/// remaining bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stop {
    /// Number of bytes from the place to the end of the input.
    pub remaining: usize,
    /// The item that was being read.
    pub what: &'static str,
}

/// The item name for nom's own parsers; the names of [`ContextError`] replace it.
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

/// Keeps the innermost name, which is closest to the place.
impl ContextError<&[u8]> for Stop {
    #[inline]
    fn add_context(_: &[u8], what: &'static str, other: Stop) -> Stop {
        if other.what == NAMELESS { Stop { what, ..other } } else { other }
    }
}

impl Stop {
    /// Creates a stop before the bytes `rest`.
    #[inline]
    pub const fn new(rest: &[u8], what: &'static str) -> Stop {
        Stop {
            remaining: rest.len(),
            what,
        }
    }

    /// Extracts the stop from nom's error.
    #[inline]
    pub fn from_nom(error: nom::Err<Stop>) -> Stop {
        match error {
            nom::Err::Error(stop) | nom::Err::Failure(stop) => stop,
            // Only the `complete` parsers are used, which never ask for more.
            nom::Err::Incomplete(_) => Stop::new(&[], NAMELESS),
        }
    }

    /// Converts the stop into a fault of a record of `len` bytes.
    #[inline]
    pub fn in_record(self, len: usize) -> RecordFault {
        RecordFault {
            offset: u32::try_from(len.saturating_sub(self.remaining)).unwrap_or(u32::MAX),
            had: u32::try_from(self.remaining).unwrap_or(u32::MAX),
            what: self.what,
        }
    }
}

/// Converts nom's error into an error about a file of `len` bytes.
pub fn into_error(error: nom::Err<Stop>, len: usize) -> Error {
    let Stop { remaining, what } = Stop::from_nom(error);
    let available = remaining as u64;
    // A parser does not state how much it needs; one byte more is certain.
    let needed = available + 1;
    let offset = Some(len.saturating_sub(remaining) as u64);
    Error::new(ErrorKind::truncated(what, needed, available)).at(Location {
        offset,
        ..Location::default()
    })
}

/// The place where a record does not follow its grammar.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RecordFault {
    /// Offset in the record.
    pub offset: u32,
    /// Number of bytes left at this offset.
    pub had: u32,
    /// The expected item.
    pub what: &'static str,
}

impl RecordFault {
    /// Returns the error kind, and the location in `file` of a record that begins at `start`.
    pub fn into_parts(self, file: Role, start: u64) -> (ErrorKind, Location) {
        let available = u64::from(self.had);
        let (what, needed) = (self.what, available + 1);
        let location = Location::byte(file, start.saturating_add(self.offset.into()));
        (ErrorKind::truncated(what, needed, available), location)
    }
}

/// Parses the first `N` bytes as an array.
#[inline]
pub fn array<const N: usize>(input: &[u8]) -> Parsed<'_, [u8; N]> {
    match input.split_first_chunk::<N>() {
        Some((header, rest)) => Ok((rest, *header)),
        None => Err(nom::Err::Error(Stop::new(input, NAMELESS))),
    }
}
