//! The index entry of a game (docs/formats/dcx.md, sections 3.2 and 8).

use super::layout::EntrySize;

/// An index entry. All numbers are big-endian.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Entry {
    /// 00 live, FF deleted.
    pub status: u8,
    /// Offset of the game in .dcg.
    pub offset: u64,
    /// Offset of White's name in .dcn; 0 if unknown.
    pub white: u32,
    /// Offset of Black's name in .dcn; 0 if unknown.
    pub black: u32,
    /// The round; 0 if unknown.
    pub round: u16,
    /// Offset of the site in .dcs; 0 if unknown.
    pub site: u32,
    /// Offset of the event in .dce; 0 if unknown, and always 0 in 35-byte entries.
    pub event: u32,
    /// White's rating; 0 if unknown.
    pub white_elo: u16,
    /// Black's rating; 0 if unknown.
    pub black_elo: u16,
    /// 0 `*`, 1 `1-0`, 2 `0-1`, 3 `1/2-1/2`.
    pub result: u8,
    /// The ECO code: three letters, or zeros.
    pub eco: [u8; 3],
    /// The year; 0 if unknown.
    pub year: u16,
    /// The month, 1..=12; 0 if unknown.
    pub month: u8,
    /// The day, 1..=31; 0 if unknown.
    pub day: u8,
    /// The additional fields of 61-byte entries.
    pub version1: Option<Version1>,
}

/// The last 22 bytes of a 61-byte entry (section 8).
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Version1 {
    /// Half-moves of the mainline.
    pub halfmoves: u16,
    /// FinPosMaterial: the pieces of the last position, if bit 31 is set.
    pub material: u32,
    /// PawnMoveData: the order in which pawns left their squares.
    pub pawn_moves: [u8; 16],
}

impl Entry {
    /// The value of [`Entry::status`] that marks a deleted game.
    pub const DELETED: u8 = 0xFF;

    /// Number of bytes before the event.
    const BEFORE_EVENT: usize = 23;

    /// Reads an entry of this size, or returns `None` if there are too few bytes.
    pub fn parse(size: EntrySize, bytes: &[u8]) -> Option<Entry> {
        Some(match size {
            EntrySize::Short => Entry::parse_35(bytes.first_chunk()?),
            EntrySize::Standard => Entry::parse_39(bytes.first_chunk()?),
            EntrySize::Long => {
                let (common, rest) = bytes.split_first_chunk()?;
                let more: &[u8; 22] = rest.first_chunk()?;
                let [h0, h1, m0, m1, m2, m3, pawn_moves @ ..] = *more;
                Entry {
                    version1: Some(Version1 {
                        halfmoves: u16::from_be_bytes([h0, h1]),
                        material: u32::from_be_bytes([m0, m1, m2, m3]),
                        pawn_moves,
                    }),
                    ..Entry::parse_39(common)
                }
            }
        })
    }

    /// Reads an entry of 39 bytes; all bytes are valid.
    #[inline(always)]
    pub const fn parse_39(b: &[u8; 39]) -> Entry {
        Entry {
            status: b[0],
            offset: u64::from_be_bytes([b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8]]),
            white: u32::from_be_bytes([b[9], b[10], b[11], b[12]]),
            black: u32::from_be_bytes([b[13], b[14], b[15], b[16]]),
            round: u16::from_be_bytes([b[17], b[18]]),
            site: u32::from_be_bytes([b[19], b[20], b[21], b[22]]),
            event: u32::from_be_bytes([b[23], b[24], b[25], b[26]]),
            white_elo: u16::from_be_bytes([b[27], b[28]]),
            black_elo: u16::from_be_bytes([b[29], b[30]]),
            result: b[31],
            eco: [b[32], b[33], b[34]],
            year: u16::from_be_bytes([b[35], b[36]]),
            month: b[37],
            day: b[38],
            version1: None,
        }
    }

    /// Reads an entry of 35 bytes, which has no event.
    fn parse_35(bytes: &[u8; 35]) -> Entry {
        let (front, rest) = bytes.split_at(Entry::BEFORE_EVENT);
        let mut wide = [0; 39];
        for (to, from) in wide.iter_mut().zip(front.iter().chain(&[0; 4]).chain(rest)) {
            *to = *from;
        }
        Entry::parse_39(&wide)
    }

    /// Returns the entry in 39 bytes.
    pub const fn to_bytes(&self) -> [u8; 39] {
        let offset = self.offset.to_be_bytes();
        let (white, black) = (self.white.to_be_bytes(), self.black.to_be_bytes());
        let (site, event) = (self.site.to_be_bytes(), self.event.to_be_bytes());
        let round = self.round.to_be_bytes();
        let (white_elo, black_elo) = (self.white_elo.to_be_bytes(), self.black_elo.to_be_bytes());
        let year = self.year.to_be_bytes();
        [
            self.status,
            offset[0],
            offset[1],
            offset[2],
            offset[3],
            offset[4],
            offset[5],
            offset[6],
            offset[7],
            white[0],
            white[1],
            white[2],
            white[3],
            black[0],
            black[1],
            black[2],
            black[3],
            round[0],
            round[1],
            site[0],
            site[1],
            site[2],
            site[3],
            event[0],
            event[1],
            event[2],
            event[3],
            white_elo[0],
            white_elo[1],
            black_elo[0],
            black_elo[1],
            self.result,
            self.eco[0],
            self.eco[1],
            self.eco[2],
            year[0],
            year[1],
            self.month,
            self.day,
        ]
    }

    /// Appends the entry in this size. A 35-byte entry omits the event, and a 61-byte entry without
    /// [`Entry::version1`] gets zeros.
    pub fn write(&self, size: EntrySize, out: &mut Vec<u8>) {
        let bytes = self.to_bytes();
        match size {
            EntrySize::Standard => out.extend_from_slice(&bytes),
            EntrySize::Short => {
                let (front, rest) = bytes.split_at(Entry::BEFORE_EVENT);
                out.extend_from_slice(front);
                out.extend(rest.iter().skip(4));
            }
            EntrySize::Long => {
                let more = self.version1.unwrap_or_default();
                out.extend_from_slice(&bytes);
                out.extend_from_slice(&more.halfmoves.to_be_bytes());
                out.extend_from_slice(&more.material.to_be_bytes());
                out.extend_from_slice(&more.pawn_moves);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::raw::EXAMPLE_ENTRY;

    #[test]
    fn the_worked_example_is_read() {
        let entry = Entry::parse_39(&EXAMPLE_ENTRY);
        assert_eq!((entry.white, entry.black, entry.round), (10, 46, 3));
        assert_eq!((entry.white_elo, entry.black_elo), (1500, 2005));
        assert_eq!((entry.eco, entry.result), (*b"A00", 2));
        assert_eq!((entry.year, entry.month, entry.day), (2017, 1, 14));
    }

    proptest! {
        #[test]
        fn every_entry_comes_back(bytes in prop::collection::vec(any::<u8>(), 61)) {
            for size in [EntrySize::Short, EntrySize::Standard, EntrySize::Long] {
                let bytes = &bytes[..size.bytes()];
                let mut out = Vec::new();
                Entry::parse(size, bytes).unwrap().write(size, &mut out);
                prop_assert_eq!(&out, bytes);
                prop_assert_eq!(Entry::parse(size, &bytes[1..]), None);
            }
        }
    }
}
