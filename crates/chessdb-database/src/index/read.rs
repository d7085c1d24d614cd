//! Reading of an index, with checksum verification of the data used.

use std::fmt;
use std::fs::File;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

use chessdb_core::files::{GameOffsets, SharedBytes};
use chessdb_core::search::{Feature, Signature};

use super::layout::{
    CHECKSUM_SIZE, COLUMN_SIZE, GAMES_PER_BLOCK, GAMES_PER_GROUP, GAMES_PER_WORD, HEADER_SIZE,
    IndexLayout, IndexPiece, RECORD_SIZE, WORD_SIZE, WORDS_PER_COLUMN, read,
};
use super::stamps::{FileStamp, PASS_BYTES, bytes_at, release_pages};

/// The verification state of a piece.
const UNCHECKED: u8 = 0;
const GOOD: u8 = 1;
const BAD: u8 = 2;

/// Memory for a column of a full block.
pub(crate) type ColumnBuffer = [u8; COLUMN_SIZE];

/// Memory for the records of a group of games ([`Index::signature_copied`]).
#[derive(Default)]
pub(crate) struct RecordBuffer {
    /// The number of the piece in `records`, which is empty if the piece is damaged.
    piece: Option<usize>,
    records: Vec<u8>,
}

/// A parsed index. Header, game offsets and the checksum table are verified; columns and records
/// are verified on first use, so that a search reads nothing else.
pub(crate) struct Index {
    bytes: SharedBytes,
    /// The file of the bytes, if they are mapped: the system maps 16 pages around each page that is
    /// used, so a search copies columns and records, which are far from each other, instead.
    file: Option<File>,
    layout: IndexLayout,
    offsets: Option<GameOffsets>,
    /// One state per piece. The bytes do not change, so all threads get the same result and need no
    /// lock.
    states: Box<[AtomicU8]>,
    is_damaged: AtomicBool,
}

impl Index {
    /// Returns the length of the index with this start, or the reason why it is invalid.
    pub(crate) fn length(start: &[u8]) -> Result<u64, &'static str> {
        IndexLayout::read(start).map(|layout| layout.length())
    }

    /// Parses an index; returns the reason if it is invalid. `file` has the same bytes, if they are
    /// mapped and the system can read a file at an offset.
    pub(crate) fn parse(bytes: SharedBytes, file: Option<File>) -> Result<Index, &'static str> {
        let all = (*bytes).as_ref();
        let layout = IndexLayout::read(all)?;
        if layout.length() != all.len() as u64 {
            return Err("it is damaged: its length is wrong");
        }
        let body = all.len() - CHECKSUM_SIZE;
        let mut sum = crc32fast::Hasher::new();
        for range in [0..HEADER_SIZE, layout.places().start..body] {
            sum.update(all.get(range).unwrap_or_default());
        }
        if sum.finalize() != u32::from_le_bytes(bytes_at(all, body)) {
            return Err("it is damaged: its checksum is wrong");
        }
        let offsets = GameOffsets::new(SharedBytes::clone(&bytes), layout.places());
        let states = (0..layout.pieces()).map(|_| AtomicU8::new(UNCHECKED));
        Ok(Index {
            bytes,
            file,
            layout,
            offsets,
            states: states.collect(),
            is_damaged: AtomicBool::new(false),
        })
    }

    #[inline]
    fn bytes(&self) -> &[u8] {
        (*self.bytes).as_ref()
    }

    /// Returns the number of games that the index covers: all games of the database, unless it grew.
    pub(crate) fn games(&self) -> u32 {
        self.layout.games
    }

    pub(crate) fn layout(&self) -> &IndexLayout {
        &self.layout
    }

    /// Returns the offsets of the games in the main file of the database, if known.
    pub(crate) fn game_offsets(&self) -> Option<&GameOffsets> {
        self.offsets.as_ref()
    }

    /// Returns the stamps of the database files at the time of writing.
    pub(crate) fn stamps(&self) -> impl Iterator<Item = FileStamp> + '_ {
        self.layout.stamps(self.bytes())
    }

    /// Returns whether any data used so far is damaged.
    pub(crate) fn is_damaged(&self) -> bool {
        self.is_damaged.load(Ordering::Relaxed)
    }

    /// Verifies all pieces.
    pub(crate) fn is_intact(&self) -> bool {
        let mut passed = 0;
        let mut pieces = self.layout.all_pieces();
        pieces.all(|piece| {
            passed += piece.range().len();
            if passed >= PASS_BYTES {
                passed = 0;
                release_pages();
            }
            self.verified(self.bytes(), piece).is_some()
        })
    }

    /// Returns the bytes and the checksums of the first blocks, all full, of an intact index.
    pub(super) fn full_blocks(&self, blocks: usize) -> Option<(&[u8], &[u8])> {
        let (bytes, pieces) = self.layout.full_blocks(blocks);
        let sums = self.bytes().get(self.layout.sums())?;
        let sums = sums.get(..pieces * CHECKSUM_SIZE)?;
        Some((self.bytes().get(bytes)?, sums))
    }

    /// Returns a column of a block, and `None` if it is damaged.
    pub(super) fn column(&self, block: usize, column: usize) -> Option<&[u8]> {
        self.verified(self.bytes(), self.layout.column(block, column))
    }

    /// Returns the record of a game, counted from 0, and `None` if it is damaged.
    #[inline]
    pub(super) fn record(&self, game: usize) -> Option<&[u8; RECORD_SIZE]> {
        let records = self.verified(self.bytes(), self.layout.records_with(game))?;
        record_in(records, game)
    }

    /// Returns the signature of a game, counted from 0; `None` if it is unknown or its record is
    /// damaged.
    #[inline]
    pub(crate) fn signature(&self, game: u32) -> Option<Signature> {
        if game >= self.games() {
            return None;
        }
        self.record(game as usize).and_then(read)
    }

    /// Returns what [`Index::signature`] does, with the records of the games around it copied into
    /// `buffer`, unless they are there.
    #[inline]
    pub(crate) fn signature_copied(
        &self,
        game: u32,
        buffer: &mut RecordBuffer,
    ) -> Option<Signature> {
        if self.file.is_none() || game >= self.games() {
            return self.signature(game);
        }
        let piece = self.layout.records_with(game as usize);
        if buffer.piece != Some(piece.number) {
            buffer.piece = Some(piece.number);
            buffer.records.resize(piece.range().len(), 0);
            if self.copied(piece, &mut buffer.records).is_none() {
                buffer.records.clear();
            }
        }
        record_in(&buffer.records, game as usize).and_then(read)
    }

    /// Returns in which of the 64 games from `first`, counted from 0, `feature` may occur, one bit
    /// per game. Bits of games that the index does not cover are set.
    #[inline]
    pub(crate) fn may_have(&self, first: u32, feature: Feature) -> u64 {
        let (at, offset) = (
            first as usize / GAMES_PER_WORD,
            first as usize % GAMES_PER_WORD,
        );
        let bytes = self.bytes();
        let games = |bit: usize| match offset {
            0 => self.word(bytes, at, bit),
            _ => {
                let next = self.word(bytes, at + 1, bit) << (GAMES_PER_WORD - offset);
                self.word(bytes, at, bit) >> offset | next
            }
        };
        let bits = feature.bits().into_iter();
        let covered = self.games().saturating_sub(first);
        let beyond = u64::MAX.checked_shl(covered).unwrap_or(0);
        bits.fold(u64::MAX, |all, bit| all & games(bit)) | beyond
    }

    /// Clears the bits of the games of a block in which `feature` cannot occur. Bit `k` of word `j`
    /// is game `64 j + k` of the block. Bits of games that the index does not cover stay. Columns may
    /// be copied into `buffer`.
    pub(crate) fn clear_without(
        &self,
        block: usize,
        feature: Feature,
        games: &mut [u64],
        buffer: &mut ColumnBuffer,
    ) {
        let covered = (self.games() as usize).saturating_sub(block * GAMES_PER_BLOCK);
        let beyond = u64::MAX << (covered % GAMES_PER_WORD);
        let last = (covered < GAMES_PER_BLOCK).then_some(covered / GAMES_PER_WORD);
        let kept = last
            .and_then(|last| games.get(last))
            .map(|last| last & beyond);
        let mut done = None;
        for bit in feature.bits() {
            if done.replace(bit) == Some(bit) {
                continue;
            }
            let column = self.copied(self.layout.column(block, bit), buffer);
            let (words, _) = column.unwrap_or_default().as_chunks::<WORD_SIZE>();
            for (games, word) in games.iter_mut().zip(words) {
                *games &= u64::from_le_bytes(*word);
            }
        }
        if let Some((last, kept)) = last.and_then(|last| games.get_mut(last)).zip(kept) {
            *last |= kept;
        }
    }

    /// Returns a column for 64 games; all bits are set if it is damaged, as any game may match.
    #[inline]
    fn word(&self, bytes: &[u8], at: usize, bit: usize) -> u64 {
        let column = self.layout.column(at / WORDS_PER_COLUMN, bit);
        let column = self.verified(bytes, column);
        let word = column.and_then(|column| {
            column
                .get(at % WORDS_PER_COLUMN * WORD_SIZE..)?
                .first_chunk()
        });
        word.map_or(u64::MAX, |word| u64::from_le_bytes(*word))
    }

    /// Returns the bytes of a piece; `None` if they are damaged or beyond the last game.
    #[inline]
    fn verified<'b>(&self, bytes: &'b [u8], piece: IndexPiece) -> Option<&'b [u8]> {
        let state = self.states.get(piece.number)?;
        let bytes = bytes.get(piece.range())?;
        let is_good = match state.load(Ordering::Relaxed) {
            UNCHECKED => self.check(piece, bytes, state),
            known => known == GOOD,
        };
        is_good.then_some(bytes)
    }

    /// Returns the bytes of a piece, copied into `buffer` if there is a file; `None` if they are
    /// damaged or beyond the last game.
    fn copied<'b>(&'b self, piece: IndexPiece, buffer: &'b mut [u8]) -> Option<&'b [u8]> {
        let Some(file) = &self.file else {
            return self.verified(self.bytes(), piece);
        };
        let state = self.states.get(piece.number)?;
        let range = piece.range();
        let bytes = buffer.get_mut(..range.len())?;
        let is_good = match state.load(Ordering::Relaxed) {
            BAD => false,
            _ if read_at(file, bytes, range.start as u64).is_err() => {
                self.is_damaged.store(true, Ordering::Relaxed);
                false
            }
            UNCHECKED => self.check(piece, bytes, state),
            _ => true,
        };
        is_good.then_some(&*bytes)
    }

    #[cold]
    fn check(&self, piece: IndexPiece, bytes: &[u8], state: &AtomicU8) -> bool {
        let sums = self.bytes().get(self.layout.sums()).unwrap_or_default();
        let (sums, _) = sums.as_chunks::<CHECKSUM_SIZE>();
        let sum = sums.get(piece.number).copied().map(u32::from_le_bytes);
        let is_good = sum == Some(crc32fast::hash(bytes));
        if !is_good {
            self.is_damaged.store(true, Ordering::Relaxed);
        }
        state.store(if is_good { GOOD } else { BAD }, Ordering::Relaxed);
        is_good
    }
}

/// Returns the record of a game, counted from 0, in the records of its group.
#[inline]
fn record_in(records: &[u8], game: usize) -> Option<&[u8; RECORD_SIZE]> {
    let record = records.get(game % GAMES_PER_GROUP * RECORD_SIZE..)?;
    record.first_chunk()
}

/// Reads bytes at an offset of a file. Only on Unix may several threads read at once.
pub(crate) fn read_at(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<()> {
    #[cfg(unix)]
    return std::os::unix::fs::FileExt::read_exact_at(file, bytes, offset);
    #[cfg(not(unix))]
    {
        use std::io::{Read, Seek, SeekFrom};
        let mut file = file;
        file.seek(SeekFrom::Start(offset))?;
        file.read_exact(bytes)
    }
}

impl fmt::Debug for Index {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Index({} games)", self.games())
    }
}
