//! The part of the index before its first entry (docs/formats/dcx.md, sections 2, 3.1, 3.5).

use chessdb_core::error::Location;
use chessdb_core::raw::Parsed;
use chessdb_core::{Error, ErrorKind, Result};
use nom::Parser as _;
use nom::combinator::cond;
use nom::error::context;
use nom::number::complete::{be_u64, u8 as byte};

use super::layout::{HeaderSize, Layout};
use super::magic::{FileKind, Magic, MagicFault};
use crate::roles::DCI_FILE;

/// The part of the index before its first entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FileHeader {
    /// The magic bytes.
    pub magic: Magic,
    /// 0, or 1 in the text of 2018; absent in the oldest layouts.
    pub version: Option<u8>,
    /// OpenDefault as stored; absent in most layouts.
    pub open_default: Option<u64>,
}

impl FileHeader {
    /// Creates the header of a new database, without a game to open first.
    pub const fn new() -> FileHeader {
        FileHeader {
            magic: Magic::new(FileKind::Index),
            version: Some(0),
            open_default: Some(0),
        }
    }

    /// Rejects a file that is not an index. An empty file is one: the reference writer leaves it
    /// when it stops early (section 9).
    pub(crate) fn check_magic(bytes: &[u8]) -> Result<()> {
        let (magic, _) = Magic::parse(bytes);
        let start = Location::byte(DCI_FILE, 0);
        match magic.fault(FileKind::Index) {
            Some(MagicFault::Short) if !bytes.is_empty() => {
                let kind =
                    ErrorKind::truncated("the magic bytes", Magic::SIZE as u64, bytes.len() as u64);
                Err(Error::new(kind).at(start))
            }
            Some(MagicFault::Foreign) => {
                let expected = Magic::COMMON;
                Err(Error::new(ErrorKind::BadMagic { expected }).at(start))
            }
            _ => Ok(()),
        }
    }

    /// Reads a header of this size and returns it with the following bytes. In a file that is too
    /// short, the missing fields are absent, and the bytes of an incomplete field stay in the rest.
    pub(crate) fn parse(bytes: &[u8], size: HeaderSize) -> (FileHeader, &[u8]) {
        let (magic, body) = Magic::parse(bytes);
        let (version, open_default, rest) = match fields(body, size) {
            Ok((rest, (version, open_default))) => (version, open_default, rest),
            Err(_) => (None, None, body),
        };
        let file_header = FileHeader {
            magic,
            version,
            open_default,
        };
        (file_header, rest)
    }

    /// Appends the bytes of the header.
    pub fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self.magic.as_bytes());
        out.extend(self.version);
        if let Some(number) = self.open_default {
            out.extend_from_slice(&number.to_be_bytes());
        }
    }

    /// Returns the entry (from 0) that OpenDefault refers to in an index of this layout with
    /// `games` games. The value is a byte offset, as the text states, or a number, as the reference
    /// program reads it.
    pub fn open_default(&self, layout: Layout, games: usize) -> Option<u32> {
        let value = self.open_default.filter(|&value| value != 0)?;
        let first = layout.entry_offset(0);
        let size = layout.entry.bytes() as u64;
        let distance = value.checked_sub(first).filter(|bytes| bytes % size == 0);
        let by_offset = distance
            .map(|bytes| bytes / size)
            .filter(|&n| n < games as u64);
        u32::try_from(by_offset.or((value < games as u64).then_some(value))?).ok()
    }
}

impl Default for FileHeader {
    fn default() -> FileHeader {
        FileHeader::new()
    }
}

/// Reads version and OpenDefault if the layout has them.
fn fields(input: &[u8], size: HeaderSize) -> Parsed<'_, (Option<u8>, Option<u64>)> {
    let version = cond(size != HeaderSize::Magic, byte);
    let open_default = cond(size == HeaderSize::Full, be_u64);
    context("the header of the index", (version, open_default)).parse(input)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_come_back_at_every_length() {
        let whole = b"SimpleCDbi\x01\x00\x00\x00\x00\x00\x00\x00\x13entries";
        for size in [HeaderSize::Magic, HeaderSize::Version, HeaderSize::Full] {
            for len in 0..whole.len() {
                let (file_header, rest) = FileHeader::parse(&whole[..len], size);
                let mut out = Vec::new();
                file_header.write(&mut out);
                out.extend_from_slice(rest);
                assert_eq!(out, &whole[..len]);
            }
        }
        let (file_header, rest) = FileHeader::parse(whole, HeaderSize::Full);
        assert_eq!(
            (file_header.version, file_header.open_default),
            (Some(1), Some(19))
        );
        assert_eq!(rest, b"entries");
    }

    /// Section 3.5: an offset first, then a number, otherwise nothing.
    #[test]
    fn open_default_is_an_offset_or_a_number() {
        let cases = [
            (0, None),
            (19, Some(0)),
            (58, Some(1)),
            (1, Some(1)),
            (2, None),
            (97, None),
        ];
        for (value, expected) in cases {
            let file_header = FileHeader {
                open_default: Some(value),
                ..FileHeader::new()
            };
            assert_eq!(
                file_header.open_default(Layout::CURRENT, 2),
                expected,
                "{value}"
            );
        }
        let file_header = FileHeader {
            open_default: None,
            ..FileHeader::new()
        };
        assert_eq!(file_header.open_default(Layout::OLD, 2), None);
    }
}
