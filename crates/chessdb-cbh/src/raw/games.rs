//! The games file .cbg (docs/formats/cbh.md, section 5).

pub use chessdb_core::format::Segment;

use super::bytes::{array, be24, put24};
use super::file::FileHeader;

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

/// The content of the games file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameFile<'a> {
    /// The header of the file.
    pub file_header: FileHeader,
    /// The records, and the bytes that belong to none.
    pub segments: Vec<Segment<'a, MoveRecord<'a>>>,
}

impl<'a> GameFile<'a> {
    /// Parses a games file. Any bytes are valid. `offsets` are the offsets of the records, starting
    /// with game 1.
    pub fn parse(bytes: &'a [u8], offsets: impl IntoIterator<Item = u64>) -> GameFile<'a> {
        let file_header = FileHeader::parse(bytes);
        let mut places: Vec<_> = (0..)
            .zip(offsets)
            .map(|(n, offset)| (offset, n, ()))
            .collect();
        // The file is divided from its start, but the index may list records in any order.
        places.sort_unstable();
        let (segments, _) = Segment::divide(bytes, file_header.size(), places, |bytes, ()| {
            let record = MoveRecord::parse(bytes).ok()?;
            Some((record, record.size()))
        });
        GameFile {
            file_header,
            segments,
        }
    }

    /// Returns the bytes of the file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = self.file_header.to_bytes();
        Segment::write_all(&self.segments, &mut out, |record, out| {
            record.write(out);
        });
        out
    }
}

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
