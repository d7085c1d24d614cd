//! The games file: records at the places that the index names, and bytes that belong to none
//! (docs/formats/cbf.md, sections 2 and 3).

use super::record::Record;

/// A stretch of the games file: a record, or what an edited game left behind and records that cannot
/// be read.
pub type Segment<'a> = chessdb_core::Segment<'a, Record>;

/// A whole games file, without gaps.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameFile<'a> {
    /// The stretches in the order of the file.
    pub segments: Vec<Segment<'a>>,
    /// Games (from 0) that have no stretch of their own: their record overlaps another, ends
    /// beyond the file, or stands nowhere in it.
    pub unplaced: Vec<u32>,
}

impl<'a> GameFile<'a> {
    /// Divides a games file among the records that begin at these offsets.
    pub fn parse(bytes: &'a [u8], offsets: &[Option<u64>]) -> GameFile<'a> {
        let mut order = Vec::with_capacity(offsets.len());
        let mut nowhere = Vec::new();
        for (game, offset) in (0..).zip(offsets) {
            match offset {
                Some(offset) => order.push((*offset, game, ())),
                None => nowhere.push(game),
            }
        }
        order.sort_unstable();
        let (segments, mut unplaced) = Segment::divide(bytes, 0, order, |there, ()| {
            let record = Record::parse(there).ok()?;
            let length = record.raw_header.record_len();
            Some((record, length))
        });
        unplaced.extend(nowhere);
        unplaced.sort_unstable();
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
        fn every_file_comes_back(bytes in prop::collection::vec(any::<u8>(), 0..999),
                                 places in prop::collection::vec(prop::option::of(0u64..999), 0..9)) {
            let file = GameFile::parse(&bytes, &places);
            prop_assert_eq!(&file.to_bytes(), &bytes);
            let mut end = 0;
            for segment in &file.segments {
                prop_assert_eq!(segment.range().start, end);
                end = segment.range().end;
            }
            prop_assert_eq!(end, bytes.len());
        }
    }
}
