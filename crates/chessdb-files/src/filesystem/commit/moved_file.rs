//! A change that moves many bytes of a file: the whole file is written again under a hidden name, with
//! the bytes around the change copied.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::mpsc;
use std::thread;

use chessdb_owned::HiddenFileGuard;

use super::backup::COPYING;
use super::disk::{remove, rename, sync_folder};
use super::file_change::{ChangeState, FileChange, read_at};
use super::journal::{WRITING, hidden};
use crate::filesystem::plain_file;
use crate::paths::folder_of;

/// The number of bytes that are copied at once. They fit into the cache of a processor.
const BLOCK: usize = 128 << 10;
/// The number of bytes after which the disk begins to write them.
const FLUSHED_PART: usize = 32 << 20;

impl FileChange {
    /// Returns the state of a file in which bytes move.
    pub(super) fn look_moved(&self, file: &mut File, length: u64) -> io::Result<ChangeState> {
        Ok(if length == self.after && self.has_ranges(file, true)? {
            ChangeState::Done
        } else if length == self.before && self.has_ranges(file, false)? {
            ChangeState::Possible
        // Another program may have appended to the new file.
        } else if length > self.before.max(self.after) && self.has_ranges(file, true)? {
            ChangeState::Done
        } else {
            ChangeState::Other
        })
    }

    /// Returns whether a file that is long enough has all new or all old ranges.
    fn has_ranges(&self, file: &mut File, new: bool) -> io::Result<bool> {
        let mut moved = 0_u64;
        for range in &self.ranges {
            let (offset, bytes) = if new {
                (range.offset.wrapping_add(moved), &range.after)
            } else {
                (range.offset, &range.before)
            };
            if read_at(file, offset, bytes.len())? != *bytes {
                return Ok(false);
            }
            moved = range.moved(moved);
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
        let written = written.and_then(|()| rename(&copy, &hidden(&self.target, WRITING)));
        drop(guard);
        written.inspect_err(|_| drop(remove(&copy)))
    }

    fn write_copy(&self, copy: &Path) -> io::Result<()> {
        let mut old = plain_file::open(&self.target)?;
        let new = File::create_new(copy)?;
        new.set_permissions(old.metadata()?.permissions())?;
        if self.after < FLUSHED_PART as u64 {
            return self.write_blocks(&mut old, new, &|| ())?.sync_all();
        }
        let written = new.try_clone()?;
        thread::scope(|scope| {
            // The disk writes while the rest is copied. Without such a thread, and for its errors, there
            // is the last flush.
            let (flush, requests) = mpsc::sync_channel(1);
            let flush_parts = move || requests.iter().for_each(|()| drop(written.sync_data()));
            let _ = thread::Builder::new().spawn_scoped(scope, flush_parts);
            let flush = move || {
                // If the thread is busy, its next flush covers this part.
                let _ = flush.try_send(());
            };
            self.write_blocks(&mut old, new, &flush)?.sync_all()
        })
    }

    /// Writes the whole file and returns it. `flush` is called each time another part was written.
    fn write_blocks(&self, old: &mut File, new: File, flush: &dyn Fn()) -> io::Result<File> {
        let start = self
            .ranges
            .first()
            .map_or(self.before, |range| range.offset);
        let mut out = BlockWriter::after_copy(new, old, start, flush)?;
        let mut copied = start;
        for range in &self.ranges {
            out.copy_range(old, copied, range.offset)?;
            out.copy(&mut range.after.as_slice())?;
            copied = range.end();
        }
        out.copy_range(old, copied, self.before)?;
        out.write_block()?;
        Ok(out.file)
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
        rename(&new, &self.target)?;
        sync_folder(folder_of(&self.target));
        Ok(())
    }
}

/// Writes a file in blocks at multiples of their size. The system then fills whole pages, which takes
/// half the time of letting it copy bytes to other places in the pages (`copy_file_range`).
struct BlockWriter<'f> {
    file: File,
    flush: &'f dyn Fn(),
    /// The bytes that were written since the last call of `flush`.
    unflushed: usize,
    block: Vec<u8>,
    /// The part of the block that is not written yet.
    start: usize,
    end: usize,
}

impl<'f> BlockWriter<'f> {
    /// Begins a file with the first bytes of another one. They keep their place, so the system copies
    /// them, and a file system can share them.
    fn after_copy(
        mut file: File,
        old: &mut File,
        length: u64,
        flush: &'f dyn Fn(),
    ) -> io::Result<BlockWriter<'f>> {
        let mut copied = 0;
        while copied < length {
            let part = (length - copied).min(FLUSHED_PART as u64);
            expect(part, io::copy(&mut old.take(part), &mut file)?)?;
            copied += part;
            flush();
        }
        let start = (length % BLOCK as u64) as usize;
        Ok(BlockWriter {
            file,
            flush,
            unflushed: 0,
            block: vec![0; BLOCK],
            start,
            end: start,
        })
    }

    /// Copies the bytes of a file between two offsets.
    fn copy_range(&mut self, old: &mut File, start: u64, end: u64) -> io::Result<()> {
        let length = end.saturating_sub(start);
        old.seek(SeekFrom::Start(start))?;
        expect(length, self.copy(&mut old.take(length))?)
    }

    fn copy(&mut self, from: &mut dyn Read) -> io::Result<u64> {
        let mut copied = 0;
        loop {
            let free = self.block.get_mut(self.end..).unwrap_or_default();
            match from.read(free) {
                Ok(0) => return Ok(copied),
                Ok(count) => {
                    copied += count as u64;
                    self.end += count;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
            if self.end == BLOCK {
                self.write_block()?;
            }
        }
    }

    fn write_block(&mut self) -> io::Result<()> {
        let bytes = self.block.get(self.start..self.end).unwrap_or_default();
        self.file.write_all(bytes)?;
        self.unflushed += bytes.len();
        if self.unflushed >= FLUSHED_PART {
            self.unflushed = 0;
            (self.flush)();
        }
        self.end %= BLOCK;
        self.start = self.end;
        Ok(())
    }
}

fn expect(length: u64, copied: u64) -> io::Result<()> {
    if copied == length { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}

#[cfg(test)]
mod tests;
