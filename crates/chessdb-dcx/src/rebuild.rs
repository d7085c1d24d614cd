//! Games that the index does not name: their records lie behind the last one that it names, where a
//! writer that stopped early or a lost end of the index left them.

use crate::raw::{Magic, Record, StartField};

/// The offsets of the records from `end` to the end of the games file, if they fill it exactly and
/// each holds moves; otherwise nothing there is sure to be a game.
pub(crate) fn nameless(games: &[u8], end: usize) -> Vec<u64> {
    let mut found = Vec::new();
    let mut at = end.max(Magic::SIZE);
    while let Some(rest) = games.get(at..).filter(|rest| !rest.is_empty()) {
        let Some(len) = length_of(rest) else {
            return Vec::new();
        };
        found.push(at as u64);
        at += len;
    }
    found
}

/// The length of a record that is surely one.
pub(crate) fn length_of(stretch: &[u8]) -> Option<usize> {
    let record = Record::parse(stretch, false).ok()?;
    let starts = matches!(record.start, StartField::Standard | StartField::Fen { .. });
    let sound = starts && !record.body.is_empty() && record.tokens().all(|token| token.is_ok());
    sound.then(|| record.body_offset() + record.body.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_records_to_the_end_are_games() {
        // 1. e4 from the usual start, twice.
        let record = [3, 0, 0x0C, 0x1C];
        let file = |tail: &[u8]| [&[0xDC; Magic::SIZE], &record[..], &record[..], tail].concat();
        assert_eq!(nameless(&file(&[]), 0), [10, 14]);
        assert_eq!(nameless(&file(&[]), 14), [14]);
        assert_eq!(nameless(&file(&[]), 18), []);
        assert_eq!(nameless(&file(&[]), 99), []);
        for tail in [
            &[0][..],
            &[1, 0],
            &[3, 0, 0x0C],
            &[3, 7, 0x0C, 0x1C],
            &[2, 0, 0x0C],
        ] {
            assert_eq!(nameless(&file(tail), 0), [], "{tail:?}");
        }
    }
}
