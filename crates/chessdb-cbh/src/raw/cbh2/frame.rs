//! The files of records .2cbg and .2cba (docs/formats/2cbh.md, section 4).

use chessdb_core::format::Segment;
use chessdb_core::record;
use chessdb_core::record::{Little, Record as _};

use crate::raw::bytes::{array, le16, le32};

record! {
    /// The header of a file of records.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub struct FrameFileHeader: Little, 12 {
        /// The size of the file in bytes.
        0..8 file_size: u64 = "header: the file has {file_size} bytes",
        /// The size of this header: 12.
        8..10 size: u16 = "bytes of the header: {size}",
        /// 0; 1 in an empty file of games.
        10..11 empty: u8 = "empty: {empty}" unknown,
        /// 5 in the file of games, 0 in an empty one and in the file of annotations.
        11..12 version: u8 = "version: {version}" unknown,
    }
}

/// A record of .2cbg or .2cba, with the frame around its content.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Frame<'a> {
    /// [`Frame::MARK`].
    pub mark: [u8; 8],
    /// The stated size of the content in bytes.
    pub used: u32,
    /// The stated size of the room after the content in bytes.
    pub room: u32,
    /// The checksum of the content.
    pub checksum: u64,
    /// The kind of content: [`Frame::CHESS`], [`Frame::CHESS960`], [`Frame::TEXT`] or
    /// [`Frame::ANNOTATIONS`].
    pub tag: u16,
    /// The content, as far as it exists.
    pub content: &'a [u8],
    /// The room, as far as it exists: zeros.
    pub zeros: &'a [u8],
    /// The stated size of the record in bytes; `None` if the file ends before.
    pub size: Option<u64>,
}

impl<'a> Frame<'a> {
    /// The bytes at the start of each record.
    pub const MARK: [u8; 8] = [0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11];
    /// The number of bytes before the content.
    pub const HEADER: usize = 26;
    /// The number of bytes besides content and room.
    pub const OVERHEAD: u64 = 34;
    /// The tag of a game of ordinary chess.
    pub const CHESS: u16 = 1;
    /// The tag of a game of Chess960.
    pub const CHESS960: u16 = 2;
    /// The tag of a guiding text.
    pub const TEXT: u16 = 0x1000;
    /// The tag of annotations.
    pub const ANNOTATIONS: u16 = 0x2000;

    /// Parses the record at the start of `bytes`. Content and room end with `bytes` at the latest.
    /// `None` if the bytes are shorter than the part before the content.
    pub fn parse(bytes: &'a [u8]) -> Option<Frame<'a>> {
        let (head, body) = bytes.split_at_checked(Frame::HEADER)?;
        let (used, room) = (le32(head, 8), le32(head, 12));
        let (content, rest) = split_at_most(body, used);
        let (zeros, rest) = split_at_most(rest, room);
        let is_complete = content.len() == used as usize && zeros.len() == room as usize;
        let size = rest.first_chunk().filter(|_| is_complete);
        Some(Frame {
            mark: array(head, 0),
            used,
            room,
            checksum: u64::from_be_bytes(array(head, 16)),
            tag: le16(head, 24),
            content,
            zeros,
            size: size.map(|size| u64::from_le_bytes(*size)),
        })
    }

    /// Returns the number of bytes of the record that exist.
    pub fn len(&self) -> usize {
        let size = self.size.map_or(0, |_| 8);
        Frame::HEADER + self.content.len() + self.zeros.len() + size
    }

    /// Returns true if there are no bytes after the part before the content.
    pub fn is_empty(&self) -> bool {
        self.len() == Frame::HEADER
    }

    /// Returns true if the record is complete and its mark and sizes agree.
    pub fn is_whole(&self) -> bool {
        let size = u64::from(self.used) + u64::from(self.room) + Frame::OVERHEAD;
        self.mark == Frame::MARK && self.size == Some(size)
    }

    /// Returns the checksum of a content: for each eighth of it the sum of its bytes, the first
    /// eighth in the lowest byte. A content of less than eight bytes is its own checksum.
    pub fn checksum_of(content: &[u8]) -> u64 {
        let eighth = content.len() / 8;
        let mut sums = [0; 8];
        if eighth == 0 {
            for (sum, byte) in sums.iter_mut().zip(content) {
                *sum = *byte;
            }
            return u64::from_le_bytes(sums);
        }
        // The rest of up to seven bytes is in no eighth and does not count (section 4).
        for (sum, part) in sums.iter_mut().zip(content.chunks_exact(eighth)) {
            *sum = part.iter().fold(0, |sum: u8, byte| sum.wrapping_add(*byte));
        }
        u64::from_le_bytes(sums)
    }

    /// Appends the bytes of the record that exist.
    pub fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.mark);
        out.extend_from_slice(&self.used.to_le_bytes());
        out.extend_from_slice(&self.room.to_le_bytes());
        out.extend_from_slice(&self.checksum.to_be_bytes());
        out.extend_from_slice(&self.tag.to_le_bytes());
        out.extend_from_slice(self.content);
        out.extend_from_slice(self.zeros);
        if let Some(size) = self.size {
            out.extend_from_slice(&size.to_le_bytes());
        }
    }
}

/// Splits after `length` bytes, or at the end.
fn split_at_most(bytes: &[u8], length: u32) -> (&[u8], &[u8]) {
    let length = usize::try_from(length).unwrap_or(usize::MAX);
    bytes.split_at_checked(length).unwrap_or((bytes, &[]))
}

/// The content of .2cbg or .2cba.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FrameFile<'a> {
    /// The header; `None` if the file is too short.
    pub file_header: Option<FrameFileHeader>,
    /// The whole records, and the bytes that belong to none.
    pub segments: Vec<Segment<'a, Frame<'a>>>,
}

impl<'a> FrameFile<'a> {
    /// Parses a file of records. Any bytes are valid. `offsets` are the offsets of the records,
    /// starting with the first record of the index; 0 for none.
    pub fn parse(bytes: &'a [u8], offsets: impl IntoIterator<Item = u64>) -> FrameFile<'a> {
        let file_header = bytes.first_chunk().map(FrameFileHeader::parse);
        let all = (0..).zip(offsets).map(|(n, offset)| (offset, n, ()));
        let mut places: Vec<_> = all.filter(|&(offset, ..)| offset > 0).collect();
        places.sort_unstable();
        let start = file_header.map_or(0, |_| FrameFileHeader::SIZE);
        let (segments, _) = Segment::divide(bytes, start, places, |bytes, ()| {
            let frame = Frame::parse(bytes).filter(Frame::is_whole)?;
            Some((frame, frame.len()))
        });
        FrameFile {
            file_header,
            segments,
        }
    }

    /// Returns the bytes of the file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        if let Some(file_header) = &self.file_header {
            file_header.write(&mut out);
        }
        Segment::write_all(&self.segments, &mut out, Frame::write);
        out
    }
}

#[cfg(test)]
mod tests {
    use hex_literal::hex;
    use proptest::prelude::*;

    use super::*;

    /// The mark and the smallest content of annotations, from the page.
    #[test]
    fn a_record_is_read() {
        let bytes = hex!(
            "8877665544332211 04000000 02000000 000000007FFFFFFF 0020 FFFFFF7F 0000
             2800000000000000 99"
        );
        let frame = Frame::parse(&bytes).unwrap();
        assert!(frame.is_whole());
        assert_eq!((frame.tag, frame.len()), (Frame::ANNOTATIONS, 40));
        assert_eq!(frame.content, hex!("FFFFFF7F"));
        assert_eq!(Frame::checksum_of(frame.content), frame.checksum);
        for end in 0..40 {
            let cut = Frame::parse(&bytes[..end]);
            assert!(!cut.is_some_and(|cut| cut.is_whole()), "{end}");
        }
    }

    /// Each byte is the sum of one eighth; the remaining bytes do not count.
    #[test]
    fn the_checksum_sums_eighths() {
        let content: Vec<u8> = (1..=17).collect();
        let sums: Vec<u8> = (0..8).map(|n| (2 * n + 1) + (2 * n + 2)).collect();
        assert_eq!(Frame::checksum_of(&content).to_le_bytes()[..], sums[..]);
        assert_eq!(Frame::checksum_of(&[]), 0);
    }

    proptest! {
        #[test]
        fn any_bytes_come_back(bytes in prop::collection::vec(any::<u8>(), 0..160),
                               places in prop::collection::vec((0usize..150, 0u8..20, 0u8..9), 0..4)) {
            let mut bytes = bytes;
            for &(at, used, room) in &places {
                let mut frame = Frame::MARK.to_vec();
                frame.extend(u32::from(used).to_le_bytes());
                frame.extend(u32::from(room).to_le_bytes());
                for (place, byte) in bytes.iter_mut().skip(at).zip(frame) {
                    *place = byte;
                }
                let end = at + 26 + usize::from(used) + usize::from(room);
                for (place, byte) in bytes.iter_mut().skip(end).zip([used + room + 34, 0, 0, 0, 0, 0, 0, 0]) {
                    *place = byte;
                }
            }
            let offsets = places.iter().map(|&(at, ..)| at as u64);
            prop_assert_eq!(FrameFile::parse(&bytes, offsets).to_bytes(), bytes.clone());
            if let Some(frame) = Frame::parse(&bytes) {
                let mut out = Vec::new();
                frame.write(&mut out);
                prop_assert_eq!(&out[..], &bytes[..frame.len()]);
            }
        }
    }
}
