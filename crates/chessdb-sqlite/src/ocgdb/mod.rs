//! OCGDB, the Open Chess Game Database (docs/formats/ocgdb.md).

mod columns;
mod comments;
mod format;
mod layouts;
mod store;
#[cfg(feature = "write")]
mod write;

pub use format::{OCGDB, OCGDB_FILE, WAL};
pub use store::Store;
#[cfg(feature = "write")]
pub use write::Writer;
