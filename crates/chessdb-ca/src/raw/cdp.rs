//! The description of a database (docs/formats/chess-assistant.md, section 2).

use chessdb_core::Result;
use chessdb_core::error::Location;
use chessdb_core::raw::{array, into_error};
use nom::Parser as _;
use nom::error::context;
use nom::number::complete::le_u32;

use crate::roles::CDP_FILE;

/// The first bytes of a CDP and of an EMB; other versions of the program write another text.
pub const SIGNATURE: &[u8] = b"Chess Assistant 3.0 database.";
/// The version text of a CDP.
pub const VERSION: &[u8] = b"\nChess Data Pro format. Version 1.3";

/// The file `cdp`, and the four files of the same name inside an EMB.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cdp {
    /// Program and version, zero-padded.
    pub signature: [u8; 50],
    /// Version of the format, zero-padded.
    pub version: [u8; 50],
    /// Not described.
    pub unknown: [u8; 4],
    /// Number of games (inside an EMB: of names).
    pub count: u32,
    /// Declared length of the comment; the file may end earlier.
    pub declared: u32,
    /// The comment of the database.
    pub comment: Vec<u8>,
    /// The bytes after the comment.
    pub tail: Vec<u8>,
}

impl Cdp {
    /// Size of the part before the comment, in bytes.
    pub const SIZE: usize = 112;
    /// Offset of the number of games.
    pub const COUNT_AT: usize = 104;

    /// Creates the description that this crate writes.
    pub fn new(count: u32, comment: Vec<u8>) -> Cdp {
        Cdp {
            signature: padded(SIGNATURE),
            version: padded(VERSION),
            unknown: [0; 4],
            count,
            declared: u32::try_from(comment.len()).unwrap_or(u32::MAX),
            comment,
            tail: Vec::new(),
        }
    }

    /// Returns whether these bytes begin like a CDP. The texts vary with the version of the
    /// program.
    pub fn fits(bytes: &[u8]) -> bool {
        let version = bytes.get(50..100).unwrap_or_default();
        bytes.starts_with(b"Chess Assistant")
            || version
                .windows(14)
                .any(|window| window == b"Chess Data Pro")
    }

    /// Reads the file.
    ///
    /// # Errors
    ///
    /// Returns `Truncated` if there are fewer than 112 bytes.
    pub fn parse(bytes: &[u8]) -> Result<Cdp> {
        let fields = (array::<50>, array::<50>, array::<4>, le_u32, le_u32);
        let fields = context("the description", fields).parse(bytes);
        let (rest, (signature, version, unknown, count, declared)) = fields
            .map_err(|error| into_error(error, bytes.len()).at(Location::byte(CDP_FILE, 0)))?;
        // A comment that the file cuts is kept as far as it goes.
        let (comment, tail) = rest
            .split_at_checked(declared as usize)
            .unwrap_or((rest, &[]));
        Ok(Cdp {
            signature,
            version,
            unknown,
            count,
            declared,
            comment: comment.to_vec(),
            tail: tail.to_vec(),
        })
    }

    /// Returns the bytes of the file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(Cdp::SIZE + self.comment.len() + self.tail.len());
        bytes.extend(self.signature);
        bytes.extend(self.version);
        bytes.extend(self.unknown);
        bytes.extend(self.count.to_le_bytes());
        bytes.extend(self.declared.to_le_bytes());
        bytes.extend_from_slice(&self.comment);
        bytes.extend_from_slice(&self.tail);
        bytes
    }
}

/// Returns a text in a field of fixed size, padded with zeros.
pub(crate) fn padded<const N: usize>(text: &[u8]) -> [u8; N] {
    let mut field = [0; N];
    for (to, from) in field.iter_mut().zip(text) {
        *to = *from;
    }
    field
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Section 15 J: a CDP with the comment "demo" has 116 bytes.
    #[test]
    fn the_worked_example() {
        let bytes = Cdp::new(2, b"demo".to_vec()).to_bytes();
        assert_eq!(bytes.len(), 116);
        assert_eq!(&bytes[104..], b"\x02\0\0\0\x04\0\0\0demo");
        assert_eq!(bytes[50], b'\n');
        assert!(Cdp::fits(&bytes) && !Cdp::fits(b"Chess"));
    }

    proptest! {
        #[test]
        fn every_file_comes_back(mut bytes in prop::collection::vec(any::<u8>(), 112..200), length in 0u32..100) {
            bytes[108..112].copy_from_slice(&length.to_le_bytes());
            prop_assert_eq!(Cdp::parse(&bytes).unwrap().to_bytes(), bytes.clone());
            bytes[111] = 255;
            prop_assert_eq!(Cdp::parse(&bytes).unwrap().to_bytes(), bytes.clone());
            prop_assert!(Cdp::parse(&bytes[..111]).is_err());
        }
    }
}
