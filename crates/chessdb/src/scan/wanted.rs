//! The games of a store that may be wanted, by what is known of them before they are read.

use std::ops::Range;

use chessdb_core::GameStore;
#[cfg(feature = "query")]
use chessdb_core::{BriefParts, Briefs};

use super::Choice;
use crate::selection::Indexes;

/// A game that may be wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Candidate {
    pub(crate) index: u32,
    /// Whether it is known to fit the query.
    pub(crate) fits: bool,
}

/// Goes through the games of a store, leaving out those that cannot be wanted.
pub(crate) struct Wanted {
    indexes: Indexes,
    look: Look,
}

impl Wanted {
    pub(crate) fn new(choice: &Choice, store: &dyn GameStore) -> Wanted {
        Wanted {
            indexes: Indexes::new(choice.selection.clone(), store.len()),
            look: Look::default(),
        }
    }

    /// The next one.
    #[inline]
    pub(crate) fn next(&mut self, store: &dyn GameStore, choice: &Choice) -> Option<Candidate> {
        let Wanted { indexes, look } = self;
        look.next_of(|| next_run(indexes), store, choice)
    }

    /// The next games that nobody has looked at yet, as many as one look takes at most.
    #[cfg(feature = "threads")]
    pub(crate) fn next_run(&mut self) -> Option<Range<u32>> {
        next_run(&mut self.indexes)
    }

    /// How many are still to come, if all are wanted.
    pub(crate) fn left(&self) -> usize {
        self.indexes.left() + self.look.left()
    }
}

fn next_run(indexes: &mut Indexes) -> Option<Range<u32>> {
    indexes.next_run(u64::BITS)
}

/// Up to 64 games at once, of which each has a bit: what is known of them before they are read.
#[derive(Default)]
pub(crate) struct Look {
    /// The first of them. Of those still to be handed out, whether they may be wanted and are known to fit.
    first: u32,
    may: u64,
    fit: u64,
    #[cfg(feature = "query")]
    briefs: Box<Briefs>,
}

impl Iterator for Look {
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

impl Look {
    /// How many are still to be handed out.
    pub(crate) fn left(&self) -> usize {
        self.may.count_ones() as usize
    }

    /// The next one of those that are left, or of the runs that come then.
    #[inline]
    pub(crate) fn next_of(
        &mut self,
        mut next_run: impl FnMut() -> Option<Range<u32>>,
        store: &dyn GameStore,
        choice: &Choice,
    ) -> Option<Candidate> {
        while self.may == 0 {
            self.at(next_run()?, store, choice);
        }
        self.next()
    }

    /// Finds out which of these games may be wanted.
    pub(crate) fn at(&mut self, run: Range<u32>, store: &dyn GameStore, choice: &Choice) {
        self.first = run.start;
        self.may = u64::MAX >> (64 - run.len().clamp(1, 64));
        #[cfg(feature = "query")]
        if let Some(query) = &choice.query {
            self.ask_screen(store, choice);
            // No signature speaks against a query that asks no positions.
            if query.asks_positions() {
                self.ask_lines(store, choice, query);
            }
            return;
        }
        self.fit = self.may;
        let _ = (store, choice);
    }

    /// Leaves out those that do not fit by columns of what is known.
    #[cfg(feature = "query")]
    fn ask_screen(&mut self, store: &dyn GameStore, choice: &Choice) {
        self.fit = 0;
        let Some(screen) = &choice.screen else {
            return;
        };
        let (first, base, asks) = (self.first, store.base(), screen.asks());
        #[cfg(feature = "fs")]
        let may_have = |feature| {
            let known = choice.index.as_ref();
            known.map_or(u64::MAX, |known| known.may_have(first, feature))
        };
        #[cfg(not(feature = "fs"))]
        let may_have = |_| u64::MAX;
        let briefs = &mut *self.briefs;
        let has_briefs = !asks.is_empty() && store.briefs(first, asks, briefs);
        let mut judged = screen.judge(has_briefs.then_some(&*briefs), base, &may_have);
        let open = match has_briefs {
            true => self.may & briefs.open() & !(judged.fit | judged.fail),
            false => 0,
        };
        if open != 0 {
            let plain = only(open, |n| store.is_plain(first.saturating_add(n)));
            briefs.close(plain);
            judged = screen.judge(Some(&*briefs), base, &may_have);
        }
        self.may &= !judged.fail;
        self.fit = judged.fit;
    }

    /// Leaves out those in which the positions cannot come by their signatures.
    #[cfg(feature = "query")]
    fn ask_lines(&mut self, store: &dyn GameStore, choice: &Choice, query: &chessdb_query::Query) {
        let first = self.first;
        #[cfg(feature = "fs")]
        if let Some(known) = &choice.index {
            self.may = only(self.may, |n| {
                let signature = known.signature(first.saturating_add(n));
                signature.is_none_or(|signature| query.may_fit(&signature))
            });
            return;
        }
        if choice.lost.contains(&true) && store.briefs(first, BriefParts::OPENING, &mut self.briefs)
        {
            let openings = self.briefs.openings;
            let lost = |n: u32| {
                let opening = openings.get(n as usize).copied().map(usize::from);
                opening.and_then(|opening| choice.lost.get(opening)) == Some(&true)
            };
            self.may = only(self.may, |n| !lost(n));
        }
        self.may = only(self.may, |n| {
            let signature = store.signature(first.saturating_add(n));
            signature.is_none_or(|signature| {
                let lost = choice.lost.get(usize::from(signature.opening));
                lost != Some(&true) && query.may_fit(&signature)
            })
        });
    }
}

/// Those of these games for which something is so.
#[cfg(feature = "query")]
fn only(games: u64, mut is_so: impl FnMut(u32) -> bool) -> u64 {
    let (mut left, mut only) = (games, 0);
    while left != 0 {
        let n = left.trailing_zeros();
        left &= left - 1;
        only |= u64::from(is_so(n)) << n;
    }
    only
}
