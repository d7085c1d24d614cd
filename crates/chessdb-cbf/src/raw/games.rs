//! The games file: records at the places that the index names, and bytes that belong to none
//! (docs/formats/cbf.md, sections 2 and 3).

use std::ops::Range;

use super::record::Record;

/// A stretch of the games file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Segment<'a> {
    /// The record of a game.
    Record {
        /// Its number in the index, from 0; of several that share the record, the first.
        game: u32,
        /// Where it stands.
        range: Range<usize>,
        /// What it says.
        record: Record,
    },
    /// Bytes of no record: what an edited game left behind, and records that cannot be read.
    Slack {
        /// Where they stand.
        range: Range<usize>,
        /// The bytes.
        bytes: &'a [u8],
    },
}

impl Segment<'_> {
    /// Where the stretch stands in the file.
    pub fn range(&self) -> Range<usize> {
        match self {
            Segment::Record { range, .. } | Segment::Slack { range, .. } => range.clone(),
        }
    }
}

/// A whole games file, without gaps.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameFile<'a> {
    /// The stretches in the order of the file.
    pub segments: Vec<Segment<'a>>,
    /// Games (from 0) that have no stretch of their own: their record overlaps another, ends
    /// beyond the file, or stands nowhere in it.
    pub homeless: Vec<u32>,
}

impl<'a> GameFile<'a> {
    /// Divides a games file among the records that begin at these offsets.
    pub fn parse(bytes: &'a [u8], offsets: &[Option<u64>]) -> GameFile<'a> {
        let mut order: Vec<(u64, u32)> = Vec::with_capacity(offsets.len());
        let mut homeless = Vec::new();
        for (game, offset) in (0..).zip(offsets) {
            match offset {
                Some(offset) => order.push((*offset, game)),
                None => homeless.push(game),
            }
        }
        order.sort_unstable();
        let mut file = GameFile {
            segments: Vec::new(),
            homeless,
        };
        let mut end = 0;
        for (offset, game) in order {
            let start = usize::try_from(offset).unwrap_or(usize::MAX);
            let there = bytes.get(start..).filter(|_| start >= end);
            match there.map(Record::parse) {
                Some(Ok(record)) => {
                    file.push_slack(bytes, end..start);
                    end = start + record.header.record_len();
                    file.segments.push(Segment::Record {
                        game,
                        range: start..end,
                        record,
                    });
                }
                _ => file.homeless.push(game),
            }
        }
        file.push_slack(bytes, end..bytes.len());
        file.homeless.sort_unstable();
        file
    }

    fn push_slack(&mut self, bytes: &'a [u8], range: Range<usize>) {
        if let Some(bytes) = bytes.get(range.clone())
            && !bytes.is_empty()
        {
            self.segments.push(Segment::Slack { range, bytes });
        }
    }

    /// The bytes of the file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        for segment in &self.segments {
            match segment {
                Segment::Record { record, .. } => out.extend_from_slice(&record.to_bytes()),
                Segment::Slack { bytes, .. } => out.extend_from_slice(bytes),
            }
        }
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
