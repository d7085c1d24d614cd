//! Opening a book by path.

use std::path::Path;

use chessdb::book::Book;
use chessdb::core::{Error, Scratch};
use chessdb::formats::shown;
use chessdb::fs::BookFiles;

use crate::exit::Failure;
use crate::findings::{Finding, FindingLog};

/// The files of a book. Its errors are failures of a command.
pub(crate) struct BookFile(pub(super) BookFiles);

impl BookFile {
    pub(crate) fn read(path: &Path) -> Result<BookFile, Failure> {
        Ok(BookFile(BookFiles::read(path)?))
    }

    /// Opens the book. Findings are collected.
    pub(crate) fn open(&self, scratch: &mut Scratch) -> Result<Book<'_>, Failure> {
        let book = self.0.open(scratch);
        book.map_err(|error| Failure::Input(error.to_string()))
    }

    /// Returns the failure of a book that cannot be read.
    pub(crate) fn failure(&self, error: &Error) -> Failure {
        Failure::Input(format!("{}: {error}", self.name()))
    }

    /// Returns the path as it is shown.
    pub(crate) fn name(&self) -> String {
        shown(self.0.path()).to_string()
    }

    /// Reports findings with data loss, and returns whether there are any.
    pub(crate) fn report(&self, scratch: &Scratch) -> bool {
        let mut log = FindingLog::from_name(self.name());
        log.add_all(Finding::lost(&scratch.diagnostics));
        log.finish() + u64::from(scratch.dropped_diagnostics) > 0
    }
}
