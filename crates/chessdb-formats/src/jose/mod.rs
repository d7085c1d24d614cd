//! Containers of jose's tables that need further dependencies: SQLite files and packed archives.

#[cfg(feature = "archives")]
mod archive;
#[cfg(feature = "sqlite")]
pub mod sqlite;

#[cfg(feature = "archives")]
pub use archive::{JOSE_ARCHIVE, JOSE_FILE};
#[cfg(feature = "sqlite")]
pub use sqlite::JOSE;
