//! The selection and query of a scan, and the data that excludes games before they are read.

#[cfg(feature = "query")]
use std::sync::Arc;

#[cfg(feature = "query")]
use chessdb_query::{Prefilter, Query};

use crate::selection::Selection;

/// The games of a scan.
#[derive(Clone, Default, Debug)]
pub struct GameFilter {
    /// Selects games by number.
    pub selection: Selection,
    /// Keeps the selected games that match.
    #[cfg(feature = "query")]
    pub query: Option<Arc<Query>>,
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
    pub fn is_all(&self) -> bool {
        self.selects_by_number() && self.selection.is_all()
    }

    /// Returns whether the selected games are known without reading them.
    pub(crate) fn selects_by_number(&self) -> bool {
        #[cfg(feature = "query")]
        return self.query.is_none();
        #[cfg(not(feature = "query"))]
        true
    }
}
