//! The header of the index file: 182 bytes (docs/formats/scid.md, section 1).

use chessdb_core::{Error, ErrorKind, Location, Result};
use nom::Parser as _;
use nom::bytes::complete::tag;
use nom::error::context;
use nom::number::complete::{be_u16, be_u24, be_u32};

use super::parse::{Parsed, Stop, array};
use crate::SI4_FILE;

/// The header of an index file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Header {
    /// 400 in SCID 4.
    pub version: u16,
    /// An icon or category number that a person chose; 0 unknown.
    pub kind: u32,
    /// How many games the index says it has; 24 bits, at most [`Header::MAX_GAMES`].
    pub games: u32,
    /// The game to open first, in one of two numberings (section 1); 24 bits.
    pub autoload: u32,
    /// NUL-terminated, with whatever stands behind the NUL.
    pub description: [u8; 108],
    /// The names of the six custom flags, likewise.
    pub flag_names: [[u8; 9]; 6],
}

impl Header {
    /// Bytes of the header.
    pub const SIZE: usize = 182;
    /// What the file begins with.
    pub const MAGIC: &'static [u8; 8] = b"Scid.si\0";
    /// The version of SCID 4.
    pub const VERSION: u16 = 400;
    /// The most games an index can have.
    pub const MAX_GAMES: u32 = 16_777_214;

    /// A new base as Scid 4.7 makes it: nothing said, no game to open first.
    pub const fn new() -> Header {
        Header {
            version: Header::VERSION,
            kind: 0,
            games: 0,
            autoload: 1,
            description: [0; 108],
            flag_names: [[0; 9]; 6],
        }
    }

    /// Reads the header at the start of an index file.
    ///
    /// # Errors
    ///
    /// `BadMagic` or `Truncated`. The version is not judged here.
    pub fn parse(bytes: &[u8]) -> Result<Header> {
        if !bytes.starts_with(Header::MAGIC) {
            let bad = ErrorKind::BadMagic {
                expected: Header::MAGIC,
            };
            return Err(Error::new(bad).at(Location::byte(SI4_FILE, 0)));
        }
        match header(bytes) {
            Ok((_, header)) => Ok(header),
            Err(error) => Err(Stop::from_nom(error).into_error(SI4_FILE, bytes.len())),
        }
    }

    /// The bytes of the header; of `games` and `autoload` the lowest 24 bits.
    pub fn to_bytes(&self) -> [u8; Header::SIZE] {
        let mut out = [0; Header::SIZE];
        let (_, games) = split_u24(self.games);
        let (_, autoload) = split_u24(self.autoload);
        let parts: [&[u8]; 7] = [
            Header::MAGIC,
            &self.version.to_be_bytes(),
            &self.kind.to_be_bytes(),
            &games,
            &autoload,
            &self.description,
            self.flag_names.as_flattened(),
        ];
        for (to, from) in out.iter_mut().zip(parts.into_iter().flatten()) {
            *to = *from;
        }
        out
    }

    /// The description up to its NUL.
    pub fn description(&self) -> &[u8] {
        until_nul(&self.description)
    }

    /// The names of the custom flags up to their NULs.
    pub fn flag_names(&self) -> impl ExactSizeIterator<Item = &[u8]> {
        self.flag_names.iter().map(|name| until_nul(name))
    }
}

impl Default for Header {
    fn default() -> Header {
        Header::new()
    }
}

fn header(input: &[u8]) -> Parsed<'_, Header> {
    let (input, _) = context("the magic bytes", tag(&Header::MAGIC[..])).parse(input)?;
    let (input, version) = context("the version", be_u16).parse(input)?;
    let (input, kind) = context("the base type", be_u32).parse(input)?;
    let (input, games) = context("the number of games", be_u24).parse(input)?;
    let (input, autoload) = context("the autoload number", be_u24).parse(input)?;
    let (input, description) = context("the description", array).parse(input)?;
    let (input, flags) = context("the custom flag names", array::<54>).parse(input)?;
    let mut flag_names = [[0; 9]; 6];
    for (name, bytes) in flag_names.iter_mut().zip(flags.as_chunks::<9>().0) {
        *name = *bytes;
    }
    Ok((
        input,
        Header {
            version,
            kind,
            games,
            autoload,
            description,
            flag_names,
        },
    ))
}

/// The highest byte of a number, and the three others big-endian.
pub(super) const fn split_u24(value: u32) -> (u8, [u8; 3]) {
    let [high, a, b, c] = value.to_be_bytes();
    (high, [a, b, c])
}

/// The bytes before the first NUL, or all.
pub(crate) fn until_nul(bytes: &[u8]) -> &[u8] {
    bytes.split(|&b| b == 0).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_byte_comes_back(rest in prop::collection::vec(any::<u8>(), 174)) {
            let bytes = [&Header::MAGIC[..], &rest].concat();
            let header = Header::parse(&bytes).unwrap();
            prop_assert_eq!(&header.to_bytes()[..], &bytes[..]);
        }
    }

    #[test]
    fn short_and_foreign_headers_are_refused_with_their_place() {
        let bytes = Header::new().to_bytes();
        for len in 8..Header::SIZE {
            let error = Header::parse(&bytes[..len]).unwrap_err();
            assert!(
                matches!(error.kind(), ErrorKind::Truncated { .. }),
                "{error}"
            );
            assert!(error.location().offset.unwrap() <= len as u64);
        }
        assert!(matches!(
            Header::parse(b"Scid.sn\0").unwrap_err().kind(),
            ErrorKind::BadMagic { .. }
        ));
    }
}
