//! The games of a store that may match, determined before they are read.

use chessdb_core::GameStore;
use chessdb_core::search::HeaderColumns;

use super::block::{Candidate, GameBlock};
use super::{GameFilter, ScanRequest};
use crate::selection::SelectedIndexes;

/// An iterator over the games of a store that may match.
pub(crate) struct CandidateScan {
    indexes: SelectedIndexes,
    /// Blocks that come before the next of `indexes`.
    ahead: std::vec::IntoIter<GameBlock>,
    block_reader: BlockReader,
}

impl CandidateScan {
    pub(crate) fn new(filter: &GameFilter, store: &dyn GameStore) -> CandidateScan {
        CandidateScan {
            indexes: SelectedIndexes::new(filter.selection.clone(), store.len()),
            ahead: Vec::new().into_iter(),
            block_reader: BlockReader::default(),
        }
    }

    /// Returns the next candidate.
    #[inline]
    pub(crate) fn next(
        &mut self,
        store: &dyn GameStore,
        request: &ScanRequest,
    ) -> Option<Candidate> {
        let CandidateScan {
            indexes,
            ahead,
            block_reader,
        } = self;
        block_reader.next_of(|| next_block(indexes, ahead), store, request)
    }

    /// Returns the next block, not yet judged.
    #[cfg(feature = "threads")]
    pub(crate) fn next_block(&mut self) -> Option<GameBlock> {
        next_block(&mut self.indexes, &mut self.ahead)
    }

    /// Returns the number of games left, provided that all match.
    pub(crate) fn left(&self) -> usize {
        let ahead = self.ahead.as_slice().iter().map(GameBlock::left);
        self.indexes.left() + ahead.sum::<usize>() + self.block_reader.left()
    }

    /// Returns whether blocks of [`CandidateScan::put_ahead`] are left.
    #[cfg(feature = "threads")]
    pub(crate) fn is_ahead(&self) -> bool {
        self.ahead.len() > 0
    }

    /// Sets the blocks to return next.
    #[cfg(feature = "threads")]
    pub(crate) fn put_ahead(&mut self, blocks: Vec<GameBlock>) {
        self.ahead = blocks.into_iter();
    }
}

fn next_block(
    indexes: &mut SelectedIndexes,
    ahead: &mut std::vec::IntoIter<GameBlock>,
) -> Option<GameBlock> {
    ahead.next().or_else(|| {
        indexes
            .next_block(GameBlock::MAX_GAMES)
            .as_ref()
            .map(GameBlock::new)
    })
}

/// A reader of the games of one block after another.
#[derive(Default)]
pub(crate) struct BlockReader {
    block: GameBlock,
    header_columns: Box<HeaderColumns>,
}

impl Iterator for BlockReader {
    type Item = Candidate;

    #[inline]
    fn next(&mut self) -> Option<Candidate> {
        self.block.next()
    }
}

impl BlockReader {
    /// Returns the number of games left in the current block.
    pub(crate) fn left(&self) -> usize {
        self.block.left()
    }

    /// Returns the next candidate of the current block or of the blocks of `next_block`.
    #[inline]
    pub(crate) fn next_of(
        &mut self,
        mut next_block: impl FnMut() -> Option<GameBlock>,
        store: &dyn GameStore,
        request: &ScanRequest,
    ) -> Option<Candidate> {
        loop {
            if let Some(candidate) = self.block.next() {
                return Some(candidate);
            }
            self.at(next_block()?, store, request);
        }
    }

    /// Moves to a block and judges its games.
    #[inline]
    pub(crate) fn at(&mut self, block: GameBlock, store: &dyn GameStore, request: &ScanRequest) {
        self.block = block;
        self.block.judge(store, request, &mut self.header_columns);
    }
}
