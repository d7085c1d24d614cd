//! Containers of jose's tables: SQLite files and packed archives.

#[cfg(feature = "archives")]
mod archive;
#[cfg(feature = "archives")]
pub use archive::{JOSE_ARCHIVE, JOSE_FILE};
#[cfg(feature = "sqlite")]
pub use chessdb_sqlite::jose::{self as sqlite, JOSE};
