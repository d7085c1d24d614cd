//! Failures of a sink's commit.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use chessdb_core::ErrorKind;

use super::{Error, Problem};
use crate::paths::shown;

/// A failure of a sink's commit other than a system error; stored inside an [`io::Error`].
#[derive(Debug)]
pub(crate) enum SinkFault {
    /// Some files have their new names and some do not, and this could not be undone.
    PartlyRenamed,
    /// Another program changed this file after it was opened.
    Changed(PathBuf),
    /// Another program has locked this file for writing.
    Locked(PathBuf),
    /// Another program has this file open, and does not share it.
    Held(PathBuf),
    /// The journal of a change in place would be larger than allowed.
    JournalTooLarge,
    /// The name of a hidden file is taken by something other than a plain file.
    NotRegularFile,
}

impl fmt::Display for SinkFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let problem = match self {
            SinkFault::PartlyRenamed => Problem::PartlyRenamed,
            SinkFault::NotRegularFile => Problem::NotRegularFile,
            SinkFault::JournalTooLarge => Problem::Io(io::ErrorKind::FileTooLarge.into()),
            SinkFault::Locked(path) => {
                return write!(f, "{}: {}", shown(path), Problem::Locked);
            }
            SinkFault::Held(path) => {
                return write!(f, "{}: {}", shown(path), Problem::Held);
            }
            SinkFault::Changed(path) => {
                return write!(f, "{}: {}", path.display(), Problem::Changed);
            }
        };
        write!(f, "{problem}")
    }
}

impl std::error::Error for SinkFault {}

/// Converts an error of a writer or its sink.
pub fn target_error(error: chessdb_core::Error, path: Option<&Path>) -> Error {
    let is_busy = |io: &io::Error| io.kind() == io::ErrorKind::ResourceBusy;
    let error = match fault_of(&error) {
        Some(SinkFault::PartlyRenamed) => Error::from(Problem::PartlyRenamed),
        Some(SinkFault::Changed(path)) => Error::new(path, Problem::Changed),
        Some(SinkFault::Locked(path)) => Error::new(path, Problem::Locked),
        Some(SinkFault::Held(path)) => Error::new(path, Problem::Held),
        Some(SinkFault::NotRegularFile) => Error::from(Problem::NotRegularFile),
        // The library of a format waits for other programs for some time.
        None if matches!(error.kind(), ErrorKind::Io(io) if is_busy(io)) => {
            Error::from(Problem::Locked)
        }
        Some(SinkFault::JournalTooLarge) | None => Error::from(error),
    };
    error.with_path(path).while_writing()
}

/// Returns whether a change in place was refused because its journal would be too large
/// ([`DirSink::limit_journal`](crate::filesystem::DirSink::limit_journal)). The database must be
/// rewritten instead.
pub fn is_too_large_for_journal(error: &chessdb_core::Error) -> bool {
    matches!(fault_of(error), Some(SinkFault::JournalTooLarge))
}

fn fault_of(error: &chessdb_core::Error) -> Option<&SinkFault> {
    match error.kind() {
        ErrorKind::Io(io) => io.get_ref()?.downcast_ref(),
        _ => None,
    }
}
