//! New databases as ChessBase archives: `.cbv`, and `.cbz` with a password.

use std::ffi::OsStr;

use chessdb_cbh::archive::{Key, Packing, lock, pack};
use chessdb_core::files::{FileId, FileSink, Role};
use chessdb_core::{Charset, MemorySet, Result};

use crate::packed::ARCHIVE;

/// A sink that collects the files of a database until they are complete, and writes them to another
/// sink as one archive.
pub(super) struct ArchiveSink<'s> {
    sink: &'s mut dyn FileSink,
    stem: String,
    key: Option<Key>,
    files: MemorySet,
}

impl<'s> ArchiveSink<'s> {
    /// Creates an archive with this name, which its files share. With a key it is encrypted.
    pub(super) fn new(
        sink: &'s mut dyn FileSink,
        name: &OsStr,
        key: Option<Key>,
    ) -> ArchiveSink<'s> {
        let stem = crate::paths::split(name).0.to_string_lossy().into_owned();
        ArchiveSink {
            sink,
            stem,
            key,
            files: MemorySet::new(),
        }
    }
}

impl FileSink for ArchiveSink<'_> {
    fn create(&mut self, role: Role) -> Result<FileId> {
        self.files.create(role)
    }

    fn write(&mut self, file: FileId, bytes: &[u8]) -> Result<()> {
        self.files.write(file, bytes)
    }

    fn patch(&mut self, file: FileId, offset: u64, bytes: &[u8]) -> Result<()> {
        self.files.patch(file, offset, bytes)
    }

    fn commit(&mut self) -> Result<()> {
        // Names are in Windows-1252; readers take other characters for UTF-8.
        let named = |role: Role| {
            let name = format!("{}.{}", self.stem, role.0);
            let mut bytes = Vec::new();
            match Charset::WINDOWS_1252.encode_strict(&name, &mut bytes) {
                Ok(()) => bytes,
                Err(_) => name.into_bytes(),
            }
        };
        let files: Vec<(Vec<u8>, &[u8])> = self
            .files
            .iter()
            .map(|(role, bytes)| (named(role), bytes))
            .collect();
        let members = files.iter().map(|(name, bytes)| (name.as_slice(), *bytes));
        let mut archive = pack(members, Packing::Smallest)?;
        if let Some(key) = self.key {
            archive = lock(archive, key);
        }
        let file = self.sink.create(ARCHIVE)?;
        self.sink.write(file, &archive)?;
        self.sink.commit()
    }
}
