//! The index file .cbh (docs/formats/cbh.md, section 3), which is big-endian.

use chessdb_core::record;
use chessdb_core::record::Big;

record! {
    /// The header of the index.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub struct IndexHeader: Big, 46 {
        /// 0.
        0..1 zero: u8 = "header: 0" unknown,
        /// The number of bytes of the header in use: 44; 36 in databases of ChessBase 6 to 8.
        1..3 used: u16 = "bytes of the header in use: {used}",
        /// The size of a record in bytes: 46.
        3..5 record_size: u16 = "bytes of a record: {record_size}",
        /// 1; 5 in databases of the newest programs.
        5..6 version: u8 = "version: {version}",
        /// The number of the next game.
        6..10 next_game: u32 = "next game: {next_game}",
        /// 0.
        10..12 reserved: [u8; 2] = "not described" unknown,
        /// The numbers of the next embedded sound, picture and video.
        12..24 next_media: [u32; 3] = "next sound, picture and video: {next_media:?}",
        /// 0.
        24..40 reserved_too: [u8; 16] = "not described" unknown,
        /// The number of the next game again, if the header is long enough.
        40..44 next_game_again: u32 = "next game: {next_game_again}",
        /// 0.
        44..46 last: [u8; 2] = "not described" unknown,
    }
}

impl IndexHeader {
    /// The value of [`IndexHeader::used`] from which on the number of the next game is stored
    /// twice.
    pub(crate) const WITH_SECOND_COUNT: u16 = 44;
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
    pub fn to_bytes(&self) -> [u8; Record::SIZE] {
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

record! {
    /// The record of a game.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub struct GameRecord: Big, 46 {
        /// The bits [`Record::PRESENT`], [`Record::DELETED`], and others.
        0..1 kind: u8 = "kind: {kind:#04x}",
        /// The offset of the game in .cbg.
        1..5 moves: u32 = "moves at {moves:#x}",
        /// The offset of the annotations in .cba; 0 without annotations.
        5..9 annotations: u32 = "annotations at {annotations:#x}",
        /// The number of White.
        9..12 white: u32 = "White, player {white}",
        /// The number of Black.
        12..15 black: u32 = "Black, player {black}",
        /// The number of the tournament.
        15..18 tournament: u32 = "tournament {tournament}",
        /// The number of the annotator.
        18..21 annotator: u32 = "annotator {annotator}",
        /// The number of the source.
        21..24 source: u32 = "source {source}",
        /// The date (section 2).
        24..27 date: u32 = "date: {date:#x}",
        /// The result.
        27..28 result: u8 = "result: {result}",
        /// The NAG of a line, that is, of a game without a result.
        28..29 line_nag: u8 = "NAG of a line: {line_nag}",
        /// The round; 0 for none.
        29..30 round: u8 = "round: {round}",
        /// The round within the round; 0 for none.
        30..31 subround: u8 = "part of the round: {subround}",
        /// The ratings of White and Black; 0 for none.
        31..35 elo: [u16; 2] = "ratings of White and Black: {elo:?}",
        /// The ECO code or the number of a Chess960 position.
        35..37 eco: u16 = "ECO code: {eco}",
        /// The medals.
        37..39 medals: u16 = "medals: {medals:#x}",
        /// The kinds of content of the game.
        39..43 flags: u32 = "kinds of content: {flags:#x}",
        /// The amounts of the content.
        43..45 magnitudes: u16 = "amounts of content: {magnitudes:#x}",
        /// The number of full moves of the mainline; 255 for more.
        45..46 full_moves: u8 = "full moves: {full_moves}",
    }
}

record! {
    /// The record of a guiding text.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub struct TextRecord: Big, 46 {
        /// Bits as in [`GameRecord::kind`].
        0..1 kind: u8 = "kind: {kind:#04x}",
        /// The offset of the text in .cbg.
        1..5 text: u32 = "text at {text:#x}",
        /// 0.
        5..7 reserved: [u8; 2] = "not described" unknown,
        /// The number of the tournament.
        7..10 tournament: u32 = "tournament {tournament}",
        /// The number of the source.
        10..13 source: u32 = "source {source}",
        /// The number of the annotator, who is the author.
        13..16 annotator: u32 = "annotator {annotator}",
        /// The round; 0 for none.
        16..17 round: u8 = "round: {round}",
        /// The round within the round; 0 for none.
        17..18 subround: u8 = "part of the round: {subround}",
        /// The kinds of content of the text.
        18..22 flags: u32 = "kinds of content: {flags:#x}",
        /// 0.
        22..46 rest: [u8; 24] = "not described" unknown,
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
            .map_or(Vec::new(), |index_header| index_header.to_bytes().to_vec());
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
