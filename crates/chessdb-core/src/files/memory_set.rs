//! A set of files in memory.

use std::fmt;
use std::sync::Arc;

use super::{FileId, FileSet, FileSink, Growing, OTHER_BYTES, Role, SharedBytes, Transaction};
use crate::error::Location;
use crate::{Error, ErrorKind, Result};

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
                Err(Error::new(ErrorKind::truncated(what, needed, available))
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
            return Err(Error::new(ErrorKind::truncated(what, needed, available))
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
