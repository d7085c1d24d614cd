//! The records that are examined before the charset is known.

use crate::guesses::Guesses;
use crate::raw::{Address, RawHeader, RecordBytes};

/// The records of a database in the order of its games, as needed to detect its charset.
pub(crate) struct Sample<'s, 'a> {
    pub(crate) raw_headers: &'s [[u8; RawHeader::SIZE]],
    pub(crate) addresses: &'s [Address],
    pub(crate) games: &'a [u8],
    pub(crate) guesses: &'s Guesses,
}

impl<'a> Sample<'_, 'a> {
    /// Returns the number of games.
    pub(crate) fn games(&self) -> usize {
        self.raw_headers.len()
    }

    /// Returns the codes of each record.
    pub(crate) fn bodies(&self) -> impl Iterator<Item = &'a [u8]> {
        self.raw_headers.iter().filter_map(|bytes| {
            let raw_header = RawHeader::parse(bytes);
            let offset = self.addresses.get(raw_header.game as usize)?.offset()?;
            Some(RecordBytes::find(self.games, offset, self.guesses.long_lengths)?.body)
        })
    }

    /// Returns the byte before the records if it is free ([`is_first_byte_free`]).
    pub(crate) fn mark(&self) -> Option<u8> {
        let mut offsets = self.addresses.iter().filter_map(|address| address.offset());
        let first = match offsets.next() {
            Some(one) => offsets.fold(one, u32::min),
            None => self.games.len() as u32,
        };
        let next = |offset| {
            let record = RecordBytes::find(self.games, offset, self.guesses.long_lengths)?;
            u32::try_from(record.start + record.declared).ok()
        };
        self.games
            .first()
            .copied()
            .filter(|_| is_first_byte_free(first, next))
    }
}

/// Returns whether the first byte of the records belongs to none of them: the first record begins at
/// 1, or former versions of changed games are between that and it. `next` returns the end of the
/// record at an offset. Without records, `first` is the end of the file.
pub(crate) fn is_first_byte_free(first: u32, next: impl Fn(u32) -> Option<u32>) -> bool {
    let mut offset = 1;
    while offset < first {
        match next(offset) {
            Some(end) if end > offset => offset = end,
            _ => return false,
        }
    }
    offset == first
}
