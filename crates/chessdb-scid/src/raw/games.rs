//! The games file, the same in all generations: records at the places that the index names, and bytes that belong to none
//! (docs/formats/scid.md, section 4).

use super::record::Record;

/// A stretch of the games file: a record, or fillers before a block border, what an edited game left
/// behind, and records that cannot be read.
pub type Segment<'a> = chessdb_core::Segment<'a, Record<'a>>;

/// A whole games file, without gaps.
#[derive(Clone, Debug)]
pub struct GameFile<'a> {
    /// The stretches in the order of the file.
    pub segments: Vec<Segment<'a>>,
    /// Games (from 0) that have no stretch of their own: their record overlaps another, ends
    /// beyond the file, or cannot be read.
    pub unplaced: Vec<u32>,
}

impl<'a> GameFile<'a> {
    /// A record never crosses a multiple of this many bytes.
    pub const BLOCK: u64 = 131_072;

    /// Divides a games file among the entries of its index, of which each gives the place and the
    /// length of its record.
    pub fn parse(bytes: &'a [u8], places: impl IntoIterator<Item = (u64, u32)>) -> GameFile<'a> {
        let mut order: Vec<((u64, u32), u32)> = places.into_iter().zip(0..).collect();
        order.sort_unstable();
        let places = order
            .into_iter()
            .map(|((offset, length), game)| (offset, game, length as usize));
        let (segments, unplaced) = Segment::divide(bytes, 0, places, |there, length| {
            let record = Record::parse(there.get(..length)?).ok()?;
            Some((record, length))
        });
        GameFile { segments, unplaced }
    }

    /// The bytes of the file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        Segment::write_all(&self.segments, &mut out, |record, out| {
            out.extend_from_slice(&record.to_bytes());
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
        fn every_file_comes_back(bytes in prop::collection::vec(0u8..17, 0..99),
                                 places in prop::collection::vec((0u64..99, 0u32..20), 0..9)) {
            let file = GameFile::parse(&bytes, places);
            prop_assert_eq!(&file.to_bytes(), &bytes);
            let mut end = 0;
            for segment in &file.segments {
                prop_assert_eq!(segment.range().start, end);
                end = segment.range().end;
            }
        }
    }
}
