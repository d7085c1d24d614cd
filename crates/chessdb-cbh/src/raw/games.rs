//! The games file .cbg (docs/formats/cbh.md, section 5).

pub use chessdb_core::format::Segment;

use super::bytes::{array, be24, put24};
use super::file::{FileRecord, RecordFile};

/// The record of a game's moves, or of a guiding text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MoveRecord<'a> {
    /// The encoding mode and [`MoveRecord::SETUP`].
    pub flags: u8,
    /// The bytes after the four bytes of flags and size.
    pub body: &'a [u8],
}

impl<'a> MoveRecord<'a> {
    /// The size in bytes of flags and size field, which the size field includes.
    pub const HEADER: usize = 4;
    /// The maximum size of a record in bytes, including its header.
    pub const MOST: usize = 0xFF_FFFF;
    /// The bits of the encoding mode.
    pub const MODE: u8 = 0x3F;
    /// The bit for a start position before the moves.
    pub const SETUP: u8 = 0x40;

    /// Parses the record at the start of `bytes`.
    ///
    /// # Errors
    ///
    /// Returns the size that the record states if it is smaller than its header or larger than
    /// `bytes`.
    pub fn parse(bytes: &'a [u8]) -> Result<MoveRecord<'a>, usize> {
        if bytes.len() < MoveRecord::HEADER {
            return Err(MoveRecord::HEADER);
        }
        let size = be24(bytes, 1) as usize;
        match bytes.get(MoveRecord::HEADER..size) {
            Some(body) => Ok(MoveRecord {
                flags: array::<1>(bytes, 0)[0],
                body,
            }),
            None => Err(size),
        }
    }

    /// Returns the size of the whole record in bytes.
    pub fn size(&self) -> usize {
        MoveRecord::HEADER + self.body.len()
    }

    /// Appends the record.
    pub fn write(&self, out: &mut Vec<u8>) {
        out.push(self.flags);
        put24(self.size() as u32, out);
        out.extend_from_slice(self.body);
    }
}

impl<'a> FileRecord<'a> for MoveRecord<'a> {
    fn first(bytes: &'a [u8]) -> Option<(MoveRecord<'a>, usize)> {
        let record = MoveRecord::parse(bytes).ok()?;
        Some((record, record.size()))
    }

    fn append(&self, out: &mut Vec<u8>) {
        self.write(out);
    }
}

/// The content of the games file. The offsets of the records start with game 1.
pub type GameFile<'a> = RecordFile<'a, MoveRecord<'a>>;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn any_bytes_come_back(bytes in prop::collection::vec(any::<u8>(), 0..120),
                               small in any::<bool>(),
                               offsets in prop::collection::vec(0u64..130, 0..6)) {
            let mut bytes = bytes;
            if small && bytes.len() > 40 {
                bytes[..2].copy_from_slice(&[0, 10]);
                for &offset in &offsets {
                    if let Some(size) = bytes.get_mut(offset as usize + 1..offset as usize + 4) {
                        size.copy_from_slice(&[0, 0, 6]);
                    }
                }
            }
            prop_assert_eq!(GameFile::parse(&bytes, offsets).to_bytes(), bytes);
        }
    }
}
