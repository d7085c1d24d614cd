//! An index beside a base: what it knows of each game, so that searches leave games out without reading them
//! (docs/formats/chessdb-index.md).
//!
//! What stands in it is believed only as a reason not to read a game, and only if size, time and checksum of
//! the base and of the index itself are what they should be.

mod bytes;
mod files;

pub use files::{Indexed, index_path};

pub(crate) use bytes::Index;
pub(crate) use files::Beside;
