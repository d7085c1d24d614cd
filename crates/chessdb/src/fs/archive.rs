//! Zip archives: which files lie in them, and what they hold.
//!
//! The directory of the archive is read by the crate `zip`; the content by readers of our own that
//! own their file, so that they can be handed to another thread.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use flate2::Crc;
use flate2::read::DeflateDecoder;
use zip::{CompressionMethod, ZipArchive};

use crate::fs::unpack::Stream;
use crate::fs::{PathError, Problem};

/// The file members of the archive, sorted by name.
pub(crate) fn members(archive: &Path) -> Result<Vec<PathBuf>, PathError> {
    let zip = open(archive)?;
    let mut names: Vec<PathBuf> = zip
        .file_names()
        .filter(|name| !name.ends_with('/'))
        .map(PathBuf::from)
        .collect();
    names.sort();
    Ok(names)
}

fn open(archive: &Path) -> Result<ZipArchive<File>, PathError> {
    let file = File::open(archive).map_err(|error| PathError::new(archive, error))?;
    ZipArchive::new(file)
        .map_err(|_| PathError::new(archive, Problem::Packed("is a damaged zip archive")))
}

/// The content of a member, checked against its checksum at its end.
pub(crate) fn member(archive: &Path, name: &Path) -> Result<Stream<'static>, PathError> {
    let refuse = |what| PathError::new(archive, Problem::Packed(what));
    let damaged = "is a damaged zip archive";
    let mut zip = open(archive)?;
    let name = name.to_str().ok_or_else(|| refuse(damaged))?;
    let index = zip.index_for_name(name).ok_or_else(|| refuse(damaged))?;
    let found = zip.by_index_raw(index).map_err(|_| refuse(damaged))?;
    if found.encrypted() {
        return Err(refuse("is locked with a password"));
    }
    let (crc, size) = (found.crc32(), found.size());
    let (packed, method) = (found.compressed_size(), found.compression());
    let start = found.data_start().ok_or_else(|| refuse(damaged))?;
    drop(found);
    let io = |error| PathError::new(archive, Problem::Io(error));
    let mut file = File::open(archive).map_err(io)?;
    file.seek(SeekFrom::Start(start)).map_err(io)?;
    let packed = file.take(packed);
    let inner: Stream<'static> = match method {
        CompressionMethod::STORE => Box::new(packed),
        CompressionMethod::DEFLATE => Box::new(DeflateDecoder::new(packed)),
        _ => return Err(refuse("is packed by a method other than deflate")),
    };
    Ok(Box::new(Checked {
        inner,
        sum: Crc::new(),
        crc,
        left: size,
    }))
}

/// Compares length and checksum when the data end.
struct Checked {
    inner: Stream<'static>,
    sum: Crc,
    crc: u32,
    left: u64,
}

impl Read for Checked {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.sum.update(buffer.get(..count).unwrap_or_default());
        let damaged = || {
            io::Error::new(
                io::ErrorKind::InvalidData,
                "the zip archive is damaged (checksum)",
            )
        };
        self.left = self.left.checked_sub(count as u64).ok_or_else(damaged)?;
        if count == 0 && !buffer.is_empty() && (self.left > 0 || self.sum.sum() != self.crc) {
            return Err(damaged());
        }
        Ok(count)
    }
}
