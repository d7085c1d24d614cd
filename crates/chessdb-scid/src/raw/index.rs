//! The index file: a header and 47 bytes per game (docs/formats/scid.md, section 2), or 46 in SCID
//! 3 (section 9).

use chessdb_core::record::Big;
use chessdb_core::{Result, record};

use super::fields::{CountCode, DateCode, EcoCode, IndexFlags, RatingCode};
use super::file_header::FileHeader;

record! {
    /// The index entry of a game.
    #[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
    pub struct Entry: Big, 47 {
        /// The offset of the game record in the games file.
        0..4 offset: u32 = "record at {offset:#x}",
        /// The size of the game record in bytes; 17 bits.
        4..9 [23..24, 24..40] length: u32 = "bytes: {length}",
        /// Bit 6 of byte 6, which has no meaning.
        4..9 [22..23] spare: bool = "spare bit: {spare}",
        /// All flags, with the custom ones as bits 16 to 21.
        4..9 [0..22] flags: IndexFlags = "flags: {:#x}" (flags.bits()),
        /// The number of White's name; 20 bits.
        9..14 [36..40, 16..32] white: u32 = "White, player {white}",
        /// The number of Black's name; 20 bits.
        9..14 [32..36, 0..16] black: u32 = "Black, player {black}",
        /// The number of the event's name; 19 bits.
        14..21 [53..56, 32..48] event: u32 = "event {event}",
        /// The number of the site's name; 19 bits.
        14..21 [50..53, 16..32] site: u32 = "site {site}",
        /// The number of the round's name; 18 bits.
        14..21 [48..50, 0..16] round: u32 = "round {round}",
        /// The number of variations in the whole game; 4 bits.
        21..23 [0..4] variations: CountCode = "codes: variations {}" (variations.0),
        /// The number of comments in the whole game; 4 bits.
        21..23 [4..8] comments: CountCode = "comments {}" (comments.0),
        /// The number of NAGs in the whole game; 4 bits.
        21..23 [8..12] nags: CountCode = "NAGs {}" (nags.0),
        /// The result; 4 bits. Scid reads only two of them.
        21..23 [12..16] result: u8 = "result: {result}",
        /// The ECO code.
        23..25 eco: EcoCode = "ECO code: {}" (eco.0),
        /// The date of the game; 20 bits.
        25..29 [0..20] date: DateCode = "date: {}" (date.to_date()),
        /// The event date relative to `date` ([`DateCode::to_event_date`]); 12 bits.
        25..29 [20..32] event_date: u16
            = "event date: {}" (DateCode::to_event_date(*event_date, date.to_date())),
        /// White's rating.
        29..31 white_rating: RatingCode = "rating of White: {}" (white_rating.value()),
        /// Black's rating.
        31..33 black_rating: RatingCode = "rating of Black: {}" (black_rating.value()),
        /// The number of the longest known opening line that the mainline begins with
        /// (section 6.3).
        33..34 line_code: u8 = "stored line: {line_code}",
        /// The pieces left at the end of the mainline (section 6.1); 24 bits.
        34..37 final_material: u32 = "final material: {final_material:#08x}",
        /// The number of half-moves of the mainline modulo 1024; 10 bits.
        37..39 [6..8, 8..16] plies: u16 = "half-moves: {plies}",
        /// The number of entries used in `home_pawns`, 0 to 16; 6 bits.
        37..39 [0..6] home_pawn_count: u8 = "count of home pawns: {home_pawn_count}",
        /// The order in which the pawns left home (section 6.2).
        39..47 home_pawns: [u8; 8] = "home pawns",
    }
}

impl Entry {
    /// The largest size of a game record that 17 bits can express.
    pub const MAX_LENGTH: u32 = 131_071;
}

/// A whole index file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Index {
    /// The header.
    pub file_header: FileHeader,
    /// As many entries as the header states, or as the file contains.
    pub entries: Vec<Entry>,
    /// The bytes that follow: surplus entries or part of one.
    pub tail: Vec<u8>,
}

impl Index {
    /// Reads an index file. A wrong number of entries is not an error.
    ///
    /// # Errors
    ///
    /// Returns an error as [`FileHeader::parse`] does.
    pub fn parse(bytes: &[u8]) -> Result<Index> {
        let file_header = FileHeader::parse(bytes)?;
        let (entries, tail) = if file_header.is_si3() {
            let (entries, tail) = Index::split(&file_header, bytes);
            (entries.iter().map(Entry::parse_si3).collect(), tail)
        } else {
            let (entries, tail) = Index::split(&file_header, bytes);
            (entries.iter().map(Entry::parse).collect(), tail)
        };
        Ok(Index {
            file_header,
            entries,
            tail: tail.to_vec(),
        })
    }

    /// Returns the entries stated by the header, as far as the file contains them, and the bytes
    /// after them.
    pub(crate) fn split<'a, const SIZE: usize>(
        file_header: &FileHeader,
        bytes: &'a [u8],
    ) -> (&'a [[u8; SIZE]], &'a [u8]) {
        let body = bytes.get(file_header.size()..).unwrap_or_default();
        let promised = (file_header.games as usize).saturating_mul(SIZE);
        let (body, surplus) = body.split_at_checked(promised).unwrap_or((body, &[]));
        let (entries, part) = body.as_chunks();
        // Either all entries are present and something may follow, or the file ends among them.
        (entries, if part.is_empty() { surplus } else { part })
    }

    /// Returns the bytes of the file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = self.file_header.to_bytes();
        out.reserve(self.entries.len() * Entry::SIZE + self.tail.len());
        for entry in &self.entries {
            if self.file_header.is_si3() {
                out.extend_from_slice(&entry.to_si3_bytes())
            } else {
                out.extend_from_slice(&entry.to_bytes())
            }
        }
        out.extend_from_slice(&self.tail);
        out
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_entry_comes_back(bytes in prop::array::uniform32(any::<u8>()),
                                  more in prop::array::uniform15(any::<u8>())) {
            let bytes: [u8; 47] = [&bytes[..], &more].concat().try_into().unwrap();
            prop_assert_eq!(Entry::parse(&bytes).to_bytes(), bytes);
        }

        #[test]
        fn every_index_comes_back(games in 0u32..6, si3 in any::<bool>(),
                                  rest in prop::collection::vec(any::<u8>(), 0..300)) {
            let version = if si3 { FileHeader::SI3_VERSION } else { FileHeader::VERSION };
            let file_header = FileHeader { games, version, ..FileHeader::new() };
            let bytes = [&file_header.to_bytes()[..], &rest].concat();
            let index = Index::parse(&bytes).unwrap();
            prop_assert!(index.entries.len() <= games as usize);
            prop_assert_eq!(index.to_bytes(), bytes);
        }
    }

    /// Each bit of an entry belongs to exactly one field.
    #[test]
    fn every_single_bit_comes_back() {
        for bit in 0..47 * 8 {
            let mut bytes = [0; 47];
            bytes[bit / 8] = 1 << (bit % 8);
            assert_eq!(Entry::parse(&bytes).to_bytes(), bytes, "bit {bit}");
        }
    }
}
