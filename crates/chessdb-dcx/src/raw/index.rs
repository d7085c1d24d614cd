//! The index file: a header and one entry a game (docs/formats/dcx.md, section 3).

use chessdb_core::Result;

use super::header::Header;
use super::layout::{Detected, EntrySize, FileSizes, Layout};
use super::magic::FileKind;

/// One game in the index. All numbers are big-endian.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Entry {
    /// 00 live, FF deleted.
    pub status: u8,
    /// Where the game begins in .dcg.
    pub offset: u64,
    /// Where White's name stands in .dcn; 0 unknown.
    pub white: u32,
    /// Where Black's name stands in .dcn; 0 unknown.
    pub black: u32,
    /// 0 unknown.
    pub round: u16,
    /// Where the site stands in .dcs; 0 unknown.
    pub site: u32,
    /// Where the event stands in .dce; 0 unknown, and in 35-byte entries always.
    pub event: u32,
    /// White's rating; 0 unknown.
    pub white_elo: u16,
    /// Black's rating; 0 unknown.
    pub black_elo: u16,
    /// 0 `*`, 1 `1-0`, 2 `0-1`, 3 `1/2-1/2`.
    pub result: u8,
    /// Three letters, or zeros.
    pub eco: [u8; 3],
    /// 0 unknown.
    pub year: u16,
    /// 1..=12; 0 unknown.
    pub month: u8,
    /// 1..=31; 0 unknown.
    pub day: u8,
    /// What only 61-byte entries have.
    pub version1: Option<Version1>,
}

/// The last 22 bytes of a 61-byte entry (section 8).
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Version1 {
    /// Half-moves of the main line.
    pub halfmoves: u16,
    /// FinPosMaterial: the men of the last position, if bit 31 is set.
    pub material: u32,
    /// PawnMoveData: the order in which pawns left their squares.
    pub pawn_moves: [u8; 16],
}

impl Entry {
    /// The value of [`Entry::status`] that marks a deleted game.
    pub const DELETED: u8 = 0xFF;

    /// Bytes in front of the event.
    const BEFORE_EVENT: usize = 23;

    /// Reads an entry of this size; none if there are too few bytes.
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

    /// Reads an entry of 39 bytes; there are no bytes that are not one.
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

    /// Reads an entry of 35 bytes: the same without the event.
    fn parse_35(bytes: &[u8; 35]) -> Entry {
        let (front, rest) = bytes.split_at(Entry::BEFORE_EVENT);
        let mut wide = [0; 39];
        for (to, from) in wide.iter_mut().zip(front.iter().chain(&[0; 4]).chain(rest)) {
            *to = *from;
        }
        Entry::parse_39(&wide)
    }

    /// The entry in 39 bytes.
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

    /// Appends the entry in this size; 35-byte entries leave out the event, and 61-byte entries
    /// without [`Entry::version1`] get zeros.
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

/// A whole index file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Index {
    /// Its layout, and how sure that is.
    pub detected: Detected,
    /// What stands before the entries.
    pub header: Header,
    /// The entries.
    pub entries: Vec<Entry>,
    /// The bytes behind the last whole entry.
    pub tail: Vec<u8>,
}

impl Index {
    /// Reads an index file; the sizes of the other files help to find its layout.
    ///
    /// # Errors
    ///
    /// `BadMagic`, or `Truncated` for a file that is shorter than its magic bytes but not empty.
    pub fn parse(bytes: &[u8], sizes: &FileSizes) -> Result<Index> {
        Header::check_magic(bytes)?;
        let detected = Layout::detect(bytes, sizes);
        let (header, body) = Header::parse(bytes, detected.layout.header);
        let size = detected.layout.entry;
        let chunks = body.chunks_exact(size.bytes());
        let tail = chunks.remainder().to_vec();
        let entries = chunks
            .filter_map(|bytes| Entry::parse(size, bytes))
            .collect();
        Ok(Index {
            detected,
            header,
            entries,
            tail,
        })
    }

    /// The layout.
    pub fn layout(&self) -> Layout {
        self.detected.layout
    }

    /// The bytes of the file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        let size = self.layout().entry;
        out.reserve(self.entries.len() * size.bytes() + self.tail.len() + 19);
        self.header.write(&mut out);
        for entry in &self.entries {
            entry.write(size, &mut out);
        }
        out.extend_from_slice(&self.tail);
        out
    }

    /// The entry that OpenDefault names, from 0 (section 3.5).
    pub fn open_default(&self) -> Option<u32> {
        self.header.open_default(self.layout(), self.entries.len())
    }

    /// Which file this is.
    pub const KIND: FileKind = FileKind::Index;
}

#[cfg(test)]
mod tests {
    use hex_literal::hex;
    use proptest::prelude::*;

    use super::*;
    use crate::raw::layout::HeaderSize;

    /// Section 10.1.
    const EXAMPLE: [u8; 39] = hex!(
        "00 00 00 00 00 00 00 00 0a 00 00 00 0a 00 00 00 2e 00 03 00 00 00 0a 00 00 00 0a"
        "05 dc 07 d5 02 41 30 30 07 e1 01 0e"
    );

    fn sizes() -> FileSizes {
        FileSizes {
            players: 82,
            sites: 46,
            events: 46,
            games: 20,
        }
    }

    #[test]
    fn the_worked_example_is_read() {
        let entry = Entry::parse_39(&EXAMPLE);
        assert_eq!((entry.white, entry.black, entry.round), (10, 46, 3));
        assert_eq!((entry.white_elo, entry.black_elo), (1500, 2005));
        assert_eq!((entry.eco, entry.result), (*b"A00", 2));
        assert_eq!((entry.year, entry.month, entry.day), (2017, 1, 14));
    }

    /// Every layout is recognised from the content of a base with 1, 2 and 70 games.
    #[test]
    fn every_layout_is_detected() {
        for layout in Layout::ALL {
            for games in [1, 2, if cfg!(miri) { 3 } else { 70 }] {
                let mut bytes = b"SimpleCDbi".to_vec();
                if layout.header != HeaderSize::Magic {
                    bytes.push(u8::from(layout.entry == EntrySize::Long));
                }
                if layout.header == HeaderSize::Full {
                    bytes.extend([0; 8]);
                }
                let mut sizes = sizes();
                sizes.games = 10 + games * 16;
                for n in 0..games {
                    let mut entry = Entry::parse_39(&EXAMPLE);
                    entry.offset = 10 + 16 * n;
                    if layout.entry == EntrySize::Short {
                        entry.event = 0;
                        sizes.events = 0;
                    }
                    entry.write(layout.entry, &mut bytes);
                }
                let index = Index::parse(&bytes, &sizes).unwrap();
                assert_eq!(index.layout(), layout, "{games} games");
                assert!(index.detected.is_sure(), "{layout:?}");
                assert_eq!(index.entries.len() as u64, games);
                assert_eq!(index.to_bytes(), bytes);
            }
        }
    }

    /// An index cut anywhere keeps its layout and its whole entries.
    #[test]
    fn a_cut_index_keeps_its_layout() {
        let mut bytes = b"SimpleCDbi".to_vec();
        bytes.extend([0; 9]);
        for _ in 0..3 {
            bytes.extend(EXAMPLE);
        }
        for len in (10..bytes.len()).step_by(if cfg!(miri) { 31 } else { 1 }) {
            let index = Index::parse(&bytes[..len], &sizes()).unwrap();
            if len >= 19 {
                assert_eq!(index.layout(), Layout::CURRENT, "{len}");
            }
            assert_eq!(index.entries.len(), len.saturating_sub(19) / 39, "{len}");
            assert_eq!(index.to_bytes(), &bytes[..len]);
        }
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

        #[test]
        fn every_index_comes_back(rest in prop::collection::vec(any::<u8>(), 0..300)) {
            let bytes = [&b"SimpleCDbi"[..], &rest].concat();
            let index = Index::parse(&bytes, &sizes()).unwrap();
            prop_assert_eq!(index.to_bytes(), bytes);
        }
    }
}
