//! `.sci`: the index (docs/formats/scidb.md, section 2).

use chessdb_core::error::Location;
use chessdb_core::{Error, ErrorKind, Result};

use super::VERSION;
use super::bytes::{ByteReader, put_u24};
use crate::roles::SCI_FILE;

/// The header of the index.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct IndexHeader {
    /// The version of the files; 94 is the only one that this crate reads.
    pub version: u16,
    /// The number of games.
    pub games: u32,
    /// The variant of chess; 0 is chess itself.
    pub variant: u8,
    /// The kind of database.
    pub kind: u8,
    /// Bit 1: worth compacting.
    pub flags: u8,
    /// The time of creation, in an unknown unit.
    pub created: u32,
    /// The description, NULs after it.
    pub text: [u8; 108],
}

impl IndexHeader {
    /// The first bytes of the file.
    pub const MAGIC: &'static [u8; 8] = b"Scidb.i\0";
    /// The number of bytes.
    pub const SIZE: usize = 128;
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
        let at = Location::byte(SCI_FILE, 0);
        let Some(body) = bytes.strip_prefix(expected) else {
            return Err(Error::new(ErrorKind::BadMagic { expected }).at(at));
        };
        IndexHeader::parse_body(body).ok_or_else(|| {
            let kind = ErrorKind::Truncated {
                what: "the header of the index",
                needed: IndexHeader::SIZE as u64,
                had: bytes.len() as u64,
            };
            Error::new(kind).at(at)
        })
    }

    fn parse_body(body: &[u8]) -> Option<IndexHeader> {
        let mut body = ByteReader::new(body);
        Some(IndexHeader {
            version: body.number(2)? as u16,
            games: body.number(3)?,
            variant: body.byte()?,
            kind: body.byte()?,
            flags: body.byte()?,
            created: body.number(4)?,
            text: *body.rest().first_chunk()?,
        })
    }

    /// Returns the bytes that were parsed.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = IndexHeader::MAGIC.to_vec();
        out.extend(self.version.to_be_bytes());
        put_u24(self.games, &mut out);
        out.extend([self.variant, self.kind, self.flags]);
        out.extend(self.created.to_be_bytes());
        out.extend(self.text);
        out
    }

    /// Returns the description.
    pub fn description(&self) -> &[u8] {
        let mut texts = self.text.split(|&byte| byte == 0);
        texts.next().unwrap_or_default()
    }
}

impl Default for IndexHeader {
    fn default() -> IndexHeader {
        IndexHeader {
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

/// The index entry of a game: fourteen words of 32 bits.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Entry(pub [u32; 14]);

/// A field within a word of an entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EntryField {
    word: usize,
    shift: u32,
    bits: u32,
}

impl EntryField {
    const fn new(word: usize, shift: u32, bits: u32) -> EntryField {
        EntryField { word, shift, bits }
    }

    /// The largest value.
    pub const fn most(self) -> u32 {
        u32::MAX >> (32 - self.bits)
    }

    /// Returns the offset of the field's word from the start of the entry.
    pub const fn offset(self) -> u64 {
        self.word as u64 * 4
    }
}

#[expect(missing_docs, reason = "the names are those of section 2")]
impl EntryField {
    pub const ECO: EntryField = EntryField::new(4, 20, 9);
    pub const PROGRESS: EntryField = EntryField::new(5, 0, 32);
    pub const RECORD: EntryField = EntryField::new(6, 0, 32);
    pub const PLIES: EntryField = EntryField::new(3, 5, 11);
    pub const DAY: EntryField = EntryField::new(3, 0, 5);
    pub const ANNOTATOR: EntryField = EntryField::new(7, 8, 24);
    pub const VARIATIONS: EntryField = EntryField::new(7, 4, 4);
    pub const COMMENTS: EntryField = EntryField::new(7, 0, 4);
    pub const EVENT: EntryField = EntryField::new(8, 8, 24);
    pub const ROUND: EntryField = EntryField::new(8, 0, 8);
    pub const MATERIAL: EntryField = EntryField::new(9, 8, 24);
    pub const HOME_PAWNS: EntryField = EntryField::new(9, 4, 4);
    pub const BLACK_KIND: EntryField = EntryField::new(9, 1, 3);
    pub const UNDER_PROMOTION: EntryField = EntryField::new(9, 0, 1);
    pub const FLAGS: EntryField = EntryField::new(10, 8, 24);
    pub const CASTLING: EntryField = EntryField::new(10, 4, 4);
    pub const WHITE_KIND: EntryField = EntryField::new(10, 1, 3);
    pub const PROMOTION: EntryField = EntryField::new(10, 0, 1);
    pub const WHITE_RATING: EntryField = EntryField::new(11, 20, 12);
    pub const IDN: EntryField = EntryField::new(11, 8, 12);
    pub const SUBROUND: EntryField = EntryField::new(11, 0, 8);
    pub const BLACK_ELO: EntryField = EntryField::new(12, 20, 12);
    pub const BLACK_RATING: EntryField = EntryField::new(12, 8, 12);
    pub const MONTH: EntryField = EntryField::new(12, 4, 4);
    pub const NAGS: EntryField = EntryField::new(12, 0, 4);
    pub const WHITE_ELO: EntryField = EntryField::new(13, 20, 12);
    pub const YEAR: EntryField = EntryField::new(13, 10, 10);
    pub const TERMINATION: EntryField = EntryField::new(13, 6, 4);
    pub const RESULT: EntryField = EntryField::new(13, 3, 3);
    pub const SET_UP: EntryField = EntryField::new(13, 2, 1);
    pub const ENGLISH: EntryField = EntryField::new(13, 1, 1);
    pub const OTHER_LANGUAGE: EntryField = EntryField::new(13, 0, 1);
}

impl Entry {
    /// The number of bytes.
    pub const SIZE: usize = 56;
    /// The value of [`EntryField::YEAR`] for an unknown year.
    pub const NO_YEAR: u32 = 1023;
    /// The year with the value 0.
    pub const FIRST_YEAR: u32 = 1200;
    /// The largest number of half-moves that the index states; longer games have it too.
    pub const MOST_PLIES: u32 = 2046;

    /// Parses an entry.
    pub fn parse(bytes: &[u8; Entry::SIZE]) -> Entry {
        let mut entry = Entry::default();
        let (words, _) = bytes.as_chunks::<4>();
        for (word, bytes) in entry.0.iter_mut().zip(words) {
            *word = u32::from_be_bytes(*bytes);
        }
        entry
    }

    /// Returns the bytes that were parsed.
    pub fn to_bytes(&self) -> [u8; Entry::SIZE] {
        let mut bytes = [0; Entry::SIZE];
        let (words, _) = bytes.as_chunks_mut::<4>();
        for (bytes, word) in words.iter_mut().zip(self.0) {
            *bytes = word.to_be_bytes();
        }
        bytes
    }

    /// Returns the value of a field.
    pub fn get(&self, field: EntryField) -> u32 {
        let word = self.0.get(field.word).copied().unwrap_or(0);
        word >> field.shift & field.most()
    }

    /// Sets a field to the lowest bits of a value.
    pub fn set(&mut self, field: EntryField, value: u32) {
        if let Some(word) = self.0.get_mut(field.word) {
            *word &= !(field.most() << field.shift);
            *word |= (value & field.most()) << field.shift;
        }
    }

    /// Returns the numbers of White and Black; Black's extends over two words.
    pub fn players(&self) -> [u32; 2] {
        let [_, _, first, second, ..] = self.0;
        [first >> 8, (first & 0xFF) << 16 | second >> 16]
    }

    /// Sets the numbers of White and Black.
    pub fn set_players(&mut self, [white, black]: [u32; 2]) {
        let [_, _, first, second, ..] = &mut self.0;
        *first = white << 8 | black >> 16 & 0xFF;
        *second = *second & 0xFFFF | black << 16;
    }

    /// Sets the pawns that left home, four bits each in their order, the first lowest. The field is
    /// a number in the byte order of the machine.
    pub fn set_home_pawns(&mut self, pawns: u64) {
        let bytes = pawns.to_le_bytes();
        let (words, _) = bytes.as_chunks::<4>();
        for (word, bytes) in self.0.iter_mut().zip(words) {
            *word = u32::from_be_bytes(*bytes);
        }
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
        let mut out = self.header.to_bytes();
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

    proptest! {
        #[test]
        fn entries_come_back(bytes: [[u8; 28]; 2], field in 0u32..12) {
            let bytes: [u8; 56] = bytes.concat().try_into().unwrap();
            let mut entry = Entry::parse(&bytes);
            prop_assert_eq!(entry.to_bytes(), bytes);
            let before = entry;
            for field in [EntryField::IDN, EntryField::RECORD, EntryField::YEAR] {
                entry.set(field, entry.get(field));
            }
            entry.set_players(entry.players());
            prop_assert_eq!(entry, before);
            entry.set(EntryField::SUBROUND, field);
            prop_assert_eq!(entry.get(EntryField::SUBROUND), field);
            prop_assert_eq!(entry.get(EntryField::IDN), before.get(EntryField::IDN));
        }

        #[test]
        fn indexes_come_back(body in prop::collection::vec(any::<u8>(), 120..300)) {
            let bytes = [&IndexHeader::MAGIC[..], &body].concat();
            prop_assert_eq!(Index::parse(&bytes).unwrap().to_bytes(), bytes);
        }
    }
}
