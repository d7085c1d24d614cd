//! The layout of an index and of its records (docs/formats/chessdb-index.md).

use std::ops::Range;

use chessdb_core::search::{Features, HomePawns, PieceCounts, Signature};
use chessdb_core::text::Evidence;

use super::sectioned::{CHECKSUM_SIZE, FileKind, HEADER_SIZE, Header, Piece, WRONG_COUNTS};
use super::{FileStamp, bytes_at};

/// The magic bytes, with the version.
pub(super) const KIND: FileKind = FileKind {
    magic: *b"chessdb index 9\n",
    mismatch: "it is not an index of this version",
};
/// The flags of a database that was opened without findings, of one with ASCII comments only, as far
/// as they are sampled to guess the charset, and of one whose games are found by their numbers alone.
const CLEAN: u32 = 1;
const ASCII_COMMENTS: u32 = 2;
const DENSE: u32 = 4;
/// The flag of an index with the texts from which the charset was guessed.
const GUESSED: u32 = 8;

/// Length of the record of a game.
pub(super) const RECORD_SIZE: usize = 16;
/// Number of games that are tested at once: a word has one bit per game.
pub(crate) const GAMES_PER_WORD: usize = u64::BITS as usize;
pub(super) const WORD_SIZE: usize = 8;
/// Number of columns: one for each bit of a feature set.
pub(super) const COLUMNS: usize = Features::BITS;
/// Words of a column of a full block: 16 KiB. A search reads a column with one system call, which
/// costs more than copying 4 KiB.
pub(crate) const WORDS_PER_COLUMN: usize = 2048;
/// Number of games in a full block.
pub(crate) const GAMES_PER_BLOCK: usize = WORDS_PER_COLUMN * GAMES_PER_WORD;
/// Number of games with records that are verified together; their records fill a page.
pub(super) const GAMES_PER_GROUP: usize = 256;
/// Length of a column of a full block.
pub(crate) const COLUMN_SIZE: usize = WORDS_PER_COLUMN * WORD_SIZE;
/// Bytes per 64 games: one word of each column, and the records.
const BYTES_PER_WORD: usize = COLUMNS * WORD_SIZE + GAMES_PER_WORD * RECORD_SIZE;
/// Number of pieces with their own checksum in a full block: columns, and groups of records.
const PIECES_PER_BLOCK: usize = COLUMNS + GAMES_PER_BLOCK / GAMES_PER_GROUP;

/// Length of the offset of a game, or of the end of the last one.
const OFFSET_SIZE: usize = 8;

const KNOWN: u8 = 1;
const PROMOTES: u8 = 2;
const HAS_HOME: u8 = 4;

/// The layout of an index, computed from its counts. A piece is a column of a block, or the records
/// of up to [`GAMES_PER_GROUP`] games.
#[derive(Clone, Copy, Debug)]
pub(crate) struct IndexLayout {
    pub(crate) games: u32,
    /// Whether the offsets of the games are stored.
    pub(crate) has_offsets: bool,
    /// Whether the database was opened without findings.
    pub(crate) is_clean: bool,
    /// Whether the comments that are sampled to guess the charset are ASCII.
    pub(crate) has_ascii_comments: bool,
    /// Whether the place of a game follows from its number ([`chessdb_core::GameStore::is_dense`]).
    pub(crate) is_dense: bool,
    /// The length of the texts from which the charset was guessed, if it was.
    pub(crate) evidence: Option<u32>,
}

impl IndexLayout {
    /// Returns the header of an index.
    pub(super) fn header(&self, stamps: Vec<FileStamp>) -> Header {
        let flag = |is_set: bool, flag: u32| if is_set { flag } else { 0 };
        let flags = flag(self.is_clean, CLEAN)
            | flag(self.has_ascii_comments, ASCII_COMMENTS)
            | flag(self.is_dense, DENSE)
            | flag(self.evidence.is_some(), GUESSED);
        Header {
            games: self.games,
            numbers: [flags, 0, 0, 0],
            lengths: self.lengths(),
            stamps,
        }
    }

    /// Reads the counts of a header; returns the reason if they are invalid.
    pub(super) fn read(header: &Header) -> Result<IndexLayout, &'static str> {
        let [flags, ..] = header.numbers;
        let layout = IndexLayout {
            games: header.games,
            has_offsets: !matches!(header.lengths, [_, 0, ..]),
            is_clean: flags & CLEAN != 0,
            has_ascii_comments: flags & ASCII_COMMENTS != 0,
            is_dense: flags & DENSE != 0,
            evidence: match header.lengths {
                [_, _, length, _] if flags & GUESSED != 0 => {
                    Some(u32::try_from(length).map_err(|_| WRONG_COUNTS)?)
                }
                _ => None,
            },
        };
        // All other lengths follow from the counts; an index with different ones would be read at
        // wrong offsets.
        if header.lengths == layout.lengths() { Ok(layout) } else { Err(WRONG_COUNTS) }
    }

    /// Returns the lengths of the sections.
    fn lengths(&self) -> [u64; 4] {
        let pieces = self.words() as u64 * BYTES_PER_WORD as u64;
        let offsets = u64::from(self.has_offsets) * (u64::from(self.games) + 1);
        let sums = self.pieces() as u64 * CHECKSUM_SIZE as u64;
        let evidence = self.evidence.unwrap_or(0).into();
        [pieces, offsets * OFFSET_SIZE as u64, evidence, sums]
    }

    /// Returns the number of words per column, over all blocks.
    fn words(&self) -> usize {
        (self.games as usize).div_ceil(GAMES_PER_WORD)
    }

    /// Returns the number of pieces, about 84 million at most.
    fn pieces(&self) -> usize {
        let groups = self.words().div_ceil(GAMES_PER_GROUP / GAMES_PER_WORD);
        self.words().div_ceil(WORDS_PER_COLUMN) * COLUMNS + groups
    }

    /// Returns all pieces, in the order of the file.
    pub(super) fn all_pieces(&self) -> impl Iterator<Item = Piece> + '_ {
        (0..self.words().div_ceil(WORDS_PER_COLUMN)).flat_map(move |block| {
            let (_, words) = self.block(block);
            let groups = words.div_ceil(GAMES_PER_GROUP / GAMES_PER_WORD);
            let columns = (0..COLUMNS).map(move |column| self.column(block, column));
            columns.chain((0..groups).map(move |group| self.records(block, group)))
        })
    }

    /// Returns the range of the first blocks, all full, and the number of their pieces.
    pub(super) fn full_blocks(&self, blocks: usize) -> (Range<usize>, usize) {
        let (end, _) = self.block(blocks);
        (HEADER_SIZE..end, blocks * PIECES_PER_BLOCK)
    }

    /// Returns the offset of a block and the number of words in its columns.
    #[inline]
    fn block(&self, block: usize) -> (usize, usize) {
        let words = self
            .words()
            .saturating_sub(block * WORDS_PER_COLUMN)
            .min(WORDS_PER_COLUMN);
        (
            HEADER_SIZE + block * WORDS_PER_COLUMN * BYTES_PER_WORD,
            words,
        )
    }

    /// Returns a column of a block.
    #[inline]
    pub(super) fn column(&self, block: usize, column: usize) -> Piece {
        let (start, words) = self.block(block);
        Piece {
            number: block * PIECES_PER_BLOCK + column,
            start: start + column * words * WORD_SIZE,
            length: words * WORD_SIZE,
        }
    }

    /// Returns the records of the group of a game, counted from 0.
    #[inline]
    pub(super) fn records_with(&self, game: usize) -> Piece {
        let (block, game) = (game / GAMES_PER_BLOCK, game % GAMES_PER_BLOCK);
        self.records(block, game / GAMES_PER_GROUP)
    }

    /// Returns the records of a group of games in a block; the last group may be shorter.
    #[inline]
    pub(super) fn records(&self, block: usize, group: usize) -> Piece {
        let (start, words) = self.block(block);
        let games = (words * GAMES_PER_WORD)
            .saturating_sub(group * GAMES_PER_GROUP)
            .min(GAMES_PER_GROUP);
        Piece {
            number: block * PIECES_PER_BLOCK + COLUMNS + group,
            start: start + COLUMNS * words * WORD_SIZE + group * GAMES_PER_GROUP * RECORD_SIZE,
            length: games * RECORD_SIZE,
        }
    }
}

/// Returns the bytes of the evidence of a charset: the tokens of each text with their lengths before
/// them, and a length of 0 after each text.
pub(crate) fn evidence_bytes(evidence: &Evidence) -> Vec<u8> {
    let mut bytes = Vec::new();
    for text in evidence.texts() {
        for token in text {
            let token = token.get(..usize::from(u8::MAX)).unwrap_or(token);
            bytes.push(token.len() as u8);
            bytes.extend(token);
        }
        bytes.push(0);
    }
    bytes
}

/// Reads [`evidence_bytes`]. `None` if they are damaged.
pub(super) fn read_evidence(mut bytes: &[u8]) -> Option<Evidence> {
    let (mut texts, mut text) = (Vec::new(), Vec::new());
    while let Some((&length, rest)) = bytes.split_first() {
        let (token, rest) = rest.split_at_checked(length.into())?;
        bytes = rest;
        if token.is_empty() {
            texts.push(std::mem::take(&mut text));
        } else {
            text.push(token.into());
        }
    }
    text.is_empty().then(|| Evidence::from_texts(texts))
}

/// Reads the record of a game; `None` if nothing is known about it.
#[inline]
pub(super) fn read(record: &[u8; RECORD_SIZE]) -> Option<Signature> {
    // Two counts of pieces share each of the first five bytes.
    let [a, b, c, d, e, flags, ..] = *record;
    if flags & KNOWN == 0 {
        return None;
    }
    let low = |byte: u8| byte & 15;
    let home = HomePawns::new(u64::from_le_bytes(bytes_at(record, 8)), flags >> 3);
    let plies = u16::from_le_bytes(bytes_at(record, 6));
    Some(Signature {
        piece_counts: [
            PieceCounts::new([low(a), a >> 4, low(b), b >> 4, low(c)]),
            PieceCounts::new([c >> 4, low(d), d >> 4, low(e), e >> 4]),
        ],
        promotes: flags & PROMOTES != 0,
        home: (flags & HAS_HOME != 0).then_some(home),
        opening: 0,
        // The largest number means that the count is unknown or does not fit.
        plies: (plies < u16::MAX).then_some(plies.into()),
    })
}

/// Returns the record of a game.
pub(super) fn record(signature: &Signature) -> [u8; RECORD_SIZE] {
    let mut out = [0; RECORD_SIZE];
    let [white, black] = signature.piece_counts;
    let two = |low: u8, high: u8| low.min(15) | high.min(15) << 4;
    let [a, b, c, d, e] = white.counts();
    let [f, g, h, i, j] = black.counts();
    let piece_counts = [two(a, b), two(c, d), two(e, f), two(g, h), two(i, j)];
    let home = signature.home.unwrap_or_default();
    let flag = |is: bool, flag: u8| if is { flag } else { 0 };
    let flags = KNOWN
        | flag(signature.promotes, PROMOTES)
        | flag(signature.home.is_some(), HAS_HOME)
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
