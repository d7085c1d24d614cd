//! The outcome of finding an interrupted commit.

use std::fmt;
use std::path::PathBuf;

use crate::paths::shown;

/// An interrupted commit that was found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Recovery {
    /// The file that names the database.
    pub path: PathBuf,
    /// The outcome.
    pub ending: Ending,
}

/// The outcome of a commit that another run began.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Ending {
    /// The new files have their final names now.
    Finished,
    /// A new file was lost; the old files have their names again.
    Undone,
    /// Nothing could be renamed because of missing permissions; the new files are read under their
    /// hidden names.
    ReadNew,
    /// Nothing could be renamed, and a new file was lost; the old files are read.
    ReadOld,
}

impl Ending {
    /// Returns whether the files were left as they are.
    pub(crate) fn is_reading(self) -> bool {
        matches!(self, Ending::ReadNew | Ending::ReadOld)
    }
}

impl fmt::Display for Recovery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self.ending {
            Ending::Finished => "completed now; this is the complete new database",
            Ending::Undone => {
                "undone because a new file was lost; this is the complete old database"
            }
            Ending::ReadNew => {
                "not completed because the folder is not writable; the complete new database is \
                 read"
            }
            Ending::ReadOld => {
                "not undone because the folder is not writable; a new file was lost, and the \
                 complete old database is read"
            }
        };
        let path = shown(&self.path);
        write!(
            f,
            "{path}: an earlier write was interrupted between two files; {text}"
        )
    }
}
