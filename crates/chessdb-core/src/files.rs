//! The files of a database, as named byte slices for reading and as sinks for writing.

mod buffered_file;
mod game_offsets;
mod role;

use std::fmt;
use std::panic::RefUnwindSafe;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use crate::error::Location;
use crate::{Error, ErrorKind, Result};

pub use buffered_file::BufferedFile;
pub use game_offsets::{GameEnd, GameOffsets};
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

/// A set of files in memory, for tests, for WebAssembly and for intermediate steps of conversions.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct MemorySet {
    /// Ordered by role. A set has few files, and a list needs less code than a map.
    files: Vec<(Role, Content)>,
    created: Vec<Role>,
    committed: bool,
    /// Declared last, so that it ends after the bytes are released.
    transaction: Held,
}

/// The transaction in which files were read. It is not part of their content.
#[derive(Clone, Default, Debug)]
struct Held(Option<Arc<dyn Transaction>>);

impl PartialEq for Held {
    fn eq(&self, _: &Held) -> bool {
        true
    }
}

impl Eq for Held {}

impl MemorySet {
    /// Creates a set without files.
    pub fn new() -> MemorySet {
        MemorySet::default()
    }

    /// Adds or replaces a file.
    pub fn insert(&mut self, role: Role, bytes: impl Into<Vec<u8>>) {
        self.put(role, bytes.into().into());
    }

    /// Adds or replaces a file without copying its bytes.
    pub fn insert_shared(&mut self, role: Role, bytes: SharedBytes) {
        let own = Vec::new();
        let shared = Some(bytes);
        self.put(role, Content { own, shared });
    }

    /// Sets the transaction in which the files were read. It lasts as long as the set and its clones.
    pub fn set_transaction(&mut self, transaction: Arc<dyn Transaction>) {
        self.transaction = Held(Some(transaction));
    }

    fn put(&mut self, role: Role, content: Content) {
        match self.place(role) {
            Ok(place) => {
                if let Some((_, existing)) = self.files.get_mut(place) {
                    *existing = content;
                }
            }
            Err(place) => self.files.insert(place, (role, content)),
        }
    }

    /// Returns the index of a file, or as an error the index at which it would be.
    fn place(&self, role: Role) -> std::result::Result<usize, usize> {
        self.files.binary_search_by_key(&role, |(role, _)| *role)
    }

    /// Removes a file and returns its content; shared bytes are copied.
    pub fn remove(&mut self, role: Role) -> Option<Vec<u8>> {
        let place = self.place(role).ok()?;
        Some(self.files.remove(place).1.into_vec())
    }

    /// Returns the content of a file for modification; shared bytes are copied.
    pub fn get_mut(&mut self, role: Role) -> Option<&mut Vec<u8>> {
        let place = self.place(role).ok()?;
        self.files
            .get_mut(place)
            .map(|(_, content)| content.to_mut())
    }

    /// Returns the files, ordered by the names of their roles.
    pub fn iter(&self) -> impl Iterator<Item = (Role, &[u8])> {
        self.files
            .iter()
            .map(|(role, content)| (*role, content.as_slice()))
    }

    /// Returns whether a writer has committed the set.
    pub fn is_committed(&self) -> bool {
        self.committed
    }

    fn open_file(&mut self, file: FileId) -> Result<(Role, &mut Vec<u8>)> {
        self.created
            .get(file.0 as usize)
            .copied()
            .and_then(|role| Some((role, self.get_mut(role)?)))
            .ok_or_else(|| ErrorKind::Structure("writing to a file that was not created").into())
    }
}

/// The content of one file of a [`MemorySet`]: the shared bytes if present, else its own.
#[derive(Clone, Default)]
struct Content {
    own: Vec<u8>,
    shared: Option<SharedBytes>,
}

impl Content {
    fn as_slice(&self) -> &[u8] {
        match &self.shared {
            Some(bytes) => (**bytes).as_ref(),
            None => &self.own,
        }
    }

    fn to_mut(&mut self) -> &mut Vec<u8> {
        if let Some(bytes) = self.shared.take() {
            self.own = (*bytes).as_ref().to_vec();
        }
        &mut self.own
    }

    fn into_vec(mut self) -> Vec<u8> {
        std::mem::take(self.to_mut())
    }
}

impl From<Vec<u8>> for Content {
    fn from(own: Vec<u8>) -> Content {
        Content { own, shared: None }
    }
}

impl PartialEq for Content {
    fn eq(&self, other: &Content) -> bool {
        self.as_slice() == other.as_slice()
    }
}

impl Eq for Content {}

impl fmt::Debug for Content {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_slice().fmt(f)
    }
}

impl FromIterator<(Role, Vec<u8>)> for MemorySet {
    fn from_iter<I: IntoIterator<Item = (Role, Vec<u8>)>>(files: I) -> MemorySet {
        let mut set = MemorySet::new();
        for (role, bytes) in files {
            set.insert(role, bytes);
        }
        set
    }
}

impl FileSet for MemorySet {
    fn get(&self, role: Role) -> Option<&[u8]> {
        let place = self.place(role).ok()?;
        self.files.get(place).map(|(_, content)| content.as_slice())
    }

    fn transaction(&self) -> Option<&dyn Transaction> {
        self.transaction.0.as_deref()
    }
}

impl FileSink for MemorySet {
    fn create(&mut self, role: Role) -> Result<FileId> {
        if self.created.contains(&role) {
            return Err(ErrorKind::Structure("creating the same file twice").into());
        }
        self.created.push(role);
        self.insert(role, Vec::new());
        Ok(FileId(self.created.len() as u32 - 1))
    }

    fn write(&mut self, file: FileId, bytes: &[u8]) -> Result<()> {
        self.open_file(file)?.1.extend_from_slice(bytes);
        Ok(())
    }

    fn patch(&mut self, file: FileId, offset: u64, bytes: &[u8]) -> Result<()> {
        let (role, content) = self.open_file(file)?;
        let available = content.len() as u64;
        let range = usize::try_from(offset)
            .ok()
            .and_then(|start| Some(start..start.checked_add(bytes.len())?))
            .and_then(|range| content.get_mut(range));
        match range {
            Some(place) => {
                place.copy_from_slice(bytes);
                Ok(())
            }
            None => {
                let needed = offset.saturating_add(bytes.len() as u64);
                let what = "changing a written file";
                Err(Error::new(ErrorKind::Truncated {
                    what,
                    needed,
                    had: available,
                })
                .at(Location::byte(role, offset)))
            }
        }
    }

    fn commit(&mut self) -> Result<()> {
        self.committed = true;
        Ok(())
    }
}

/// In memory, the old contents and the new data are the same buffers.
impl Growing for MemorySet {
    fn length(&self, role: Role) -> Option<u64> {
        self.get(role).map(|bytes| bytes.len() as u64)
    }

    fn read_old(&self, role: Role, offset: u64, into: &mut [u8]) -> Result<()> {
        let bytes = self.require(role)?;
        let start = usize::try_from(offset).unwrap_or(usize::MAX);
        let end = start.saturating_add(into.len());
        let Some(source) = bytes.get(start..end) else {
            let what = "the file";
            let (needed, available) = (end as u64, bytes.len() as u64);
            return Err(Error::new(ErrorKind::Truncated {
                what,
                needed,
                had: available,
            })
            .at(Location::byte(role, offset)));
        };
        into.copy_from_slice(source);
        Ok(())
    }

    fn grow(&mut self, role: Role) -> Result<FileId> {
        if self.created.contains(&role) || self.place(role).is_err() {
            return Err(ErrorKind::MissingFile(role).into());
        }
        self.created.push(role);
        Ok(FileId(self.created.len() as u32 - 1))
    }

    fn splice(&mut self, file: FileId, offset: u64, old: &[u8], new: &[u8]) -> Result<()> {
        let (role, content) = self.open_file(file)?;
        let start = usize::try_from(offset).unwrap_or(usize::MAX);
        let end = start.saturating_add(old.len());
        if content.get(start..end) != Some(old) {
            let kind = ErrorKind::Structure(OTHER_BYTES);
            return Err(Error::new(kind).at(Location::byte(role, offset)));
        }
        content.splice(start..end, new.iter().copied());
        Ok(())
    }

    fn remove(&mut self, role: Role) -> Result<()> {
        MemorySet::remove(self, role);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_set_receives_written_files() {
        let mut set = MemorySet::new();
        let games = set.create(Role("sg4")).unwrap();
        let index = set.create(Role("si4")).unwrap();
        set.write(index, b"0000").unwrap();
        set.write(games, b"moves").unwrap();
        set.patch(index, 1, b"12").unwrap();
        assert!(set.patch(index, 3, b"12").is_err());
        assert!(set.create(Role("si4")).is_err());
        assert!(set.write(FileId(7), b"").is_err());
        set.commit().unwrap();
        assert_eq!(set.get(Role("si4")), Some(&b"0120"[..]));
        assert!(set.is_committed());
        assert!(set.require(Role("sn4")).is_err());
    }

    #[test]
    fn shared_bytes_are_copied_on_write() {
        let bytes: SharedBytes = Arc::new(b"moves".to_vec());
        let mut set = MemorySet::new();
        set.insert_shared(Role("sg4"), Arc::clone(&bytes));
        let same = set.clone();
        let shared = set.get(Role("sg4")).unwrap();
        assert_eq!(shared.as_ptr(), (*bytes).as_ref().as_ptr());
        set.get_mut(Role("sg4")).unwrap().push(b'!');
        assert_eq!(set.get(Role("sg4")), Some(&b"moves!"[..]));
        assert_eq!((*bytes).as_ref(), b"moves");
        assert_ne!(set, same);
        let own = MemorySet::from_iter([(Role("sg4"), b"moves".to_vec())]);
        assert_eq!(own, same);
    }
}
