#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod batch;
mod columns;
#[cfg(feature = "files")]
mod files;
mod header;
mod moves;
mod rows;
mod values;
mod writer;

/// Arrow's types are part of this crate's interface: whoever takes batches needs the same version.
pub use arrow_array;
pub use arrow_schema;
pub use batch::Batcher;
pub use columns::{Column, Columns};
#[cfg(feature = "files")]
pub use files::{ARROW, CSV, NDJSON, TARGETS};
pub use moves::Packer;
pub use rows::Rows;
pub use writer::{Encode, LOSSES, Writer, chosen_columns};

/// The version of the schema `chessdb.games`; readers accept columns by name and need no version.
pub const SCHEMA_VERSION: u32 = 1;
