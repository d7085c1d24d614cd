//! The index file of SCID 5: 56 bytes per game, little-endian, without a header.

use chessdb_core::record;
use chessdb_core::record::Little;

use crate::raw::{CountCode, DateCode, EcoCode, IndexFlags};

record! {
    /// The index entry of a game: words of four bytes, and the home pawns.
    #[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
    pub struct Entry: Little, 56 {
        /// The number of comments in the whole game; 4 bits.
        0..4 [28..32] comments: CountCode = "code of the number of comments: {}" (comments.0),
        /// The number of White's name; 28 bits.
        0..4 [0..28] white: u32 = "White, player {white}",
        /// The number of variations in the whole game; 4 bits.
        4..8 [28..32] variations: CountCode = "code of the number of variations: {}" (variations.0),
        /// The number of Black's name; 28 bits.
        4..8 [0..28] black: u32 = "Black, player {black}",
        /// The number of NAGs in the whole game; 4 bits.
        8..12 [28..32] nags: CountCode = "code of the number of NAGs: {}" (nags.0),
        /// The number of the event's name; 28 bits.
        8..12 [0..28] event: u32 = "event {event}",
        /// The number of the site's name.
        12..16 site: u32 = "site {site}",
        /// Whether the game is Chess960.
        16..20 [31..32] chess960: bool = "Chess960: {chess960}",
        /// The number of the round's name; 31 bits.
        16..20 [0..31] round: u32 = "round {round}",
        /// White's rating, 0 none; 12 bits.
        20..24 [20..32] white_rating: u16 = "rating of White: {white_rating}",
        /// The date of the game; 20 bits.
        20..24 [0..20] date: DateCode = "date: {}" (date.to_date()),
        /// Black's rating, 0 none; 12 bits.
        24..28 [20..32] black_rating: u16 = "rating of Black: {black_rating}",
        /// The date of the event; 20 bits.
        24..28 [0..20] event_date: DateCode = "event date: {}" (event_date.to_date()),
        /// The number of half-moves of the mainline modulo 1024; 10 bits.
        28..32 [22..32] plies: u16 = "half-moves: {plies}",
        /// All flags, with the custom ones as bits 16 to 21.
        28..32 [0..22] flags: IndexFlags = "flags: {:#x}" (flags.bits()),
        /// The size of the game record in bytes; 17 bits.
        32..40 [15..32] length: u32 = "bytes: {length}",
        /// The offset of the game record in sg5; 47 bits.
        32..40 [0..15, 32..64] offset: u64 = "record at {offset:#x}",
        /// The number of the longest known opening line that the mainline begins with
        /// (section 6.3).
        40..44 [24..32] line_code: u8 = "stored line: {line_code}",
        /// The pieces left at the end of the mainline (section 6.1); 24 bits.
        40..44 [0..24] final_material: u32 = "final material: {final_material:#08x}",
        /// The number of entries used in `home_pawns`, 0 to 16.
        44..48 [24..32] home_pawn_count: u8 = "count of home pawns: {home_pawn_count}",
        /// The type of White's rating; 3 bits.
        44..48 [21..24] white_rating_kind: u8 = "types of ratings: {white_rating_kind}",
        /// The type of Black's rating; 3 bits.
        44..48 [18..21] black_rating_kind: u8 = "{black_rating_kind}",
        /// The result; 2 bits.
        44..48 [16..18] result: u8 = "result: {result}",
        /// The ECO code.
        44..48 [0..16] eco: EcoCode = "ECO code: {}" (eco.0),
        /// The order in which the pawns left home (section 6.2).
        48..56 home_pawns: [u8; 8] = "home pawns",
    }
}

impl Entry {
    /// The largest number of games in a database.
    pub const MAX_GAMES: u32 = u32::MAX - 1;
    /// The highest offset at which a record can begin.
    pub const MAX_OFFSET: u64 = (1 << 47) - 1;
}

/// A whole index file.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Index {
    /// The entries.
    pub entries: Vec<Entry>,
    /// The bytes after the last whole entry.
    pub tail: Vec<u8>,
}

impl Index {
    /// Reads an index file. Any bytes are valid.
    pub fn parse(bytes: &[u8]) -> Index {
        let (entries, tail) = bytes.as_chunks();
        Index {
            entries: entries.iter().map(Entry::parse).collect(),
            tail: tail.to_vec(),
        }
    }

    /// Returns the bytes of the file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.entries.len() * Entry::SIZE + self.tail.len());
        for entry in &self.entries {
            out.extend_from_slice(&entry.to_bytes());
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
        fn every_index_comes_back(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let index = Index::parse(&bytes);
            prop_assert_eq!(index.entries.len(), bytes.len() / 56);
            prop_assert_eq!(index.to_bytes(), bytes);
        }
    }

    /// Each bit of an entry belongs to exactly one field.
    #[test]
    fn every_single_bit_comes_back() {
        for bit in 0..56 * 8 {
            let mut bytes = [0; 56];
            bytes[bit / 8] = 1 << (bit % 8);
            let entry = Entry::parse(&bytes);
            assert_ne!(entry, Entry::default(), "bit {bit}");
            assert_eq!(entry.to_bytes(), bytes, "bit {bit}");
        }
    }
}
