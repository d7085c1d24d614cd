//! What the parsers of this crate share. nom stays private to it.

use chessdb_core::{Error, ErrorKind, Location, Role};
use nom::error::{ErrorKind as NomKind, ParseError};

/// A parser's result over bytes.
pub(crate) type Parsed<'a, T> = nom::IResult<&'a [u8], T, Stop>;

/// Where a parser stopped: nom hands on slices, so the place is what was left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Stop {
    /// Bytes from the place to the end of what was parsed.
    remaining: usize,
}

impl ParseError<&[u8]> for Stop {
    fn from_error_kind(input: &[u8], _: NomKind) -> Stop {
        Stop {
            remaining: input.len(),
        }
    }

    fn append(_: &[u8], _: NomKind, other: Stop) -> Stop {
        other
    }
}

/// The same as an error about a file of this many bytes, of which `what` was read.
pub(crate) fn into_error(
    error: nom::Err<Stop>,
    what: &'static str,
    file: Role,
    len: usize,
) -> Error {
    let remaining = match error {
        nom::Err::Error(stop) | nom::Err::Failure(stop) => stop.remaining,
        // Only the `complete` parsers are used, which never ask for more.
        nom::Err::Incomplete(_) => 0,
    };
    let at = Location::byte(file, len.saturating_sub(remaining) as u64);
    let had = remaining as u64;
    Error::new(ErrorKind::Truncated {
        what,
        needed: had + 1,
        had,
    })
    .at(at)
}

/// The first `N` bytes as an array.
pub(crate) fn array<const N: usize>(input: &[u8]) -> Parsed<'_, [u8; N]> {
    match input.split_first_chunk::<N>() {
        Some((head, rest)) => Ok((rest, *head)),
        None => Err(nom::Err::Error(Stop {
            remaining: input.len(),
        })),
    }
}
