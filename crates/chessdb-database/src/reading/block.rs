//! Blocks of up to 64 games of a store, filtered by data known before the games are read.

use std::ops::Range;

use chessdb_core::GameStore;
#[cfg(feature = "query")]
use chessdb_core::{HeaderColumnSet, HeaderColumns};

use super::ScanRequest;

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
}

/// Memory that is reused for all blocks.
#[derive(Default)]
pub(crate) struct JudgeBuffer {
    #[cfg(feature = "query")]
    header_columns: Box<HeaderColumns>,
}

impl GameBlock {
    /// Maximum number of games in a block.
    pub(crate) const MAX_GAMES: u32 = u64::BITS;

    /// Creates a block of games that were not yet judged, at most [`GameBlock::MAX_GAMES`].
    pub(crate) fn new(games: &Range<u32>) -> GameBlock {
        GameBlock {
            first: games.start,
            may: u64::MAX >> (64 - games.len().clamp(1, 64)),
            fit: 0,
            is_judged: false,
        }
    }

    /// Returns the maximum number of games still to return.
    pub(crate) fn left(&self) -> usize {
        self.may.count_ones() as usize
    }

    /// Determines which games may match, unless this was already done.
    #[inline]
    pub(crate) fn judge(
        &mut self,
        store: &dyn GameStore,
        request: &ScanRequest,
        buffer: &mut JudgeBuffer,
    ) {
        if self.is_judged {
            return;
        }
        self.is_judged = true;
        self.fit = self.may;
        #[cfg(feature = "query")]
        if let Some(query) = &request.filter.query {
            self.apply_prefilter(store, request, &mut buffer.header_columns);
            // A query without positions cannot be decided by signatures.
            if query.needs_positions() {
                self.apply_signatures(store, request, query, &mut buffer.header_columns);
            }
        }
        #[cfg(not(feature = "query"))]
        let _ = buffer;
        if request.numbers_only {
            let first = self.first;
            self.fit = only(self.fit, |n| store.is_plain(first.saturating_add(n)));
        }
    }

    /// Excludes games with the prefilter.
    #[cfg(feature = "query")]
    fn apply_prefilter(
        &mut self,
        store: &dyn GameStore,
        request: &ScanRequest,
        header_columns: &mut HeaderColumns,
    ) {
        let filter = &request.filter;
        self.fit = 0;
        let Some(prefilter) = &filter.prefilter else {
            return;
        };
        let (first, base, asks) = (self.first, store.base(), prefilter.asks());
        #[cfg(feature = "fs")]
        let may_have = |feature| {
            let known = filter.index.as_ref();
            known.map_or(u64::MAX, |known| known.may_have(first, feature))
        };
        #[cfg(not(feature = "fs"))]
        let may_have = |_| u64::MAX;
        let has_columns = !asks.is_empty() && store.header_columns(first, asks, header_columns);
        let mut judged = prefilter.judge(has_columns.then_some(&*header_columns), base, &may_have);
        let open = match has_columns {
            true => self.may & header_columns.open() & !(judged.fit | judged.fail),
            false => 0,
        };
        if open != 0 {
            header_columns.close(store.closed_briefs(first, open));
            judged = prefilter.judge(Some(&*header_columns), base, &may_have);
        }
        self.may &= !judged.fail;
        self.fit = self.may & judged.fit;
    }

    /// Excludes games in which the positions cannot occur according to their signatures.
    #[cfg(feature = "query")]
    fn apply_signatures(
        &mut self,
        store: &dyn GameStore,
        request: &ScanRequest,
        query: &chessdb_query::Query,
        header_columns: &mut HeaderColumns,
    ) {
        let (filter, first) = (&request.filter, self.first);
        #[cfg(feature = "fs")]
        if let Some(known) = &filter.index {
            self.may = only(self.may, |n| {
                let signature = known.signature(first.saturating_add(n));
                signature.is_none_or(|signature| query.may_fit(&signature))
            });
            return;
        }
        if filter.excluded_openings.contains(&true)
            && store.header_columns(first, HeaderColumnSet::OPENING, header_columns)
        {
            let openings = header_columns.openings;
            let lost = |n: u32| {
                let opening = openings.get(n as usize).copied().map(usize::from);
                opening.and_then(|opening| filter.excluded_openings.get(opening)) == Some(&true)
            };
            self.may = only(self.may, |n| !lost(n));
        }
        self.may = only(self.may, |n| {
            let signature = store.signature(first.saturating_add(n));
            signature.is_none_or(|signature| {
                let lost = filter.excluded_openings.get(usize::from(signature.opening));
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
