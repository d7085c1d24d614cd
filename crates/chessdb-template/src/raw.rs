//! The file as structures that hold every byte.

use std::ops::Range;

use chessdb_core::error::Location;
use chessdb_core::{ErrorKind, Result};

use crate::roles::TEMPLATE_FILE;

/// The first line of a file, with the version.
pub const MAGIC: &[u8] = b"template 1\n";

/// A file: the magic bytes and the lines of the games.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct File<'a> {
    /// The lines after the magic bytes.
    pub lines: Vec<Line<'a>>,
}

/// A line of the file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line<'a> {
    /// The offset of the line in the file.
    pub offset: usize,
    /// The fields, which had a tab between them. A valid line has [`Line::FIELDS`].
    pub fields: Vec<&'a [u8]>,
    /// Whether a line feed ends the line. Only the last line of a file may lack it.
    pub ends: bool,
}

impl<'a> File<'a> {
    /// Parses a file.
    ///
    /// # Errors
    ///
    /// Returns an error if the magic bytes are missing; any bytes after them are lines.
    pub fn parse(bytes: &'a [u8]) -> Result<File<'a>> {
        let Some(rest) = bytes.strip_prefix(MAGIC) else {
            let kind = ErrorKind::BadMagic { expected: MAGIC };
            return Err(chessdb_core::Error::new(kind).at(Location::byte(TEMPLATE_FILE, 0)));
        };
        let mut offset = MAGIC.len();
        let lines = rest.split_inclusive(|&byte| byte == b'\n').map(|bytes| {
            let line = Line::parse(bytes, offset);
            offset += bytes.len();
            line
        });
        Ok(File {
            lines: lines.collect(),
        })
    }

    /// Returns the bytes that were parsed.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        self.lines.iter().for_each(|line| line.write(&mut bytes));
        bytes
    }
}

impl<'a> Line<'a> {
    /// The number of fields of a game: mark, White, Black, result, moves.
    pub const FIELDS: usize = 5;

    /// Parses a line that starts at this offset of the file.
    pub fn parse(bytes: &'a [u8], offset: usize) -> Line<'a> {
        let body = bytes.strip_suffix(b"\n");
        Line {
            offset,
            fields: body.unwrap_or(bytes).split(|&byte| byte == b'\t').collect(),
            ends: body.is_some(),
        }
    }

    /// Appends the bytes of the line.
    pub fn write(&self, out: &mut Vec<u8>) {
        out.extend(self.fields.join(&b'\t'));
        out.extend(self.ends.then_some(b'\n'));
    }

    /// Returns the range of the line in the file.
    pub fn range(&self) -> Range<usize> {
        let fields = self.fields.iter().map(|field| field.len() + 1);
        let length = fields.sum::<usize>() - usize::from(!self.ends);
        self.offset..self.offset + length
    }

    /// Returns the fields of a game and the offset of the moves; `None` if the number of fields is
    /// wrong.
    pub fn game(&self) -> Option<([&'a [u8]; Line::FIELDS], usize)> {
        let fields: [&[u8]; Line::FIELDS] = self.fields.as_slice().try_into().ok()?;
        let [.., moves] = fields;
        let end = self.range().end - usize::from(self.ends);
        Some((fields, end - moves.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn files_come_back(lines in "[ab\t\n\r]{0,40}") {
            let bytes = [MAGIC, lines.as_bytes()].concat();
            let file = File::parse(&bytes).unwrap();
            prop_assert_eq!(file.to_bytes(), &bytes[..]);
            let mut at = MAGIC.len();
            for line in &file.lines {
                prop_assert_eq!(line.range().start, at);
                at = line.range().end;
            }
            prop_assert_eq!(at, bytes.len());
        }
    }
}
