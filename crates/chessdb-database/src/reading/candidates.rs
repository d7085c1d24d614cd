//! The games of a store that may match, determined in blocks of 64 before they are read.

use std::ops::Range;

use chessdb_core::search::{HeaderColumnSet, HeaderColumns, SearchIndex};
use chessdb_core::{BaseInfo, GameStore};
use chessdb_query::search::RequiredFeatures;

use super::ScanRequest;
use super::feature_masks::FeatureMasks;
use crate::index::RecordBuffer;
use crate::selection::{SelectedIndexes, Selection};

/// Maximum number of selected games that are read without testing their features: a test concerns all
/// games of a block of the index.
pub(super) const MAX_SMALL: usize = 256;

/// A game that may match.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Candidate {
    pub(crate) index: u32,
    /// Whether the game is known to match the query. In a scan for numbers, also whether its header
    /// is known to have no problems.
    pub(crate) fits: bool,
}

/// Up to 64 consecutive games, one bit for each. The iterator clears the bits of games it returns.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct GameBlock {
    first: u32,
    /// The games that may match, and the subset for which [`Candidate::fits`] is true.
    may: u64,
    fit: u64,
    is_judged: bool,
    /// Whether the features of the games are not tested in the index.
    is_tested: bool,
}

impl GameBlock {
    /// Maximum number of games in a block.
    pub(crate) const MAX_GAMES: u32 = u64::BITS;

    /// Creates a block of games that were not yet judged, at most [`GameBlock::MAX_GAMES`].
    fn new(games: &Range<u32>, is_tested: bool) -> GameBlock {
        GameBlock {
            first: games.start,
            may: u64::MAX >> (64 - games.len().clamp(1, 64)),
            fit: 0,
            is_judged: false,
            is_tested,
        }
    }

    /// Returns the maximum number of games still to return.
    pub(crate) fn left(&self) -> usize {
        self.may.count_ones() as usize
    }

    /// Returns whether the game after the block has a number, from 0, that is a multiple of `games`.
    pub(crate) fn ends_at_multiple_of(&self, games: u32) -> bool {
        self.first
            .saturating_add(GameBlock::MAX_GAMES)
            .is_multiple_of(games)
    }

    /// Determines which games may match, unless this was already done. `buffers` are reused for all
    /// blocks of the request.
    #[inline]
    pub(crate) fn judge(
        &mut self,
        store: &dyn GameStore,
        request: &ScanRequest,
        buffers: &mut JudgeBuffers,
    ) {
        if self.is_judged {
            return;
        }
        self.is_judged = true;
        self.fit = self.may;
        let index = store.search_index();
        if let Some(query) = &request.query {
            self.apply_prefilter(index, store.base(), request, buffers);
            // A query without positions cannot be decided by signatures.
            if query.needs_positions() {
                self.apply_signatures(index, request, query, buffers);
            }
        }
        if request.numbers_only {
            let first = self.first;
            self.fit = index.map_or(0, |index| {
                only(self.fit, |n| {
                    index.has_clean_header(first.saturating_add(n))
                })
            });
        }
    }

    /// Excludes games with the prefilter.
    fn apply_prefilter(
        &mut self,
        index: Option<&dyn SearchIndex>,
        base: &BaseInfo,
        request: &ScanRequest,
        buffers: &mut JudgeBuffers,
    ) {
        self.fit = 0;
        let Some(prefilter) = &request.prefilter else {
            return;
        };
        let (first, asks, is_tested) = (self.first, prefilter.asks(), self.is_tested);
        let header_columns = &mut buffers.header_columns;
        let feature_masks = &mut buffers.feature_masks;
        let mut may_come = |number, features: &RequiredFeatures| match request.index() {
            Some(index_file) if !is_tested => {
                feature_masks.games(index_file, first, number, features)
            }
            _ => u64::MAX,
        };
        let index = index
            .filter(|index| !asks.is_empty() && index.header_columns(first, asks, header_columns));
        header_columns.complete = 0;
        if let Some(index) = index.filter(|_| prefilter.needs_tags()) {
            header_columns.close(index.exact_columns(first, self.may));
        }
        let columns = index.is_some().then_some(&*header_columns);
        let mut judged = prefilter.judge(columns, base, &mut may_come);
        if let Some(index) = index {
            // Exact columns may need the headers, so only games that are still undecided get them.
            let open = self.may & header_columns.open() & !(judged.fit | judged.fail);
            if open != 0 {
                let exact = index.exact_columns(first, open);
                if exact != 0 {
                    header_columns.close(exact);
                    judged = prefilter.judge(Some(header_columns), base, &mut may_come);
                }
            }
        }
        self.may &= !judged.fail;
        self.fit = self.may & judged.fit;
    }

    /// Excludes games in which the positions cannot occur according to their signatures.
    fn apply_signatures(
        &mut self,
        index: Option<&dyn SearchIndex>,
        request: &ScanRequest,
        query: &chessdb_query::Query,
        buffers: &mut JudgeBuffers,
    ) {
        let first = self.first;
        if let Some(index_file) = request.index() {
            self.may = only(self.may, |n| {
                let game = first.saturating_add(n);
                let signature = index_file.signature_copied(game, &mut buffers.records);
                signature.is_none_or(|signature| query.may_fit(&signature))
            });
            return;
        }
        let header_columns = &mut buffers.header_columns;
        let Some(index) = index else { return };
        if request.excluded_openings.contains(&true)
            && index.header_columns(first, HeaderColumnSet::OPENING, header_columns)
        {
            let openings = header_columns.openings;
            let lost = |n: u32| {
                let opening = openings.get(n as usize).copied().map(usize::from);
                opening.and_then(|opening| request.excluded_openings.get(opening)) == Some(&true)
            };
            self.may = only(self.may, |n| !lost(n));
        }
        self.may = only(self.may, |n| {
            let signature = index.signature(first.saturating_add(n));
            signature.is_none_or(|signature| {
                let lost = request
                    .excluded_openings
                    .get(usize::from(signature.opening));
                lost != Some(&true) && query.may_fit(&signature)
            })
        });
    }
}

impl Iterator for GameBlock {
    type Item = Candidate;

    #[inline]
    fn next(&mut self) -> Option<Candidate> {
        if self.may == 0 {
            return None;
        }
        let n = self.may.trailing_zeros();
        self.may &= self.may - 1;
        Some(Candidate {
            index: self.first.saturating_add(n),
            fits: self.fit >> n & 1 != 0,
        })
    }
}

/// Memory that is reused to judge the blocks of a request.
#[derive(Default)]
pub(crate) struct JudgeBuffers {
    header_columns: HeaderColumns,
    feature_masks: FeatureMasks,
    records: RecordBuffer,
}

/// An iterator over the games of a store that may match.
#[derive(Default)]
pub(crate) struct CandidateScan {
    indexes: SelectedIndexes,
    /// Whether the features of the games were tested, or the games are too few for a test.
    is_tested: bool,
    /// Blocks that come before the next of `indexes`.
    ahead: std::vec::IntoIter<GameBlock>,
    /// The rest of the current block.
    block: GameBlock,
    buffers: Box<JudgeBuffers>,
}

impl CandidateScan {
    pub(crate) fn new(selection: Selection, store: &dyn GameStore) -> CandidateScan {
        let indexes = SelectedIndexes::new(selection, store.len());
        CandidateScan {
            is_tested: indexes.left() <= MAX_SMALL && indexes.left() < store.len() as usize,
            indexes,
            ..CandidateScan::default()
        }
    }

    /// Skips the test of features in the index, since all games were tested.
    pub(crate) fn without_test(self) -> CandidateScan {
        CandidateScan {
            is_tested: true,
            ..self
        }
    }

    /// Returns the next candidate.
    #[inline]
    pub(crate) fn next(
        &mut self,
        store: &dyn GameStore,
        request: &ScanRequest,
    ) -> Option<Candidate> {
        loop {
            if let Some(candidate) = self.block.next() {
                return Some(candidate);
            }
            self.judge_next(store, request)?;
        }
    }

    /// Moves to the next block and judges its games. Returns the number of games that it had.
    #[inline]
    pub(crate) fn judge_next(
        &mut self,
        store: &dyn GameStore,
        request: &ScanRequest,
    ) -> Option<usize> {
        self.block = self.next_block()?;
        let games = self.block.left();
        self.block.judge(store, request, &mut self.buffers);
        Some(games)
    }

    /// Returns the next block, not yet judged.
    pub(crate) fn next_block(&mut self) -> Option<GameBlock> {
        self.ahead.next().or_else(|| {
            let indexes = self.indexes.next_block(GameBlock::MAX_GAMES);
            indexes
                .as_ref()
                .map(|games| GameBlock::new(games, self.is_tested))
        })
    }

    /// Returns the number of games left, provided that all match.
    pub(crate) fn left(&self) -> usize {
        let ahead = self.ahead.as_slice().iter().map(GameBlock::left);
        self.indexes.left() + ahead.sum::<usize>() + self.block.left()
    }
}

impl CandidateScan {
    /// Returns the rest of the current block.
    pub(crate) fn block(&mut self) -> &mut GameBlock {
        &mut self.block
    }

    /// Returns whether blocks of [`CandidateScan::put_ahead`] are left.
    pub(crate) fn is_ahead(&self) -> bool {
        self.ahead.len() > 0
    }

    /// Sets the blocks to return next.
    pub(crate) fn put_ahead(&mut self, blocks: Vec<GameBlock>) {
        self.ahead = blocks.into_iter();
    }
}

/// Keeps the bits of `games` for which `is_so` is true.
fn only(games: u64, mut is_so: impl FnMut(u32) -> bool) -> u64 {
    let (mut left, mut only) = (games, 0);
    while left != 0 {
        let n = left.trailing_zeros();
        left &= left - 1;
        only |= u64::from(is_so(n)) << n;
    }
    only
}
