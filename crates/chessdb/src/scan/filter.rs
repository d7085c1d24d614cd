//! The selection and query of a scan, and the data that excludes games before they are read.

#[cfg(feature = "query")]
use std::sync::Arc;

#[cfg(feature = "query")]
use chessdb_core::GameStore;
#[cfg(feature = "query")]
use chessdb_query::{Prefilter, Query};

#[cfg(feature = "query")]
use crate::Database;
use crate::Selection;

/// The games of a scan.
#[derive(Clone, Default, Debug)]
pub(crate) struct GameFilter {
    /// Selects games by number.
    pub(crate) selection: Selection,
    /// Keeps the selected games that match.
    #[cfg(feature = "query")]
    pub(crate) query: Option<Arc<Query>>,
    /// For each opening number of the store, whether no game with that opening can match.
    #[cfg(feature = "query")]
    pub(crate) excluded_openings: Arc<[bool]>,
    /// A prefilter that excludes games by their columns before they are read. It applies only to
    /// the store that is searched.
    #[cfg(feature = "query")]
    pub(crate) prefilter: Option<Arc<Prefilter>>,
    /// The index of the database; it replaces the signatures of the store.
    #[cfg(all(feature = "fs", feature = "query"))]
    pub(crate) index: Option<Arc<crate::index::Index>>,
}

impl GameFilter {
    /// Returns whether every game is selected.
    pub(crate) fn is_all(&self) -> bool {
        self.selects_by_number() && self.selection.is_all()
    }

    /// Sets the query and prepares the prefilter for `db`, with `store` as the source of its games
    /// (`None` for a stream). The index of the database and the store then exclude games before
    /// they are read.
    #[cfg(feature = "query")]
    pub(crate) fn ask(&mut self, query: Arc<Query>, db: &Database, store: Option<&dyn GameStore>) {
        #[cfg(feature = "fs")]
        {
            self.index = db.index().map(Arc::clone);
        }
        if query.asks_positions() {
            let openings = db.openings().iter();
            let lost = openings.map(|moves| query.is_lost_after(moves));
            self.excluded_openings = [false].into_iter().chain(lost).collect();
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

    /// Returns whether the selected games are known without reading them.
    pub(crate) fn selects_by_number(&self) -> bool {
        #[cfg(feature = "query")]
        return self.query.is_none();
        #[cfg(not(feature = "query"))]
        true
    }
}
