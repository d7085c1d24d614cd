//! Reading of games that match a request.

use chessdb_core::{GameStore, Result, Scratch};
use chessdb_query::{Query, search::Match};

use super::{Candidate, ScanRequest};
use crate::game::Game;

impl Game {
    /// Reads the requested part of a game of a store; returns false if it does not match the
    /// request.
    pub(crate) fn fill(
        &mut self,
        store: &dyn GameStore,
        candidate: Candidate,
        request: &ScanRequest,
        scratch: &mut Scratch,
    ) -> Result<bool> {
        let Candidate { index, fits } = candidate;
        if request.is_unread || request.numbers_only && fits {
            self.set_index(index);
            return Ok(true);
        }
        self.set_found(Match::default());
        // A match by the header alone has no place in the moves.
        let is_known = fits && request.headers_only;
        if let Some(query) = request.query.as_ref().filter(|_| !is_known) {
            let fits = self.fill_matching(store, index, request, query, scratch)?;
            if !fits {
                request.leave_out(self);
            }
            return Ok(fits);
        }
        self.fill_with(store, index, request.headers_only, scratch)?;
        Ok(true)
    }

    /// Reads a game if it matches the query. Decodes moves only if the query needs them.
    fn fill_matching(
        &mut self,
        store: &dyn GameStore,
        index: u32,
        request: &ScanRequest,
        query: &Query,
        scratch: &mut Scratch,
    ) -> Result<bool> {
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
        let result = store.observe_mainline(index, self, &mut search, scratch);
        self.finish_read(index, result, scratch)?;
        let lacks_header = !has_header && search.has_no_header();
        let Some(matched) = search.finish() else {
            return Ok(false);
        };
        self.set_found(matched);
        if lacks_header && request.numbers_only {
            self.clear();
        } else if lacks_header || !request.headers_only {
            self.fill_with(store, index, request.headers_only, scratch)?;
        }
        Ok(true)
    }

    /// Returns whether a game that was read matches the request.
    pub(crate) fn matches_request(&mut self, request: &ScanRequest) -> bool {
        if let Some(query) = &request.query {
            let fits = self.find(query);
            if !fits {
                request.leave_out(self);
            }
            return fits;
        }
        true
    }

    fn find(&mut self, query: &Query) -> bool {
        let matched = query.find(self);
        let fits = matched.is_some();
        self.set_found(matched.unwrap_or_default());
        fits
    }
}
