#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

mod format;
mod leaf_columns;
mod moves;
mod pages;
mod positions;
mod raw;
mod roles;
mod store;
mod thrift;
mod writer;

/// Re-exported so that a program that reads one format needs only one dependency.
pub use chessdb_core;
pub use format::PARQUET;
pub use moves::{MoveRow, MoveTableWriter};
pub use positions::{PositionRow, PositionTableWriter};
pub use raw::catches_panics;
pub use roles::PARQUET_FILE;
pub use store::Store;
pub use writer::{Parquet, Writer, create};

/// The formats of this crate.
pub static FORMATS: &[&chessdb_core::Format] = &[&PARQUET];
