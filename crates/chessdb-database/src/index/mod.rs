//! The files next to a database: their format, their match with the database, and the
//! index, with data about each game that lets searches exclude games without reading them
//! (docs/formats/chessdb-index.md).
//!
//! The index is used only to exclude games, and only if size, time and checksums of the database
//! match and the checksums of the index data used are correct.

mod builder;
mod layout;
mod open;
mod read;
mod sectioned;
mod state;
#[cfg(test)]
mod tests;

pub(crate) use chessdb_files::filesystem::{FileStamp, are_whole, bytes_at, check_stamps, stamps};

pub use open::index_path;
pub use state::IndexUse;

pub(crate) use builder::IndexBuilder;
pub(crate) use layout::{
    COLUMN_SIZE, GAMES_PER_WORD, IndexLayout, WORDS_PER_COLUMN, evidence_bytes,
};
pub(crate) use open::{has_default_limits, index_path_of, main_of, main_on_disk};
pub(crate) use read::{ColumnBuffer, Index, RecordBuffer};
pub(crate) use sectioned::{
    FIRST_TABLE, FileKind, HEADER_SIZE, Header, PIECES, Piece, SECOND_TABLE, SectionWriter,
    SectionedFile, WRONG_COUNTS, read_at,
};
pub(crate) use state::OpenFile;
