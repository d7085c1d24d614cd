//! `.sci`: the index (docs/formats/scidb.md, section 2).

use chessdb_core::error::Location;
use chessdb_core::record::{Big, text_up_to_nul};
use chessdb_core::{Error, ErrorKind, Result, record};

use super::VERSION;
use crate::roles::SCI_FILE;

record! {
    /// The header of the index.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub struct IndexHeader: Big, 128, from_bytes, to_bytes {
        /// [`IndexHeader::MAGIC`].
        0..8 magic: [u8; 8] = "magic bytes",
        /// The version of the files; 94 is the only one that this crate reads.
        8..10 version: u16 = "magic: version {version}",
        /// The number of games.
        10..13 games: u32 = "games: {games}",
        /// The variant of chess; 0 is chess itself.
        13..14 variant: u8 = "magic: variant of chess {variant}",
        /// The kind of database.
        14..15 kind: u8 = "kind of database: {kind}",
        /// Bit 1: worth compacting.
        15..16 flags: u8 = "flags: {flags:#04x}",
        /// The time of creation, in an unknown unit.
        16..20 created: u32 = "time of creation: {created}" unknown,
        /// The description, NULs after it.
        20..128 text: [u8; 108] = "description: {}" (text_up_to_nul(text)),
    }
}

impl IndexHeader {
    /// The first bytes of the file.
    pub const MAGIC: &'static [u8; 8] = b"Scidb.i\0";
    /// The largest number of games.
    pub const MOST_GAMES: u32 = 0xFF_FFFF;
    /// The offset of the number of games.
    pub const GAMES_AT: u64 = 10;

    /// Parses the header of a file.
    ///
    /// # Errors
    ///
    /// Returns an error if the magic bytes are missing or the header is cut.
    pub fn parse(bytes: &[u8]) -> Result<IndexHeader> {
        let expected = IndexHeader::MAGIC;
        let kind = match bytes.first_chunk() {
            _ if !bytes.starts_with(expected) => ErrorKind::BadMagic { expected },
            Some(bytes) => return Ok(IndexHeader::from_bytes(bytes)),
            None => ErrorKind::truncated(
                "the header of the index",
                IndexHeader::SIZE as u64,
                bytes.len() as u64,
            ),
        };
        Err(Error::new(kind).at(Location::byte(SCI_FILE, 0)))
    }

    /// Returns whether there are values that only Scidb writes.
    pub fn has_own_values(&self) -> bool {
        (self.kind, self.flags, self.created) != (0, 0, 0)
    }

    /// Returns the description.
    pub fn description(&self) -> &[u8] {
        self.text
            .split(|&byte| byte == 0)
            .next()
            .unwrap_or_default()
    }
}

impl Default for IndexHeader {
    fn default() -> IndexHeader {
        IndexHeader {
            magic: *IndexHeader::MAGIC,
            version: VERSION,
            games: 0,
            variant: 0,
            kind: 0,
            flags: 0,
            created: 0,
            text: [0; 108],
        }
    }
}

record! {
    /// The index entry of a game (section 2.2).
    #[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
    pub struct Entry: Big, 56 {
        /// The pawns that left home, four bits each in their order, the first lowest: a number in
        /// the byte order of the machine, which was little-endian.
        0..8 home_pawns: [u8; 8] = "home pawns",
        /// The number of White.
        8..11 white: u32 = "White, player {white}",
        /// The number of Black.
        11..14 black: u32 = "Black, player {black}",
        /// The number of half-moves of the mainline, at most [`Entry::MOST_PLIES`].
        14..16 [5..16] plies: u32 = "half-moves: {plies}",
        /// The day; 0 if unknown.
        14..16 [0..5] day: u32 = "day {day}",
        /// Bits without a meaning.
        16..20 [29..32] spare: u32 = "spare bits {spare}",
        /// The ECO code plus 1; 0 for none.
        16..20 [20..29] eco: u32 = "ECO code {eco}",
        /// The number of the opening in Scidb's own list.
        16..20 [0..20] opening: u32 = "opening {opening}",
        /// The pawns on the second and third rank at the end.
        20..24 progress: u32 = "pawns at the end: {progress:#010x}",
        /// The offset of the record.
        24..28 record: u32 = "record at {record:#x}",
        /// The number of the annotator.
        28..32 [8..32] annotator: u32 = "annotator {annotator}",
        /// The code of the number of variations.
        28..32 [4..8] variations: u32 = "code of the number of variations {variations}",
        /// The code of the number of comments.
        28..32 [0..4] comments: u32 = "of comments {comments}",
        /// The number of the event.
        32..36 [8..32] event: u32 = "event {event}",
        /// The round.
        32..36 [0..8] round: u32 = "round {round}",
        /// The material at the end.
        36..40 [8..32] material: u32 = "final material {material:#08x}",
        /// The number of pawns in [`Entry::home_pawns`].
        36..40 [4..8] home_pawn_count: u32 = "count of home pawns {home_pawn_count}",
        /// The kind of Black's second rating.
        36..40 [1..4] black_kind: u32 = "kind of Black's second rating {black_kind}",
        /// There is a promotion to another piece than a queen.
        36..40 [0..1] under_promotion: bool = "under-promotion: {under_promotion}",
        /// The flags.
        40..44 [8..32] flags: u32 = "flags {flags:#08x}",
        /// The side and direction of castling.
        40..44 [4..8] castling: u32 = "castling {castling:#x}",
        /// The kind of White's second rating.
        40..44 [1..4] white_kind: u32 = "kind of White's second rating {white_kind}",
        /// There is a promotion.
        40..44 [0..1] promotion: bool = "promotion: {promotion}",
        /// White's second rating.
        44..48 [20..32] white_rating: u32 = "second rating of White: {white_rating}",
        /// The number of the start position (section 4.1).
        44..48 [8..20] idn: u32 = "start position {idn}",
        /// The part of the round.
        44..48 [0..8] subround: u32 = "part of the round {subround}",
        /// Black's Elo.
        48..52 [20..32] black_elo: u32 = "rating of Black: {black_elo}",
        /// Black's second rating.
        48..52 [8..20] black_rating: u32 = "second rating of Black: {black_rating}",
        /// The month; 0 if unknown.
        48..52 [4..8] month: u32 = "month {month}",
        /// The code of the number of NAGs.
        48..52 [0..4] nags: u32 = "code of the number of NAGs {nags}",
        /// White's Elo.
        52..56 [20..32] white_elo: u32 = "rating of White: {white_elo}",
        /// The year minus [`Entry::FIRST_YEAR`]; [`Entry::NO_YEAR`] if unknown.
        52..56 [10..20] year: u32 = "year {year}",
        /// The reason for the end.
        52..56 [6..10] termination: u32 = "termination {termination}",
        /// The result.
        52..56 [3..6] result: u32 = "result {result}",
        /// The start position is not the standard one.
        52..56 [2..3] set_up: bool = "other start position: {set_up}",
        /// There are comments in English.
        52..56 [1..2] english: bool = "comments in English: {english}",
        /// There are comments in another language.
        52..56 [0..1] other_language: bool = "in another language: {other_language}",
    }
}

impl Entry {
    /// The largest number of half-moves that the index states; longer games have it too.
    pub const MOST_PLIES: u32 = 2046;
    /// The largest rating.
    pub const MOST_RATING: u32 = 0xFFF;
    /// The value of [`Entry::year`] for an unknown year.
    pub const NO_YEAR: u32 = 1023;
    /// The year with the value 0.
    pub const FIRST_YEAR: u32 = 1200;
    /// The offset of the word with [`Entry::plies`].
    pub const PLIES_AT: u64 = 12;
    /// The offset of the word with [`Entry::annotator`].
    pub const ANNOTATOR_AT: u64 = 28;
    /// The offset of the word with [`Entry::event`].
    pub const EVENT_AT: u64 = 32;
    /// The offset of the word with [`Entry::material`].
    pub const MATERIAL_AT: u64 = 36;
    /// The offset of the word with [`Entry::idn`].
    pub const IDN_AT: u64 = 44;
    /// The offset of the word with [`Entry::result`].
    pub const RESULT_AT: u64 = 52;

    /// Returns the numbers of White and Black.
    pub fn players(&self) -> [u32; 2] {
        [self.white, self.black]
    }
}

/// The index.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Index<'a> {
    /// The header.
    pub header: IndexHeader,
    /// The entries, as many as the file has.
    pub entries: &'a [[u8; Entry::SIZE]],
    /// The bytes after the last whole entry.
    pub tail: &'a [u8],
}

impl<'a> Index<'a> {
    /// Parses a file.
    ///
    /// # Errors
    ///
    /// Returns an error if the header is missing.
    pub fn parse(bytes: &'a [u8]) -> Result<Index<'a>> {
        let header = IndexHeader::parse(bytes)?;
        let (entries, tail) = bytes
            .get(IndexHeader::SIZE..)
            .unwrap_or_default()
            .as_chunks();
        Ok(Index {
            header,
            entries,
            tail,
        })
    }

    /// Returns the bytes that were parsed.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = self.header.to_bytes().to_vec();
        out.extend(self.entries.as_flattened());
        out.extend(self.tail);
        out
    }

    /// Returns the entry with this number, from 0.
    pub fn entry(&self, n: u32) -> Option<Entry> {
        self.entries.get(n as usize).map(Entry::parse)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

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

    proptest! {
        #[test]
        fn entries_come_back(bytes: [[u8; 28]; 2]) {
            let bytes: [u8; 56] = bytes.concat().try_into().unwrap();
            prop_assert_eq!(Entry::parse(&bytes).to_bytes(), bytes);
        }

        #[test]
        fn indexes_come_back(body in prop::collection::vec(any::<u8>(), 120..300)) {
            let bytes = [&IndexHeader::MAGIC[..], &body].concat();
            prop_assert_eq!(Index::parse(&bytes).unwrap().to_bytes(), bytes);
        }
    }
}
