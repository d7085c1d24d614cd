//! Bases by path: finding their files, reading them, and replacing them safely.
//!
//! A path may be any file of a base, the name that its files share (the stem), or a folder or archive that
//! holds one base; [`survey`] tells of several. Names are found in any case, so `BASE.SI4` may lie beside `base.sg4`.
//!
//! [`crate::Database::open`] and [`crate::create`] are what most programs need; here are the steps
//! between a path and a base for those that want to look closer, and the places that new bases are
//! written to.
//!
//! Whoever finds a base asks what an interrupted writer left; whoever commits one knows nothing of
//! how bases are found.

mod commit;
mod find;
mod folder;
mod plain;
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
