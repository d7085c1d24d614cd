//! The state of the files of a database, by which an index or tree file is known to belong to it.

use std::borrow::Cow;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::Path;
use std::time::UNIX_EPOCH;

use chessdb_core::FileSet;
use chessdb_core::files::{ByteRange, Role};
use chessdb_owned::release_mapped_pages;

use crate::files::Files;

/// Number of bytes after which a pass over a file releases its memory.
const PASS_BYTES: usize = 64 << 20;

/// Number and size of the samples of a large file that are always compared: one at its start, one
/// at its end, and the others evenly between them.
const SAMPLES: u64 = 32;
const SAMPLE_SIZE: u64 = 8 << 10;

/// The roles of files whose first bytes do not change when games are appended.
const CAN_GROW: [&str; 5] = ["pgn", "si4", "sg4", "si5", "sg5"];

/// The end of the version in a SCID index, and the length of its header (docs/formats/scid.md).
const SI4_VERSION_END: u64 = 10;
const SI4_HEADER: u64 = 182;

/// The number of byte shifts after which the register of a CRC-32 is as before.
const CRC_PERIOD: u64 = u32::MAX as u64;

/// The state of a database file when the index was written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FileStamp {
    /// The checksum of the file's role.
    pub(crate) role: u32,
    /// The length in bytes.
    pub size: u64,
    /// The modification time: seconds and nanoseconds since 1970.
    pub(crate) time: (i64, u32),
    /// The checksum of all bytes that count, and the checksum of samples of them.
    pub(crate) whole: u32,
    pub(crate) parts: u32,
}

impl FileStamp {
    /// The length of a stamp in a file.
    pub const SIZE: usize = 32;

    /// The time of a file that is about to change. Its samples are not known.
    pub(crate) const NO_TIME: (i64, u32) = (i64::MIN, u32::MAX);

    /// Appends the stamp (docs/formats/chessdb-index.md, section 2).
    pub fn write(&self, out: &mut Vec<u8>) {
        out.extend(self.role.to_le_bytes());
        out.extend(self.size.to_le_bytes());
        out.extend(self.time.0.to_le_bytes());
        out.extend(self.time.1.to_le_bytes());
        out.extend(self.whole.to_le_bytes());
        out.extend(self.parts.to_le_bytes());
    }

    /// Reads a stamp.
    pub fn read(bytes: &[u8; FileStamp::SIZE]) -> FileStamp {
        let word = |offset: usize| u32::from_le_bytes(bytes_at(bytes, offset));
        FileStamp {
            role: word(0),
            size: u64::from_le_bytes(bytes_at(bytes, 4)),
            time: (i64::from_le_bytes(bytes_at(bytes, 12)), word(20)),
            whole: word(24),
            parts: word(28),
        }
    }

    /// Returns whether the stamp is of a file of this role.
    pub(crate) fn is_of(&self, role: Role) -> bool {
        self.role == hash_of(role.0)
    }

    /// Returns the stamp of a file that a change will have.
    pub(crate) fn before_change(role: Role, size: u64, whole: u32) -> FileStamp {
        FileStamp {
            role: hash_of(role.0),
            size,
            time: FileStamp::NO_TIME,
            whole,
            parts: 0,
        }
    }

    /// Returns the stamp of a file on disk after a change, which the checksum `whole` includes.
    pub(crate) fn after_change(role: Role, path: &Path, whole: u32) -> io::Result<FileStamp> {
        FileStamp::of_open(role, &File::open(path)?, whole)
    }

    fn of_open(role: Role, file: &File, whole: u32) -> io::Result<FileStamp> {
        let data = file.metadata()?;
        let counted = counted(role, data.len());
        Ok(FileStamp {
            role: hash_of(role.0),
            size: data.len(),
            time: time_of(&data).unwrap_or_default(),
            whole,
            parts: parts(counted, &mut |range| read_range(file, range))?,
        })
    }

    /// Returns the stamp of an open file if its content is still that of this stamp. The whole file is
    /// read only if its time differs.
    pub(crate) fn renewed(&self, role: Role, file: &File) -> io::Result<Option<FileStamp>> {
        let now = FileStamp::of_open(role, file, self.whole)?;
        let is_same = now.size == self.size
            && if now.time == self.time {
                now.parts == self.parts
            } else {
                whole_of_open(role, file)? == self.whole
            };
        Ok(is_same.then_some(now))
    }
}

/// Returns the checksum of all bytes of a file on disk that count.
pub(crate) fn whole_of(role: Role, path: &Path) -> io::Result<u32> {
    whole_of_open(role, &File::open(path)?)
}

fn whole_of_open(role: Role, file: &File) -> io::Result<u32> {
    let mut hasher = crc32fast::Hasher::new();
    for range in counted(role, file.metadata()?.len()) {
        for start in range.clone().step_by(1 << 20) {
            hasher.update(&read_range(file, start..range.end.min(start + (1 << 20)))?);
        }
    }
    Ok(hasher.finalize())
}

fn read_range(mut file: &File, range: Range<u64>) -> io::Result<Cow<'static, [u8]>> {
    let mut bytes = vec![0; (range.end - range.start) as usize];
    file.seek(SeekFrom::Start(range.start))?;
    file.read_exact(&mut bytes)?;
    Ok(Cow::Owned(bytes))
}

/// A change of the checksum of a file that follows from the changed bytes alone: a CRC is linear.
pub(crate) struct ChangedSum {
    role: Role,
    length: u64,
    sum: u32,
}

impl ChangedSum {
    /// Starts with the checksum `sum` of a file with `length` bytes.
    pub(crate) fn new(role: Role, length: u64, sum: u32) -> ChangedSum {
        ChangedSum { role, length, sum }
    }

    /// Replaces bytes by as many others at an offset.
    pub(crate) fn replace(&mut self, offset: u64, old: &[u8], new: &[u8]) {
        let [_, rest] = counted(self.role, self.length);
        for part in counted(self.role, self.length) {
            let end = offset.saturating_add(old.len() as u64).min(part.end);
            let start = offset.max(part.start);
            let range = start.saturating_sub(offset) as usize..end.saturating_sub(offset) as usize;
            let (Some(old), Some(new)) = (old.get(range.clone()), new.get(range)) else {
                continue;
            };
            // The bytes that count after the changed ones: those of the same part, and of the next.
            let after = part.end - end + if part == rest { 0 } else { rest.end - rest.start };
            self.sum ^= shifted(crc32fast::hash(old) ^ crc32fast::hash(new), after);
        }
    }

    /// Appends `length` bytes with this checksum.
    pub(crate) fn append(&mut self, sum: u32, length: u64) {
        self.sum = shifted(self.sum, length) ^ sum;
        self.length += length;
    }

    /// Cuts off the last `length` bytes, which have this checksum.
    pub(crate) fn cut(&mut self, sum: u32, length: u64) {
        self.sum = shifted(self.sum ^ sum, CRC_PERIOD - length % CRC_PERIOD);
        self.length -= length;
    }

    /// Returns the checksum.
    pub(crate) fn sum(&self) -> u32 {
        self.sum
    }
}

/// Returns the checksum that a file of text with the checksum `sum` will have when these ranges are
/// replaced, in the order of their offsets, and it has `length` bytes. The file is read up to the last
/// of them.
pub(crate) fn spliced_sum(
    path: &Path,
    mut sum: u32,
    length: u64,
    ranges: &[ByteRange],
) -> io::Result<u32> {
    let file = File::open(path)?;
    let mut prefix = crc32fast::Hasher::new();
    let mut position = 0;
    // The distance by which the bytes after the earlier ranges move.
    let mut moved = 0_u64;
    for range in ranges {
        for start in (position..range.offset).step_by(1 << 20) {
            prefix.update(&read_range(
                &file,
                start..range.offset.min(start + (1 << 20)),
            )?);
        }
        position = range.offset;
        let prefix = prefix.clone().finalize();
        let with = |bytes: &[u8]| shifted(prefix, bytes.len() as u64) ^ crc32fast::hash(bytes);
        let new_start = range.offset.wrapping_add(moved);
        let new_end = new_start.wrapping_add(range.after.len() as u64);
        let changed = with(&range.before) ^ with(&range.after);
        sum ^= shifted(changed, length.saturating_sub(new_end));
        moved = range.moved(moved);
    }
    Ok(sum)
}

/// Returns the part of a checksum that a block has in the checksum of a longer one, in which `bytes`
/// bytes follow it.
fn shifted(sum: u32, bytes: u64) -> u32 {
    let mut hasher = crc32fast::Hasher::new_with_initial_len(sum, 0);
    hasher.combine(&crc32fast::Hasher::new_with_initial_len(0, bytes));
    hasher.finalize()
}

/// Returns bytes of a record of fixed length; the offset must be within it.
pub fn bytes_at<const N: usize>(bytes: &[u8], offset: usize) -> [u8; N] {
    let field = bytes.get(offset..).and_then(|rest| rest.first_chunk::<N>());
    field.copied().unwrap_or([0; N])
}

/// Returns whether an index depends on the file of this role. It does not depend on the names of
/// SCID.
pub(crate) fn is_stamped(role: Role) -> bool {
    !matches!(role.0, "sn4" | "sn5")
}

/// Returns the files that an index depends on.
fn stamped(files: &Files) -> impl Iterator<Item = (Role, &Path)> {
    let files = files.iter().map(|(role, path, _)| (role, path));
    files.filter(|(role, _)| is_stamped(*role))
}

/// Returns the current stamps of the files.
pub fn stamps(files: &Files) -> Vec<FileStamp> {
    stamps_of(files, &[], true)
}

/// Returns the current stamps of the files, with checksums of the first bytes only, as many as the
/// files in `old` have; `whole` requests the checksum of each whole file.
fn stamps_of(files: &Files, old: &[FileStamp], whole: bool) -> Vec<FileStamp> {
    let mut old_stamps = old.iter();
    let stamp = |(role, path): (Role, &Path)| {
        let all = files.get(role).unwrap_or_default();
        let size = old_stamps.next().map_or(u64::MAX, |stamp| stamp.size);
        // A file that grew is compared as far as it existed.
        let first = usize::try_from(size).ok().and_then(|size| all.get(..size));
        let bytes = first.unwrap_or(all);
        let counted = counted(role, bytes.len() as u64);
        let mut part = |range: Range<u64>| {
            let bytes = bytes.get(range.start as usize..range.end as usize);
            Ok(Cow::Borrowed(bytes.unwrap_or_default()))
        };
        let whole = if whole { checksum(counted.clone(), &mut part) } else { Ok(0) };
        FileStamp {
            role: hash_of(role.0),
            size: all.len() as u64,
            time: modified(path).unwrap_or_default(),
            // Bytes in memory can always be read.
            whole: whole.unwrap_or_default(),
            parts: parts(counted, &mut part).unwrap_or_default(),
        }
    };
    stamped(files).map(stamp).collect()
}

fn hash_of(role: &str) -> u32 {
    crc32fast::hash(role.as_bytes())
}

/// Returns the modification time of a file on disk.
fn modified(path: &Path) -> Option<(i64, u32)> {
    time_of(&fs::metadata(path).ok()?)
}

fn time_of(data: &fs::Metadata) -> Option<(i64, u32)> {
    let time = data.modified().ok()?;
    Some(match time.duration_since(UNIX_EPOCH) {
        Ok(since) => (since.as_secs() as i64, since.subsec_nanos()),
        Err(before) => {
            let before = before.duration();
            (-(before.as_secs() as i64), before.subsec_nanos())
        }
    })
}

/// Compares stamps with the files. Files that only grew match: the stamps are of their first bytes. All bytes are compared if `is_copy`, or if
/// a time or a size differs.
///
/// # Errors
///
/// Returns the reason if they do not belong together.
pub fn check_stamps(stamps: &[FileStamp], files: &Files, is_copy: bool) -> Result<(), String> {
    let now = stamps_of(files, stamps, is_copy);
    let may_grow = |stamp: &FileStamp| CAN_GROW.iter().any(|role| hash_of(role) == stamp.role);
    let all = |is_same: fn(&FileStamp, &FileStamp) -> bool, now: &[FileStamp]| {
        stamps.iter().zip(now).all(|(old, now)| is_same(old, now))
    };
    let have_same_parts = all(
        |old, now| {
            old.role == now.role && (old.parts == now.parts || old.time == FileStamp::NO_TIME)
        },
        &now,
    );
    let have_sizes = stamps
        .iter()
        .zip(&now)
        .all(|(old, now)| old.size == now.size || old.size < now.size && may_grow(old));
    let is_untouched = all(
        |old, now| (old.time, old.size) == (now.time, now.size),
        &now,
    );
    // Modification times also differ if the database was copied.
    let is_same = stamps.len() == now.len() && have_same_parts && have_sizes && {
        !is_copy && is_untouched
            || all(
                |old, now| old.whole == now.whole,
                &stamps_of(files, stamps, true),
            )
    };
    if is_same {
        Ok(())
    } else {
        Err("the database has changed since it was built".to_owned())
    }
}

/// Returns whether the files have the sizes in the stamps, so that the index covers all games.
pub fn are_whole(stamps: &[FileStamp], files: &Files) -> bool {
    let sizes = stamped(files).map(|(role, _)| files.get(role).map_or(0, <[u8]>::len) as u64);
    sizes.eq(stamps.iter().map(|stamp| stamp.size))
}

/// Reads a range of the bytes of a file.
type ReadRange<'r, 'b> = dyn FnMut(Range<u64>) -> io::Result<Cow<'b, [u8]>> + 'r;

/// Returns the bytes of a file that count: all, except the part of the header of a SCID index that
/// changes with each new game.
fn counted(role: Role, size: u64) -> [Range<u64>; 2] {
    if role.0 == "si4" && size >= SI4_HEADER {
        [0..SI4_VERSION_END, SI4_HEADER..size]
    } else {
        [0..0, 0..size]
    }
}

/// Returns the checksum of these bytes.
fn checksum(counted: [Range<u64>; 2], read: &mut ReadRange<'_, '_>) -> io::Result<u32> {
    let mut hasher = crc32fast::Hasher::new();
    for range in counted {
        for start in range.clone().step_by(PASS_BYTES) {
            let end = range.end.min(start + PASS_BYTES as u64);
            hasher.update(&read(start..end)?);
            if end - start == PASS_BYTES as u64 {
                release_mapped_pages();
            }
        }
    }
    Ok(hasher.finalize())
}

/// Returns the checksum of samples of a file, or of a whole small file.
fn parts([start, rest]: [Range<u64>; 2], read: &mut ReadRange<'_, '_>) -> io::Result<u32> {
    let size = rest.end - rest.start;
    // The samples would overlap.
    if size <= SAMPLES * SAMPLE_SIZE {
        return checksum([start, rest], read);
    }
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&read(start)?);
    for n in 0..SAMPLES {
        let sample = rest.start + (size - SAMPLE_SIZE) * n / (SAMPLES - 1);
        hasher.update(&read(sample..sample + SAMPLE_SIZE)?);
    }
    Ok(hasher.finalize())
}

#[cfg(test)]
mod tests;
