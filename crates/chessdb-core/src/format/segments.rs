//! Files that consist of records at the offsets of an index and of bytes between these records.

use std::ops::Range;

/// A stretch of a file of records.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Segment<'a, R> {
    /// The record of a game.
    Record {
        /// The number of the game in the index, from 0. If several games share the record, the
        /// first.
        game: u32,
        /// The bytes of the record in the file.
        range: Range<usize>,
        /// The parsed record.
        record: R,
    },
    /// Bytes outside of records: fillers, remains of edited games, and records that cannot be read.
    Slack {
        /// The range of the bytes in the file.
        range: Range<usize>,
        /// The bytes.
        bytes: &'a [u8],
    },
}

impl<'a, R> Segment<'a, R> {
    /// Returns the range of the stretch in the file.
    pub fn range(&self) -> Range<usize> {
        match self {
            Segment::Record { range, .. } | Segment::Slack { range, .. } => range.clone(),
        }
    }

    /// Divides a file, beginning at byte `start`, among the records of its games.
    ///
    /// `places` gives for each game, in file order, the offset of its record, its number, and any
    /// value that `parse` needs in addition to the bytes from there on. `parse` returns the record
    /// and its length in bytes, at most the length of its input, or `None` if there is no record.
    ///
    /// The segments have no gaps between them and end with the file. The second list contains, in
    /// ascending order, the games without a record: their record overlaps another, is beyond the
    /// end of the file, or cannot be read.
    pub fn divide<P>(
        bytes: &'a [u8],
        start: usize,
        places: impl IntoIterator<Item = (u64, u32, P)>,
        mut parse: impl FnMut(&'a [u8], P) -> Option<(R, usize)>,
    ) -> (Vec<Segment<'a, R>>, Vec<u32>) {
        let (mut segments, mut unplaced) = (Vec::new(), Vec::new());
        let mut end = start;
        for (offset, game, place) in places {
            // An offset too large for this machine is beyond the end of the file in any case.
            let start = usize::try_from(offset).unwrap_or(usize::MAX);
            // A record that begins within the previous one gets no segment.
            let rest = bytes.get(start..).filter(|_| start >= end);
            let Some((record, length)) = rest.and_then(|rest| parse(rest, place)) else {
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
        // They come in file order.
        unplaced.sort_unstable();
        (segments, unplaced)
    }

    /// Appends the bytes of all segments; `write` appends the bytes of a record.
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
    fn overlapping_or_outside_records_have_no_segment() {
        // Each record is a length byte and as many further bytes.
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
