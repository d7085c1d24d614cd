//! The games of a store that may be wanted, by what is known of them before they are read.

use chessdb_core::GameStore;

use super::run::{Candidate, JudgeBuffer, Run};
use super::{Choice, Request};
use crate::selection::Indexes;

/// Goes through the games of a store, leaving out those that cannot be wanted.
pub(crate) struct Wanted {
    indexes: Indexes,
    /// Those that come before the next of `indexes`.
    ahead: std::vec::IntoIter<Run>,
    look: Look,
}

impl Wanted {
    pub(crate) fn new(choice: &Choice, store: &dyn GameStore) -> Wanted {
        Wanted {
            indexes: Indexes::new(choice.selection.clone(), store.len()),
            ahead: Vec::new().into_iter(),
            look: Look::default(),
        }
    }

    /// The next one.
    #[inline]
    pub(crate) fn next(&mut self, store: &dyn GameStore, request: &Request) -> Option<Candidate> {
        let Wanted {
            indexes,
            ahead,
            look,
        } = self;
        look.next_of(|| next_run(indexes, ahead), store, request)
    }

    /// The next games, as many as one look takes at most.
    #[cfg(feature = "threads")]
    pub(crate) fn next_run(&mut self) -> Option<Run> {
        next_run(&mut self.indexes, &mut self.ahead)
    }

    /// How many are still to come, if all are wanted.
    pub(crate) fn left(&self) -> usize {
        let ahead = self.ahead.as_slice().iter().map(Run::left);
        self.indexes.left() + ahead.sum::<usize>() + self.look.left()
    }

    /// Whether there are still some of [`Wanted::put_ahead`] to come.
    #[cfg(feature = "threads")]
    pub(crate) fn is_ahead(&self) -> bool {
        self.ahead.len() > 0
    }

    /// These come next.
    #[cfg(feature = "threads")]
    pub(crate) fn put_ahead(&mut self, runs: Vec<Run>) {
        self.ahead = runs.into_iter();
    }
}

fn next_run(indexes: &mut Indexes, ahead: &mut std::vec::IntoIter<Run>) -> Option<Run> {
    ahead
        .next()
        .or_else(|| indexes.next_run(Run::MOST).as_ref().map(Run::new))
}

/// Hands out the games of one run after another.
#[derive(Default)]
pub(crate) struct Look {
    run: Run,
    buffer: JudgeBuffer,
}

impl Iterator for Look {
    type Item = Candidate;

    #[inline]
    fn next(&mut self) -> Option<Candidate> {
        self.run.next()
    }
}

impl Look {
    /// How many of its run are still to be handed out.
    pub(crate) fn left(&self) -> usize {
        self.run.left()
    }

    /// The next one of those that are left, or of the runs that come then.
    #[inline]
    pub(crate) fn next_of(
        &mut self,
        mut next_run: impl FnMut() -> Option<Run>,
        store: &dyn GameStore,
        request: &Request,
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
    pub(crate) fn at(&mut self, run: Run, store: &dyn GameStore, request: &Request) {
        self.run = run;
        self.run.judge(store, request, &mut self.buffer);
    }
}
