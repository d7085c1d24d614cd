//! The games file: records at the offsets stated in the index, and bytes that belong to no record
//! (docs/formats/cbf.md, sections 2 and 3).

use super::record::Record;

/// A part of the games file: a record, or bytes of unreadable records and of earlier versions of
/// edited games.
pub type Segment<'a> = chessdb_core::format::Segment<'a, Record>;

/// The content of a games file, without gaps.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameFile<'a> {
    /// The parts in the order of the file.
    pub segments: Vec<Segment<'a>>,
    /// The games, from 0, that have no part because their record overlaps another one, extends
    /// beyond the end of the file, or has no valid offset.
    pub unplaced: Vec<u32>,
}

impl<'a> GameFile<'a> {
    /// Divides a games file into the records that begin at these offsets, and the rest.
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
        let (segments, mut unplaced) = Segment::divide(bytes, 0, order, |rest, ()| {
            let record = Record::parse(rest).ok()?;
            let length = record.raw_header.record_len();
            Some((record, length))
        });
        unplaced.extend(nowhere);
        unplaced.sort_unstable();
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
