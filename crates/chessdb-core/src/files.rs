//! The files of a database, as named byte slices for reading and as sinks for writing.

mod buffered_file;
mod game_offsets;
mod memory_set;
mod role;

use std::fmt;
use std::panic::RefUnwindSafe;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use crate::{ErrorKind, Result};

pub use buffered_file::BufferedFile;
pub use game_offsets::{GameEnd, GameOffsets};
pub use memory_set::MemorySet;
pub use role::Role;

/// The files of one database as whole slices. The caller decides whether to map or read them.
pub trait FileSet: Sync {
    /// Returns the content of a file, or `None` if the database does not have it.
    fn get(&self, role: Role) -> Option<&[u8]>;

    /// Returns the content of a file that the database must have.
    fn require(&self, role: Role) -> Result<&[u8]> {
        self.get(role)
            .ok_or_else(|| ErrorKind::MissingFile(role).into())
    }

    /// Returns the transaction in which files on disk are read, if their format has any
    /// ([`crate::Format::disk`]) and they are on disk.
    fn transaction(&self) -> Option<&dyn Transaction> {
        None
    }
}

/// The access to a database on disk by the rules of the library to which its container belongs, such
/// as SQLite. While a transaction exists, no program that follows these rules changes the files.
pub trait Transaction: fmt::Debug + Send + Sync + RefUnwindSafe {
    /// Checks the files completely, and returns the faults in the words of the library.
    fn verify(&self) -> Vec<String>;

    /// Ends the transaction before it is dropped. Programs may change the files from now on.
    fn end(&self);
}

/// The functions that start a [`Transaction`]. `None` means that the file needs no transaction,
/// because no other program has it open or because it is too damaged; the caller then reads it
/// without one.
#[derive(Clone, Copy, Debug)]
pub struct DiskAccess {
    /// Starts reading. A change that a killed program left half done is undone first.
    pub read: fn(&Path) -> TransactionResult,
    /// Starts replacing the file.
    pub write: fn(&Path) -> TransactionResult,
    /// Completes or undoes what a killed program left half done, so that the file can be replaced. It
    /// stays if another program has the file open.
    pub settle: fn(&Path),
    /// Makes a change of [`Growing::note_change`] once more, or its reverse, in one transaction of
    /// the library. The bytes by which the library recognises the state of the file are set to new
    /// values, also in the change.
    pub apply: fn(&Path, &mut LibraryChange) -> std::result::Result<(), ApplyFault>,
}

/// The reason why [`DiskAccess::apply`] changed nothing.
#[derive(Debug)]
pub enum ApplyFault {
    /// Another program uses the file.
    Busy,
    /// The file is not in the state before the change.
    Changed,
    /// A file cannot be read or written.
    Io(std::io::Error),
}

impl From<std::io::Error> for ApplyFault {
    fn from(error: std::io::Error) -> ApplyFault {
        ApplyFault::Io(error)
    }
}

/// A change that the library of a format has made in a file on disk.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LibraryChange {
    /// The length of the file before the change, in bytes.
    pub before: u64,
    /// The length after the change, in bytes.
    pub after: u64,
    /// The bytes between the shorter and the longer length.
    pub tail: Vec<u8>,
    /// The changes before the shorter length, by offset, without overlap.
    pub ranges: Vec<ByteRange>,
    /// The time of the last modification of the file after the change, if it is known.
    pub modified: Option<SystemTime>,
}

/// Changed bytes of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ByteRange {
    /// The offset of the first byte in the file.
    pub offset: u64,
    /// The old bytes.
    pub before: Vec<u8>,
    /// The new bytes. As many as the old ones, unless the bytes after them move.
    pub after: Vec<u8>,
}

impl ByteRange {
    /// Returns the offset after the last byte.
    pub fn end(&self) -> u64 {
        self.offset.saturating_add(self.before.len() as u64)
    }

    /// Returns the length or offset to which this change moves another one, modulo 2^64.
    pub fn moved(&self, length: u64) -> u64 {
        let [before, after] = [&self.before, &self.after].map(|bytes| bytes.len() as u64);
        length.wrapping_add(after).wrapping_sub(before)
    }
}

/// The result of starting a [`Transaction`].
pub type TransactionResult = std::result::Result<Option<Box<dyn Transaction>>, TransactionFault>;

/// The reason why a [`Transaction`] cannot start.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TransactionFault {
    /// Another program is changing the file.
    Busy,
    /// A killed program left a change half done, and undoing it needs the right to write.
    HalfDone,
}

/// A handle to a file that is being written.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FileId(pub u32);

/// A destination for the files of a new database. Several files are open at once; counts and
/// offsets are patched at the end. No file appears under its final name before
/// [`FileSink::commit`].
pub trait FileSink {
    /// Creates a file. Each role may be created once.
    fn create(&mut self, role: Role) -> Result<FileId>;

    /// Appends to a file.
    fn write(&mut self, file: FileId, bytes: &[u8]) -> Result<()>;

    /// Overwrites bytes that were appended before.
    fn patch(&mut self, file: FileId, offset: u64, bytes: &[u8]) -> Result<()>;

    /// Returns the path of the hidden file on disk that receives the bytes of this file, for a
    /// writer whose library writes files by itself. `None` if the sink is not on disk; the writer
    /// then uses [`FileSink::write`].
    fn hidden_path(&self, _file: FileId) -> Option<&Path> {
        None
    }

    /// Makes all files visible together. The file created last is the index and becomes visible
    /// last.
    fn commit(&mut self) -> Result<()>;

    /// Returns the name of the database without its extension, if it has one, for programs that
    /// list databases by their title.
    fn name(&self) -> Option<&str> {
        None
    }
}

/// The content of a file that is shared with others, such as a memory-mapped file.
pub type SharedBytes = Arc<dyn AsRef<[u8]> + Send + Sync + RefUnwindSafe>;

/// The files of an existing database that games are appended to. The old contents can be read, and
/// new data are written after their ends. Until the commit, the database is unchanged.
pub trait Growing: FileSink {
    /// Returns the length of a file of the database in bytes; `None` if the file does not exist.
    fn length(&self, role: Role) -> Option<u64>;

    /// Fills `into` with the old bytes of a file, beginning at `offset`.
    fn read_old(&self, role: Role, offset: u64, into: &mut [u8]) -> Result<()>;

    /// Opens a file for appending. Each role may be grown or created once; a created file replaces
    /// the old one completely. Offsets of [`FileSink::patch`] count from the start of the file and
    /// may address the old bytes too.
    fn grow(&mut self, role: Role) -> Result<FileId>;

    /// Replaces the bytes `old` at `offset` of a file opened with [`Growing::grow`] by more, fewer or
    /// as many bytes. All bytes after them move. Several replacements in a file go from its end to its
    /// start, so that each offset is one of the old file; nothing else of that file is changed.
    ///
    /// # Errors
    ///
    /// Returns an error if the file has other bytes there, or cannot be read.
    fn splice(&mut self, file: FileId, offset: u64, old: &[u8], new: &[u8]) -> Result<()>;

    /// Removes a file with the commit. Files that are neither grown, created nor removed stay as
    /// they are, if at least one grows.
    fn remove(&mut self, role: Role) -> Result<()>;

    /// Prepares the change of a file by the library of its format, which commits it by a transaction
    /// of its own. Returns the path of the file; `None` if it is not on disk. Until
    /// [`Growing::note_change`] the sink does not open the file.
    fn lend(&mut self, _role: Role) -> Result<Option<PathBuf>> {
        Ok(None)
    }

    /// Checks that no other program has changed a lent file since it was opened. The library calls it
    /// when it has excluded other programs.
    fn check_lent(&self, _role: Role) -> Result<()> {
        Ok(())
    }

    /// Ends the change of a file by the library of its format. The change is recorded, so that it
    /// can be undone; `None` is a change that is too large for that.
    fn note_change(&mut self, _role: Role, _change: Option<LibraryChange>) {}
    /// Returns whether the files are exactly as the last change in place left them, and the format
    /// found before that change that they belong together ([`Growing::note_sound`]).
    fn is_known_sound(&self) -> bool {
        false
    }

    /// Notes that the format has found that the files belong together, and that they will after the
    /// commit.
    fn note_sound(&mut self) {}

    /// Returns all old bytes of a file.
    fn read_whole(&self, role: Role) -> Result<Vec<u8>> {
        let length = self.length(role).ok_or(ErrorKind::MissingFile(role))?;
        let length = usize::try_from(length).map_err(|_| ErrorKind::MissingFile(role))?;
        let mut bytes = vec![0; length];
        self.read_old(role, 0, &mut bytes)?;
        Ok(bytes)
    }
}

/// The error of [`Growing::splice`].
pub const OTHER_BYTES: &str = "the file does not have the bytes that are replaced";
