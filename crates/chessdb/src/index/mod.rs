//! An index beside a base: what it knows of each game, so that searches leave games out without reading them
//! (docs/formats/chessdb-index.md).
//!
//! What stands in it is believed only as a reason not to read a game, and only if size, time and checksum of
//! the base are what they should be, and the checksums of what is asked of the index itself.

mod files;
mod layout;
mod make;
mod read;
#[cfg(test)]
mod tests;

pub use files::{IndexUse, index_path};

pub(crate) use files::{FoundIndex, OpenIndex};
pub(crate) use read::Index;
