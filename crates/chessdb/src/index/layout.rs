//! The layout of an index and of its records (docs/formats/chessdb-index.md).

use std::ops::Range;

use chessdb_core::{Features, HomePawns, PieceCounts, Signature};

/// The magic bytes, with the version.
const MAGIC: &[u8; 16] = b"chessdb index 5\n";
/// Length of magic, number of games, number of files and number of game offsets.
pub(super) const COUNTS: usize = 32;
/// Length of the stamp of a file.
const FILE: usize = 32;
/// Maximum number of files; no format has more.
const MOST_FILES: u64 = 64;
/// Length of the header (counts and stamps, padded with zeros), so that the columns of full blocks
/// are pages of a memory-mapped file.
pub(super) const HEAD: usize = 4096;

/// Length of the record of a game.
pub(super) const RECORD: usize = 16;
/// Number of games that are tested at once: a word has one bit per game.
pub(super) const TOGETHER: usize = u64::BITS as usize;
pub(super) const WORD: usize = 8;
/// Number of columns: one for each bit of a feature set.
pub(super) const COLUMNS: usize = Features::BITS;
/// Words of a column of a full block, which fill a page.
pub(super) const WORDS: usize = 512;
/// Number of games in a full block.
pub(super) const BLOCK: usize = WORDS * TOGETHER;
/// Number of games with records that are verified together; their records fill a page.
pub(super) const GROUP: usize = 256;
/// Bytes per 64 games: one word of each column, and the records.
const BYTES_TOGETHER: usize = COLUMNS * WORD + TOGETHER * RECORD;
/// Number of pieces with their own checksum in a full block: columns, and groups of records.
const PIECES: usize = COLUMNS + BLOCK / GROUP;

/// Length of the offset of a game, or of the end of the last one.
const PLACE: usize = 8;
pub(super) const CHECKSUM: usize = 4;

const KNOWN: u8 = 1;
const PROMOTES: u8 = 2;
const USUAL: u8 = 4;

/// The state of a database file when the index was written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Stamp {
    /// The checksum of the file's role.
    pub(crate) role: u32,
    pub(crate) size: u64,
    /// The modification time: seconds and nanoseconds since 1970.
    pub(crate) time: (i64, u32),
    /// The checksum of the whole file, and the checksum of samples.
    pub(crate) whole: u32,
    pub(crate) parts: u32,
}

impl Stamp {
    fn write(&self, out: &mut Vec<u8>) {
        out.extend(self.role.to_le_bytes());
        out.extend(self.size.to_le_bytes());
        out.extend(self.time.0.to_le_bytes());
        out.extend(self.time.1.to_le_bytes());
        out.extend(self.whole.to_le_bytes());
        out.extend(self.parts.to_le_bytes());
    }

    fn read(bytes: &[u8; FILE]) -> Stamp {
        let word = |at: usize| u32::from_le_bytes(part(bytes, at));
        Stamp {
            role: word(0),
            size: u64::from_le_bytes(part(bytes, 4)),
            time: (i64::from_le_bytes(part(bytes, 12)), word(20)),
            whole: word(24),
            parts: word(28),
        }
    }
}

/// Returns bytes of a record of fixed length; the offset must be within it.
pub(super) fn part<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    let part = bytes.get(at..).and_then(|rest| rest.first_chunk::<N>());
    part.copied().unwrap_or([0; N])
}

/// A range of bytes with its own checksum: a column of a block, or records of up to [`GROUP`]
/// games.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    /// The number of its entry in the checksum table.
    pub(super) number: usize,
    start: usize,
    length: usize,
}

impl Piece {
    /// Returns the byte range in the index.
    #[inline]
    pub(super) fn range(self) -> Range<usize> {
        self.start..self.start.saturating_add(self.length)
    }
}

/// The layout of an index, computed from its counts: header, blocks, game offsets, checksums of the
/// pieces, checksum of all other bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    pub(super) games: u32,
    pub(super) files: u32,
    /// The number of game offsets: one more than games, or 0.
    pub(super) places: u64,
}

impl Layout {
    /// Returns the header of an index.
    pub(super) fn write(&self, stamps: &[Stamp]) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        out.extend(self.games.to_le_bytes());
        out.extend(self.files.to_le_bytes());
        out.extend(self.places.to_le_bytes());
        stamps.iter().for_each(|stamp| stamp.write(&mut out));
        out.resize(HEAD, 0);
        out
    }

    /// Parses the start of an index; returns the reason if it is invalid.
    pub(super) fn read(start: &[u8]) -> Result<Layout, &'static str> {
        if start.get(..MAGIC.len()) != Some(MAGIC) {
            return Err("it is no index of this version");
        }
        let layout = Layout {
            games: u32::from_le_bytes(part(start, 16)),
            files: u32::from_le_bytes(part(start, 20)),
            places: u64::from_le_bytes(part(start, 24)),
        };
        let (games, places) = (u64::from(layout.games), layout.places);
        if u64::from(layout.files) > MOST_FILES || places != 0 && places != games + 1 {
            return Err("it is damaged: its counts are wrong");
        }
        Ok(layout)
    }

    /// Returns the stamps of the database files in the header of an index.
    pub(super) fn stamps(self, header: &[u8]) -> impl Iterator<Item = Stamp> + '_ {
        let (files, _) = header.get(COUNTS..).unwrap_or_default().as_chunks::<FILE>();
        files.iter().take(self.files as usize).map(Stamp::read)
    }

    /// Returns the length of the whole index in bytes.
    pub(super) fn length(&self) -> u64 {
        let parts = [
            (self.words() as u64, BYTES_TOGETHER),
            (self.places, PLACE),
            (self.pieces() as u64, CHECKSUM),
        ];
        let parts = parts.map(|(count, size)| count * size as u64);
        parts.into_iter().sum::<u64>() + (HEAD + CHECKSUM) as u64
    }

    /// Returns the number of words per column, over all blocks.
    fn words(&self) -> usize {
        (self.games as usize).div_ceil(TOGETHER)
    }

    /// Returns the number of pieces, about 84 million at most.
    pub(super) fn pieces(&self) -> usize {
        let groups = self.words().div_ceil(GROUP / TOGETHER);
        self.words().div_ceil(WORDS) * COLUMNS + groups
    }

    /// Returns the range of the game offsets, for an index of correct length.
    pub(super) fn places(&self) -> Range<usize> {
        let start = HEAD + self.words() * BYTES_TOGETHER;
        start..start + self.places as usize * PLACE
    }

    /// Returns the range of the checksums of the pieces.
    pub(super) fn sums(&self) -> Range<usize> {
        let start = self.places().end;
        start..start + self.pieces() * CHECKSUM
    }

    /// Returns the offset of a block and the number of words in its columns.
    #[inline]
    fn block(&self, block: usize) -> (usize, usize) {
        let words = self.words().saturating_sub(block * WORDS).min(WORDS);
        (HEAD + block * WORDS * BYTES_TOGETHER, words)
    }

    /// Returns a column of a block.
    #[inline]
    pub(super) fn column(&self, block: usize, column: usize) -> Piece {
        let (start, words) = self.block(block);
        Piece {
            number: block * PIECES + column,
            start: start + column * words * WORD,
            length: words * WORD,
        }
    }

    /// Returns the records of a group of games in a block; the last group may be shorter.
    #[inline]
    pub(super) fn records(&self, block: usize, group: usize) -> Piece {
        let (start, words) = self.block(block);
        let games = (words * TOGETHER).saturating_sub(group * GROUP).min(GROUP);
        Piece {
            number: block * PIECES + COLUMNS + group,
            start: start + COLUMNS * words * WORD + group * GROUP * RECORD,
            length: games * RECORD,
        }
    }
}

/// Reads the record of a game; `None` if nothing is known about it.
#[inline]
pub(super) fn read(record: &[u8; RECORD]) -> Option<Signature> {
    let [a, b, c, d, e, flags, ..] = *record;
    if flags & KNOWN == 0 {
        return None;
    }
    let low = |byte: u8| byte & 15;
    let home = HomePawns::new(u64::from_le_bytes(part(record, 8)), flags >> 3);
    let plies = u16::from_le_bytes(part(record, 6));
    Some(Signature {
        piece_counts: [
            PieceCounts::new([low(a), a >> 4, low(b), b >> 4, low(c)]),
            PieceCounts::new([c >> 4, low(d), d >> 4, low(e), e >> 4]),
        ],
        promotes: flags & PROMOTES != 0,
        home: (flags & USUAL != 0).then_some(home),
        opening: 0,
        plies: (plies < u16::MAX).then_some(plies.into()),
    })
}

/// Returns the record of a game.
pub(super) fn record(signature: &Signature) -> [u8; RECORD] {
    let mut out = [0; RECORD];
    let [white, black] = signature.piece_counts;
    let two = |low: u8, high: u8| low.min(15) | high.min(15) << 4;
    let [a, b, c, d, e] = white.counts();
    let [f, g, h, i, j] = black.counts();
    let piece_counts = [two(a, b), two(c, d), two(e, f), two(g, h), two(i, j)];
    let home = signature.home.unwrap_or_default();
    let flag = |is: bool, flag: u8| if is { flag } else { 0 };
    let flags = KNOWN
        | flag(signature.promotes, PROMOTES)
        | flag(signature.home.is_some(), USUAL)
        | home.count() << 3;
    let plies = signature.plies.and_then(|plies| u16::try_from(plies).ok());
    let mut bytes = piece_counts
        .into_iter()
        .chain([flags])
        .chain(plies.unwrap_or(u16::MAX).to_le_bytes())
        .chain(home.order().to_le_bytes());
    for slot in &mut out {
        *slot = bytes.next().unwrap_or_default();
    }
    out
}
