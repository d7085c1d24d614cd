//! An opening book together with its files.

use std::fmt;

use chessdb_book::Book;
use chessdb_core::{ReadOptions, Result, Scratch};
use self_cell::self_cell;

use crate::SharedFiles;

self_cell!(
    struct BookCell {
        owner: SharedFiles,
        #[covariant]
        dependent: Book,
    }
);

/// An opening book that owns its files, for programs that keep it open.
pub struct OwnedBook(BookCell);

impl OwnedBook {
    /// Opens these files as a book ([`Book::open`]).
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Book::open`].
    pub fn open(
        files: SharedFiles,
        options: ReadOptions,
        scratch: &mut Scratch,
    ) -> Result<OwnedBook> {
        let cell = BookCell::try_new(files, |files| Book::open(&**files, options, scratch))?;
        Ok(OwnedBook(cell))
    }

    /// Returns the book.
    pub fn book(&self) -> &Book<'_> {
        self.0.borrow_dependent()
    }
}

impl fmt::Debug for OwnedBook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.book().fmt(f)
    }
}
