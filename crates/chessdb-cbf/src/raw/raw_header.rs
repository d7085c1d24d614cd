//! The raw header of a game record: 14 bytes (docs/formats/cbf.md, section 5).

use bitflags::bitflags;
use chessdb_core::record;
use chessdb_core::record::Big;

use super::cipher;

bitflags! {
    /// The flags of a game. The bits between [`RecordFlags::SETUP`] and [`RecordFlags::MARKED`]
    /// have their meaning in games with a start position; in others they are bits 0 to 4 of ECO1.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
    pub struct RecordFlags: u8 {
        /// The record contains a start position.
        const SETUP = 1 << 0;
        /// Black moves first.
        const BLACK_FIRST = 1 << 1;
        /// White may castle long.
        const WHITE_LONG = 1 << 2;
        /// White may castle short.
        const WHITE_SHORT = 1 << 3;
        /// Black may castle long.
        const BLACK_LONG = 1 << 4;
        /// Black may castle short.
        const BLACK_SHORT = 1 << 5;
        /// Marked by the user.
        const MARKED = 1 << 6;
        /// Deleted.
        const DELETED = 1 << 7;
    }
}

record!(flags RecordFlags(u8));

record! {
    /// The deciphered fields of a header.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub struct RawHeader: Big, 14, from_plain, to_plain {
        /// The year minus 1900, signed; [`RawHeader::NO_YEAR`] if unknown.
        0..1 year: u8 = "header, enciphered: year minus 1900: {}" (*year as i8),
        /// 0 = 0-1, 1 = draw, 2 = 1-0, otherwise no result (section 5.1).
        1..2 result: u8 = "result {result}",
        /// The length of the moves in bytes, plus 1; 0 is treated as 1.
        2..4 move_word: u16 = "bytes of the moves, plus one: {move_word}",
        /// The length of the players in bits 0..=5, bits 5 and 6 of ECO1 above.
        4..5 players: u8 = "bytes of the players: {}, bits of ECO1" (players & 63),
        /// The length of the source in bits 0..=5, bits 7 and 8 of ECO1 above.
        5..6 source: u8 = "bytes of the source: {}, bits of ECO1" (source & 63),
        /// The length of the comment area.
        6..8 comments: u16 = "bytes of the comments: {comments}",
        /// The Elo of White and Black; 0 for none, otherwise (Elo - 1600) / 5.
        8..10 elo: [u8; 2] = "ratings of White and Black: {elo:?}",
        /// The flags.
        10..11 flags: RecordFlags = "flags: {:#04x}" (flags.bits()),
        /// [`RawHeader::VERSION`]. The other bits are ECO2 or, with a start position, the file of
        /// its en passant square in bits 0..=3.
        11..12 extra: u8 = "version, ECO2 or en passant: {extra:#04x}",
        /// The number of full moves of the mainline.
        12..13 full_moves: u8 = "full moves: {full_moves}",
        /// The check byte (section 5.3).
        13..14 check: u8 = "check byte: {check:#04x}",
    }
}

impl RawHeader {
    /// The value of the year byte for an unknown year.
    pub const NO_YEAR: u8 = 127;
    /// The offset of [`RawHeader::flags`] in a record.
    pub const FLAGS: u64 = 10;
    /// In [`RawHeader::extra`]: the bit that later programs set.
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
        RawHeader::from_plain(&plain)
    }

    /// Returns the enciphered bytes.
    pub fn to_bytes(&self) -> [u8; RawHeader::SIZE] {
        let mut bytes = self.to_plain();
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
        self.flags.contains(RecordFlags::SETUP)
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
            // The byte is signed: 1772 to 2026 (section 5).
            year => Some((1900 + year as i8 as i16) as u16),
        }
    }

    /// Returns the nine bits of ECO1: 0 for none, otherwise 1 plus the number of the code from A00.
    /// Meaningless if the game has a start position.
    pub const fn eco1(&self) -> u16 {
        (self.flags.bits() as u16 & 0x3E) >> 1
            | (self.players as u16 & 0xC0) >> 1
            | (self.source as u16 & 0xC0) << 1
    }

    /// Returns the seven bits of ECO2, the sub-code. Meaningless if the game has a start position.
    pub const fn eco2(&self) -> u8 {
        self.extra & 0x3F | (self.extra & 0x80) >> 1
    }

    /// Stores ECO1 (below 512) and ECO2 (below 128) in their bits.
    pub const fn set_eco(&mut self, eco1: u16, eco2: u8) {
        // The bits of section 5.2. All other bits keep their values.
        let flags = self.flags.bits() & !0x3E | (eco1 << 1) as u8 & 0x3E;
        self.flags = RecordFlags::from_bits_retain(flags);
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
        // The factor is 1EC1. Modulo 256 only its low byte counts (section 5.3).
        (*move_word as u8)
            .wrapping_mul(0xC1)
            .wrapping_mul(elo[0].wrapping_add(1))
            .wrapping_mul(*year)
    }

    /// Returns the check byte according to the formula of the old (false) or the new (true)
    /// programs.
    pub const fn check_by(&self, new: bool) -> u8 {
        if new { self.check_new() } else { self.check_old() }
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
