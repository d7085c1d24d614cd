//! The index file: a header and 47 bytes per game (docs/formats/scid.md, section 2), or 46 in SCID
//! 3 (section 9).

use chessdb_core::Result;

use super::fields::{CountCode, DateCode, EcoCode, IndexFlags, RatingCode};
use super::file_header::FileHeader;

/// The index entry of a game.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Entry {
    /// The offset of the game record in the games file.
    pub offset: u32,
    /// The size of the game record in bytes; 17 bits.
    pub length: u32,
    /// Bit 6 of byte 6, which has no meaning.
    pub spare: bool,
    /// All flags, with the custom ones as bits 16 to 21.
    pub flags: IndexFlags,
    /// The number of White's name; 20 bits.
    pub white: u32,
    /// The number of Black's name; 20 bits.
    pub black: u32,
    /// The number of the event's name; 19 bits.
    pub event: u32,
    /// The number of the site's name; 19 bits.
    pub site: u32,
    /// The number of the round's name; 18 bits.
    pub round: u32,
    /// The number of variations in the whole game; 4 bits.
    pub variations: CountCode,
    /// The number of comments in the whole game; 4 bits.
    pub comments: CountCode,
    /// The number of NAGs in the whole game; 4 bits.
    pub nags: CountCode,
    /// The result; 4 bits. Scid reads only two of them.
    pub result: u8,
    /// The ECO code.
    pub eco: EcoCode,
    /// The date of the game; 20 bits.
    pub date: DateCode,
    /// The event date relative to `date` ([`DateCode::to_event_date`]); 12 bits.
    pub event_date: u16,
    /// White's rating.
    pub white_rating: RatingCode,
    /// Black's rating.
    pub black_rating: RatingCode,
    /// The number of the longest known opening line that the mainline begins with (section 6.3).
    pub line_code: u8,
    /// The pieces left at the end of the mainline (section 6.1); 24 bits.
    pub final_material: u32,
    /// The number of half-moves of the mainline modulo 1024; 10 bits.
    pub plies: u16,
    /// The number of entries used in `home_pawns`, 0 to 16; 6 bits.
    pub home_pawn_count: u8,
    /// The order in which the pawns left home (section 6.2).
    pub home_pawns: [u8; 8],
}

impl Entry {
    /// The size of an entry, in bytes.
    pub const SIZE: usize = 47;
    /// The largest size of a game record that 17 bits can express.
    pub const MAX_LENGTH: u32 = 131_071;

    /// Reads an entry. Any bytes are valid.
    #[inline(always)]
    pub const fn parse(b: &[u8; Entry::SIZE]) -> Entry {
        Entry {
            offset: u32::from_be_bytes([b[0], b[1], b[2], b[3]]),
            length: u24(b[6] >> 7, b[4], b[5]),
            spare: b[6] & 0x40 != 0,
            flags: IndexFlags::from_bits_retain(u24(b[6] & 0x3F, b[7], b[8])),
            white: u24(b[9] >> 4, b[10], b[11]),
            black: u24(b[9] & 15, b[12], b[13]),
            event: u24(b[14] >> 5, b[15], b[16]),
            site: u24(b[14] >> 2 & 7, b[17], b[18]),
            round: u24(b[14] & 3, b[19], b[20]),
            variations: CountCode(b[22] & 15),
            comments: CountCode(b[22] >> 4),
            nags: CountCode(b[21] & 15),
            result: b[21] >> 4,
            eco: EcoCode(u16::from_be_bytes([b[23], b[24]])),
            date: DateCode(u24(b[26] & 15, b[27], b[28])),
            event_date: (b[25] as u16) << 4 | (b[26] >> 4) as u16,
            white_rating: RatingCode(u16::from_be_bytes([b[29], b[30]])),
            black_rating: RatingCode(u16::from_be_bytes([b[31], b[32]])),
            line_code: b[33],
            final_material: u24(b[34], b[35], b[36]),
            plies: ((b[38] >> 6) as u16) << 8 | b[37] as u16,
            home_pawn_count: b[38] & 0x3F,
            home_pawns: [b[39], b[40], b[41], b[42], b[43], b[44], b[45], b[46]],
        }
    }

    /// Returns the bytes of the entry. Of each number, only the bits of its field are written.
    pub const fn to_bytes(&self) -> [u8; Entry::SIZE] {
        let offset = self.offset.to_be_bytes();
        let length = self.length.to_be_bytes();
        let flags = self.flags.bits().to_be_bytes();
        let (white, black) = (self.white.to_be_bytes(), self.black.to_be_bytes());
        let (event, site) = (self.event.to_be_bytes(), self.site.to_be_bytes());
        let round = self.round.to_be_bytes();
        let eco = self.eco.0.to_be_bytes();
        let date = self.date.0.to_be_bytes();
        let white_rating = self.white_rating.0.to_be_bytes();
        let black_rating = self.black_rating.0.to_be_bytes();
        let material = self.final_material.to_be_bytes();
        let plies = self.plies.to_be_bytes();
        let pawns = self.home_pawns;
        [
            offset[0],
            offset[1],
            offset[2],
            offset[3],
            length[2],
            length[3],
            (length[1] & 1) << 7 | (self.spare as u8) << 6 | flags[1] & 0x3F,
            flags[2],
            flags[3],
            white[1] << 4 | black[1] & 15,
            white[2],
            white[3],
            black[2],
            black[3],
            event[1] << 5 | (site[1] & 7) << 2 | round[1] & 3,
            event[2],
            event[3],
            site[2],
            site[3],
            round[2],
            round[3],
            self.result << 4 | self.nags.0 & 15,
            self.comments.0 << 4 | self.variations.0 & 15,
            eco[0],
            eco[1],
            (self.event_date >> 4) as u8,
            (self.event_date as u8) << 4 | date[1] & 15,
            date[2],
            date[3],
            white_rating[0],
            white_rating[1],
            black_rating[0],
            black_rating[1],
            self.line_code,
            material[1],
            material[2],
            material[3],
            plies[1],
            plies[0] << 6 | self.home_pawn_count & 0x3F,
            pawns[0],
            pawns[1],
            pawns[2],
            pawns[3],
            pawns[4],
            pawns[5],
            pawns[6],
            pawns[7],
        ]
    }
}

const fn u24(high: u8, middle: u8, low: u8) -> u32 {
    (high as u32) << 16 | (middle as u32) << 8 | low as u32
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
            match self.file_header.is_si3() {
                true => out.extend_from_slice(&entry.to_si3_bytes()),
                false => out.extend_from_slice(&entry.to_bytes()),
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
