//! Writing of an index, one block at a time.

use super::stamps::FileStamp;
use std::io::{self, Write};

use chessdb_core::search::{Features, Signature};

use super::layout::{
    COLUMNS, GAMES_PER_BLOCK, GAMES_PER_GROUP, GAMES_PER_WORD, IndexLayout, PIECE_SIZE,
    RECORD_SIZE, WORD_SIZE, WORDS_PER_COLUMN, record,
};

/// Length of a full block.
const FULL_BLOCK_SIZE: usize = (COLUMNS + GAMES_PER_BLOCK / GAMES_PER_GROUP) * PIECE_SIZE;

/// A writer of an index. It holds one block in memory, 2.6 MB, and the checksum of each earlier
/// piece, 4 bytes.
pub(crate) struct IndexBuilder<W> {
    out: W,
    /// Number of games announced, and number added.
    games: u32,
    done: u32,
    /// The current block. The columns are pages apart in memory, so 64 games are collected before
    /// they are added to them. Words after the games of the block are left over from the previous
    /// block.
    records: Vec<u8>,
    current_words: Box<[u64; COLUMNS]>,
    columns: Vec<u64>,
    /// Buffer for a column as it is written.
    column: Vec<u8>,
    /// Checksums of the pieces, and the checksum of all bytes that belong to no piece.
    sums: Vec<u8>,
    sum: crc32fast::Hasher,
}

impl<W: Write> IndexBuilder<W> {
    /// Starts an index of a database with these files.
    pub(crate) fn new(
        out: W,
        stamps: &[FileStamp],
        layout: IndexLayout,
    ) -> io::Result<IndexBuilder<W>> {
        let mut builder = IndexBuilder {
            out,
            games: layout.games,
            done: 0,
            records: Vec::with_capacity(GAMES_PER_BLOCK.min(layout.games as usize) * RECORD_SIZE),
            current_words: Box::new([0; COLUMNS]),
            columns: vec![0; COLUMNS * WORDS_PER_COLUMN],
            column: Vec::new(),
            sums: Vec::new(),
            sum: crc32fast::Hasher::new(),
        };
        builder.write(&layout.write(stamps))?;
        Ok(builder)
    }

    /// Adds the games of full blocks of another index, before any other game
    /// ([`super::Index::intact_blocks`]).
    pub(crate) fn keep(&mut self, (blocks, sums): (&[u8], &[u8])) -> io::Result<()> {
        let games = blocks.len() / FULL_BLOCK_SIZE * GAMES_PER_BLOCK;
        self.done = self.done.saturating_add(games as u32);
        self.sums.extend_from_slice(sums);
        self.out.write_all(blocks)
    }

    /// Adds the next game; `None` if nothing certain is known about it.
    pub(crate) fn add(&mut self, known: Option<&(Signature, Features)>) -> io::Result<()> {
        let game = self.records.len() / RECORD_SIZE;
        let (record, features) = match known {
            Some((signature, features)) => (record(signature), *features),
            None => ([0; RECORD_SIZE], Features::UNKNOWN),
        };
        self.records.extend(record);
        for (words, columns) in features
            .0
            .into_iter()
            .zip(self.current_words.chunks_mut(64))
        {
            let mut left = words;
            while let Some(column) = columns.get_mut(left.trailing_zeros() as usize) {
                *column |= 1 << (game % GAMES_PER_WORD);
                left &= left - 1;
            }
        }
        self.done = self.done.saturating_add(1);
        if (game + 1).is_multiple_of(GAMES_PER_WORD) {
            self.end_word(game / GAMES_PER_WORD);
        }
        match game + 1 == GAMES_PER_BLOCK {
            true => self.end_block(),
            false => Ok(()),
        }
    }

    /// Writes the offsets of the games and of the end of the last one, if announced, and completes
    /// the index. `out` is not flushed.
    pub(crate) fn finish(mut self, offsets: impl Iterator<Item = u64>) -> io::Result<W> {
        if self.done != self.games {
            return Err(io::Error::other(
                "the database changed while it was being read",
            ));
        }
        let games = self.records.len() / RECORD_SIZE;
        if !games.is_multiple_of(GAMES_PER_WORD) {
            self.end_word(games / GAMES_PER_WORD);
        }
        self.end_block()?;
        for offset in offsets {
            self.write(&offset.to_le_bytes())?;
        }
        let sums = std::mem::take(&mut self.sums);
        self.write(&sums)?;
        let sum = self.sum.clone().finalize();
        self.write(&sum.to_le_bytes())?;
        Ok(self.out)
    }

    /// Stores the collected games, up to 64, as a word of each column.
    fn end_word(&mut self, at: usize) {
        let columns = self.columns.chunks_mut(WORDS_PER_COLUMN);
        for (column, word) in columns.zip(self.current_words.iter_mut()) {
            if let Some(slot) = column.get_mut(at) {
                *slot = std::mem::take(word);
            }
        }
    }

    /// Writes the current block, with zeros for the games missing in the last word.
    fn end_block(&mut self) -> io::Result<()> {
        let words = self.records.len().div_ceil(GAMES_PER_WORD * RECORD_SIZE);
        if words == 0 {
            return Ok(());
        }
        self.records.resize(words * GAMES_PER_WORD * RECORD_SIZE, 0);
        self.column.resize(words * WORD_SIZE, 0);
        let IndexBuilder {
            out,
            records,
            columns,
            column,
            sums,
            ..
        } = self;
        let mut write = |piece: &[u8]| {
            sums.extend(crc32fast::hash(piece).to_le_bytes());
            out.write_all(piece)
        };
        for words in columns.chunks(WORDS_PER_COLUMN) {
            let (slots, _) = column.as_chunks_mut::<WORD_SIZE>();
            for (slot, word) in slots.iter_mut().zip(words) {
                *slot = word.to_le_bytes();
            }
            write(column)?;
        }
        for group in records.chunks(GAMES_PER_GROUP * RECORD_SIZE) {
            write(group)?;
        }
        records.clear();
        Ok(())
    }

    /// Writes bytes that belong to no piece.
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.sum.update(bytes);
        self.out.write_all(bytes)
    }
}
