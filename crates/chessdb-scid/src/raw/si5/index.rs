//! The index file of SCID 5: 56 bytes per game, little-endian, without a header.

use crate::raw::{CountCode, DateCode, EcoCode, IndexFlags};

/// The index entry of a game.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Entry {
    /// The number of comments in the whole game; 4 bits.
    pub comments: CountCode,
    /// The number of White's name; 28 bits.
    pub white: u32,
    /// The number of variations in the whole game; 4 bits.
    pub variations: CountCode,
    /// The number of Black's name; 28 bits.
    pub black: u32,
    /// The number of NAGs in the whole game; 4 bits.
    pub nags: CountCode,
    /// The number of the event's name; 28 bits.
    pub event: u32,
    /// The number of the site's name.
    pub site: u32,
    /// Whether the game is Chess960.
    pub chess960: bool,
    /// The number of the round's name; 31 bits.
    pub round: u32,
    /// White's rating, 0 none; 12 bits.
    pub white_rating: u16,
    /// The date of the game; 20 bits.
    pub date: DateCode,
    /// Black's rating, 0 none; 12 bits.
    pub black_rating: u16,
    /// The date of the event; 20 bits.
    pub event_date: DateCode,
    /// The number of half-moves of the mainline modulo 1024; 10 bits.
    pub plies: u16,
    /// All flags, with the custom ones as bits 16 to 21.
    pub flags: IndexFlags,
    /// The size of the game record in bytes; 17 bits.
    pub length: u32,
    /// The offset of the game record in sg5; 47 bits.
    pub offset: u64,
    /// The number of the longest known opening line that the mainline begins with (section 6.3).
    pub line_code: u8,
    /// The pieces left at the end of the mainline (section 6.1); 24 bits.
    pub final_material: u32,
    /// The number of entries used in `home_pawns`, 0 to 16.
    pub home_pawn_count: u8,
    /// The type of White's rating; 3 bits.
    pub white_rating_kind: u8,
    /// The type of Black's rating; 3 bits.
    pub black_rating_kind: u8,
    /// The result; 2 bits.
    pub result: u8,
    /// The ECO code.
    pub eco: EcoCode,
    /// The order in which the pawns left home (section 6.2).
    pub home_pawns: [u8; 8],
}

impl Entry {
    /// The size of an entry, in bytes.
    pub const SIZE: usize = 56;
    /// The largest number of games in a database.
    pub const MAX_GAMES: u32 = u32::MAX - 1;
    /// The highest offset at which a record can begin.
    pub const MAX_OFFSET: u64 = (1 << 47) - 1;

    /// Reads an entry. Any bytes are valid.
    #[inline(always)]
    pub fn parse(b: &[u8; Entry::SIZE]) -> Entry {
        let mut words = [0; 12];
        for (word, bytes) in words.iter_mut().zip(b.as_chunks::<4>().0) {
            *word = u32::from_le_bytes(*bytes);
        }
        let [w0, w1, w2, w3, w4, w5, w6, w7, w8, w9, w10, w11] = words;
        Entry {
            comments: CountCode((w0 >> 28) as u8),
            white: w0 & ID,
            variations: CountCode((w1 >> 28) as u8),
            black: w1 & ID,
            nags: CountCode((w2 >> 28) as u8),
            event: w2 & ID,
            site: w3,
            chess960: w4 >> 31 != 0,
            round: w4 & ROUND,
            white_rating: (w5 >> 20) as u16,
            date: DateCode(w5 & DATE),
            black_rating: (w6 >> 20) as u16,
            event_date: DateCode(w6 & DATE),
            plies: (w7 >> 22) as u16,
            flags: IndexFlags::from_bits_retain(w7 & FLAGS),
            length: w8 >> 15,
            offset: u64::from(w8 & 0x7FFF) << 32 | u64::from(w9),
            line_code: (w10 >> 24) as u8,
            final_material: w10 & 0xFF_FFFF,
            home_pawn_count: (w11 >> 24) as u8,
            white_rating_kind: (w11 >> 21 & 7) as u8,
            black_rating_kind: (w11 >> 18 & 7) as u8,
            result: (w11 >> 16 & 3) as u8,
            eco: EcoCode(w11 as u16),
            home_pawns: b.last_chunk().copied().unwrap_or_default(),
        }
    }

    /// Returns the bytes of the entry. Of each number, only the bits of its field are written.
    pub fn to_bytes(&self) -> [u8; Entry::SIZE] {
        let count = |code: CountCode| u32::from(code.0) << 28;
        let rating = |value: u16| u32::from(value) << 20;
        let words = [
            count(self.comments) | self.white & ID,
            count(self.variations) | self.black & ID,
            count(self.nags) | self.event & ID,
            self.site,
            u32::from(self.chess960) << 31 | self.round & ROUND,
            rating(self.white_rating) | self.date.0 & DATE,
            rating(self.black_rating) | self.event_date.0 & DATE,
            u32::from(self.plies) << 22 | self.flags.bits() & FLAGS,
            self.length << 15 | (self.offset >> 32) as u32 & 0x7FFF,
            self.offset as u32,
            u32::from(self.line_code) << 24 | self.final_material & 0xFF_FFFF,
            u32::from(self.home_pawn_count) << 24
                | u32::from(self.white_rating_kind & 7) << 21
                | u32::from(self.black_rating_kind & 7) << 18
                | u32::from(self.result & 3) << 16
                | u32::from(self.eco.0),
        ];
        let mut out = [0; Entry::SIZE];
        let (chunks, _) = out.as_chunks_mut::<4>();
        for (chunk, word) in chunks.iter_mut().zip(words) {
            *chunk = word.to_le_bytes();
        }
        if let Some(pawns) = out.last_chunk_mut() {
            *pawns = self.home_pawns;
        }
        out
    }
}

const ID: u32 = (1 << 28) - 1;
const ROUND: u32 = (1 << 31) - 1;
const DATE: u32 = (1 << 20) - 1;
const FLAGS: u32 = (1 << 22) - 1;

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
