#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod batch;
mod columns;
mod head;
mod moves;
mod rows;
mod values;

/// Arrow's types are part of this crate's interface: whoever takes batches needs the same version.
pub use arrow_array;
pub use arrow_schema;
pub use batch::Batcher;
pub use columns::{Column, Columns};
pub use moves::Packer;
pub use rows::Rows;

/// The version of the schema `chessdb.games`; readers accept columns by name and need no version.
pub const SCHEMA_VERSION: u32 = 1;
