//! The header of the index file: 182 bytes, 128 in SCID 3 (docs/formats/scid.md, sections 1 and 9).

use chessdb_core::error::Location;
use chessdb_core::raw::{Parsed, array, into_error};
use chessdb_core::{Error, ErrorKind, Result};
use nom::Parser as _;
use nom::bytes::complete::tag;
use nom::error::context;
use nom::number::complete::{be_u16, be_u24, be_u32};

/// The header of an index file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileHeader {
    /// 400 in SCID 4, 300 in SCID 3.
    pub version: u16,
    /// The icon or category number chosen by the user; 0 unknown.
    pub kind: u32,
    /// The number of games stated by the index; 24 bits, at most [`FileHeader::MAX_GAMES`].
    pub games: u32,
    /// The game to open first, in one of two numberings (section 1); 24 bits.
    pub autoload: u32,
    /// The description, NUL-terminated, including any bytes after the NUL.
    pub description: [u8; 108],
    /// The names of the six custom flags, in the same form. SCID 3 does not have them.
    pub flag_names: [[u8; 9]; 6],
}

impl FileHeader {
    /// The size of the header, in bytes.
    pub const SIZE: usize = 182;
    /// The size of the header in SCID 3, in bytes.
    pub const SI3_SIZE: usize = 128;
    /// The magic bytes at the start of the file.
    pub const MAGIC: &'static [u8; 8] = b"Scid.si\0";
    /// The version number of SCID 4.
    pub const VERSION: u16 = 400;
    /// The version number of SCID 3.
    pub const SI3_VERSION: u16 = 300;
    /// The largest number of games in an index.
    pub const MAX_GAMES: u32 = 16_777_214;

    /// Creates the header of a new database as Scid 4.7 writes it: no metadata, no game to open
    /// first.
    pub const fn new() -> FileHeader {
        FileHeader {
            version: FileHeader::VERSION,
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
    /// Returns `BadMagic` or `Truncated`. The version is not checked here.
    pub fn parse(bytes: &[u8]) -> Result<FileHeader> {
        if !bytes.starts_with(FileHeader::MAGIC) {
            let bad = ErrorKind::BadMagic {
                expected: FileHeader::MAGIC,
            };
            return Err(Error::new(bad).at(byte_at(0)));
        }
        match file_header(bytes) {
            Ok((_, file_header)) => Ok(file_header),
            Err(error) => Err(into_error(error, bytes.len())),
        }
    }

    /// Returns whether the index has the layout of SCID 3.
    pub const fn is_si3(&self) -> bool {
        self.version == FileHeader::SI3_VERSION
    }

    /// Returns the size of this header, in bytes.
    pub const fn size(&self) -> usize {
        if self.is_si3() { FileHeader::SI3_SIZE } else { FileHeader::SIZE }
    }

    /// Returns the bytes of the header. Of `games` and `autoload`, only the lowest 24 bits are
    /// written.
    pub fn to_bytes(&self) -> Vec<u8> {
        let (_, games) = split_u24(self.games);
        let (_, autoload) = split_u24(self.autoload);
        let parts: [&[u8]; 7] = [
            FileHeader::MAGIC,
            &self.version.to_be_bytes(),
            &self.kind.to_be_bytes(),
            &games,
            &autoload,
            &self.description,
            self.flag_names.as_flattened(),
        ];
        let mut out = parts.concat();
        // The names of custom flags come last, so the header of SCID 3 is the start of this one.
        out.truncate(self.size());
        out
    }

    /// Returns the description up to its NUL.
    pub fn description(&self) -> &[u8] {
        until_nul(&self.description)
    }

    /// Returns the names of the custom flags up to their NULs.
    pub fn flag_names(&self) -> impl ExactSizeIterator<Item = &[u8]> {
        self.flag_names.iter().map(|name| until_nul(name))
    }
}

impl Default for FileHeader {
    fn default() -> FileHeader {
        FileHeader::new()
    }
}

fn file_header(input: &[u8]) -> Parsed<'_, FileHeader> {
    let (input, _) = context("the magic bytes", tag(&FileHeader::MAGIC[..])).parse(input)?;
    let (input, version) = context("the version", be_u16).parse(input)?;
    let (input, kind) = context("the database type", be_u32).parse(input)?;
    let (input, games) = context("the number of games", be_u24).parse(input)?;
    let (input, autoload) = context("the autoload number", be_u24).parse(input)?;
    let (input, description) = context("the description", array).parse(input)?;
    let (input, flags) = if version == FileHeader::SI3_VERSION {
        (input, [0; 54])
    } else {
        context("the custom flag names", array).parse(input)?
    };
    let mut flag_names = [[0; 9]; 6];
    for (name, bytes) in flag_names.iter_mut().zip(flags.as_chunks::<9>().0) {
        *name = *bytes;
    }
    Ok((
        input,
        FileHeader {
            version,
            kind,
            games,
            autoload,
            description,
            flag_names,
        },
    ))
}

/// Splits a number into its highest byte and the three others, big-endian.
pub(crate) const fn split_u24(value: u32) -> (u8, [u8; 3]) {
    let [high, a, b, c] = value.to_be_bytes();
    (high, [a, b, c])
}

/// Returns the location of a byte; the caller adds the file.
pub(super) fn byte_at(offset: u64) -> Location {
    Location {
        offset: Some(offset),
        ..Location::default()
    }
}

/// Returns the bytes before the first NUL, or all bytes.
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
            let mut bytes = [&FileHeader::MAGIC[..], &rest].concat();
            let file_header = FileHeader::parse(&bytes).unwrap();
            prop_assert_eq!(file_header.to_bytes(), &bytes[..file_header.size()]);
            // The layout of SCID 3.
            bytes[8..10].copy_from_slice(&300u16.to_be_bytes());
            let file_header = FileHeader::parse(&bytes).unwrap();
            prop_assert_eq!(file_header.to_bytes(), &bytes[..128]);
        }
    }

    #[test]
    fn short_and_foreign_headers_are_errors_with_offset() {
        let bytes = FileHeader::new().to_bytes();
        for len in 8..FileHeader::SIZE {
            let error = FileHeader::parse(&bytes[..len]).unwrap_err();
            assert!(
                matches!(error.kind(), ErrorKind::Truncated { .. }),
                "{error}"
            );
            assert!(error.location().offset.unwrap() <= len as u64);
        }
        assert!(matches!(
            FileHeader::parse(b"Scid.sn\0").unwrap_err().kind(),
            ErrorKind::BadMagic { .. }
        ));
    }
}
