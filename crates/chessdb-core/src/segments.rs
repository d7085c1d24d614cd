//! Files of records at the places that an index names, and of bytes between them.

use std::ops::Range;

/// A stretch of such a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Segment<'a, R> {
    /// The record of a game.
    Record {
        /// Its number in the index, from 0; of several that share the record, the first.
        game: u32,
        /// Where it stands.
        range: Range<usize>,
        /// What it says.
        record: R,
    },
    /// Bytes of no record: fillers, what edited games left behind, and records that cannot be read.
    Slack {
        /// Where they stand.
        range: Range<usize>,
        /// The bytes.
        bytes: &'a [u8],
    },
}

impl<'a, R> Segment<'a, R> {
    /// Where the stretch stands in the file.
    pub fn range(&self) -> Range<usize> {
        match self {
            Segment::Record { range, .. } | Segment::Slack { range, .. } => range.clone(),
        }
    }

    /// Divides a file, from byte `start` on, among the records of its games.
    ///
    /// `places` gives for each game, in the order of the file, where its record begins, its number,
    /// and whatever `parse` wants to know beside the bytes from there on. `parse` answers with the
    /// record and its length in bytes, not more than it was given, or with nothing if there is none.
    ///
    /// The segments have no gaps between them and end with the file. The second list names, in
    /// ascending order, the games that have none: their record overlaps another, lies beyond the
    /// file, or cannot be read.
    pub fn divide<P>(
        bytes: &'a [u8],
        start: usize,
        places: impl IntoIterator<Item = (u64, u32, P)>,
        mut parse: impl FnMut(&'a [u8], P) -> Option<(R, usize)>,
    ) -> (Vec<Segment<'a, R>>, Vec<u32>) {
        let (mut segments, mut unplaced) = (Vec::new(), Vec::new());
        let mut end = start;
        for (offset, game, place) in places {
            let start = usize::try_from(offset).unwrap_or(usize::MAX);
            let there = bytes.get(start..).filter(|_| start >= end);
            let Some((record, length)) = there.and_then(|there| parse(there, place)) else {
                unplaced.push(game);
                continue;
            };
            segments.extend(Segment::slack(bytes, end..start));
            end = start.saturating_add(length);
            segments.push(Segment::Record {
                game,
                range: start..end,
                record,
            });
        }
        segments.extend(Segment::slack(bytes, end..bytes.len()));
        unplaced.sort_unstable();
        (segments, unplaced)
    }

    /// Appends the bytes of all segments; `write` appends those of a record.
    pub fn write_all(
        segments: &[Segment<'a, R>],
        out: &mut Vec<u8>,
        mut write: impl FnMut(&R, &mut Vec<u8>),
    ) {
        for segment in segments {
            match segment {
                Segment::Record { record, .. } => write(record, out),
                Segment::Slack { bytes, .. } => out.extend_from_slice(bytes),
            }
        }
    }

    fn slack(bytes: &'a [u8], range: Range<usize>) -> Option<Segment<'a, R>> {
        let bytes = bytes.get(range.clone()).filter(|bytes| !bytes.is_empty())?;
        Some(Segment::Slack { range, bytes })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_that_overlap_or_lie_outside_have_no_segment() {
        // Each record is its own length, then as many bytes.
        let bytes = [9, 9, 1, 7, 0, 5, 8];
        let places = [(2, 3, ()), (3, 1, ()), (4, 2, ()), (5, 0, ()), (99, 4, ())];
        let (segments, unplaced) = Segment::divide(&bytes, 1, places, |rest, ()| {
            let length = 1 + usize::from(*rest.first()?);
            Some((rest.get(..length)?, length))
        });
        let record = |game, range: Range<usize>| Segment::Record {
            game,
            record: &bytes[range.clone()],
            range,
        };
        let slack = |range: Range<usize>| Segment::Slack {
            bytes: &bytes[range.clone()],
            range,
        };
        let expected = [slack(1..2), record(3, 2..4), record(2, 4..5), slack(5..7)];
        assert_eq!(segments, expected);
        let mut out = vec![9];
        Segment::write_all(&segments, &mut out, |record, out| {
            out.extend_from_slice(record)
        });
        assert_eq!(out, bytes);
        assert_eq!(unplaced, [0, 1, 4]);
    }
}
