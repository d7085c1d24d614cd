//! Games without an index entry. Their records follow the last indexed one, left there by a writer
//! that stopped early or after the loss of the end of the index.

use crate::raw::{Length, Magic, Record, StartField};

/// Returns the offsets of the records from `end` to the end of the games file, if they fill it
/// exactly and at least one contains moves. Otherwise it is not certain that they are games, and
/// the result is empty. Records that were replaced by a change are no games.
pub(crate) fn unindexed(games: &[u8], end: usize) -> Vec<u64> {
    let mut offsets = Vec::new();
    let mut moves = false;
    let mut offset = end.max(Magic::SIZE);
    while let Some(rest) = games.get(offset..).filter(|rest| !rest.is_empty()) {
        if let Some(size) = replaced_size(rest) {
            offset += size;
            continue;
        }
        let Some(record) = valid_record(rest) else {
            return Vec::new();
        };
        moves |= !record.body.is_empty();
        offsets.push(offset as u64);
        offset += record.size();
    }
    if moves { offsets } else { Vec::new() }
}

/// Returns the size of the record at the start of `stretch` if a change in place has replaced it.
fn replaced_size(stretch: &[u8]) -> Option<usize> {
    let record = Record::parse(stretch, false).ok()?;
    (record.start == StartField::Other(Record::REPLACED)).then(|| record.size())
}

/// Returns whether these bytes are only records that changes in place have replaced.
pub(crate) fn are_replaced(mut bytes: &[u8]) -> bool {
    while let Some(size) = replaced_size(bytes) {
        bytes = bytes.get(size..).unwrap_or_default();
    }
    bytes.is_empty()
}

/// Returns the record at the start of `stretch` if it has no irregularity.
pub(crate) fn valid_record(stretch: &[u8]) -> Option<Record<'_>> {
    let record = Record::parse(stretch, false).ok()?;
    let starts = matches!(record.start, StartField::Standard | StartField::Fen { .. });
    (starts && record.tokens().all(|token| token.is_ok())).then_some(record)
}

/// Returns the record of a stretch with a length that is meaningless or too large.
pub(crate) fn cut_record(stretch: &[u8]) -> Option<Record<'_>> {
    let (length, rest) = match Length::parse(stretch) {
        Some(parts) => parts,
        None => (Length::new(0), stretch.get(1..)?),
    };
    // A length of 0 does not show where the game ends, so all bytes up to the next one count.
    let content = match length.value {
        0 => rest,
        value => rest.get(..value as usize).unwrap_or(rest),
    };
    Record::parse_content(length, content).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_records_to_the_end_are_games() {
        // 1. e4 from the standard start position, twice.
        let record = [3, 0, 0x0C, 0x1C];
        let file = |tail: &[u8]| [&[0xDC; Magic::SIZE], &record[..], &record[..], tail].concat();
        assert_eq!(unindexed(&file(&[]), 0), [10, 14]);
        assert_eq!(unindexed(&file(&[]), 14), [14]);
        assert_eq!(unindexed(&file(&[]), 18), []);
        assert_eq!(unindexed(&file(&[]), 99), []);
        // A game without moves is accepted next to others, but is no evidence by itself.
        assert_eq!(unindexed(&file(&[1, 0]), 14), [14, 18]);
        assert_eq!(unindexed(&file(&[1, 0]), 18), []);
        for tail in [&[0][..], &[3, 0, 0x0C], &[3, 7, 0x0C, 0x1C], &[2, 0, 0x0C]] {
            assert_eq!(unindexed(&file(tail), 0), [], "{tail:?}");
        }
        // A replaced record is none of the games, and leads to the next one.
        let replaced = [3, Record::REPLACED, 0x0C, 0x1C];
        assert_eq!(unindexed(&file(&replaced), 0), [10, 14]);
        assert_eq!(
            unindexed(&file(&[&replaced[..], &record].concat()), 0),
            [10, 14, 22]
        );
        assert_eq!(unindexed(&file(&replaced), 18), []);
        assert!(are_replaced(&[replaced, replaced].concat()) && are_replaced(&[]));
        assert!(!are_replaced(&[replaced, record].concat()) && !are_replaced(&replaced[..3]));
    }
}
