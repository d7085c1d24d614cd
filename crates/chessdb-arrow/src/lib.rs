#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

mod batch;
mod cell_value;
mod columns;
#[cfg(feature = "files")]
mod files;
mod header;
mod moves;
mod rows;
mod values;
mod writer;

/// Re-exported because Arrow's types are part of this crate's interface: callers that use the
/// batches need the same version.
pub use arrow_array;
pub use arrow_schema;
pub use batch::Batcher;
/// Re-exported so that a program needs only one dependency.
pub use chessdb_core;
pub use columns::{Column, Columns};
#[cfg(feature = "files")]
pub use files::{ARROW, CSV, NDJSON, TARGETS};
pub use moves::Packer;
pub use rows::Rows;
pub use writer::{Encode, LOSSES, Writer, chosen_columns};

/// The version of the schema `chessdb.games`. Readers look columns up by name and do not check it.
pub const SCHEMA_VERSION: u32 = 1;
