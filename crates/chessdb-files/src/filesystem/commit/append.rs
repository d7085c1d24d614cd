//! Appending to files on disk, and replacing ranges of their bytes.

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};

use chessdb_core::error::Location;
use chessdb_core::files::{FileId, Growing, OTHER_BYTES, Role};
use chessdb_core::{Error, ErrorKind, Result};

use super::file_change::ByteRange;
use super::kept_journal::is_known_sound;
use super::sink::{DirSink, OutputFile};

/// The number of unchanged bytes after a replaced range that belong to the change.
const CONTEXT: u64 = 32;

impl Growing for DirSink {
    fn length(&self, role: Role) -> Option<u64> {
        let (_, target) = self.targets.iter().find(|(other, _)| *other == role)?;
        let data = fs::metadata(target).ok()?;
        data.is_file().then_some(data.len())
    }

    fn read_old(&self, role: Role, offset: u64, into: &mut [u8]) -> Result<()> {
        let target = self.targets.iter().find(|(other, _)| *other == role);
        let (_, target) = target.ok_or(ErrorKind::MissingFile(role))?;
        let mut file = File::open(target)?;
        file.seek(SeekFrom::Start(offset))?;
        Ok(file.read_exact(into)?)
    }

    fn grow(&mut self, role: Role) -> Result<FileId> {
        self.start(role, true)
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

    fn is_known_sound(&self) -> bool {
        is_known_sound(self.main(), self.paths().filter(|path| path.exists()))
    }

    fn note_sound(&mut self) {
        self.is_sound = true;
    }

    fn remove(&mut self, role: Role) -> Result<()> {
        let target = self.targets.iter().find(|(other, _)| *other == role);
        let (_, target) = target.ok_or(ErrorKind::MissingFile(role))?;
        if target.is_file() {
            self.removed.push(target.clone());
        }
        Ok(())
    }
}
