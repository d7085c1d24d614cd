//! The games of a store that may match, determined before they are read.

use chessdb_core::GameStore;

use super::block::{Candidate, GameBlock, JudgeBuffer};
use super::{GameFilter, ScanRequest};
use crate::selection::Indexes;

/// An iterator over the games of a store that may match.
pub(crate) struct CandidateScan {
    indexes: Indexes,
    /// Blocks that come before the next of `indexes`.
    ahead: std::vec::IntoIter<GameBlock>,
    look: BlockReader,
}

impl CandidateScan {
    pub(crate) fn new(choice: &GameFilter, store: &dyn GameStore) -> CandidateScan {
        CandidateScan {
            indexes: Indexes::new(choice.selection.clone(), store.len()),
            ahead: Vec::new().into_iter(),
            look: BlockReader::default(),
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
            look,
        } = self;
        look.next_of(|| next_run(indexes, ahead), store, request)
    }

    /// Returns the next block, not yet judged.
    #[cfg(feature = "threads")]
    pub(crate) fn next_run(&mut self) -> Option<GameBlock> {
        next_run(&mut self.indexes, &mut self.ahead)
    }

    /// Returns the number of games left, provided that all match.
    pub(crate) fn left(&self) -> usize {
        let ahead = self.ahead.as_slice().iter().map(GameBlock::left);
        self.indexes.left() + ahead.sum::<usize>() + self.look.left()
    }

    /// Returns whether blocks of [`CandidateScan::put_ahead`] are left.
    #[cfg(feature = "threads")]
    pub(crate) fn is_ahead(&self) -> bool {
        self.ahead.len() > 0
    }

    /// Sets the blocks to return next.
    #[cfg(feature = "threads")]
    pub(crate) fn put_ahead(&mut self, runs: Vec<GameBlock>) {
        self.ahead = runs.into_iter();
    }
}

fn next_run(indexes: &mut Indexes, ahead: &mut std::vec::IntoIter<GameBlock>) -> Option<GameBlock> {
    ahead.next().or_else(|| {
        indexes
            .next_run(GameBlock::MOST)
            .as_ref()
            .map(GameBlock::new)
    })
}

/// A reader of the games of one block after another.
#[derive(Default)]
pub(crate) struct BlockReader {
    run: GameBlock,
    buffer: JudgeBuffer,
}

impl Iterator for BlockReader {
    type Item = Candidate;

    #[inline]
    fn next(&mut self) -> Option<Candidate> {
        self.run.next()
    }
}

impl BlockReader {
    /// Returns the number of games left in the current block.
    pub(crate) fn left(&self) -> usize {
        self.run.left()
    }

    /// Returns the next candidate of the current block or of the blocks of `next_run`.
    #[inline]
    pub(crate) fn next_of(
        &mut self,
        mut next_run: impl FnMut() -> Option<GameBlock>,
        store: &dyn GameStore,
        request: &ScanRequest,
    ) -> Option<Candidate> {
        loop {
            if let Some(candidate) = self.run.next() {
                return Some(candidate);
            }
            self.at(next_run()?, store, request);
        }
    }

    /// Moves to a block and judges its games.
    #[inline]
    pub(crate) fn at(&mut self, run: GameBlock, store: &dyn GameStore, request: &ScanRequest) {
        self.run = run;
        self.run.judge(store, request, &mut self.buffer);
    }
}
