//! Files of additional records: extended headers .cbj, details of tournaments .cbtt, manifests of
//! media .cbm (docs/formats/cbh.md, sections 4, 9.3, 10). The header is little-endian.

use super::bytes::{array, be32, be64, le32};

/// A file of fixed-size records.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Records<'a> {
    /// The version; `None` if the file is shorter than a header.
    pub version: Option<u32>,
    /// The size of a record in bytes.
    pub size: u32,
    /// The number of records, or the number of the last one.
    pub count: u32,
    /// Unused bytes.
    pub rest: [u8; 20],
    /// The records and the bytes after them.
    pub body: &'a [u8],
}

impl<'a> Records<'a> {
    /// The size of the header in bytes.
    pub const HEADER: usize = 32;

    /// Parses a file. Any bytes are valid.
    pub fn parse(bytes: &'a [u8]) -> Records<'a> {
        let Some((header, body)) = bytes.split_first_chunk::<{ Records::HEADER }>() else {
            return Records {
                body: bytes,
                ..Records::default()
            };
        };
        Records {
            version: Some(le32(header, 0)),
            size: le32(header, 4),
            count: le32(header, 8),
            rest: array(header, 12),
            body,
        }
    }

    /// Returns the record at this index, from 0.
    pub fn get(&self, index: u32) -> Option<&'a [u8]> {
        self.version?;
        // With a size of 0 every number would have a record.
        let size = usize::try_from(self.size).ok().filter(|&size| size > 0)?;
        let start = usize::try_from(index).ok()?.checked_mul(size)?;
        self.body.get(start..start.checked_add(size)?)
    }

    /// Returns the bytes of the file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(Records::HEADER + self.body.len());
        if let Some(version) = self.version {
            for field in [version, self.size, self.count] {
                out.extend_from_slice(&field.to_le_bytes());
            }
            out.extend_from_slice(&self.rest);
        }
        out.extend_from_slice(self.body);
        out
    }
}

impl Records<'static> {
    /// Returns the header of a new file, to be followed by its records.
    pub fn new(version: u32, size: u32, count: u32) -> Records<'static> {
        Records {
            version: Some(version),
            size,
            count,
            ..Records::default()
        }
    }
}

/// The extended header of a game. Older programs wrote shorter ones.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Extended<'a>(pub &'a [u8]);

impl Extended<'_> {
    /// Reads a field, if the record includes it.
    fn field<T>(self, offset: usize, size: usize, read: fn(&[u8], usize) -> T) -> Option<T> {
        (self.0.len() >= offset + size).then(|| read(self.0, offset))
    }

    /// Returns the numbers of White's and Black's teams.
    pub fn teams(self) -> [Option<u32>; 2] {
        [0, 4].map(|offset| self.field(offset, 4, be32).filter(|&team| team != u32::MAX))
    }

    /// Returns the offset of the annotations.
    pub fn annotations(self) -> Option<u64> {
        self.field(12, 8, be64)
    }

    /// Returns the offset of the moves.
    pub fn moves(self) -> Option<u64> {
        self.field(30, 8, be64)
    }

    /// Returns the kinds of White's and Black's ratings.
    pub fn rating_kinds(self) -> Option<[[u8; 16]; 2]> {
        (self.0.len() >= 70).then(|| [array(self.0, 38), array(self.0, 54)])
    }

    /// Returns the number of the game tag.
    pub fn tag(self) -> Option<u32> {
        self.field(116, 4, be32).filter(|&tag| tag != u32::MAX)
    }
}

/// The extended header of a new game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NewExtended {
    /// The numbers of the teams; -1 for none.
    pub teams: [u32; 2],
    /// The offset of the annotations; 0 for none.
    pub annotations: u64,
    /// The offset of the moves.
    pub moves: u64,
    /// The kinds of White's and Black's ratings.
    pub rating_kinds: [[u8; 16]; 2],
    /// The time of creation, which identifies the game.
    pub created: u64,
    /// The number of the game tag; -1 for none.
    pub tag: u32,
}

impl NewExtended {
    /// The version of the written records.
    pub const VERSION: u32 = 11;
    /// The size of a record in bytes.
    pub const SIZE: usize = 120;

    /// Appends the record. The material is marked as not computed, and the number of saves is 1.
    pub fn write(&self, out: &mut Vec<u8>) {
        let start = out.len();
        let [white, black] = self.teams;
        for number in [white, black, u32::MAX] {
            out.extend_from_slice(&number.to_be_bytes());
        }
        out.extend_from_slice(&self.annotations.to_be_bytes());
        // Final material 0, 0 and FFFE: not computed (section 4).
        out.extend_from_slice(&[0; 8]);
        out.extend_from_slice(&[0xFF, 0xFE]);
        out.extend_from_slice(&self.moves.to_be_bytes());
        out.extend(self.rating_kinds.as_flattened());
        out.extend_from_slice(&[0; 8]);
        out.extend_from_slice(&1u16.to_be_bytes());
        out.extend_from_slice(&self.created.to_be_bytes());
        out.resize(start + NewExtended::SIZE - 4, 0);
        out.extend_from_slice(&self.tag.to_be_bytes());
    }
}

/// The details of a tournament.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TournamentDetails<'a>(pub &'a [u8]);

impl<'a> TournamentDetails<'a> {
    /// Returns latitude and longitude.
    pub fn coordinates(self) -> [f64; 2] {
        [0, 8].map(|offset| f64::from_bits(be64(self.0, offset)))
    }

    /// Returns the tie-break rules, in their order.
    pub fn tie_breaks(self) -> &'a [u8] {
        let count = usize::from(array::<1>(self.0, 0x3C)[0]);
        // The record holds at most ten rules; a larger number is damage.
        self.0.get(0x32..0x32 + count.min(10)).unwrap_or_default()
    }

    /// Returns the end date (section 2).
    pub fn end(self) -> u32 {
        be32(self.0, 0x3D)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_new_header_is_read() {
        let new = NewExtended {
            teams: [3, u32::MAX],
            annotations: 1 << 33,
            moves: 26,
            rating_kinds: [[1; 16], [2; 16]],
            created: 7,
            tag: 5,
        };
        let mut bytes = Vec::new();
        new.write(&mut bytes);
        let read = Extended(&bytes);
        assert_eq!(bytes.len(), NewExtended::SIZE);
        assert_eq!((read.teams(), read.tag()), ([Some(3), None], Some(5)));
        assert_eq!(
            (read.annotations(), read.moves()),
            (Some(1 << 33), Some(26))
        );
        assert_eq!(read.rating_kinds(), Some(new.rating_kinds));
        assert_eq!(bytes[78..88], [0, 1, 0, 0, 0, 0, 0, 0, 0, 7]);
    }

    proptest! {
        #[test]
        fn any_bytes_come_back(bytes in prop::collection::vec(any::<u8>(), 0..200), at in any::<u32>()) {
            let file = Records::parse(&bytes);
            prop_assert_eq!(file.to_bytes(), &bytes[..]);
            let record = file.get(at).unwrap_or(&bytes);
            let (extended, details) = (Extended(record), TournamentDetails(record));
            let _ = (extended.teams(), extended.rating_kinds(), extended.tag(), details.tie_breaks());
        }
    }
}
