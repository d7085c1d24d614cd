//! Commits: new files are written next to the database and renamed together. The next run finishes
//! or undoes an interrupted commit (docs/decisions/0014-commit-journal.md).

mod backup;
mod disk;
mod growing;
mod growth;
mod journal;
mod lock;
mod recover;
mod sink;
mod steps;
mod targets;

#[cfg(feature = "parquet")]
pub(crate) use journal::{LOCK, WRITING, hidden};
#[cfg(feature = "parquet")]
pub(crate) use lock::Lock;
pub use recover::{Ending, Recovery, recover};
pub(crate) use recover::{
    PendingCommit, awaited_in, has_journal, is_pending, journals_in, settle_with, without_reading,
};
#[cfg(any(
    all(feature = "parquet", feature = "threads"),
    all(feature = "archives", feature = "cbh")
))]
pub(crate) use sink::create_files;
pub(crate) use sink::create_seen;
pub use sink::{DirSink, create};
pub(crate) use targets::side_file;
