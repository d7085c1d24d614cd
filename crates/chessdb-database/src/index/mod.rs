//! The index file of a database: data about each game that lets searches exclude games without
//! reading them (docs/formats/chessdb-index.md).
//!
//! The index is used only to exclude games, and only if size, time and checksums of the database
//! match and the checksums of the index data used are correct.

mod builder;
mod files;
mod layout;
mod read;
#[cfg(test)]
mod tests;

pub use files::{IndexUse, index_path};

pub(crate) use builder::IndexBuilder;
pub(crate) use files::{
    FoundIndex, OpenIndex, are_on_disk, has_default_limits, index_path_of, main_of, stamps,
};
pub(crate) use read::Index;
