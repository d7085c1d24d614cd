//! The index file .cbh (docs/formats/cbh.md, section 3), which is big-endian.

use super::bytes::{array, be16, be24, be32, put24};

/// The header of the index.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IndexHeader {
    /// 0.
    pub zero: u8,
    /// The number of bytes of the header in use: 44; 36 in databases of ChessBase 6 to 8.
    pub used: u16,
    /// The size of a record in bytes: 46.
    pub record_size: u16,
    /// 1; 5 in databases of the newest programs.
    pub version: u8,
    /// The number of the next game.
    pub next_game: u32,
    /// 0.
    pub reserved: [u8; 2],
    /// The numbers of the next embedded sound, picture and video.
    pub next_media: [u32; 3],
    /// 0.
    pub reserved_too: [u8; 16],
    /// The number of the next game again, if the header is long enough.
    pub next_game_again: u32,
    /// 0.
    pub last: [u8; 2],
}

impl IndexHeader {
    /// The size of the header in bytes.
    pub const SIZE: usize = 46;

    /// Parses a header. Any bytes are valid.
    pub fn parse(bytes: &[u8; IndexHeader::SIZE]) -> IndexHeader {
        IndexHeader {
            zero: array::<1>(bytes, 0)[0],
            used: be16(bytes, 1),
            record_size: be16(bytes, 3),
            version: array::<1>(bytes, 5)[0],
            next_game: be32(bytes, 6),
            reserved: array(bytes, 10),
            next_media: [be32(bytes, 12), be32(bytes, 16), be32(bytes, 20)],
            reserved_too: array(bytes, 24),
            next_game_again: be32(bytes, 40),
            last: array(bytes, 44),
        }
    }

    /// Returns the bytes of the header.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(IndexHeader::SIZE);
        out.push(self.zero);
        out.extend_from_slice(&self.used.to_be_bytes());
        out.extend_from_slice(&self.record_size.to_be_bytes());
        out.push(self.version);
        out.extend_from_slice(&self.next_game.to_be_bytes());
        out.extend_from_slice(&self.reserved);
        for next in self.next_media {
            out.extend_from_slice(&next.to_be_bytes());
        }
        out.extend_from_slice(&self.reserved_too);
        out.extend_from_slice(&self.next_game_again.to_be_bytes());
        out.extend_from_slice(&self.last);
        out
    }
}

/// A record of the index.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Record {
    /// A game.
    Game(GameRecord),
    /// A guiding text.
    Text(TextRecord),
}

impl Record {
    /// The size of a record in bytes.
    pub const SIZE: usize = 46;
    /// Bit of the first byte: the record exists.
    pub const PRESENT: u8 = 1;
    /// Bit of the first byte: the record is a guiding text.
    pub const TEXT: u8 = 2;
    /// Bit of the first byte: the record is deleted.
    pub const DELETED: u8 = 0x80;

    /// Parses a record. Any bytes are valid.
    pub fn parse(bytes: &[u8; Record::SIZE]) -> Record {
        let [kind, ..] = *bytes;
        match kind & Record::TEXT {
            0 => Record::Game(GameRecord::parse(bytes)),
            _ => Record::Text(TextRecord::parse(bytes)),
        }
    }

    /// Returns the bytes of the record.
    pub fn to_bytes(&self) -> Vec<u8> {
        match self {
            Record::Game(record) => record.to_bytes(),
            Record::Text(record) => record.to_bytes(),
        }
    }

    /// Returns the offset of the record in the games file.
    pub fn offset(&self) -> u32 {
        match self {
            Record::Game(record) => record.moves,
            Record::Text(record) => record.text,
        }
    }
}

/// The record of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GameRecord {
    /// The bits [`Record::PRESENT`], [`Record::DELETED`], and others.
    pub kind: u8,
    /// The offset of the game in .cbg.
    pub moves: u32,
    /// The offset of the annotations in .cba; 0 without annotations.
    pub annotations: u32,
    /// The number of White.
    pub white: u32,
    /// The number of Black.
    pub black: u32,
    /// The number of the tournament.
    pub tournament: u32,
    /// The number of the annotator.
    pub annotator: u32,
    /// The number of the source.
    pub source: u32,
    /// The date (section 2).
    pub date: u32,
    /// The result.
    pub result: u8,
    /// The NAG of a line, that is, of a game without a result.
    pub line_nag: u8,
    /// The round; 0 for none.
    pub round: u8,
    /// The round within the round; 0 for none.
    pub subround: u8,
    /// The ratings of White and Black; 0 for none.
    pub elo: [u16; 2],
    /// The ECO code or the number of a Chess960 position.
    pub eco: u16,
    /// The medals.
    pub medals: u16,
    /// The kinds of content of the game.
    pub flags: u32,
    /// The amounts of the content.
    pub magnitudes: u16,
    /// The number of full moves of the mainline; 255 for more.
    pub full_moves: u8,
}

impl GameRecord {
    /// Parses a record. Any bytes are valid.
    #[inline]
    pub fn parse(bytes: &[u8; Record::SIZE]) -> GameRecord {
        let byte = |at| array::<1>(bytes, at)[0];
        GameRecord {
            kind: byte(0),
            moves: be32(bytes, 1),
            annotations: be32(bytes, 5),
            white: be24(bytes, 9),
            black: be24(bytes, 12),
            tournament: be24(bytes, 15),
            annotator: be24(bytes, 18),
            source: be24(bytes, 21),
            date: be24(bytes, 24),
            result: byte(27),
            line_nag: byte(28),
            round: byte(29),
            subround: byte(30),
            elo: [be16(bytes, 31), be16(bytes, 33)],
            eco: be16(bytes, 35),
            medals: be16(bytes, 37),
            flags: be32(bytes, 39),
            magnitudes: be16(bytes, 43),
            full_moves: byte(45),
        }
    }

    /// Returns the bytes of the record.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(Record::SIZE);
        out.push(self.kind);
        out.extend_from_slice(&self.moves.to_be_bytes());
        out.extend_from_slice(&self.annotations.to_be_bytes());
        for number in [
            self.white,
            self.black,
            self.tournament,
            self.annotator,
            self.source,
            self.date,
        ] {
            put24(number, &mut out);
        }
        out.extend_from_slice(&[self.result, self.line_nag, self.round, self.subround]);
        for number in [self.elo[0], self.elo[1], self.eco, self.medals] {
            out.extend_from_slice(&number.to_be_bytes());
        }
        out.extend_from_slice(&self.flags.to_be_bytes());
        out.extend_from_slice(&self.magnitudes.to_be_bytes());
        out.push(self.full_moves);
        out
    }
}

/// The record of a guiding text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TextRecord {
    /// Bits as in [`GameRecord::kind`].
    pub kind: u8,
    /// The offset of the text in .cbg.
    pub text: u32,
    /// 0.
    pub reserved: [u8; 2],
    /// The number of the tournament.
    pub tournament: u32,
    /// The number of the source.
    pub source: u32,
    /// The number of the annotator, who is the author.
    pub annotator: u32,
    /// The round; 0 for none.
    pub round: u8,
    /// The round within the round; 0 for none.
    pub subround: u8,
    /// The kinds of content of the text.
    pub flags: u32,
    /// 0.
    pub rest: [u8; 24],
}

impl TextRecord {
    /// Parses a record. Any bytes are valid.
    pub fn parse(bytes: &[u8; Record::SIZE]) -> TextRecord {
        let byte = |at| array::<1>(bytes, at)[0];
        TextRecord {
            kind: byte(0),
            text: be32(bytes, 1),
            reserved: array(bytes, 5),
            tournament: be24(bytes, 7),
            source: be24(bytes, 10),
            annotator: be24(bytes, 13),
            round: byte(16),
            subround: byte(17),
            flags: be32(bytes, 18),
            rest: array(bytes, 22),
        }
    }

    /// Returns the bytes of the record.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(Record::SIZE);
        out.push(self.kind);
        out.extend_from_slice(&self.text.to_be_bytes());
        out.extend_from_slice(&self.reserved);
        for number in [self.tournament, self.source, self.annotator] {
            put24(number, &mut out);
        }
        out.extend_from_slice(&[self.round, self.subround]);
        out.extend_from_slice(&self.flags.to_be_bytes());
        out.extend_from_slice(&self.rest);
        out
    }
}

/// The content of the index file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Index<'a> {
    /// The header; `None` if the file is too short.
    pub index_header: Option<IndexHeader>,
    /// The records, starting with game 1.
    pub records: &'a [[u8; Record::SIZE]],
    /// The bytes after the last complete record.
    pub tail: &'a [u8],
}

impl<'a> Index<'a> {
    /// Parses an index. Any bytes are valid.
    pub fn parse(bytes: &'a [u8]) -> Index<'a> {
        let Some((index_header, rest)) = bytes.split_first_chunk() else {
            return Index {
                index_header: None,
                records: &[],
                tail: bytes,
            };
        };
        let (records, tail) = rest.as_chunks();
        Index {
            index_header: Some(IndexHeader::parse(index_header)),
            records,
            tail,
        }
    }

    /// Returns the bytes of the file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = self
            .index_header
            .map_or(Vec::new(), |index_header| index_header.to_bytes());
        for record in self.records {
            out.extend(Record::parse(record).to_bytes());
        }
        out.extend_from_slice(self.tail);
        out
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn any_bytes_come_back(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            prop_assert_eq!(Index::parse(&bytes).to_bytes(), bytes);
        }
    }
}
