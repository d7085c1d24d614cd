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

    /// Returns the byte before the records if no record begins there and one begins after it, or if
    /// there are no records.
    pub(crate) fn mark(&self) -> Option<u8> {
        let begins = |offset| self.addresses.contains(&Address::At(offset));
        self.games
            .first()
            .copied()
            .filter(|_| !begins(0) && (begins(1) || self.games.len() == 1))
    }
}
