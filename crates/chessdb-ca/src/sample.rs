//! What of the records is looked at before the charset is known.

use crate::guesses::Guesses;
use crate::raw::{Address, RawHeader, RecordBytes};

/// The records of a base in the order of its games, as far as they are needed to find out its
/// charset.
pub(crate) struct Sample<'s, 'a> {
    pub(crate) raw_headers: &'s [[u8; RawHeader::SIZE]],
    pub(crate) addresses: &'s [Address],
    pub(crate) games: &'a [u8],
    pub(crate) guesses: &'s Guesses,
}

impl<'a> Sample<'_, 'a> {
    /// How many games there are.
    pub(crate) fn games(&self) -> usize {
        self.raw_headers.len()
    }

    /// The codes of each record.
    pub(crate) fn bodies(&self) -> impl Iterator<Item = &'a [u8]> {
        self.raw_headers.iter().filter_map(|bytes| {
            let raw_header = RawHeader::parse(bytes);
            let offset = self.addresses.get(raw_header.game as usize)?.offset()?;
            Some(RecordBytes::find(self.games, offset, self.guesses.long_lengths)?.body)
        })
    }

    /// The byte in front of the records, if none of them begins there and one begins behind it, or none
    /// is there at all.
    pub(crate) fn mark(&self) -> Option<u8> {
        let begins = |at| self.addresses.contains(&Address::At(at));
        self.games
            .first()
            .copied()
            .filter(|_| !begins(0) && (begins(1) || self.games.len() == 1))
    }
}
