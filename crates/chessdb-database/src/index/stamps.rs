//! The state of the files of a database, by which an index or tree file is known to belong to it.

use std::fs;
use std::path::Path;
use std::time::UNIX_EPOCH;

use chessdb_core::FileSet;
use chessdb_core::files::Role;
use chessdb_files::files::Files;
use chessdb_owned::release_mapped_pages;

/// Length of the stamp of a file.
pub(crate) const STAMP_SIZE: usize = 32;

/// Number of bytes after which a pass over a file releases its memory.
pub(super) const PASS_BYTES: usize = 64 << 20;

/// Number and size of the samples of a large file that are always compared: one at its start, one
/// at its end, and the others evenly between them.
const SAMPLES: u64 = 32;
const SAMPLE_SIZE: u64 = 8 << 10;

/// The roles of files whose first bytes do not change when games are appended.
const CAN_GROW: [&str; 5] = ["pgn", "si4", "sg4", "si5", "sg5"];

/// The end of the version in a SCID index, and the length of its header (docs/formats/scid.md).
const SI4_VERSION_END: usize = 10;
const SI4_HEADER: usize = 182;

/// The state of a database file when the index was written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct FileStamp {
    /// The checksum of the file's role.
    pub(crate) role: u32,
    pub(crate) size: u64,
    /// The modification time: seconds and nanoseconds since 1970.
    pub(crate) time: (i64, u32),
    /// The checksum of all bytes that count, and the checksum of samples of them.
    pub(crate) whole: u32,
    pub(crate) parts: u32,
}

impl FileStamp {
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        out.extend(self.role.to_le_bytes());
        out.extend(self.size.to_le_bytes());
        out.extend(self.time.0.to_le_bytes());
        out.extend(self.time.1.to_le_bytes());
        out.extend(self.whole.to_le_bytes());
        out.extend(self.parts.to_le_bytes());
    }

    pub(crate) fn read(bytes: &[u8; STAMP_SIZE]) -> FileStamp {
        let word = |offset: usize| u32::from_le_bytes(bytes_at(bytes, offset));
        FileStamp {
            role: word(0),
            size: u64::from_le_bytes(bytes_at(bytes, 4)),
            time: (i64::from_le_bytes(bytes_at(bytes, 12)), word(20)),
            whole: word(24),
            parts: word(28),
        }
    }
}

/// Returns bytes of a record of fixed length; the offset must be within it.
pub(crate) fn bytes_at<const N: usize>(bytes: &[u8], offset: usize) -> [u8; N] {
    let field = bytes.get(offset..).and_then(|rest| rest.first_chunk::<N>());
    field.copied().unwrap_or([0; N])
}

/// Returns the files that an index depends on. It does not depend on the names of SCID.
fn stamped(files: &Files) -> impl Iterator<Item = (Role, &Path)> {
    let files = files.iter().map(|(role, path, _)| (role, path));
    files.filter(|(role, _)| !matches!(role.0, "sn4" | "sn5"))
}

/// Returns the current stamps of the files.
pub(crate) fn stamps(files: &Files) -> Vec<FileStamp> {
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
        let bytes = counting(role, first.unwrap_or(all));
        FileStamp {
            role: hash_of(role.0),
            size: all.len() as u64,
            time: modified(path).unwrap_or_default(),
            whole: if whole { checksum(&bytes) } else { 0 },
            parts: parts(bytes),
        }
    };
    stamped(files).map(stamp).collect()
}

fn hash_of(role: &str) -> u32 {
    crc32fast::hash(role.as_bytes())
}

/// Returns the modification time of a file on disk.
fn modified(path: &Path) -> Option<(i64, u32)> {
    let time = fs::metadata(path).ok()?.modified().ok()?;
    Some(match time.duration_since(UNIX_EPOCH) {
        Ok(since) => (since.as_secs() as i64, since.subsec_nanos()),
        Err(before) => {
            let before = before.duration();
            (-(before.as_secs() as i64), before.subsec_nanos())
        }
    })
}

/// Compares stamps with the files; returns the reason if they do not belong together. Files that
/// only grew match: the stamps are of their first bytes. All bytes are compared if `is_copy`, or if
/// a time or a size differs.
pub(crate) fn check_stamps(
    stamps: &[FileStamp],
    files: &Files,
    is_copy: bool,
) -> Result<(), String> {
    let now = stamps_of(files, stamps, is_copy);
    let may_grow = |stamp: &FileStamp| CAN_GROW.iter().any(|role| hash_of(role) == stamp.role);
    let all = |is_same: fn(&FileStamp, &FileStamp) -> bool, now: &[FileStamp]| {
        stamps.iter().zip(now).all(|(old, now)| is_same(old, now))
    };
    let have_same_parts = all(
        |old, now| (old.role, old.parts) == (now.role, now.parts),
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
pub(crate) fn are_whole(stamps: &[FileStamp], files: &Files) -> bool {
    let sizes = stamped(files).map(|(role, _)| files.get(role).map_or(0, <[u8]>::len) as u64);
    sizes.eq(stamps.iter().map(|stamp| stamp.size))
}

/// Returns the bytes of a file that count: all, except the part of the header of a SCID index that
/// changes with each new game.
fn counting(role: Role, bytes: &[u8]) -> [&[u8]; 2] {
    match (
        role.0,
        bytes.get(..SI4_VERSION_END),
        bytes.get(SI4_HEADER..),
    ) {
        ("si4", Some(version), Some(entries)) => [version, entries],
        _ => [&[], bytes],
    }
}

fn checksum(bytes: &[&[u8]]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    for part in bytes.iter().flat_map(|bytes| bytes.chunks(PASS_BYTES)) {
        hasher.update(part);
        if part.len() == PASS_BYTES {
            release_mapped_pages();
        }
    }
    hasher.finalize()
}

/// Returns the checksum of samples of a file, or of a whole small file.
fn parts([start, bytes]: [&[u8]; 2]) -> u32 {
    let size = bytes.len() as u64;
    // The samples would overlap.
    if size <= SAMPLES * SAMPLE_SIZE {
        return checksum(&[start, bytes]);
    }
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(start);
    for n in 0..SAMPLES {
        let start = (size - SAMPLE_SIZE) * n / (SAMPLES - 1);
        let sample = start as usize..(start + SAMPLE_SIZE) as usize;
        hasher.update(bytes.get(sample).unwrap_or_default());
    }
    hasher.finalize()
}
