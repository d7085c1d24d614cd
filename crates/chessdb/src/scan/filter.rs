//! Which games are wanted, and what leaves others out before they are read.

#[cfg(feature = "query")]
use std::sync::Arc;

#[cfg(feature = "query")]
use chessdb_core::GameStore;
#[cfg(feature = "query")]
use chessdb_query::{Prefilter, Query};

#[cfg(feature = "query")]
use crate::Database;
use crate::Selection;

/// Which games are wanted.
#[derive(Clone, Default, Debug)]
pub(crate) struct GameFilter {
    /// Those of these numbers,
    pub(crate) selection: Selection,
    /// and of these those that fit.
    #[cfg(feature = "query")]
    pub(crate) query: Option<Arc<Query>>,
    /// The openings, by the numbers that the store gives them, behind which no game fits.
    #[cfg(feature = "query")]
    pub(crate) lost: Arc<[bool]>,
    /// What leaves games out by what is known of them before they are read. Of the one store whose games are
    /// asked.
    #[cfg(feature = "query")]
    pub(crate) prefilter: Option<Arc<Prefilter>>,
    /// What is known of the games before they are read, if not by the store itself.
    #[cfg(all(feature = "fs", feature = "query"))]
    pub(crate) index: Option<Arc<crate::index::Index>>,
}

impl GameFilter {
    /// Whether every game is wanted.
    pub(crate) fn is_all(&self) -> bool {
        self.selects_by_number() && self.selection.is_all()
    }

    /// Only games that fit, of a base whose games are read from this store, or are a stream: what the index beside the
    /// base and the store know leaves out what it can before it is read.
    #[cfg(feature = "query")]
    pub(crate) fn ask(&mut self, query: Arc<Query>, db: &Database, store: Option<&dyn GameStore>) {
        #[cfg(feature = "fs")]
        {
            self.index = db.index().map(Arc::clone);
        }
        if query.asks_positions() {
            let openings = db.openings().iter();
            let lost = openings.map(|moves| query.is_lost_after(moves));
            self.lost = [false].into_iter().chain(lost).collect();
        }
        #[cfg(feature = "fs")]
        let lines = self.index.is_some();
        #[cfg(not(feature = "fs"))]
        let lines = false;
        if query.asks_headers() || lines && query.asks_positions() {
            let prefilter = store.and_then(|store| query.prefilter(store.base(), lines));
            self.prefilter = prefilter.map(Arc::new);
        }
        self.query = (!query.is_empty()).then_some(query);
    }

    /// Whether it is known before reading which games are wanted.
    pub(crate) fn selects_by_number(&self) -> bool {
        #[cfg(feature = "query")]
        return self.query.is_none();
        #[cfg(not(feature = "query"))]
        true
    }
}
