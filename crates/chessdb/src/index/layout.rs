//! Where everything stands in an index, and its records, both ways (docs/formats/chessdb-index.md).

use std::ops::Range;

use chessdb_core::{Features, HomePawns, PieceCounts, Signature};

/// The first bytes, with the version.
const MAGIC: &[u8; 16] = b"chessdb index 5\n";
/// Magic, number of games, number of files, number of places.
pub(super) const COUNTS: usize = 32;
/// What is known of a file of the base.
const FILE: usize = 32;
/// No format has more files.
const MOST_FILES: u64 = 64;
/// Counts and files with zeros behind them, so that the columns of full blocks are pages of a mapped file.
pub(super) const HEAD: usize = 4096;

/// What is known of a game.
pub(super) const RECORD: usize = 16;
/// Games come up to 64 at once: a word has a bit for each.
pub(super) const TOGETHER: usize = u64::BITS as usize;
pub(super) const WORD: usize = 8;
/// A column for each bit of a set of features.
pub(super) const COLUMNS: usize = Features::BITS;
/// The words of a column of a full block, a page of them.
pub(super) const WORDS: usize = 512;
/// The games of a full block.
pub(super) const BLOCK: usize = WORDS * TOGETHER;
/// So many games have their records compared at once, of which a page is full.
pub(super) const GROUP: usize = 256;
/// A column for all games of a word, and their records.
const BYTES_TOGETHER: usize = COLUMNS * WORD + TOGETHER * RECORD;
/// What is compared by itself in a full block: columns, and groups of records.
const PIECES: usize = COLUMNS + BLOCK / GROUP;

/// Where a game begins, or the last one ends.
const PLACE: usize = 8;
pub(super) const CHECKSUM: usize = 4;

const KNOWN: u8 = 1;
const PROMOTES: u8 = 2;
const USUAL: u8 = 4;

/// What a file of the base was when the index was made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Stamp {
    /// The checksum of the file's role.
    pub(crate) role: u32,
    pub(crate) size: u64,
    /// When it was last changed: seconds and nanoseconds since 1970.
    pub(crate) time: (i64, u32),
    /// The checksum of the whole file, and that of some parts.
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

/// Bytes of a record of a fixed length; the place is always within it.
pub(super) fn part<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    let part = bytes.get(at..).and_then(|rest| rest.first_chunk::<N>());
    part.copied().unwrap_or([0; N])
}

/// What is compared with a checksum of its own: a column of a block, or records of up to [`GROUP`] games.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    /// Its place in the table of checksums.
    pub(super) number: usize,
    start: usize,
    length: usize,
}

impl Piece {
    /// Where it stands.
    #[inline]
    pub(super) fn range(self) -> Range<usize> {
        self.start..self.start.saturating_add(self.length)
    }
}

/// What follows from the counts of an index: head, blocks, places, checksums of pieces, checksum of what is no piece.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    pub(super) games: u32,
    pub(super) files: u32,
    /// One more than games, or none.
    pub(super) places: u64,
}

impl Layout {
    /// The head of an index.
    pub(super) fn write(&self, stamps: &[Stamp]) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        out.extend(self.games.to_le_bytes());
        out.extend(self.files.to_le_bytes());
        out.extend(self.places.to_le_bytes());
        stamps.iter().for_each(|stamp| stamp.write(&mut out));
        out.resize(HEAD, 0);
        out
    }

    /// From the first bytes of an index; why it is none otherwise.
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

    /// What the files of the base were, by the head of an index.
    pub(super) fn stamps(self, header: &[u8]) -> impl Iterator<Item = Stamp> + '_ {
        let (files, _) = header.get(COUNTS..).unwrap_or_default().as_chunks::<FILE>();
        files.iter().take(self.files as usize).map(Stamp::read)
    }

    /// The bytes of the whole index.
    pub(super) fn length(&self) -> u64 {
        let parts = [
            (self.words() as u64, BYTES_TOGETHER),
            (self.places, PLACE),
            (self.pieces() as u64, CHECKSUM),
        ];
        let parts = parts.map(|(count, size)| count * size as u64);
        parts.into_iter().sum::<u64>() + (HEAD + CHECKSUM) as u64
    }

    /// The words of all columns with the same number.
    fn words(&self) -> usize {
        (self.games as usize).div_ceil(TOGETHER)
    }

    /// How many pieces there are, some 84 million at most.
    pub(super) fn pieces(&self) -> usize {
        let groups = self.words().div_ceil(GROUP / TOGETHER);
        self.words().div_ceil(WORDS) * COLUMNS + groups
    }

    /// Where the places stand in the bytes of an index that is as long as it should be.
    pub(super) fn places(&self) -> Range<usize> {
        let start = HEAD + self.words() * BYTES_TOGETHER;
        start..start + self.places as usize * PLACE
    }

    /// Where the checksums of the pieces stand.
    pub(super) fn sums(&self) -> Range<usize> {
        let start = self.places().end;
        start..start + self.pieces() * CHECKSUM
    }

    /// Where a block begins, and how many words its columns have.
    #[inline]
    fn block(&self, block: usize) -> (usize, usize) {
        let words = self.words().saturating_sub(block * WORDS).min(WORDS);
        (HEAD + block * WORDS * BYTES_TOGETHER, words)
    }

    /// A column of a block.
    #[inline]
    pub(super) fn column(&self, block: usize, column: usize) -> Piece {
        let (start, words) = self.block(block);
        Piece {
            number: block * PIECES + column,
            start: start + column * words * WORD,
            length: words * WORD,
        }
    }

    /// The records of a group of games of a block, fewer in the last one.
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

/// What is known of a game, from its record.
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

/// The record of a game.
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
