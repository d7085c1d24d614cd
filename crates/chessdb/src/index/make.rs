//! Writing an index, a block at a time.

use std::io::{self, Write};

use chessdb_core::{Features, Signature};

use super::layout::{BLOCK, COLUMNS, GROUP, Layout, RECORD, Stamp, TOGETHER, WORD, WORDS, record};

/// Writes an index, game after game. A block of it is kept, 2.6 MB, and four bytes for each piece of those before.
pub(crate) struct IndexBuilder<W> {
    out: W,
    /// How many games there will be, and how many there are.
    games: u32,
    done: u32,
    /// The block that is not full yet. Games come together by 64 before they go to the columns, which are pages
    /// apart; what stands in these behind the games of the block is left from the one before.
    records: Vec<u8>,
    together: Box<[u64; COLUMNS]>,
    columns: Vec<u64>,
    /// A column as it is written.
    column: Vec<u8>,
    /// The checksums of pieces, and that of all that is no piece.
    sums: Vec<u8>,
    sum: crc32fast::Hasher,
}

impl<W: Write> IndexBuilder<W> {
    /// Of a base of these files, with so many games, and so many places of games: one more, or none.
    pub(crate) fn new(
        out: W,
        stamps: &[Stamp],
        games: u32,
        places: u64,
    ) -> io::Result<IndexBuilder<W>> {
        let mut maker = IndexBuilder {
            out,
            games,
            done: 0,
            records: Vec::with_capacity(BLOCK.min(games as usize) * RECORD),
            together: Box::new([0; COLUMNS]),
            columns: vec![0; COLUMNS * WORDS],
            column: Vec::new(),
            sums: Vec::new(),
            sum: crc32fast::Hasher::new(),
        };
        let layout = Layout {
            games,
            files: stamps.len() as u32,
            places,
        };
        maker.write(&layout.write(stamps))?;
        Ok(maker)
    }

    /// The next game; none of which nothing certain is known.
    pub(crate) fn add(&mut self, known: Option<&(Signature, Features)>) -> io::Result<()> {
        let game = self.records.len() / RECORD;
        let (record, features) = match known {
            Some((signature, features)) => (record(signature), *features),
            None => ([0; RECORD], Features::UNKNOWN),
        };
        self.records.extend(record);
        for (words, columns) in features.0.into_iter().zip(self.together.chunks_mut(64)) {
            let mut left = words;
            while let Some(column) = columns.get_mut(left.trailing_zeros() as usize) {
                *column |= 1 << (game % TOGETHER);
                left &= left - 1;
            }
        }
        self.done = self.done.saturating_add(1);
        if (game + 1).is_multiple_of(TOGETHER) {
            self.end_word(game / TOGETHER);
        }
        match game + 1 == BLOCK {
            true => self.end_block(),
            false => Ok(()),
        }
    }

    /// Where each game begins and the last one ends, if that was announced; and the end. What `out` holds back is
    /// not written yet.
    pub(crate) fn finish(mut self, places: &[u64]) -> io::Result<W> {
        if self.done != self.games {
            return Err(io::Error::other("the base changed while it was read"));
        }
        let games = self.records.len() / RECORD;
        if !games.is_multiple_of(TOGETHER) {
            self.end_word(games / TOGETHER);
        }
        self.end_block()?;
        for place in places {
            self.write(&place.to_le_bytes())?;
        }
        let sums = std::mem::take(&mut self.sums);
        self.write(&sums)?;
        let sum = self.sum.clone().finalize();
        self.write(&sum.to_le_bytes())?;
        Ok(self.out)
    }

    /// Up to 64 games go to this word of each column.
    fn end_word(&mut self, at: usize) {
        let columns = self.columns.chunks_mut(WORDS);
        for (column, word) in columns.zip(self.together.iter_mut()) {
            if let Some(slot) = column.get_mut(at) {
                *slot = std::mem::take(word);
            }
        }
    }

    /// Writes the block as far as it has games, and zeros for those that a word has room for behind the last.
    fn end_block(&mut self) -> io::Result<()> {
        let words = self.records.len().div_ceil(TOGETHER * RECORD);
        if words == 0 {
            return Ok(());
        }
        self.records.resize(words * TOGETHER * RECORD, 0);
        self.column.resize(words * WORD, 0);
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
        for words in columns.chunks(WORDS) {
            let (slots, _) = column.as_chunks_mut::<WORD>();
            for (slot, word) in slots.iter_mut().zip(words) {
                *slot = word.to_le_bytes();
            }
            write(column)?;
        }
        for group in records.chunks(GROUP * RECORD) {
            write(group)?;
        }
        records.clear();
        Ok(())
    }

    /// Writes what is no piece.
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.sum.update(bytes);
        self.out.write_all(bytes)
    }
}
