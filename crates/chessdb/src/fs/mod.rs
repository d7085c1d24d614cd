//! Databases by path: finding their files, reading them and replacing them safely.
//!
//! A path may be any file of a database, the name that its files share (the stem), or a folder or
//! archive that contains one database; [`survey`] lists several. Names are matched in any case, so
//! `BASE.SI4` and `base.sg4` may be parts of one set.
//!
//! Most programs need only [`crate::Database::open`] and [`crate::create`]. This module has the
//! steps between a path and a database, and the targets for new databases.
//!
//! Finding a database asks for the traces of an interrupted writer; committing one does not depend
//! on how databases are found.

mod commit;
mod find;
mod folder;
mod plain_file;
mod snapshot;

#[cfg(any(all(feature = "parquet", feature = "threads"), feature = "query"))]
pub(crate) use folder::folder_of;

#[cfg(feature = "query")]
pub use crate::index::{IndexUse, index_path};
pub use crate::names::suffix_format;
#[cfg(all(feature = "parquet", feature = "threads"))]
pub use crate::positions::Positions;
#[cfg(all(feature = "mmap", unix))]
pub use chessdb_owned::end_when_cut;
pub use chessdb_owned::{Hidden, remove_hidden};
#[cfg(any(
    all(feature = "parquet", feature = "threads"),
    all(feature = "archives", feature = "cbh")
))]
pub(crate) use commit::create_files;
pub(crate) use commit::create_seen;
pub use commit::{DirSink, Ending, Recovery, create, recover};
#[cfg(feature = "parquet")]
pub(crate) use commit::{LOCK, Lock, WRITING, hidden};
#[cfg(all(feature = "query", feature = "mmap", unix))]
pub(crate) use find::mapped;
pub use find::{
    Finder, FoundDatabase, Survey, belongs_to, find, find_as, in_archive, stdin, survey,
};
pub(crate) use snapshot::Snapshot;
