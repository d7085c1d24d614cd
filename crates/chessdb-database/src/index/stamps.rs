//! The state of the files of a database, by which an index or tree file is known to belong to it.

use std::path::Path;

use chessdb_core::FileSet;
use chessdb_core::files::Role;
use chessdb_files::files::Files;

/// Length of the stamp of a file.
pub(crate) const STAMP_SIZE: usize = 32;

/// Number of bytes after which a pass over a file releases its memory.
pub(super) const PASS_BYTES: usize = 64 << 20;

/// Number and size of the samples of a large file that are always compared: one at its start, one
/// at its end, and the others evenly between them.
const SAMPLES: u64 = 32;
const SAMPLE_SIZE: u64 = 8 << 10;

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
        let word = |at: usize| u32::from_le_bytes(bytes_at(bytes, at));
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
pub(crate) fn bytes_at<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    let bytes_at = bytes.get(at..).and_then(|rest| rest.first_chunk::<N>());
    bytes_at.copied().unwrap_or([0; N])
}

/// Returns the files that an index depends on. It does not depend on the names of SCID.
pub(super) fn stamped(files: &Files) -> impl Iterator<Item = (Role, &Path)> {
    let files = files.iter().map(|(role, path, _)| (role, path));
    files.filter(|(role, _)| !matches!(role.0, "sn4" | "sn5"))
}

/// Returns whether these files have the contents in the stamps. Reads them completely.
pub(crate) fn have_contents(known: &[FileStamp], files: &Files) -> bool {
    let now = stamped(files).map(|(role, _)| {
        let bytes = files.get(role).unwrap_or_default();
        let content = checksum(&counting(role, bytes));
        (
            crc32fast::hash(role.0.as_bytes()),
            bytes.len() as u64,
            content,
        )
    });
    now.eq(known
        .iter()
        .map(|known| (known.role, known.size, known.whole)))
}

/// Returns the bytes of a file that count: all, except the part of the header of a SCID index that
/// changes with each new game.
pub(super) fn counting(role: Role, bytes: &[u8]) -> [&[u8]; 2] {
    match (
        role.0,
        bytes.get(..SI4_VERSION_END),
        bytes.get(SI4_HEADER..),
    ) {
        ("si4", Some(version), Some(entries)) => [version, entries],
        _ => [&[], bytes],
    }
}

pub(super) fn checksum(bytes: &[&[u8]]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    for part in bytes.iter().flat_map(|bytes| bytes.chunks(PASS_BYTES)) {
        hasher.update(part);
        if part.len() == PASS_BYTES {
            release_pages();
        }
    }
    hasher.finalize()
}

/// Removes the pages of mapped files from memory. A pass over a whole file calls this regularly.
pub(crate) fn release_pages() {
    #[cfg(all(feature = "mmap", unix))]
    chessdb_owned::release_mapped_pages();
}

/// Returns the checksum of samples of a file, or of a whole small file.
pub(super) fn parts([start, bytes]: [&[u8]; 2]) -> u32 {
    let size = bytes.len() as u64;
    if size <= SAMPLES * SAMPLE_SIZE {
        return checksum(&[start, bytes]);
    }
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(start);
    for n in 0..SAMPLES {
        let start = ((size - SAMPLE_SIZE) / (SAMPLES - 1) * n).min(size - SAMPLE_SIZE);
        // The last sample ends at the end of the file.
        let start = if n + 1 == SAMPLES {
            size - SAMPLE_SIZE
        } else {
            start
        };
        let bytes_at = bytes.get(start as usize..).unwrap_or_default();
        hasher.update(bytes_at.get(..SAMPLE_SIZE as usize).unwrap_or_default());
    }
    hasher.finalize()
}
