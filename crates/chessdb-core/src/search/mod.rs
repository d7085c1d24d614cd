//! Summaries of games with which a search excludes games before it reads them, and the visitors of
//! a mainline that decide whether it matches.

mod features;
mod header_columns;
mod piece_counts;
mod search_index;
mod signature;

pub use features::{Feature, Features};
pub use header_columns::{HeaderColumnSet, HeaderColumns};
pub use piece_counts::PieceCounts;
pub use search_index::SearchIndex;
pub use signature::{
    HomePawns, MainlineObserver, MainlineSummary, MoveFilter, Signature, observe_game,
};
