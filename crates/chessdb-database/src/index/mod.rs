//! The files next to a database: their format, their match with the database, and the
//! index, with data about each game that lets searches exclude games without reading them
//! (docs/formats/chessdb-index.md).
//!
//! The index is used only to exclude games, and only if size, time and checksums of the database
//! match and the checksums of the index data used are correct.

#[cfg(feature = "fs")]
mod builder;
#[cfg(feature = "fs")]
mod layout;
#[cfg(feature = "fs")]
mod open;
#[cfg(feature = "fs")]
mod read;
#[cfg_attr(not(feature = "fs"), expect(dead_code, reason = "the writer needs it"))]
mod sectioned;
#[cfg_attr(not(feature = "fs"), expect(dead_code, reason = "the writer needs it"))]
mod stamps;
#[cfg_attr(not(feature = "fs"), expect(dead_code, reason = "the writer needs it"))]
mod state;
#[cfg(test)]
#[cfg(feature = "fs")]
mod tests;

#[cfg(feature = "fs")]
pub use open::index_path;
pub use state::IndexUse;

#[cfg(feature = "fs")]
pub(crate) use builder::IndexBuilder;
#[cfg(feature = "fs")]
pub(crate) use layout::{COLUMN_SIZE, GAMES_PER_WORD, IndexLayout, WORDS_PER_COLUMN};
#[cfg(feature = "fs")]
pub(crate) use open::{has_default_limits, index_path_of, main_of, main_on_disk};
#[cfg(feature = "fs")]
pub(crate) use read::{ColumnBuffer, Index, RecordBuffer};
pub(crate) use sectioned::{
    FIRST_TABLE, FileKind, PIECES, Piece, SECOND_TABLE, SectionedFile, WRONG_COUNTS,
};
#[cfg(feature = "fs")]
pub(crate) use sectioned::{HEADER_SIZE, Header, SectionWriter, read_at};
pub(crate) use stamps::{FileStamp, are_whole, bytes_at, check_stamps};
#[cfg(feature = "fs")]
pub(crate) use stamps::{release_pages, stamps};
pub(crate) use state::OpenFile;
