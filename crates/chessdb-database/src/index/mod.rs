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
    FoundIndex, OpenIndex, are_on_disk, check_stamps, has_default_limits, index_path_of, is_of_all,
    main_of, read_bytes, release_pages, stamps,
};
pub(crate) use layout::{
    FileStamp, GAMES_PER_BLOCK, GAMES_PER_WORD, IndexLayout, STAMP_SIZE, WORDS_PER_COLUMN, bytes_at,
};
pub(crate) use read::Index;
