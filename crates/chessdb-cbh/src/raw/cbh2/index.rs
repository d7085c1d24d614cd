//! The index .2cbh (docs/formats/2cbh.md, section 2), which is little-endian.

use crate::raw::bytes::{array, le16, le32, le64};

/// The kind of a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RecordKind {
    /// A game.
    Game,
    /// An analysis, which is read like a game.
    Analysis,
    /// A guiding text.
    Text,
    /// No record.
    Empty,
}

/// A record of the index. The bytes are kept; each method reads one field.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Record<'a>(pub &'a [u8; Record::SIZE]);

impl Record<'_> {
    /// The size of a record in bytes.
    pub const SIZE: usize = 192;
    /// Bit of the first byte: the record exists.
    pub const PRESENT: u8 = 1;
    /// Bit of the first byte: the record is a guiding text.
    pub const TEXT: u8 = 2;
    /// Bit of the first byte: the record is deleted.
    pub const DELETED: u8 = 0x80;
    /// The third byte of an analysis.
    pub const ANALYSIS: u8 = 2;

    /// Returns the first byte: [`Record::PRESENT`], [`Record::TEXT`], [`Record::DELETED`].
    #[inline]
    pub fn bits(&self) -> u8 {
        array::<1>(self.0, 0)[0]
    }

    /// Returns the kind of the record.
    pub fn kind(&self) -> RecordKind {
        let [_, _, content, ..] = *self.0;
        match self.bits() {
            bits if bits & Record::PRESENT == 0 => RecordKind::Empty,
            bits if bits & Record::TEXT != 0 => RecordKind::Text,
            _ if content == Record::ANALYSIS => RecordKind::Analysis,
            _ => RecordKind::Game,
        }
    }

    /// Returns true if the first eight bytes have only bits with a known meaning and do not
    /// contradict each other.
    pub fn has_known_bits(&self) -> bool {
        let [bits, a, content, again, b @ ..] = array::<8>(self.0, 0);
        let meaningful = Record::PRESENT | Record::TEXT | Record::DELETED;
        let is_empty = bits == 0;
        // The fourth byte repeats the first one without the mark of deletion (section 2).
        bits & !meaningful == 0
            && (is_empty || bits & Record::PRESENT != 0)
            && a == 0
            && b == [0; 4]
            && again == bits & !Record::DELETED
            && (content == 1 || content == Record::ANALYSIS || is_empty)
    }

    /// Returns the offset of the record in .2cbg.
    #[inline]
    pub fn moves(&self) -> u64 {
        le64(self.0, 0x08)
    }

    /// Returns the offset of the annotations of a game or an analysis in .2cba.
    #[inline]
    pub fn annotations(&self) -> u64 {
        le64(self.0, 0x10)
    }

    /// Returns the number at this offset: the number of a name, or -1 for none.
    #[inline]
    pub fn name(&self, offset: usize) -> i64 {
        le64(self.0, offset) as i64
    }

    /// Returns the result of a game.
    pub fn result(&self) -> u8 {
        array::<1>(self.0, 0x58)[0]
    }

    /// Returns the NAG of a line, that is, of a game without a result.
    pub fn line_nag(&self) -> u8 {
        array::<1>(self.0, 0x59)[0]
    }

    /// Returns round, round within the round and board; 0 for none.
    pub fn round(&self) -> [u16; 3] {
        [0x5A, 0x5C, 0x5E].map(|offset| le16(self.0, offset))
    }

    /// Returns the ratings of White and Black; 0 for none.
    pub fn elo(&self) -> [u16; 2] {
        [0x60, 0x70].map(|offset| le16(self.0, offset))
    }

    /// Returns the kinds of the ratings.
    pub fn rating_kinds(&self) -> [[u8; 14]; 2] {
        [array(self.0, 0x62), array(self.0, 0x72)]
    }

    /// Returns the ECO code or the number of a Chess960 position.
    pub fn eco(&self) -> u16 {
        le16(self.0, 0x80)
    }

    /// Returns the medals.
    pub fn medals(&self) -> u16 {
        le16(self.0, 0x82)
    }

    /// Returns the number of full moves of the mainline.
    pub fn full_moves(&self) -> u16 {
        le16(self.0, 0x8A)
    }

    /// Returns the scores of beauty and the like, which are not understood.
    pub fn classification(&self) -> [u8; 6] {
        array(self.0, 0xB0)
    }

    /// Returns the date.
    pub fn date(&self) -> u32 {
        le32(self.0, 0xBC)
    }
}

/// The content of the index.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Index<'a> {
    /// The header, which has the size of a record; `None` if the file is shorter.
    pub index_header: Option<&'a [u8; Record::SIZE]>,
    /// The records, starting with the number 1.
    pub records: &'a [[u8; Record::SIZE]],
    /// The bytes after the last complete record.
    pub tail: &'a [u8],
}

impl<'a> Index<'a> {
    /// The value of the field at offset 8, whose meaning is unknown.
    pub const USED: u16 = 38;

    /// Parses an index. Any bytes are valid.
    pub fn parse(bytes: &'a [u8]) -> Index<'a> {
        let Some((index_header, rest)) = bytes.split_first_chunk() else {
            return Index {
                index_header: None,
                records: &[],
                tail: bytes,
            };
        };
        let (records, tail) = rest.as_chunks();
        Index {
            index_header: Some(index_header),
            records,
            tail,
        }
    }

    /// Returns the fields of the header: the value at offset 8, the size of a record, and the
    /// number of the next record.
    pub fn fields(&self) -> Option<(u16, u16, u32)> {
        let bytes = self.index_header?;
        Some((le16(bytes, 8), le16(bytes, 10), le32(bytes, 16)))
    }

    /// Returns the bytes of the file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        out.extend_from_slice(self.index_header.map_or(&[], |bytes| &bytes[..]));
        out.extend_from_slice(self.records.as_flattened());
        out.extend_from_slice(self.tail);
        out
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn any_bytes_come_back(bytes in prop::collection::vec(any::<u8>(), 0..700)) {
            prop_assert_eq!(Index::parse(&bytes).to_bytes(), bytes);
        }
    }
}
