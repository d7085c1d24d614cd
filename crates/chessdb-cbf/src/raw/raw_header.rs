//! The raw header of a game record: 14 bytes (docs/formats/cbf.md, section 5).

use super::cipher;

/// The deciphered fields of a header.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RawHeader {
    /// Byte 0: the year minus 1900, signed; [`RawHeader::NO_YEAR`] if unknown.
    pub year: u8,
    /// Byte 1: 0 = 0-1, 1 = draw, 2 = 1-0, otherwise no result (section 5.1).
    pub result: u8,
    /// Bytes 2 and 3: the length of the moves in bytes, plus 1; 0 is treated as 1.
    pub move_word: u16,
    /// Byte 4: the length of the players in bits 0..=5, bits 5 and 6 of ECO1 above.
    pub players: u8,
    /// Byte 5: the length of the source in bits 0..=5, bits 7 and 8 of ECO1 above.
    pub source: u8,
    /// Bytes 6 and 7: the length of the comment area.
    pub comments: u16,
    /// Bytes 8 and 9: the Elo of White and Black; 0 for none, otherwise (Elo - 1600) / 5.
    pub elo: [u8; 2],
    /// Byte 10: [`RawHeader::SETUP`], [`RawHeader::MARKED`], [`RawHeader::DELETED`]. Bits 1..=5
    /// belong to a start position or are bits 0..=4 of ECO1.
    pub flags: u8,
    /// Byte 11: [`RawHeader::VERSION`]. The other bits are ECO2 or, with a start position, the file
    /// of its en passant square in bits 0..=3.
    pub extra: u8,
    /// Byte 12: the number of full moves of the mainline.
    pub full_moves: u8,
    /// Byte 13: the check byte (section 5.3).
    pub check: u8,
}

impl RawHeader {
    /// The size of the header in bytes.
    pub const SIZE: usize = cipher::HEADER;
    /// The value of the year byte for an unknown year.
    pub const NO_YEAR: u8 = 127;
    /// In byte 10: the record contains a start position.
    pub const SETUP: u8 = 1;
    /// In byte 10, with a start position: Black moves first.
    pub const BLACK_FIRST: u8 = 1 << 1;
    /// In byte 10, with a start position: castling rights, White's long and short, Black's long and
    /// short.
    pub const CASTLING: [u8; 4] = [1 << 2, 1 << 3, 1 << 4, 1 << 5];
    /// In byte 10: marked by the user.
    pub const MARKED: u8 = 1 << 6;
    /// In byte 10: deleted.
    pub const DELETED: u8 = 1 << 7;
    /// In byte 11: the bit that later programs set.
    pub const VERSION: u8 = 1 << 6;
    /// The maximum length of the players and of the source, in bytes each.
    pub const MAX_TEXT: usize = 63;
    /// The maximum length of the moves in bytes.
    pub const MAX_MOVES: usize = 0xFFFE;
    /// The maximum length of the comment area in bytes.
    pub const MAX_COMMENTS: usize = 0xFFFF;

    /// Deciphers a header. Any bytes are valid.
    pub fn parse(bytes: &[u8; RawHeader::SIZE]) -> RawHeader {
        let mut plain = *bytes;
        cipher::decode_raw_header(&mut plain);
        let [
            year,
            result,
            m1,
            m0,
            players,
            source,
            c1,
            c0,
            white,
            black,
            flags,
            extra,
            full_moves,
            check,
        ] = plain;
        RawHeader {
            year,
            result,
            move_word: u16::from_be_bytes([m1, m0]),
            players,
            source,
            comments: u16::from_be_bytes([c1, c0]),
            elo: [white, black],
            flags,
            extra,
            full_moves,
            check,
        }
    }

    /// Returns the enciphered bytes.
    pub fn to_bytes(&self) -> [u8; RawHeader::SIZE] {
        let [m1, m0] = self.move_word.to_be_bytes();
        let [c1, c0] = self.comments.to_be_bytes();
        let [white, black] = self.elo;
        let mut bytes = [
            self.year,
            self.result,
            m1,
            m0,
            self.players,
            self.source,
            c1,
            c0,
            white,
            black,
            self.flags,
            self.extra,
            self.full_moves,
            self.check,
        ];
        cipher::encode_raw_header(&mut bytes);
        bytes
    }

    /// Returns the length of the players' text in bytes, 0..=63.
    pub const fn players_len(&self) -> usize {
        (self.players & 63) as usize
    }

    /// Returns the length of the source text in bytes, 0..=63.
    pub const fn source_len(&self) -> usize {
        (self.source & 63) as usize
    }

    /// Returns the length of the moves in bytes.
    pub const fn moves_len(&self) -> usize {
        self.move_word.saturating_sub(1) as usize
    }

    /// Returns true if a position of 33 bytes ends the record.
    pub const fn has_setup(&self) -> bool {
        self.flags & RawHeader::SETUP != 0
    }

    /// Returns the length of the whole record in bytes, including this header.
    pub const fn record_len(&self) -> usize {
        let position = if self.has_setup() { 33 } else { 0 };
        let text = self.players_len() + self.source_len();
        RawHeader::SIZE + text + self.moves_len() + self.comments as usize + position
    }

    /// Returns the year; `None` if unknown.
    pub const fn year(&self) -> Option<u16> {
        match self.year {
            RawHeader::NO_YEAR => None,
            year => Some((1900 + year as i8 as i16) as u16),
        }
    }

    /// Returns the nine bits of ECO1: 0 for none, otherwise 1 plus the number of the code from A00.
    /// Meaningless if the game has a start position.
    pub const fn eco1(&self) -> u16 {
        (self.flags as u16 & 0x3E) >> 1
            | (self.players as u16 & 0xC0) >> 1
            | (self.source as u16 & 0xC0) << 1
    }

    /// Returns the seven bits of ECO2, the sub-code. Meaningless if the game has a start position.
    pub const fn eco2(&self) -> u8 {
        self.extra & 0x3F | (self.extra & 0x80) >> 1
    }

    /// Stores ECO1 (below 512) and ECO2 (below 128) in their bits.
    pub const fn set_eco(&mut self, eco1: u16, eco2: u8) {
        self.flags = self.flags & !0x3E | (eco1 << 1) as u8 & 0x3E;
        self.players = self.players & 0x3F | (eco1 << 1) as u8 & 0xC0;
        self.source = self.source & 0x3F | (eco1 >> 1) as u8 & 0xC0;
        self.extra = self.extra & 0x40 | eco2 & 0x3F | (eco2 << 1) & 0x80;
    }

    /// Returns the check byte for a cleared version bit (section 5.3).
    pub const fn check_old(&self) -> u8 {
        let RawHeader {
            year, source, elo, ..
        } = self;
        year.wrapping_mul(0x25)
            .wrapping_add(*source)
            .wrapping_add(elo[1])
    }

    /// Returns the check byte for a set version bit (section 5.3).
    pub const fn check_new(&self) -> u8 {
        let RawHeader {
            year,
            move_word,
            elo,
            ..
        } = self;
        (*move_word as u8)
            .wrapping_mul(0xC1)
            .wrapping_mul(elo[0].wrapping_add(1))
            .wrapping_mul(*year)
    }

    /// Returns the check byte according to the formula of the old (false) or the new (true)
    /// programs.
    pub const fn check_by(&self, new: bool) -> u8 {
        if new {
            self.check_new()
        } else {
            self.check_old()
        }
    }

    /// Returns true if the check byte matches one of the two formulas.
    pub const fn is_checked(&self) -> bool {
        self.check == self.check_old() || self.check == self.check_new()
    }
}

#[cfg(test)]
mod tests {
    use hex_literal::hex;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_page_agrees() {
        let raw_header = RawHeader::parse(&hex!("6A 17 07 A7 9C CB D7 8C 03 15 89 E2 2C 2F"));
        assert_eq!((raw_header.year(), raw_header.result), (Some(1985), 2));
        assert_eq!(
            (raw_header.players_len(), raw_header.source_len()),
            (19, 14)
        );
        assert_eq!((raw_header.moves_len(), raw_header.comments), (9, 17));
        assert_eq!((raw_header.eco1(), raw_header.eco2()), (151, 0));
        assert_eq!((raw_header.check, raw_header.check_new()), (0x4A, 0x4A));
        assert_eq!(raw_header.record_len(), 73);
        let old = RawHeader::parse(&hex!("40 06 07 AB 89 81 D7 9D DF F5 AE 91 2C 3A"));
        assert_eq!((old.check, old.check_old(), old.year()), (0x5F, 0x5F, None));
        assert!(old.has_setup() && old.is_checked());
    }

    proptest! {
        #[test]
        fn every_byte_comes_back(bytes in any::<[u8; RawHeader::SIZE]>()) {
            prop_assert_eq!(RawHeader::parse(&bytes).to_bytes(), bytes);
        }

        #[test]
        fn eco_bits_come_back(bytes in any::<[u8; RawHeader::SIZE]>(), eco1 in 0u16..512, eco2 in 0u8..128) {
            let before = RawHeader::parse(&bytes);
            let mut raw_header = before;
            raw_header.set_eco(eco1, eco2);
            prop_assert_eq!((raw_header.eco1(), raw_header.eco2()), (eco1, eco2));
            prop_assert_eq!(raw_header.record_len(), before.record_len());
            raw_header.set_eco(before.eco1(), before.eco2());
            prop_assert_eq!(raw_header, before);
        }
    }
}
