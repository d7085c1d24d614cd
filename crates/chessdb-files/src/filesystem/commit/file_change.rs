//! A change of one file in place: bytes after its end, and ranges of bytes before it
//! (docs/decisions/0035-changes-in-place.md). A file in which many bytes move is written again instead.
//!
//! Everything that the change needs is in the journal, and the journal is on disk before the file
//! is touched. So a later run can complete the change from any mixture of old and new bytes.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use chessdb_core::files::{ByteRange, LibraryChange};

use super::journal::{Fingerprint, hidden};
use super::kept_journal::AFTER;
use crate::error::SinkFault;
use crate::filesystem::plain_file;

/// The unit in which disks write, in bytes. A loss of power can damage all bytes of a unit that was
/// being written, so the journal has whole ones.
const SECTOR: u64 = 512;

/// The largest number of bytes after a change of length that are written again in place. With more of
/// them the whole file is copied around the change.
const MAX_REWRITTEN: u64 = 1 << 20;

/// A sector with more than this share of unknown bytes was damaged by a loss of power. With fewer
/// unknown bytes, another program has changed it, and these bytes are left alone.
const DAMAGED_SHARE: usize = 4;

/// A change of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct FileChange {
    pub(crate) target: PathBuf,
    /// The length before the change, in bytes.
    pub(crate) before: u64,
    /// The length after the change, in bytes.
    pub(crate) after: u64,
    pub(crate) tail: Tail,
    /// Changes before the shorter of both lengths, by offset, without overlap. They have whole
    /// sectors, with unchanged bytes around the changed ones. If bytes move ([`Tail::Moved`]), ranges
    /// up to the end, with other lengths before and after.
    pub(crate) ranges: Vec<ByteRange>,
}

/// The bytes between the shorter and the longer length of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Tail {
    /// The bytes themselves.
    Inline(Vec<u8>),
    /// The content of the hidden file with the suffix [`AFTER`].
    Hidden(Fingerprint),
    /// None: the file is written again as a whole under the hidden name [`WRITING`], with the new
    /// ranges between copied bytes, and replaces the old one.
    Moved,
}

/// The progress of a [`FileChange`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ChangeState {
    /// It can be undone but not completed, because its new bytes are lost.
    NoTail,
    /// It can be completed and undone.
    Possible,
    /// It is complete. Another program may have appended to the file afterwards.
    Done,
    /// The file is neither in its old state nor between the old and the new one.
    Other,
}

impl Tail {
    fn length(&self) -> u64 {
        match self {
            Tail::Inline(bytes) => bytes.len() as u64,
            Tail::Hidden(fingerprint) => fingerprint.bytes(),
            Tail::Moved => 0,
        }
    }

    /// Returns length and checksum of the bytes.
    pub(super) fn fingerprint(&self) -> Fingerprint {
        match self {
            Tail::Inline(bytes) => Fingerprint::new(bytes),
            Tail::Hidden(fingerprint) => *fingerprint,
            Tail::Moved => Fingerprint::new(&[]),
        }
    }

    /// Returns whether the bytes can be read.
    fn exists(&self, target: &Path) -> io::Result<bool> {
        match self {
            // The ranges are enough to write a moved file again.
            Tail::Inline(_) | Tail::Moved => Ok(true),
            Tail::Hidden(fingerprint) => {
                Ok(Fingerprint::read(&hidden(target, AFTER))? == Some(*fingerprint))
            }
        }
    }

    fn write(&self, target: &Path, file: &mut File) -> io::Result<()> {
        match self {
            Tail::Inline(bytes) => file.write_all(bytes),
            Tail::Hidden(_) => {
                io::copy(&mut plain_file::open(&hidden(target, AFTER))?, file).map(drop)
            }
            Tail::Moved => Ok(()),
        }
    }
}

impl FileChange {
    /// Returns the change that appends `tail` to a file and then writes the patches (offset and
    /// bytes, all before the old end) in their order. An error if it needs more than `room` bytes of
    /// a journal.
    pub(crate) fn new(
        target: &Path,
        before: u64,
        tail: Tail,
        patches: &[(u64, Vec<u8>)],
        room: u64,
    ) -> io::Result<FileChange> {
        let after = before.saturating_add(tail.length());
        FileChange::of_lengths(target, [before, after], tail, patches, room)
    }

    /// Returns the change that replaces these ranges of a file, which are in the order of their
    /// offsets. `before` is the length of the file.
    pub(crate) fn splicing(
        target: &Path,
        before: u64,
        splices: Vec<ByteRange>,
        room: u64,
    ) -> io::Result<FileChange> {
        let mut lengths = splices.iter();
        let moving = lengths.position(|range| range.before.len() != range.after.len());
        let moving = moving.unwrap_or(splices.len());
        let start = splices.get(moving).map_or(before, |range| range.offset);
        if before - start > MAX_REWRITTEN {
            let change = FileChange {
                target: target.to_owned(),
                before,
                after: splices
                    .iter()
                    .fold(before, |length, range| range.moved(length)),
                tail: Tail::Moved,
                ranges: splices,
            };
            return Ok(change);
        }
        let old = read_at(&mut File::open(target)?, start, (before - start) as usize)?;
        let mut new = Vec::with_capacity(old.len());
        let mut copied = start;
        let mut patches = Vec::new();
        for (n, range) in splices.into_iter().enumerate() {
            if n < moving {
                patches.push((range.offset, range.after));
                continue;
            }
            let between = (copied - start) as usize..(range.offset - start) as usize;
            new.extend_from_slice(old.get(between).unwrap_or_default());
            copied = range.end();
            new.extend(range.after);
        }
        new.extend_from_slice(old.get((copied - start) as usize..).unwrap_or_default());
        let shorter = old.len().min(new.len());
        let longer = if new.len() > shorter { &new } else { &old };
        let tail = Tail::Inline(longer.get(shorter..).unwrap_or_default().to_vec());
        let after = start + new.len() as u64;
        new.truncate(shorter);
        if shorter > 0 {
            patches.push((start, new));
        }
        FileChange::of_lengths(target, [before, after], tail, &patches, room)
    }

    fn of_lengths(
        target: &Path,
        [before, after]: [u64; 2],
        tail: Tail,
        patches: &[(u64, Vec<u8>)],
        room: u64,
    ) -> io::Result<FileChange> {
        let shorter = before.min(after);
        let mut sectors = BTreeSet::new();
        for (offset, bytes) in patches {
            let end = offset.saturating_add(bytes.len() as u64);
            sectors.extend(offset / SECTOR..end.div_ceil(SECTOR));
        }
        // Appending also writes the sector in which the old bytes end, and so does cutting.
        if after != before && !shorter.is_multiple_of(SECTOR) {
            sectors.insert(shorter / SECTOR);
        }
        // Old and new bytes of each sector.
        if (sectors.len() as u64).saturating_mul(2 * SECTOR) > room {
            return Err(io::Error::other(SinkFault::JournalTooLarge));
        }
        let mut file = File::open(target)?;
        let mut ranges: Vec<ByteRange> = Vec::new();
        for sector in sectors {
            let start = sector * SECTOR;
            let length = SECTOR.min(shorter.saturating_sub(start)) as usize;
            let bytes = read_at(&mut file, start, length)?;
            match ranges.last_mut().filter(|last| last.end() == start) {
                Some(last) => last.before.extend_from_slice(&bytes),
                None => ranges.push(ByteRange {
                    offset: start,
                    before: bytes,
                    after: Vec::new(),
                }),
            }
        }
        for range in &mut ranges {
            range.after.clone_from(&range.before);
        }
        for (offset, bytes) in patches {
            let next = ranges.partition_point(|range| range.offset <= *offset);
            let range = next.checked_sub(1).and_then(|n| ranges.get_mut(n));
            let place = range.and_then(|range| {
                let start = usize::try_from(offset - range.offset).ok()?;
                range.after.get_mut(start..start.checked_add(bytes.len())?)
            });
            // Patches end before the shorter end, so each lies in one range.
            place
                .ok_or(io::ErrorKind::UnexpectedEof)?
                .copy_from_slice(bytes);
        }
        Ok(FileChange {
            target: target.to_owned(),
            before,
            after,
            tail,
            ranges,
        })
    }

    /// Returns the record of a change that the library of the format has made.
    pub(super) fn of_library(target: &Path, change: LibraryChange) -> FileChange {
        FileChange {
            target: target.to_owned(),
            before: change.before,
            after: change.after,
            tail: Tail::Inline(change.tail),
            ranges: change.ranges,
        }
    }

    /// Returns the change for the library of the format; `None` if its bytes are not all known.
    pub(super) fn for_library(&self) -> Option<LibraryChange> {
        let Tail::Inline(tail) = &self.tail else {
            return None;
        };
        Some(LibraryChange {
            before: self.before,
            after: self.after,
            tail: tail.clone(),
            ranges: self.ranges.clone(),
            modified: None,
        })
    }

    /// Returns the number of bytes that the change needs in a journal.
    pub(crate) fn journal_bytes(&self) -> u64 {
        let tail = match &self.tail {
            Tail::Inline(bytes) => bytes.len(),
            Tail::Hidden(..) | Tail::Moved => 0,
        };
        let ranges = self.ranges.iter();
        let ranges = ranges.map(|range| range.before.len() + range.after.len() + 12);
        (tail + ranges.sum::<usize>()) as u64
    }

    /// Returns the change that undoes this one.
    pub(crate) fn reversed(&self) -> FileChange {
        // Only in a moved file do the offsets differ.
        let mut moved = 0_u64;
        let swap = |range: &ByteRange| {
            let offset = range.offset.wrapping_add(moved);
            moved = range.moved(moved);
            ByteRange {
                offset,
                before: range.after.clone(),
                after: range.before.clone(),
            }
        };
        FileChange {
            target: self.target.clone(),
            before: self.after,
            after: self.before,
            tail: self.tail.clone(),
            ranges: self.ranges.iter().map(swap).collect(),
        }
    }

    /// Returns whether the new file differs from the old one.
    pub(super) fn changes_bytes(&self) -> bool {
        let mut ranges = self.ranges.iter();
        self.before != self.after || ranges.any(|range| range.before != range.after)
    }

    /// Returns whether its new bytes are in a hidden file.
    pub(crate) fn is_hidden(&self) -> bool {
        matches!(self.tail, Tail::Hidden(..))
    }

    /// Returns whether the file is written again because bytes move.
    pub(crate) fn is_moved(&self) -> bool {
        self.tail == Tail::Moved
    }

    /// Returns the state of the file on disk.
    pub(crate) fn look(&self) -> io::Result<ChangeState> {
        let length = match fs::symlink_metadata(&self.target) {
            Ok(data) if data.is_file() => data.len(),
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => return Ok(ChangeState::Other),
        };
        if length < self.before.min(self.after) {
            return Ok(ChangeState::Other);
        }
        let mut file = plain_file::open(&self.target)?;
        if self.is_moved() {
            return self.look_moved(&mut file, length);
        }
        let is_complete = self.is_complete(&mut file)?;
        if length > self.before.max(self.after) {
            return Ok(if is_complete { ChangeState::Done } else { ChangeState::Other });
        }
        if is_complete && length == self.after {
            return Ok(ChangeState::Done);
        }
        Ok(if self.is_available()? { ChangeState::Possible } else { ChangeState::NoTail })
    }

    /// Returns whether the new bytes can be read. Those that are cut off are not needed.
    pub(crate) fn is_available(&self) -> io::Result<bool> {
        Ok(self.after <= self.before || self.tail.exists(&self.target)?)
    }

    /// Returns whether the file has all new bytes.
    fn is_complete(&self, file: &mut File) -> io::Result<bool> {
        for range in &self.ranges {
            if read_at(file, range.offset, range.after.len())? != range.after {
                return Ok(false);
            }
        }
        if self.after <= self.before {
            return Ok(true);
        }
        file.seek(SeekFrom::Start(self.before))?;
        let appended = Fingerprint::read_rest(&mut file.take(self.tail.length()))?;
        Ok(appended == self.tail.fingerprint())
    }

    /// Returns whether the file has exactly the new length and the new bytes.
    pub(crate) fn is_exact(&self) -> io::Result<bool> {
        let length = fs::symlink_metadata(&self.target)?.len();
        Ok(length == self.after && self.look()? == ChangeState::Done)
    }

    /// Writes the new bytes and flushes the file.
    pub(crate) fn finish(&self) -> io::Result<()> {
        if self.is_moved() {
            return self.finish_moved();
        }
        let mut options = OpenOptions::new();
        let mut file = plain_file::open_with(options.read(true).write(true), &self.target)?;
        if self.after > self.before {
            // Bytes that another program appends meanwhile come after the bytes reserved here.
            if file.metadata()?.len() < self.after {
                file.set_len(self.after)?;
            }
            file.seek(SeekFrom::Start(self.before))?;
            self.tail.write(&self.target, &mut file)?;
        }
        for range in &self.ranges {
            write_range(range, &mut file)?;
        }
        if self.after < self.before {
            file.set_len(self.after)?;
        }
        file.sync_all()
    }
}

/// Writes the new bytes over old ones, new ones and sectors that a loss of power damaged.
fn write_range(range: &ByteRange, file: &mut File) -> io::Result<()> {
    let current = read_at(file, range.offset, range.after.len())?;
    let mut merged = Vec::with_capacity(current.len());
    let size = SECTOR as usize;
    let sectors = current.chunks(size).zip(range.before.chunks(size));
    for ((current, before), after) in sectors.zip(range.after.chunks(size)) {
        let bytes = || current.iter().zip(before).zip(after);
        let is_unknown =
            |((byte, before), after): &((&u8, &u8), &u8)| byte != before && byte != after;
        let unknown = bytes().filter(is_unknown).count();
        if unknown * DAMAGED_SHARE > current.len() {
            merged.extend_from_slice(after);
            continue;
        }
        // Where nothing changes, the current byte stays, whoever wrote it.
        merged.extend(bytes().map(|bytes| {
            let ((byte, before), after) = bytes;
            if before == after || is_unknown(&bytes) { *byte } else { *after }
        }));
    }
    if merged == current {
        return Ok(());
    }
    file.seek(SeekFrom::Start(range.offset))?;
    file.write_all(&merged)
}

pub(super) fn read_at(file: &mut File, offset: u64, length: usize) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; length];
    file.seek(SeekFrom::Start(offset))?;
    file.read_exact(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests;
