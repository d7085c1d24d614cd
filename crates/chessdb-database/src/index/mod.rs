//! The index file of a database: data about each game that lets searches exclude games without
//! reading them (docs/formats/chessdb-index.md).
//!
//! The index is used only to exclude games, and only if size, time and checksums of the database
//! match and the checksums of the index data used are correct.

#[cfg(feature = "fs")]
mod builder;
#[cfg(feature = "fs")]
mod files;
#[cfg(feature = "fs")]
mod layout;
#[cfg(feature = "fs")]
mod read;
#[cfg_attr(not(feature = "fs"), expect(dead_code, reason = "the writer needs it"))]
mod stamps;
#[cfg(test)]
#[cfg(feature = "fs")]
mod tests;

#[cfg(feature = "fs")]
pub use files::{IndexUse, index_path};

#[cfg(feature = "fs")]
pub(crate) use builder::{IndexBuilder, KEPT_OFFSET};
#[cfg(feature = "fs")]
pub(crate) use files::{
    FoundIndex, OpenIndex, are_on_disk, check_stamps, has_default_limits, index_path_of, is_of_all,
    main_of, read_bytes, stamps,
};
#[cfg(feature = "fs")]
pub(crate) use layout::{COLUMN_SIZE, GAMES_PER_WORD, IndexLayout, WORDS_PER_COLUMN};
#[cfg(feature = "fs")]
pub(crate) use read::{ColumnBuffer, Index, RecordBuffer, read_at};
#[cfg(feature = "fs")]
pub(crate) use stamps::release_pages;
pub(crate) use stamps::{FileStamp, STAMP_SIZE, bytes_at, have_contents};
