//! Databases by path.
//!
//! Finding a database asks for the traces of an interrupted writer; committing one does not depend
//! on how databases are found.

mod commit;
mod find;
mod folder;
mod index_changes;
mod plain_file;
mod stamps;

use std::io;
use std::path::Path;

use crate::error::Error;

pub use commit::{
    DirSink, IndexedChange, KnownChanges, LOCK, LastChange, Lock, RecordedCommand, WRITING,
    consume_while_held, create, create_files, create_seen, hidden, last_change, last_changes,
    recover, remove, rename, undo, undo_last, while_held,
};
pub use find::{
    Finder, FoundDatabase, Survey, belongs_to, find, find_as, in_archive, index_files, mapped,
    stdin, survey,
};

pub use index_changes::{ChangedGame, IndexChanges, IndexId, index_changes_path};
pub use stamps::{FileStamp, are_whole, bytes_at, check_stamps, stamps};

/// Whether there are files. WebAssembly has none; because this is a constant, the compiler removes
/// from the page what cannot happen there.
pub const HAS_FILES: bool = cfg!(not(target_family = "wasm"));

/// Returns an error where there are no files, before any work that depends on them.
///
/// # Errors
///
/// Returns an error on WebAssembly.
#[inline]
pub fn need_files(path: &Path) -> Result<(), Error> {
    if HAS_FILES {
        Ok(())
    } else {
        let unsupported = io::Error::from(io::ErrorKind::Unsupported);
        Err(Error::new(path, unsupported))
    }
}
