//! Data about games that an index has without reading them.

use crate::PackedMove;
use crate::search::{HeaderColumnSet, HeaderColumns, Signature};

/// The index of a store, which searches use to exclude games and to avoid reading headers
/// ([`crate::GameStore::search_index`]).
///
/// Each method has a default for an index without that data: nothing is known. An answer is
/// binding: in case of any doubt, such as an index that contradicts the games, return the default.
///
/// Games are counted from 0.
pub trait SearchIndex: Send + Sync {
    /// Returns the summary of the mainline of game `n`.
    fn signature(&self, _n: u32) -> Option<Signature> {
        None
    }

    /// Returns the opening lines that [`Signature::opening`] refers to.
    fn opening_lines(&self) -> &[Vec<PackedMove>] {
        &[]
    }

    /// Fills `columns` of `into` with the headers of the 64 games from `first`; returns `false` if
    /// they are unknown. On `true`, reading one of these headers gives no error and the same
    /// values, except where a column is open. Other columns, and positions after the last game,
    /// remain unchanged.
    fn header_columns(
        &self,
        _first: u32,
        _columns: HeaderColumnSet,
        _into: &mut HeaderColumns,
    ) -> bool {
        false
    }

    /// Returns a mask of the games, among the 64 from `first` and set in `games`, with headers that
    /// the header columns describe completely ([`HeaderColumns::close`]).
    fn exact_columns(&self, _first: u32, _games: u64) -> u64 {
        0
    }

    /// Returns whether reading the header of game `n` would report no finding.
    fn has_clean_header(&self, _n: u32) -> bool {
        false
    }

    /// Returns whether game `n` is known to have no comments.
    fn has_no_comments(&self, _n: u32) -> bool {
        false
    }
}
