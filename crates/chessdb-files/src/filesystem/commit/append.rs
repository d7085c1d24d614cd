//! Appending to files on disk, and replacing ranges of their bytes.

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::ops::Range;

use chessdb_core::files::{FileId, Growing, Role};
use chessdb_core::{ErrorKind, Result};

use super::file_change::ByteRange;
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

    fn splice(&mut self, file: FileId, range: Range<u64>, bytes: &[u8]) -> Result<()> {
        let OutputFile { role, grown, .. } = self.file(file)?;
        let (role, Some(appending)) = (*role, grown) else {
            return Err(ErrorKind::Structure("replacing bytes of a new file").into());
        };
        let limit = appending
            .splices
            .last()
            .map_or(appending.before, |next| next.offset);
        if range.start > range.end || range.end > limit {
            return Err(ErrorKind::Structure("replacing bytes twice").into());
        }
        // The bytes after a removed range show whether it was removed.
        let context = CONTEXT.min(limit - range.end);
        let length = (range.end - range.start + context) as usize;
        let mut before = vec![0; length];
        self.read_old(role, range.start, &mut before)?;
        let context = before.get(length - context as usize..).unwrap_or_default();
        let after = [bytes, context].concat();
        if let Some(appending) = &mut self.file(file)?.grown {
            appending.splices.push(ByteRange {
                offset: range.start,
                before,
                after,
            });
        }
        Ok(())
    }

    fn remove(&mut self, role: Role) -> Result<()> {
        let target = self.targets.iter().find(|(other, _)| *other == role);
        let (_, target) = target.ok_or(ErrorKind::MissingFile(role))?;
        if target.exists() {
            self.removed.push(target.clone());
        }
        Ok(())
    }
}
