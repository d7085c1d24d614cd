//! The games file: records at the offsets given in the index, and bytes that belong to no record
//! (docs/formats/dcx.md, section 5).

use super::entry::Entry;
use super::magic::Magic;
use super::record::Record;

/// A segment of the games file after its magic bytes: a record, or bytes left by replaced games and
/// unreadable records.
pub type Segment<'a> = chessdb_core::format::Segment<'a, Record<'a>>;

/// A whole games file, without gaps.
#[derive(Clone, Debug)]
pub struct GameFile<'a> {
    /// The magic bytes.
    pub magic: Magic,
    /// The segments in the order of the file.
    pub segments: Vec<Segment<'a>>,
    /// Games (from 0) without their own segment: their record overlaps another, extends beyond the
    /// end of the file, or cannot be read.
    pub unplaced: Vec<u32>,
}

impl<'a> GameFile<'a> {
    /// Divides a games file among the entries of its index. `old` allows lengths with reversed
    /// bytes ([`Record::parse`]).
    pub fn parse(bytes: &'a [u8], entries: &[Entry], old: bool) -> GameFile<'a> {
        let (magic, _) = Magic::parse(bytes);
        let mut order: Vec<(u64, u32)> =
            entries.iter().map(|entry| entry.offset).zip(0..).collect();
        order.sort_unstable();
        let places = order.iter().enumerate().map(|(n, &(offset, game))| {
            let next = order.get(n + 1).map_or(u64::MAX, |&(next, _)| next);
            let room = usize::try_from(next - offset).unwrap_or(usize::MAX);
            (offset, game, room)
        });
        let begin = magic.as_bytes().len();
        let (segments, unplaced) = Segment::divide(bytes, begin, places, |rest, room| {
            // Only reversed lengths require the offset of the next record.
            let limit = if old { room } else { usize::MAX };
            let stretch = rest.get(..limit).unwrap_or(rest);
            let record = Record::parse(stretch, old).ok()?;
            Some((record, record.size()))
        });
        GameFile {
            magic,
            segments,
            unplaced,
        }
    }

    /// Returns the bytes of the file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = self.magic.as_bytes().to_vec();
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
        fn every_file_comes_back(bytes in prop::collection::vec(0u8..17, 0..99), old in any::<bool>(),
                                 places in prop::collection::vec(0u64..99, 0..9)) {
            let entry = |offset| Entry { offset, ..Entry::default() };
            let entries: Vec<Entry> = places.into_iter().map(entry).collect();
            let file = GameFile::parse(&bytes, &entries, old);
            prop_assert_eq!(&file.to_bytes(), &bytes);
            let mut end = file.magic.as_bytes().len();
            for segment in &file.segments {
                prop_assert_eq!(segment.range().start, end);
                end = segment.range().end;
            }
            prop_assert_eq!(end, bytes.len());
        }
    }
}
