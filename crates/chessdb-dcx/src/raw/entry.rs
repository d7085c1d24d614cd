//! The index entry of a game (docs/formats/dcx.md, sections 3.2 and 8).

use chessdb_core::dump::Fields;
use chessdb_core::record;
use chessdb_core::record::{Big, explain_without, narrow, text_up_to_nul, widen};

use super::layout::EntrySize;

record! {
    /// An index entry. Only layouts with entries of 61 bytes store its last three fields.
    #[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
    pub struct Entry: Big, 61, parse_61, to_61_bytes {
        /// 00 live, FF deleted.
        0..1 status: u8 = "status {status:#04x}",
        /// Offset of the game in .dcg.
        1..9 offset: u64 = "record at {offset:#x}",
        /// Offset of White's name in .dcn; 0 if unknown.
        9..13 white: u32 = "White, player {white}",
        /// Offset of Black's name in .dcn; 0 if unknown.
        13..17 black: u32 = "Black, player {black}",
        /// The round; 0 if unknown.
        17..19 round: u16 = "round: {round}",
        /// Offset of the site in .dcs; 0 if unknown.
        19..23 site: u32 = "site {site}",
        /// Offset of the event in .dce; 0 if unknown, and always 0 in 35-byte entries.
        23..27 event: u32 = "event {event}",
        /// White's rating; 0 if unknown.
        27..29 white_elo: u16 = "rating of White: {white_elo}",
        /// Black's rating; 0 if unknown.
        29..31 black_elo: u16 = "rating of Black: {black_elo}",
        /// 0 `*`, 1 `1-0`, 2 `0-1`, 3 `1/2-1/2`.
        31..32 result: u8 = "result: {result}",
        /// The ECO code: three letters, or zeros.
        32..35 eco: [u8; 3] = "ECO code: {}" (text_up_to_nul(eco)),
        /// The year; 0 if unknown.
        35..37 year: u16 = "year: {year}",
        /// The month, 1..=12; 0 if unknown.
        37..38 month: u8 = "month: {month}",
        /// The day, 1..=31; 0 if unknown.
        38..39 day: u8 = "day: {day}",
        /// Half-moves of the mainline (section 8).
        39..41 halfmoves: u16 = "half-moves: {halfmoves}",
        /// FinPosMaterial: the pieces of the last position, if bit 31 is set.
        41..45 material: u32 = "material: {material:#x}",
        /// PawnMoveData: the order in which pawns left their squares.
        45..61 pawn_moves: [u8; 16] = "pawn moves",
    }
}

impl Entry {
    /// The value of [`Entry::status`] that marks a deleted game.
    pub const DELETED: u8 = 0xFF;

    /// Number of bytes before the event.
    const BEFORE_EVENT: usize = 23;
    /// Number of bytes before the fields of 61-byte entries.
    const COMMON: usize = 39;

    /// Reads an entry of this size, or returns `None` if there are too few bytes.
    pub fn parse(size: EntrySize, bytes: &[u8]) -> Option<Entry> {
        Some(match size {
            EntrySize::Short => {
                let short: &[u8; 35] = bytes.first_chunk()?;
                Entry::parse_39(&widen(short, Entry::BEFORE_EVENT))
            }
            EntrySize::Standard => Entry::parse_39(bytes.first_chunk()?),
            EntrySize::Long => Entry::parse_61(bytes.first_chunk()?),
        })
    }

    /// Returns the offset of the game of an entry of any size, or 0 if there are too few bytes.
    #[inline]
    pub(crate) fn offset_of(entry: &[u8]) -> u64 {
        match entry {
            [_, a, b, c, d, e, f, g, h, ..] => u64::from_be_bytes([*a, *b, *c, *d, *e, *f, *g, *h]),
            _ => 0,
        }
    }

    /// Reads an entry of 39 bytes; all bytes are valid.
    #[inline(always)]
    pub fn parse_39(bytes: &[u8; Entry::COMMON]) -> Entry {
        Entry::parse_61(&widen(bytes, Entry::COMMON))
    }

    /// Returns the entry in 39 bytes.
    pub fn to_bytes(&self) -> [u8; Entry::COMMON] {
        narrow(&self.to_61_bytes(), Entry::COMMON)
    }

    /// Appends the entry in this size. A 35-byte entry omits the event.
    pub fn write(&self, size: EntrySize, out: &mut Vec<u8>) {
        match size {
            EntrySize::Short => {
                let bytes: [u8; 35] = narrow(&self.to_bytes(), Entry::BEFORE_EVENT);
                out.extend_from_slice(&bytes);
            }
            EntrySize::Standard => out.extend_from_slice(&self.to_bytes()),
            EntrySize::Long => out.extend_from_slice(&self.to_61_bytes()),
        }
    }

    /// Reports the fields of an entry of this size for `dump`.
    pub(crate) fn explain(&self, size: EntrySize, title: &str, fields: &mut Fields<'_>) {
        let event = Entry::BEFORE_EVENT as u64..Entry::BEFORE_EVENT as u64 + 4;
        let more = Entry::COMMON as u64..Entry::SIZE as u64;
        let omitted = match size {
            EntrySize::Short => &[event, more][..],
            EntrySize::Standard => &[more],
            EntrySize::Long => &[],
        };
        explain_without(self, omitted, title, fields);
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
        assert_eq!(Entry::offset_of(&EXAMPLE_ENTRY), entry.offset);
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
