//! Reading of games that match a request.

#[cfg(feature = "query")]
use chessdb_core::Scratch;
use chessdb_core::{GameStore, Result};
#[cfg(feature = "query")]
use chessdb_query::{Match, Query};

use super::ScanRequest;
use crate::game::Game;

impl Game {
    /// Reads game `index` of a store; returns false if the request filters it out.
    pub(crate) fn fill(
        &mut self,
        store: &dyn GameStore,
        index: u32,
        request: &ScanRequest,
    ) -> Result<bool> {
        #[cfg(feature = "query")]
        if let Some(query) = &request.filter.query {
            return self.with_scratch(|game, scratch| {
                game.fill_if_matching(store, index, request, query, scratch)
            });
        }
        self.read(store, index, request.headers_only).map(|()| true)
    }

    /// Reads game `index` of a store if it matches the query of the request.
    #[cfg(feature = "query")]
    pub(crate) fn fill_if_matching(
        &mut self,
        store: &dyn GameStore,
        index: u32,
        request: &ScanRequest,
        query: &Query,
        scratch: &mut Scratch,
    ) -> Result<bool> {
        let fits = self.fill_matching(store, index, request, query, scratch)?;
        if !fits {
            request.leave_out(self);
        }
        Ok(fits)
    }

    /// Like [`Game::fill_if_matching`], without counting damaged games. Decodes moves only if the
    /// query needs them.
    #[cfg(feature = "query")]
    fn fill_matching(
        &mut self,
        store: &dyn GameStore,
        index: u32,
        request: &ScanRequest,
        query: &Query,
        scratch: &mut Scratch,
    ) -> Result<bool> {
        self.set_found(Match::default());
        let has_header = query.needs_headers();
        if has_header {
            self.fill_with(store, index, true, scratch)?;
            match query.matches_header(self) {
                Some(false) => return Ok(false),
                Some(true) if request.headers_only => return Ok(true),
                _ => {}
            }
        }
        let Some(mut search) = query.search(self) else {
            self.fill_with(store, index, false, scratch)?;
            return Ok(self.find(query));
        };
        let result = store.watch_into(index, self, &mut search, scratch);
        self.finish_read(index, result, scratch)?;
        let lacks_header = !has_header && search.has_no_header();
        let Some(found) = search.finish() else {
            return Ok(false);
        };
        self.set_found(found);
        if lacks_header && request.numbers_only {
            self.clear();
        } else if lacks_header || !request.headers_only {
            self.fill_with(store, index, request.headers_only, scratch)?;
        }
        Ok(true)
    }

    /// Returns whether a game that was read matches the request.
    pub(crate) fn matches_request(&mut self, request: &ScanRequest) -> bool {
        #[cfg(feature = "query")]
        if let Some(query) = &request.filter.query {
            let fits = self.find(query);
            if !fits {
                request.leave_out(self);
            }
            return fits;
        }
        let _ = request;
        true
    }

    #[cfg(feature = "query")]
    fn find(&mut self, query: &Query) -> bool {
        let found = query.find(self);
        let fits = found.is_some();
        self.set_found(found.unwrap_or_default());
        fits
    }
}
