//! Stores that own their files, and writers that own their sink.
//!
//! [`GameStore`] borrows its files and [`GameWrite`] its sink, so that format crates need not
//! decide about ownership. To keep both in one value, a type must borrow from itself. That takes a
//! few lines of unsafe code, which the package `self_cell` provides and tests. They are in this
//! crate, so that all others can forbid unsafe code. For the same reason this crate contains the
//! call that maps a file into memory, and the handler for the signal that the operating system
//! sends when such a file is truncated.
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "book")]
mod book;
mod hidden;
#[cfg(feature = "mmap")]
mod mapped;
#[cfg_attr(not(unix), path = "system_other.rs")]
mod system;
#[cfg_attr(not(all(feature = "mmap", unix)), path = "no_truncation.rs")]
mod truncation;

use std::fmt;
use std::sync::Arc;

use chessdb_core::files::FileSink;
use chessdb_core::{
    ErrorKind, FileSet, Format, Game, GameStore, GameWrite, Losses, ReadOptions, Result,
    WriteOptions,
};
use self_cell::{MutBorrow, self_cell};

#[cfg(feature = "book")]
pub use book::OwnedBook;
pub use hidden::{HiddenFileGuard, remove_hidden};
#[cfg(feature = "mmap")]
pub use mapped::{map, map_present};
pub use system::has_own_console;
pub use truncation::{exit_on_truncation, exits_on_truncation, release_mapped_pages};

/// The files of a database, shared by all readers.
pub type SharedFiles = Arc<dyn FileSet + Send + Sync>;

type Store<'a> = Box<dyn GameStore + 'a>;
type Sink = MutBorrow<Box<dyn FileSink>>;
type Writer<'a> = Option<Box<dyn GameWrite + 'a>>;

self_cell!(
    struct StoreCell {
        owner: SharedFiles,
        #[covariant]
        dependent: Store,
    }
);

self_cell!(
    struct WriterCell {
        owner: Sink,
        #[not_covariant]
        dependent: Writer,
    }
);

/// A database with random access to its games, together with its files.
pub struct OwnedStore(StoreCell);

impl OwnedStore {
    /// Opens these files as a database of this format.
    ///
    /// # Errors
    ///
    /// Returns the errors of the format.
    pub fn open(files: SharedFiles, format: &Format, options: ReadOptions) -> Result<OwnedStore> {
        OwnedStore::open_with(files, |files| (format.open)(files, options))
    }

    /// Opens these files with a function.
    ///
    /// # Errors
    ///
    /// Returns the errors of the function.
    pub fn open_with(
        files: SharedFiles,
        open: impl for<'a> FnOnce(&'a dyn FileSet) -> Result<Box<dyn GameStore + 'a>>,
    ) -> Result<OwnedStore> {
        let cell = StoreCell::try_new(files, |files| open(&**files))?;
        Ok(OwnedStore(cell))
    }

    /// Returns the games.
    pub fn store(&self) -> &dyn GameStore {
        &**self.0.borrow_dependent()
    }

    /// Returns the files.
    pub fn files(&self) -> &SharedFiles {
        self.0.borrow_owner()
    }
}

impl fmt::Debug for OwnedStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "OwnedStore({} games)", self.store().len())
    }
}

/// A database that is being written, together with the sink for its files.
pub struct OwnedWriter(WriterCell);

impl OwnedWriter {
    /// Starts a database of this format in `sink`.
    ///
    /// # Errors
    ///
    /// Returns the errors of the format, and an error if the format cannot be written.
    pub fn create(
        sink: Box<dyn FileSink>,
        format: &Format,
        options: WriteOptions,
    ) -> Result<OwnedWriter> {
        let create = format
            .writer()
            .ok_or(ErrorKind::Unsupported("writing this format"))?;
        let cell = WriterCell::try_new(MutBorrow::new(sink), |sink| {
            create(&mut **sink.borrow_mut(), options).map(Some)
        })?;
        Ok(OwnedWriter(cell))
    }

    /// Appends a game ([`GameWrite::write`]).
    ///
    /// # Errors
    ///
    /// Returns the errors of the writer.
    pub fn write(&mut self, game: &Game) -> Result<Losses> {
        self.with(|writer| writer.write(game))?
    }

    /// Calls `act` with the writer.
    ///
    /// # Errors
    ///
    /// Returns an error if the writer no longer exists, which can only happen after
    /// [`OwnedWriter::finish`].
    pub fn with<T>(&mut self, act: impl FnOnce(&mut dyn GameWrite) -> T) -> Result<T> {
        self.0.with_dependent_mut(|_, writer| match writer {
            Some(writer) => Ok(act(&mut **writer)),
            None => Err(finished()),
        })
    }

    /// Completes the database ([`GameWrite::finish`]) and returns its number of games.
    ///
    /// # Errors
    ///
    /// Returns the errors of the writer and of the sink.
    pub fn finish(mut self) -> Result<u32> {
        self.0
            .with_dependent_mut(|_, writer| writer.take().map(GameWrite::finish))
            .ok_or_else(finished)?
    }
}

fn finished() -> chessdb_core::Error {
    ErrorKind::Structure("writing to a database that is already finished").into()
}

impl fmt::Debug for OwnedWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OwnedWriter").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_shared<T: Send + Sync + 'static>() {}

    #[test]
    fn store_is_send_and_static() {
        is_shared::<OwnedStore>();
    }
}
