//! Databases by path; [`crate::fs`] is the public part.
//!
//! Finding a database asks for the traces of an interrupted writer; committing one does not depend
//! on how databases are found.

mod commit;
mod find;
mod folder;
mod plain_file;

#[cfg(any(
    all(feature = "parquet", feature = "threads"),
    all(feature = "archives", feature = "cbh")
))]
pub(crate) use commit::create_files;
pub(crate) use commit::create_seen;
pub use commit::{DirSink, create, recover};
#[cfg(feature = "parquet")]
pub(crate) use commit::{LOCK, Lock, WRITING, hidden};
#[cfg(all(feature = "query", feature = "mmap", unix))]
pub(crate) use find::mapped;
pub use find::{
    Finder, FoundDatabase, Survey, belongs_to, find, find_as, in_archive, stdin, survey,
};
