//! The games file: records at the places that the index names, and bytes that belong to none
//! (docs/formats/dcx.md, section 5).

use std::ops::Range;

use super::index::Entry;
use super::magic::Magic;
use super::record::Record;

/// A stretch of the games file behind its magic bytes.
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
    /// Bytes of no record: what replaced games left behind, and records that cannot be read.
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
    /// Its first bytes.
    pub magic: Magic,
    /// The stretches in the order of the file.
    pub segments: Vec<Segment<'a>>,
    /// Games (from 0) that have no stretch of their own: their record overlaps another, ends
    /// beyond the file, or cannot be read.
    pub homeless: Vec<u32>,
}

impl<'a> GameFile<'a> {
    /// Divides a games file among the entries of its index. `old` says that lengths may be spelt
    /// backwards ([`Record::parse`]).
    pub fn parse(bytes: &'a [u8], entries: &[Entry], old: bool) -> GameFile<'a> {
        let mut order: Vec<u32> = (0..entries.len() as u32).collect();
        let place = |n: u32| entries.get(n as usize).map_or(0, |entry| entry.offset);
        order.sort_by_key(|&n| place(n));
        let (magic, _) = Magic::parse(bytes);
        let mut file = GameFile {
            magic,
            segments: Vec::new(),
            homeless: Vec::new(),
        };
        let mut end = magic.as_bytes().len();
        let mut games = order.iter().copied().peekable();
        while let Some(game) = games.next() {
            let start = usize::try_from(place(game)).unwrap_or(usize::MAX);
            let next = games.peek().map_or(u64::MAX, |&game| place(game));
            let next = usize::try_from(next).unwrap_or(usize::MAX).min(bytes.len());
            // Only the old spelling needs to know where the next record begins.
            let limit = if old { next } else { bytes.len() };
            let stretch = bytes.get(start..limit).filter(|_| start >= end);
            match stretch.map(|stretch| Record::parse(stretch, old)) {
                Some(Ok(record)) => {
                    file.push_slack(bytes, end..start);
                    end = start + record.body_offset() + record.body.len();
                    let range = start..end;
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
        let mut out = self.magic.as_bytes().to_vec();
        for segment in &self.segments {
            match segment {
                Segment::Record { record, .. } => record.write(&mut out),
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
