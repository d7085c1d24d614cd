#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

mod check;
#[cfg(all(feature = "pgn", feature = "query"))]
pub mod columns;
mod database;
mod edits;
#[cfg(feature = "query")]
mod explorer;
mod game;
#[cfg(feature = "query")]
mod index;
#[cfg(all(feature = "fs", feature = "query"))]
mod indexing;
#[cfg(feature = "threads")]
mod parallel;
#[cfg(all(feature = "fs", feature = "parquet", feature = "threads"))]
mod positions;
pub mod reading;
mod scan;
mod selection;
#[cfg(all(feature = "fs", feature = "query"))]
mod threads;
#[cfg(feature = "query")]
mod tree_index;
mod writer;

pub use check::CheckCounts;
pub use database::{Database, OpenOptions, TextField};
pub use edits::{EditedStore, Edits};
#[cfg(feature = "query")]
pub use explorer::Explorer;
pub use game::{Game, first_lost};
#[cfg(feature = "query")]
pub use index::IndexUse;
#[cfg(all(feature = "fs", feature = "query"))]
pub use index::index_path;
#[cfg(feature = "threads")]
pub use parallel::threads;
#[cfg(all(feature = "fs", feature = "parquet", feature = "threads"))]
pub use positions::Positions;
pub use scan::{Games, Reader, Scan, read_in_order};
pub use selection::{SelectedIndexes, Selection};
#[cfg(all(feature = "fs", feature = "parquet", feature = "query"))]
pub use tree_index::TreeTable;
#[cfg(feature = "query")]
pub use tree_index::{PlayedMove, PositionMoves};
#[cfg(feature = "fs")]
pub use writer::create;
pub use writer::{CreateOptions, Writer};

/// Texts of a database, for judging how they are encoded.
pub mod texts {
    pub use crate::database::{each_text, header_sampling_step, sample_games, texts_of};
}
