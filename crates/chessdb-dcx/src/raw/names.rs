//! The three name tables: records of 36 bytes (docs/formats/dcx.md, section 4).

use super::magic::{FileKind, Magic};

/// A whole .dcn, .dcs or .dce file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NameFile {
    /// The magic bytes.
    pub magic: Magic,
    /// The records, including padding.
    pub records: Vec<[u8; NameFile::RECORD]>,
    /// An incomplete last record.
    pub tail: Vec<u8>,
}

impl NameFile {
    /// Size of a record in bytes.
    pub const RECORD: usize = 36;
    /// Offset of the first record, after the magic bytes.
    pub const FIRST: u32 = Magic::SIZE as u32;
    /// Maximum number of records to which a four-byte reference can refer.
    pub const MAX_RECORDS: u32 = (u32::MAX - NameFile::FIRST) / NameFile::RECORD as u32 + 1;

    /// Creates a new file without records.
    pub const fn new(kind: FileKind) -> NameFile {
        NameFile {
            magic: Magic::new(kind),
            records: Vec::new(),
            tail: Vec::new(),
        }
    }

    /// Reads a file; all bytes are valid.
    pub fn parse(bytes: &[u8]) -> NameFile {
        let (magic, body) = Magic::parse(bytes);
        let (records, tail) = body.as_chunks();
        NameFile {
            magic,
            records: records.to_vec(),
            tail: tail.to_vec(),
        }
    }

    /// Returns the bytes of the file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let body = self.records.as_flattened();
        [self.magic.as_bytes(), body, &self.tail].concat()
    }

    /// Returns the number of the record at a reference, or `None` for 0 and for offsets where no
    /// record begins. The record need not exist.
    pub const fn number(reference: u32) -> Option<u32> {
        match reference.checked_sub(NameFile::FIRST) {
            Some(distance) if distance % NameFile::RECORD as u32 == 0 => {
                Some(distance / NameFile::RECORD as u32)
            }
            _ => None,
        }
    }

    /// Returns the reference to a record, or `None` beyond [`NameFile::MAX_RECORDS`].
    pub const fn reference(number: u32) -> Option<u32> {
        match number.checked_mul(NameFile::RECORD as u32) {
            Some(distance) => distance.checked_add(NameFile::FIRST),
            None => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_file_comes_back(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let file = NameFile::parse(&bytes);
            prop_assert!(file.tail.len() < NameFile::RECORD);
            prop_assert_eq!(file.to_bytes(), bytes);
        }

        #[test]
        fn references_are_numbers(reference in any::<u32>()) {
            if let Some(number) = NameFile::number(reference) {
                prop_assert!(number < NameFile::MAX_RECORDS);
                prop_assert_eq!(NameFile::reference(number), Some(reference));
            }
        }
    }

    #[test]
    fn the_last_reference_fits() {
        assert_eq!(NameFile::MAX_RECORDS, 119_304_647);
        assert!(NameFile::reference(NameFile::MAX_RECORDS - 1).is_some());
        assert_eq!(NameFile::reference(NameFile::MAX_RECORDS), None);
        assert_eq!(NameFile::number(0), None);
        assert_eq!(NameFile::number(10), Some(0));
        assert_eq!(NameFile::number(47), None);
    }
}
