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
    pub(super) offsets: SortedOffsets,
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
        let offset = |place, word: &[u8; 4]| Index::offset(place, u32::from_be_bytes(*word));
        let count = u32::from_be_bytes(*first).saturating_sub(1);
        let end = count.checked_add(1).and_then(|place| offset(place, last));
        if count as usize != entries.len() || end != Some(games_bytes) {
            return Ok(None);
        }
        let offsets = (1..)
            .zip(entries)
            .map_while(|(place, word)| offset(place, word).filter(|&offset| offset < games_bytes));
        let offsets: Vec<u64> = offsets.collect();
        let is_whole = offsets.len() == entries.len();
        let index = ExistingIndex {
            count,
            games_bytes,
            offsets: SortedOffsets::new(offsets),
            bytes,
        };
        let is_sound = is_whole && index.ends_inside(base)?;
        Ok(is_sound.then_some(index))
    }

    /// Returns the offset of the record of game `n`, from 0.
    pub(super) fn offset(&self, n: u32) -> Result<u64> {
        let words = Index::split(&self.bytes).0;
        let place = n.saturating_add(1);
        let word = words.get(place as usize).filter(|_| n < self.count);
        let offset = word.and_then(|word| Index::offset(place, u32::from_be_bytes(*word)));
        offset.ok_or_else(|| ErrorKind::no_such_game(n, self.count).into())
    }

    /// Returns whether all records end within the games file.
    fn ends_inside(&self, base: &dyn Growing) -> Result<bool> {
        // No record before this offset can reach beyond the end.
        let from = self.games_bytes.saturating_sub(Self::MAX_RECORD);
        let mut tail = vec![0; (self.games_bytes - from) as usize];
        base.read_old(CBF_FILE, from, &mut tail)?;
        let last = self.offsets.as_slice().iter().rev();
        Ok(last.take_while(|&&offset| offset >= from).all(|offset| {
            let rest = tail.get((offset - from) as usize..).unwrap_or_default();
            let raw_header = rest.first_chunk().map(RawHeader::parse);
            raw_header.is_some_and(|raw_header| raw_header.record_len() <= rest.len())
        }))
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
