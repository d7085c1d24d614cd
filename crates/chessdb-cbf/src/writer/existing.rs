//! The files of an existing database, as far as appending and changing games need them.

use chessdb_core::files::{FileId, FileSink, Growing};
use chessdb_core::store::SortedOffsets;
use chessdb_core::{ErrorKind, Result};

use crate::raw::{Index, Position, RawHeader};
use crate::roles::{CBF_FILE, CBI_FILE};

/// The index of an existing database.
pub(super) struct ExistingIndex {
    /// The number of games.
    pub(super) count: u32,
    /// The length of the games file.
    pub(super) games_bytes: u64,
    /// The content of the index file.
    bytes: Vec<u8>,
    /// How often the index was searched for the neighbours of a record, and all offsets once this has
    /// become often.
    searches: u32,
    sorted: Option<SortedOffsets>,
}

impl ExistingIndex {
    /// The length of the longest possible record.
    const MAX_RECORD: u64 = (RawHeader::SIZE
        + 2 * RawHeader::MAX_TEXT
        + RawHeader::MAX_MOVES
        + RawHeader::MAX_COMMENTS
        + Position::SIZE) as u64;

    /// Reads the index. `None` if its longwords do not match its count or the length of the games
    /// file, or if a game begins or ends beyond that file, where it would contain new records.
    pub(super) fn read(base: &dyn Growing) -> Result<Option<ExistingIndex>> {
        let (Some(games_bytes), Some(_)) = (base.length(CBF_FILE), base.length(CBI_FILE)) else {
            return Ok(None);
        };
        let bytes = base.read_whole(CBI_FILE)?;
        let ([first, entries @ .., last], []) = Index::split(&bytes) else {
            return Ok(None);
        };
        let count = u32::from_be_bytes(*first).saturating_sub(1);
        let end = count
            .checked_add(1)
            .and_then(|place| Index::offset(place, u32::from_be_bytes(*last)));
        if count as usize != entries.len() || end != Some(games_bytes) {
            return Ok(None);
        }
        let index = ExistingIndex {
            count,
            games_bytes,
            bytes,
            searches: 0,
            sorted: None,
        };
        Ok(index.are_inside(base)?.then_some(index))
    }

    /// Returns the offsets of all records in the order of the games, `None` for an invalid one.
    fn offsets(&self) -> impl Iterator<Item = Option<u64>> {
        let words = Index::split(&self.bytes).0.iter().skip(1);
        (1..=self.count)
            .zip(words)
            .map(|(place, word)| Index::offset(place, u32::from_be_bytes(*word)))
    }

    /// Returns the offset of the record of game `n`, from 0.
    pub(super) fn offset(&self, n: u32) -> Result<u64> {
        let words = Index::split(&self.bytes).0;
        let place = n.saturating_add(1);
        let word = words.get(place as usize).filter(|_| n < self.count);
        let offset = word.and_then(|word| Index::offset(place, u32::from_be_bytes(*word)));
        offset.ok_or_else(|| ErrorKind::no_such_game(n, self.count).into())
    }

    /// Returns whether exactly one game has the record at this offset, and the offset of the record
    /// before it.
    pub(super) fn neighbours(&mut self, offset: u64) -> (bool, Option<u64>) {
        /// The number of searches that take as long as sorting.
        const SEARCHES: u32 = 16;
        self.searches = self.searches.saturating_add(1);
        if self.searches < SEARCHES {
            return self.search_neighbours(offset);
        }
        if self.sorted.is_none() {
            let sorted = SortedOffsets::new(self.offsets().flatten().collect());
            self.sorted = Some(sorted);
        }
        let sorted = self.sorted.as_ref();
        let is_single = sorted.is_some_and(|sorted| sorted.is_single(offset));
        (is_single, sorted.and_then(|sorted| sorted.before(offset)))
    }

    fn search_neighbours(&self, offset: u64) -> (bool, Option<u64>) {
        let (mut same, mut before) = (0_u32, None);
        for other in self.offsets().flatten() {
            same += u32::from(other == offset);
            if other < offset {
                before = before.max(Some(other));
            }
        }
        (same == 1, before)
    }

    /// Returns whether all records begin and end within the games file.
    fn are_inside(&self, base: &dyn Growing) -> Result<bool> {
        // No record before this offset can reach beyond the end.
        let from = self.games_bytes.saturating_sub(Self::MAX_RECORD);
        let mut tail = vec![0; (self.games_bytes - from) as usize];
        base.read_old(CBF_FILE, from, &mut tail)?;
        let ends_inside = |offset: u64| {
            let Some(distance) = offset.checked_sub(from) else {
                return true;
            };
            let rest = tail.get(distance as usize..).unwrap_or_default();
            let raw_header = rest.first_chunk().map(RawHeader::parse);
            raw_header.is_some_and(|raw_header| raw_header.record_len() <= rest.len())
        };
        Ok(self.offsets().all(|offset| offset.is_some_and(ends_inside)))
    }
}

/// Returns the header of the record at an offset.
pub(super) fn read_header(base: &dyn Growing, offset: u64) -> Result<RawHeader> {
    let mut bytes = [0; RawHeader::SIZE];
    base.read_old(CBF_FILE, offset, &mut bytes)?;
    Ok(RawHeader::parse(&bytes))
}

/// Writes the end of the index of a database that had `count` games: the longwords of the `added`
/// ones, the `end` of the games file, and the new count.
pub(super) fn write_end(
    sink: &mut dyn FileSink,
    index: FileId,
    count: u32,
    mut added: Vec<u8>,
    end: u32,
) -> Result<()> {
    let first = count
        .saturating_add(1)
        .saturating_add((added.len() / 4) as u32);
    added.extend_from_slice(&end.to_be_bytes());
    // The first new longword replaces the last one, which stated the end.
    if let Some((word, rest)) = added.split_first_chunk::<4>() {
        sink.patch(index, Index::byte(count + 1), word)?;
        sink.write(index, rest)?;
    }
    sink.patch(index, 0, &first.to_be_bytes())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn both_searches_have_the_same_answers(
            places in prop::collection::vec(0_u32..40, 0..30),
            asked in 0_u64..45,
        ) {
            let word = |(place, offset)| Index::word(place, u64::from(offset)).unwrap();
            let words = (1..).zip(&places).map(|(place, &offset)| word((place, offset)));
            let bytes = std::iter::once(0).chain(words).chain([0]).flat_map(u32::to_be_bytes);
            let mut index = ExistingIndex {
                count: places.len() as u32,
                games_bytes: 40,
                bytes: bytes.collect(),
                searches: 0,
                sorted: None,
            };
            let searched = index.neighbours(asked);
            prop_assert!(index.sorted.is_none());
            index.searches = 100;
            prop_assert_eq!(searched, index.neighbours(asked));
            prop_assert!(index.sorted.is_some());
        }
    }
}
