//! jose's tables in a SQLite file (docs/formats/bytecode.md, section 7).

mod definitions;
mod format;
mod table;
#[cfg(feature = "write")]
mod write;

pub use format::{JOSE, SQLITE_FILE, SQLITE_LOG, open_as};
#[cfg(feature = "write")]
pub use write::create_as;
