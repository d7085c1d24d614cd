//! The games file, the same in all generations: records at the places that the index names, and bytes that belong to none
//! (docs/formats/scid.md, section 4).

use std::ops::Range;

use super::record::Record;

/// A stretch of the games file.
#[derive(Clone, Debug)]
pub enum Segment<'a> {
    /// The record of a game.
    Record {
        /// Its number in the index, from 0; of several that share the record, the first.
        game: u32,
        /// Where it stands.
        range: Range<usize>,
        /// What it says.
        record: Record<'a>,
    },
    /// Bytes of no record: fillers before a block border, what an edited game left behind, and
    /// records that cannot be read.
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
#[derive(Clone, Debug)]
pub struct GameFile<'a> {
    /// The stretches in the order of the file.
    pub segments: Vec<Segment<'a>>,
    /// Games (from 0) that have no stretch of their own: their record overlaps another, ends
    /// beyond the file, or cannot be read.
    pub homeless: Vec<u32>,
}

impl<'a> GameFile<'a> {
    /// A record never crosses a multiple of this many bytes.
    pub const BLOCK: u64 = 131_072;

    /// Divides a games file among the entries of its index, of which each gives the place and the
    /// length of its record.
    pub fn parse(bytes: &'a [u8], places: impl IntoIterator<Item = (u64, u32)>) -> GameFile<'a> {
        let mut order: Vec<((u64, u32), u32)> = places.into_iter().zip(0..).collect();
        order.sort_unstable();
        let mut file = GameFile {
            segments: Vec::new(),
            homeless: Vec::new(),
        };
        let mut end = 0;
        for ((offset, length), game) in order {
            let start = usize::try_from(offset).unwrap_or(usize::MAX);
            let range = start..start.saturating_add(length as usize);
            let stretch = bytes.get(range.clone()).filter(|_| range.start >= end);
            match stretch.map(Record::parse) {
                Some(Ok(record)) => {
                    file.push_slack(bytes, end..range.start);
                    end = range.end;
                    file.segments.push(Segment::Record {
                        game,
                        range,
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
