//! Appending to files on disk, and replacing ranges of their bytes.

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::path::PathBuf;

use chessdb_core::error::Location;
use chessdb_core::files::{ByteRange, FileId, Growing, LibraryChange, OTHER_BYTES, Role};
use chessdb_core::{Error, ErrorKind, Result};

use super::index_update::IndexUpdate;
use super::kept_journal::is_known_sound;
use super::sink::{DirSink, OutputFile};

/// The number of unchanged bytes after a replaced range that belong to the change.
const CONTEXT: u64 = 32;

impl DirSink {
    /// Sets the largest journal of a change in place in bytes, which is 1 GiB by default. For a greater
    /// change the commit fails ([`crate::error::is_too_large_for_journal`]) and changes nothing.
    pub fn limit_journal(&mut self, bytes: u64) {
        self.largest_journal = bytes;
    }
}

impl Growing for DirSink {
    fn length(&self, role: Role) -> Option<u64> {
        let data = fs::metadata(self.target(role)?).ok()?;
        data.is_file().then_some(data.len())
    }

    fn read_old(&self, role: Role, offset: u64, into: &mut [u8]) -> Result<()> {
        let target = self.target(role).ok_or(ErrorKind::MissingFile(role))?;
        let mut file = File::open(target)?;
        file.seek(SeekFrom::Start(offset))?;
        Ok(file.read_exact(into)?)
    }

    fn grow(&mut self, role: Role) -> Result<FileId> {
        self.start(role, true)
    }

    fn is_known_sound(&self) -> bool {
        is_known_sound(self.main(), self.paths().filter(|path| path.exists()))
    }

    fn note_sound(&mut self) {
        self.is_sound = true;
    }

    fn splice(&mut self, file: FileId, offset: u64, old: &[u8], new: &[u8]) -> Result<()> {
        let OutputFile { role, grown, .. } = self.file(file)?;
        let Some(appending) = grown else {
            return Err(ErrorKind::Structure("replacing bytes of a new file").into());
        };
        let limit = appending.splices.last();
        let limit = limit.map_or(appending.before, |next| next.offset);
        let end = offset.saturating_add(old.len() as u64);
        // The bytes after removed ones show whether these were removed.
        let context = CONTEXT.min(limit.saturating_sub(end)) as usize;
        let mut before = vec![0; old.len() + context];
        if end <= limit {
            appending.old.seek(SeekFrom::Start(offset))?;
            appending.old.read_exact(&mut before)?;
        }
        let Some(context) = before.strip_prefix(old).filter(|_| end <= limit) else {
            let kind = ErrorKind::Structure(OTHER_BYTES);
            return Err(Error::new(kind).at(Location::byte(*role, offset)));
        };
        let after = [new, context].concat();
        appending.splices.push(ByteRange {
            offset,
            before,
            after,
        });
        Ok(())
    }

    fn remove(&mut self, role: Role) -> Result<()> {
        let target = self.target(role).ok_or(ErrorKind::MissingFile(role))?;
        if target.is_file() {
            let target = target.clone();
            self.removed.push(target);
        }
        Ok(())
    }

    fn lend(&mut self, role: Role) -> Result<Option<PathBuf>> {
        let target = self.target(role).ok_or(ErrorKind::MissingFile(role))?;
        // The libraries put their own files next to the file to which links lead.
        let path = fs::canonicalize(target)?;
        self.back_up_old()?;
        if self.lent_index.is_none() {
            // An index that cannot be examined is out of date.
            let index = IndexUpdate::prepare(self.path(), &self.targets);
            self.lent_index = index.unwrap_or_default();
        }
        Ok(Some(path))
    }

    fn check_lent(&self, role: Role) -> Result<()> {
        Ok(self.check_unchanged_file(role)?)
    }

    fn note_change(&mut self, role: Role, change: Option<LibraryChange>) {
        self.note_made(role, change);
    }
}
