//! Commits: new files are written next to the database and renamed together. The next run finishes
//! or undoes an interrupted commit (docs/decisions/0014-commit-journal.md).

mod append;
mod backup;
mod disk;
mod file_change;
mod index_update;
mod journal;
mod kept_journal;
mod lock;
mod moved_file;
mod recover;
mod sink;
mod steps;
mod targets;
mod undo;

pub use disk::{consume_while_held, remove, rename, while_held};
pub use journal::{LOCK, WRITING, hidden};
pub use kept_journal::RecordedCommand;
pub use lock::Lock;
pub use recover::recover;
pub(crate) use recover::{
    PendingCommit, finish_pending_with, has_journal, is_pending, journals_in, only_ended,
    pending_files_in,
};
pub use sink::{DirSink, IndexedChange, KnownChanges, create, create_files, create_seen};
pub(crate) use targets::side_file;
pub use undo::{LastChange, last_change, last_changes, undo, undo_last};
