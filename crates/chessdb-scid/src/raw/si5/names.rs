//! The name file of SCID 5: a log of names and of database metadata, without a header.

use chessdb_core::error::Location;
use chessdb_core::{Error, ErrorKind};

/// The kind of a record of the log.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum NameKind {
    /// A player.
    Player,
    /// An event.
    Event,
    /// A site.
    Site,
    /// A round.
    Round,
    /// A key directly followed by its value, such as `type7`. The last record of a key counts.
    Info,
}

impl NameKind {
    /// Every kind, in the order of their codes.
    pub const ALL: [NameKind; 5] = [
        NameKind::Player,
        NameKind::Event,
        NameKind::Site,
        NameKind::Round,
        NameKind::Info,
    ];
}

/// A record of the log. Names have no stored number; they are counted from 0 per kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NameRecord<'a> {
    /// The kind.
    pub kind: NameKind,
    /// The minimum number of bytes for the number that contains kind and length. More than
    /// necessary means that the number is padded.
    pub number_bytes: u8,
    /// The name, or key and value.
    pub text: &'a [u8],
}

impl<'a> NameRecord<'a> {
    /// Creates a record with the shortest number.
    pub const fn new(kind: NameKind, text: &'a [u8]) -> NameRecord<'a> {
        NameRecord {
            kind,
            number_bytes: 0,
            text,
        }
    }

    /// Appends the record.
    pub fn write(&self, out: &mut Vec<u8>) {
        let mut remaining = (self.text.len() as u64) << 3 | self.kind as u64;
        for written in 1u32.. {
            let byte = (remaining & 0x7F) as u8;
            remaining >>= 7;
            if remaining == 0 && written >= self.number_bytes.into() {
                out.push(byte);
                break;
            }
            out.push(byte | 0x80);
        }
        out.extend_from_slice(self.text);
    }
}

/// Reader of the records of a name file.
#[derive(Clone, Debug)]
pub struct Names<'a> {
    rest: &'a [u8],
    len: usize,
}

/// Ten bytes of seven bits each hold every number of 64 bits.
const MOST_NUMBER_BYTES: usize = 10;

impl<'a> Names<'a> {
    /// The largest numbers of players, events, sites and rounds that an index entry can
    /// distinguish.
    pub const MAX_COUNTS: [u32; 4] = [1 << 28, 1 << 28, u32::MAX, 1 << 31];
    /// The largest size of a name that this crate writes, in bytes; the format has no limit.
    pub const MAX_NAME: usize = 1 << 24;

    /// Creates a reader for these bytes.
    pub const fn new(bytes: &'a [u8]) -> Names<'a> {
        Names {
            rest: bytes,
            len: bytes.len(),
        }
    }

    /// Returns the unread bytes, which are empty at the end of an undamaged file.
    pub const fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// Returns the number of bytes read.
    pub const fn offset(&self) -> u64 {
        (self.len - self.rest.len()) as u64
    }

    /// Reads the next record. `None` at the end of the file.
    ///
    /// # Errors
    ///
    /// Returns an error for a kind above 4 or a record that ends beyond the file. The reader does
    /// not advance in this case.
    pub fn read(&mut self) -> Result<Option<NameRecord<'a>>, Error> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        let offset = self.offset();
        let location = Location {
            offset: Some(offset),
            ..Location::default()
        };
        let fault = |kind| Err(Error::new(kind).at(location));
        let available = self.rest.len() as u64;
        let mut number = 0u64;
        let mut taken = 0;
        loop {
            let Some(&byte) = self.rest.get(taken) else {
                return fault(ErrorKind::truncated(
                    "the length of a name",
                    available + 1,
                    available,
                ));
            };
            let part = u64::from(byte & 0x7F);
            let shift = 7 * taken as u32;
            // Bits that do not survive the shift there and back do not fit into 64.
            if taken >= MOST_NUMBER_BYTES || (part << shift) >> shift != part {
                return fault(ErrorKind::over_limit(
                    "the unused bits in the length of a name",
                    64_u64,
                ));
            }
            number |= part << shift;
            taken += 1;
            if byte & 0x80 == 0 {
                break;
            }
        }
        let Some(&kind) = NameKind::ALL.get((number & 7) as usize) else {
            return fault(ErrorKind::bad_field("the kind of a name", number & 7));
        };
        let length = number >> 3;
        let text = usize::try_from(length)
            .ok()
            .and_then(|length| self.rest.get(taken..taken.checked_add(length)?));
        let Some(text) = text else {
            let needed = length.saturating_add(taken as u64);
            return fault(ErrorKind::truncated("a name", needed, available));
        };
        self.rest = self.rest.get(taken + text.len()..).unwrap_or_default();
        Ok(Some(NameRecord {
            kind,
            number_bytes: taken as u8,
            text,
        }))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn back(bytes: &[u8]) -> (Vec<u8>, bool) {
        let mut names = Names::new(bytes);
        let mut out = Vec::new();
        let mut whole = true;
        loop {
            match names.read() {
                Ok(Some(record)) => record.write(&mut out),
                Ok(None) => break,
                Err(error) => {
                    assert_eq!(error.location().offset, Some(names.offset()));
                    whole = false;
                    break;
                }
            }
        }
        out.extend_from_slice(names.rest());
        (out, whole)
    }

    proptest! {
        #[test]
        fn every_file_comes_back(bytes in prop::collection::vec(
            prop_oneof![0u8..40, 0x80u8..0x90, any::<u8>()], 0..200)) {
            prop_assert_eq!(back(&bytes).0, bytes);
        }

        #[test]
        fn every_record_comes_back(code in 0usize..5, length in 0usize..3000, padding in 0u8..9) {
            let text = vec![b'x'; length];
            let record = NameRecord { number_bytes: padding, ..NameRecord::new(NameKind::ALL[code], &text) };
            let mut bytes = Vec::new();
            record.write(&mut bytes);
            let mut names = Names::new(&bytes);
            let read = names.read().unwrap().unwrap();
            prop_assert_eq!((read.kind, read.text), (record.kind, record.text));
            prop_assert!(read.number_bytes >= padding);
            prop_assert!(names.read().unwrap().is_none());
            prop_assert_eq!(back(&bytes), (bytes.clone(), true));
        }
    }

    #[test]
    fn damage_is_reported_with_its_offset() {
        let cases: [(&[u8], u64, &str); 5] = [
            (&[0x08, b'a', 0x0D, b'b'], 2, "bad-field"),
            (&[0x08, b'a', 0x18, b'b'], 2, "truncated"),
            (&[0x08, b'a', 0x80], 2, "truncated"),
            (&[0xFF; 12], 0, "limit"),
            (
                &[0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01],
                0,
                "bad-field",
            ),
        ];
        for (bytes, offset, code) in cases {
            let mut names = Names::new(bytes);
            let error = loop {
                match names.read() {
                    Ok(record) => assert!(record.is_some()),
                    Err(error) => break error,
                }
            };
            assert_eq!(
                (error.location().offset, error.kind().code()),
                (Some(offset), code)
            );
        }
    }
}
