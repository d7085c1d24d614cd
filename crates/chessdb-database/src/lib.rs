#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

#[cfg(feature = "book")]
mod books;
mod check;
#[cfg(feature = "pgn")]
pub mod columns;
mod database;
mod edits;
mod explorer;
mod game;
mod index;
mod indexing;
mod parallel;
#[cfg(feature = "parquet")]
mod positions;
pub mod reading;
mod results;
mod scan;
mod selection;
mod threads;
mod tree_index;
mod writer;

#[cfg(feature = "book")]
pub use books::open_for_queries;
pub use check::CheckCounts;
pub use database::{Database, OpenOptions, TextField};
pub use edits::{EditedStore, Edits};
pub use explorer::Explorer;
pub use game::{Game, first_lost};
pub use index::{IndexUse, index_path};
pub use parallel::threads;
#[cfg(feature = "parquet")]
pub use positions::Positions;
pub use results::result_to_fix;
pub use scan::{Games, Reader, Scan, read_in_order};
pub use selection::{SelectedIndexes, Selection};
#[cfg(feature = "parquet")]
pub use tree_index::TreeTable;
pub use tree_index::{PlayedMove, PositionMoves, index_change};
pub use writer::{CreateOptions, Writer, create};

/// Texts of a database, for judging how they are encoded.
pub mod texts {
    pub use crate::database::{each_text, header_sampling_step, sample_games, texts_of};
}
