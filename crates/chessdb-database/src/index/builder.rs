//! Writing of an index, one block at a time.

use std::io::{self, Seek, Write};

use chessdb_core::search::{Features, Signature};

use super::FileStamp;
use super::layout::{
    COLUMNS, GAMES_PER_BLOCK, GAMES_PER_GROUP, GAMES_PER_WORD, IndexLayout, KIND, RECORD_SIZE,
    WORD_SIZE, WORDS_PER_COLUMN, record,
};
use super::read::Index;
use super::sectioned::{Header, SectionWriter};

/// A writer of an index. It holds one block in memory, 10.5 MB, and the checksum of each earlier
/// piece, 4 bytes.
pub(crate) struct IndexBuilder<W> {
    out: SectionWriter<W>,
    header: Header,
    /// Number of games added.
    done: u32,
    /// The current block. The columns are pages apart in memory, so the features of 64 games are
    /// collected before they are added to them. Words after the games of the block are left over
    /// from the previous block.
    records: Vec<u8>,
    current: Vec<Features>,
    columns: Vec<u64>,
    /// Buffer for a column as it is written.
    column: Vec<u8>,
}

impl<W: Write + Seek> IndexBuilder<W> {
    /// Starts an index of a database with these files.
    pub(crate) fn new(
        out: W,
        stamps: Vec<FileStamp>,
        layout: IndexLayout,
    ) -> io::Result<IndexBuilder<W>> {
        Ok(IndexBuilder {
            out: SectionWriter::new(out)?,
            header: layout.header(stamps),
            done: 0,
            records: Vec::with_capacity(GAMES_PER_BLOCK.min(layout.games as usize) * RECORD_SIZE),
            current: Vec::with_capacity(GAMES_PER_WORD),
            columns: vec![0; COLUMNS * WORDS_PER_COLUMN],
            column: Vec::new(),
        })
    }

    /// Adds the first games of another index, before any other game; their number is a multiple of
    /// 64. The index must be intact ([`Index::is_intact`]). Returns the bytes of its full blocks,
    /// which the caller writes after the header, because they may be most of the file.
    pub(crate) fn keep<'o>(&mut self, old: &'o Index, games: u32) -> io::Result<&'o [u8]> {
        let damaged = || io::Error::other("the old index is damaged; delete it");
        let (block, rest) = (
            games as usize / GAMES_PER_BLOCK,
            games as usize % GAMES_PER_BLOCK,
        );
        let (blocks, sums) = old.full_blocks(block).ok_or_else(damaged)?;
        // Their checksums are the old ones, so the bytes need not be read here.
        self.out.pass(blocks.len(), sums)?;
        if rest > 0 {
            let columns = self.columns.chunks_mut(WORDS_PER_COLUMN);
            for (number, words) in columns.enumerate() {
                let old = old.column(block, number).ok_or_else(damaged)?;
                let (old, _) = old.as_chunks::<WORD_SIZE>();
                for (word, old) in words.iter_mut().zip(old).take(rest / GAMES_PER_WORD) {
                    *word = u64::from_le_bytes(*old);
                }
            }
            // The block of the last games grows, so its pieces get new lengths and checksums.
            for game in games as usize - rest..games as usize {
                self.records.extend(old.record(game).ok_or_else(damaged)?);
            }
        }
        self.done = games;
        Ok(blocks)
    }

    /// Adds the next game; `None` if nothing certain is known about it.
    pub(crate) fn add(&mut self, facts: Option<&(Signature, Features)>) -> io::Result<()> {
        let game = self.records.len() / RECORD_SIZE;
        let (record, features) = match facts {
            Some((signature, features)) => (record(signature), *features),
            None => ([0; RECORD_SIZE], Features::UNKNOWN),
        };
        self.records.extend(record);
        self.current.push(features);
        self.done = self.done.saturating_add(1);
        if (game + 1).is_multiple_of(GAMES_PER_WORD) {
            self.end_word(game / GAMES_PER_WORD);
        }
        if game + 1 == GAMES_PER_BLOCK { self.end_block() } else { Ok(()) }
    }

    /// Writes the offsets of the games and of the end of the last one, and the evidence of the charset,
    /// as far as they were announced, and completes the index. `out` is not flushed.
    pub(crate) fn finish(
        mut self,
        offsets: impl Iterator<Item = u64>,
        evidence: &[u8],
    ) -> io::Result<W> {
        // The header and the offsets of all pieces follow from the number of games at the start.
        if self.done != self.header.games {
            return Err(io::Error::other(
                "the database changed while it was being read",
            ));
        }
        let games = self.records.len() / RECORD_SIZE;
        if !games.is_multiple_of(GAMES_PER_WORD) {
            self.end_word(games / GAMES_PER_WORD);
        }
        self.end_block()?;
        self.out.begin_tables(&KIND, self.header)?;
        for offset in offsets {
            self.out.table(&offset.to_le_bytes())?;
        }
        self.out.table(evidence)?;
        self.out.finish()
    }

    /// Stores the collected games, up to 64, as a word of each column.
    fn end_word(&mut self, number: usize) {
        let columns = self.columns.chunks_mut(64 * WORDS_PER_COLUMN);
        for (n, columns) in columns.enumerate() {
            let mut words = [0; GAMES_PER_WORD];
            for (word, Features(features)) in words.iter_mut().zip(&self.current) {
                *word = features.get(n).copied().unwrap_or_default();
            }
            transpose(&mut words);
            for (column, word) in columns.chunks_mut(WORDS_PER_COLUMN).zip(words) {
                if let Some(slot) = column.get_mut(number) {
                    *slot = word;
                }
            }
        }
        self.current.clear();
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
            ..
        } = self;
        for words in columns.chunks(WORDS_PER_COLUMN) {
            let (slots, _) = column.as_chunks_mut::<WORD_SIZE>();
            for (slot, word) in slots.iter_mut().zip(words) {
                *slot = word.to_le_bytes();
            }
            out.piece(column)?;
        }
        for group in records.chunks(GAMES_PER_GROUP * RECORD_SIZE) {
            out.piece(group)?;
        }
        records.clear();
        Ok(())
    }
}

/// Exchanges rows and columns: afterwards, bit `k` of row `j` is what bit `j` of row `k` was.
fn transpose(rows: &mut [u64; 64]) {
    let mut size = 32;
    // The lower half of each group of twice `size` bits.
    let mut lower = u64::MAX >> size;
    while size > 0 {
        // The upper right and the lower left quarters of each square are exchanged.
        for square in rows.chunks_exact_mut(2 * size) {
            let (upper, bottom) = square.split_at_mut(size);
            for (upper, bottom) in upper.iter_mut().zip(bottom) {
                let changed = (*upper >> size ^ *bottom) & lower;
                *upper ^= changed << size;
                *bottom ^= changed;
            }
        }
        size /= 2;
        lower ^= lower << size;
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_transposed_matrix_has_each_bit_at_its_place() {
        let mut rows = [0; 64];
        for (n, row) in (0_u64..).zip(&mut rows) {
            *row = (n * n + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        }
        let before = rows;
        super::transpose(&mut rows);
        for (j, row) in rows.into_iter().enumerate() {
            for (k, column) in before.into_iter().enumerate() {
                assert_eq!(row >> k & 1, column >> j & 1, "{j} {k}");
            }
        }
    }
}
