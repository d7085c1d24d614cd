//! A change that moves many bytes of a file: the whole file is written again under a hidden name. The
//! system copies the bytes around the change.

use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;

use chessdb_owned::HiddenFileGuard;

use super::backup::COPYING;
use super::disk::{remove, sync_folder};
use super::file_change::{ChangeState, FileChange, read_at};
use super::journal::{WRITING, hidden};
use crate::filesystem::plain_file;
use crate::paths::folder_of;

/// From this number of bytes on, the system copies them from file to file.
const LEAST_COPIED: u64 = 64 << 10;

impl FileChange {
    /// Returns the state of a file in which bytes move.
    pub(super) fn look_moved(&self, file: &mut File, length: u64) -> io::Result<ChangeState> {
        Ok(if length == self.after && self.is_in(file)? {
            ChangeState::Done
        } else if length == self.before && self.reversed().is_in(file)? {
            ChangeState::Possible
        // Another program may have appended to the new file.
        } else if length > self.before.max(self.after) && self.is_in(file)? {
            ChangeState::Done
        } else {
            ChangeState::Other
        })
    }

    /// Returns whether a file of at least the new length has all new ranges.
    fn is_in(&self, file: &mut File) -> io::Result<bool> {
        for range in &self.reversed().ranges {
            if read_at(file, range.offset, range.before.len())? != range.before {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Writes a file in which bytes move under its hidden name, and flushes it. Does nothing for other
    /// changes.
    pub(crate) fn prepare(&self) -> io::Result<()> {
        if !self.is_moved() {
            return Ok(());
        }
        let copy = hidden(&self.target, COPYING);
        remove(&copy)?;
        let guard = HiddenFileGuard::new(&copy);
        // Under its other name the file is always complete.
        let written = self.write_copy(&copy);
        let written = written.and_then(|()| fs::rename(&copy, hidden(&self.target, WRITING)));
        drop(guard);
        written.inspect_err(|_| drop(remove(&copy)))
    }

    fn write_copy(&self, copy: &Path) -> io::Result<()> {
        let mut old = plain_file::open(&self.target)?;
        let new = File::create_new(copy)?;
        new.set_permissions(old.metadata()?.permissions())?;
        let mut out = BufWriter::with_capacity(LEAST_COPIED as usize, new);
        let mut copied = 0;
        for range in &self.ranges {
            copy_bytes(&mut old, copied, range.offset, &mut out)?;
            out.write_all(&range.after)?;
            copied = range.end();
        }
        copy_bytes(&mut old, copied, self.before, &mut out)?;
        out.into_inner()?.sync_all()
    }

    /// Gives the hidden file the name of the old one, unless that is done.
    pub(super) fn finish_moved(&self) -> io::Result<()> {
        let new = hidden(&self.target, WRITING);
        match self.look()? {
            ChangeState::Done => return remove(&new),
            ChangeState::Possible | ChangeState::NoTail => {}
            ChangeState::Other => return Err(io::ErrorKind::AlreadyExists.into()),
        }
        if !fs::symlink_metadata(&new).is_ok_and(|data| data.is_file() && data.len() == self.after)
        {
            self.prepare()?;
        }
        fs::rename(&new, &self.target)?;
        sync_folder(folder_of(&self.target));
        Ok(())
    }
}

/// Copies the bytes of a file between two offsets.
fn copy_bytes(old: &mut File, start: u64, end: u64, out: &mut BufWriter<File>) -> io::Result<()> {
    let length = end.saturating_sub(start);
    if length < LEAST_COPIED {
        return out.write_all(&read_at(old, start, length as usize)?);
    }
    old.seek(SeekFrom::Start(start))?;
    match io::copy(&mut old.take(length), out)? {
        copied if copied == length => Ok(()),
        _ => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}

#[cfg(test)]
mod tests;
