//! Zip archives: which files lie in them, and what they hold.
//!
//! The directory of the archive is read by the crate `zip`; the content by readers of our own that
//! own their input, so that they can be handed to another thread.

use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use ::zip::{CompressionMethod, ZipArchive};
use flate2::Crc;
use flate2::read::DeflateDecoder;

use crate::error::Problem;
use crate::packed::{Open, Stream};

const DAMAGED: &str = "is a damaged zip archive";

fn damaged() -> Problem {
    Problem::Packed(DAMAGED)
}

/// The file members of the archive, sorted by name.
pub(crate) fn members<R: Read + Seek>(open: Open<'_, R>) -> Result<Vec<PathBuf>, Problem> {
    let zip = ZipArchive::new(open()?).map_err(|_| damaged())?;
    let mut names: Vec<PathBuf> = zip
        .file_names()
        .filter(|name| !name.ends_with('/'))
        .map(PathBuf::from)
        .collect();
    names.sort();
    Ok(names)
}

/// The content of a member, checked against its checksum at its end.
pub(crate) fn member<R: Read + Seek + Send + 'static>(
    open: Open<'_, R>,
    name: &Path,
) -> Result<Stream<'static>, Problem> {
    let mut zip = ZipArchive::new(open()?).map_err(|_| damaged())?;
    let name = name.to_str().ok_or_else(damaged)?;
    let index = zip.index_for_name(name).ok_or_else(damaged)?;
    let found = zip.by_index_raw(index).map_err(|_| damaged())?;
    if found.encrypted() {
        return Err(Problem::Packed("is locked with a password"));
    }
    let (crc, size) = (found.crc32(), found.size());
    let (packed, method) = (found.compressed_size(), found.compression());
    let start = found.data_start().ok_or_else(damaged)?;
    drop(found);
    let mut file = open()?;
    file.seek(SeekFrom::Start(start))?;
    let packed = file.take(packed);
    let inner: Stream<'static> = match method {
        CompressionMethod::STORE => Box::new(packed),
        CompressionMethod::DEFLATE => Box::new(DeflateDecoder::new(packed)),
        _ => {
            let what = "is packed by a method other than deflate";
            return Err(Problem::Packed(what));
        }
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
