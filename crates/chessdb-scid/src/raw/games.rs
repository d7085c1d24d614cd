//! The games file, identical in all generations: records at the offsets given by the index, and
//! bytes that belong to no record (docs/formats/scid.md, section 4).

use super::record::Record;

/// A segment of the games file: a record, or filler before a block border, remains of an edited
/// game, or a record that cannot be read.
pub type Segment<'a> = chessdb_core::format::Segment<'a, Record<'a>>;

/// A whole games file, divided without gaps.
#[derive(Clone, Debug)]
pub struct GameFile<'a> {
    /// The segments in file order.
    pub segments: Vec<Segment<'a>>,
    /// Games, counted from 0, without a segment: their record overlaps another one, ends beyond the
    /// file, or cannot be read.
    pub unplaced: Vec<u32>,
}

impl<'a> GameFile<'a> {
    /// The block size in bytes. A record never crosses a multiple of it.
    pub const BLOCK: u64 = 131_072;

    /// Divides a games file into segments. `places` are offset and length of the record of each
    /// index entry.
    pub fn parse(bytes: &'a [u8], places: impl IntoIterator<Item = (u64, u32)>) -> GameFile<'a> {
        let mut order: Vec<((u64, u32), u32)> = places.into_iter().zip(0..).collect();
        order.sort_unstable();
        let places = order
            .into_iter()
            .map(|((offset, length), game)| (offset, game, length as usize));
        let (segments, unplaced) = Segment::divide(bytes, 0, places, |rest, length| {
            let record = Record::parse(rest.get(..length)?).ok()?;
            Some((record, length))
        });
        GameFile { segments, unplaced }
    }

    /// Returns the bytes of the file.
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
