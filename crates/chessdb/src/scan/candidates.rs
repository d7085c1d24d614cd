//! The games of a store that may be wanted, by what is known of them before they are read.

use chessdb_core::GameStore;

use super::block::{Candidate, GameBlock, JudgeBuffer};
use super::{GameFilter, ScanRequest};
use crate::selection::Indexes;

/// Goes through the games of a store, leaving out those that cannot be wanted.
pub(crate) struct CandidateScan {
    indexes: Indexes,
    /// Those that come before the next of `indexes`.
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

    /// The next one.
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

    /// The next games, as many as one look takes at most.
    #[cfg(feature = "threads")]
    pub(crate) fn next_run(&mut self) -> Option<GameBlock> {
        next_run(&mut self.indexes, &mut self.ahead)
    }

    /// How many are still to come, if all are wanted.
    pub(crate) fn left(&self) -> usize {
        let ahead = self.ahead.as_slice().iter().map(GameBlock::left);
        self.indexes.left() + ahead.sum::<usize>() + self.look.left()
    }

    /// Whether there are still some of [`CandidateScan::put_ahead`] to come.
    #[cfg(feature = "threads")]
    pub(crate) fn is_ahead(&self) -> bool {
        self.ahead.len() > 0
    }

    /// These come next.
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

/// Hands out the games of one run after another.
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
    /// How many of its run are still to be handed out.
    pub(crate) fn left(&self) -> usize {
        self.run.left()
    }

    /// The next one of those that are left, or of the runs that come then.
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

    /// Goes to a run, and finds out which of its games may be wanted.
    #[inline]
    pub(crate) fn at(&mut self, run: GameBlock, store: &dyn GameStore, request: &ScanRequest) {
        self.run = run;
        self.run.judge(store, request, &mut self.buffer);
    }
}
