//! Packed files. gzip, Zstandard, bzip2, xz, zip, 7z, tar and ChessBase archives are unpacked while
//! reading, regardless of the file name. New files are packed with gzip or Zstandard if their
//! names have that suffix.

use std::io::{self, Read, Seek};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use chessdb_core::files::Role;

use crate::error::Problem;

#[cfg(feature = "zip")]
mod archives;
#[cfg(not(feature = "zip"))]
#[path = "no_archives.rs"]
mod archives;

pub use archives::{Directory, Key, key_of, packing_sink};

/// The role of a ChessBase archive as the only file of a new database.
pub const ARCHIVE: Role = Role("cbv");

/// The largest size in bytes that packed files may unpack to in memory.
pub(crate) const UNPACKED: u64 = 1 << 30;

pub(crate) const NO_UNPACKING: &str =
    "packed, and this build cannot unpack it: the feature `zip` is missing";

const NO_ARCHIVE: &str = "an archive cannot be read from a pipe";

/// A reader that can be passed to another thread.
pub type Stream<'a> = Box<dyn Read + Send + 'a>;

/// The compression of a file, judged by its first bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Packing {
    /// Not packed.
    None,
    /// gzip, also several members in a row.
    Gzip,
    /// Zstandard, also several frames in a row.
    Zstd,
    /// bzip2.
    Bzip2,
    /// xz.
    Xz,
    /// A zip archive, which may contain several files.
    Zip,
    /// A 7z archive, which may contain several files.
    SevenZip,
}

/// The compression of a new file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Method {
    /// gzip.
    Gzip,
    /// Zstandard.
    Zstd,
    /// All files of the database in a ChessBase archive, `.cbz` if it has a password.
    Archive {
        /// Whether it has a password.
        locked: bool,
    },
}

impl Method {
    /// Returns whether the packed file contains a single file.
    pub fn is_of_one_file(self) -> bool {
        !matches!(self, Method::Archive { .. })
    }

    /// Returns the method that a suffix indicates.
    pub fn by_suffix(path: &Path) -> Option<Method> {
        let suffix = path.extension()?;
        let is = |other: &str| suffix.eq_ignore_ascii_case(other);
        match () {
            () if is("gz") => Some(Method::Gzip),
            () if is("zst") => Some(Method::Zstd),
            // Without the feature, no suffix names an archive.
            () if !cfg!(feature = "zip") => None,
            () if is("cbv") => Some(Method::Archive { locked: false }),
            () if is("cbz") => Some(Method::Archive { locked: true }),
            () => None,
        }
    }
}

/// The kind of a file that contains others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Archive {
    Zip,
    SevenZip,
    /// A tar archive, packed or not.
    Tar(Packing),
    /// A ChessBase archive, with its key if it is encrypted.
    #[cfg_attr(not(feature = "zip"), expect(dead_code))]
    Cbv(Option<Key>),
}

/// The kind of a file, judged by its beginning.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Container {
    /// A single file, packed or not.
    File(Packing),
    Archive(Archive),
}

impl Container {
    /// Determines the kind of a file. `key` is tried on encrypted archives.
    pub(crate) fn detect<'a>(
        mut file: impl Read + Send + 'a,
        key: Option<Key>,
    ) -> io::Result<Container> {
        let mut start = [0; MAGIC];
        let length = fill(&mut file, &mut start)?;
        let start = start.get(..length).unwrap_or_default();
        let packing = Packing::from_start(start);
        match packing {
            Packing::Zip => return Ok(Container::Archive(Archive::Zip)),
            Packing::SevenZip => return Ok(Container::Archive(Archive::SevenZip)),
            _ => {}
        }
        if let Some(archive) = archives::recognised(start, key) {
            return Ok(Container::Archive(archive));
        }
        let whole = io::Cursor::new(start.to_vec()).chain(file);
        // Reading the content reports the error if it cannot be unpacked.
        if let Ok(mut inner) = packing.undo(Box::new(whole)) {
            let mut header = [0; 512];
            let length = fill(&mut inner, &mut header).unwrap_or(0);
            if archives::is_tar(header.get(..length).unwrap_or_default()) {
                return Ok(Container::Archive(Archive::Tar(packing)));
            }
        }
        Ok(Container::File(packing))
    }
}

/// The number of bytes that determine how a file is packed.
pub const MAGIC: usize = 8;

impl Packing {
    /// Returns the compression of a file that begins with these bytes.
    pub fn from_start(start: &[u8]) -> Packing {
        match start {
            [0x1F, 0x8B, 8, ..] => Packing::Gzip,
            [0x28, 0xB5, 0x2F, 0xFD, ..] => Packing::Zstd,
            // A skippable frame, which some packers write first.
            [0x50..=0x5F, 0x2A, 0x4D, 0x18, ..] => Packing::Zstd,
            [b'B', b'Z', b'h', b'1'..=b'9', b'1' | 0x17, ..] => Packing::Bzip2,
            [0xFD, b'7', b'z', b'X', b'Z', 0, ..] => Packing::Xz,
            [b'P', b'K', 3 | 5, 4 | 6, ..] => Packing::Zip,
            [b'7', b'z', 0xBC, 0xAF, 0x27, 0x1C, ..] => Packing::SevenZip,
            _ => Packing::None,
        }
    }

    /// Unpacks `packed`.
    pub fn undo<'a>(self, packed: Stream<'a>) -> Result<Stream<'a>, Problem> {
        archives::undo(self, packed)
    }
}

/// Reads until `buffer` is full or the input ends. Returns the number of bytes.
pub fn fill(reader: &mut dyn Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while let Some(rest) = buffer.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        match reader.read(rest) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// Returns the first bytes of a stream, at most `most`. They end at the first damage.
pub(crate) fn start_of(reader: Stream<'_>, limit: usize) -> Result<Vec<u8>, Problem> {
    let mut start = Vec::new();
    match reader.take(limit as u64).read_to_end(&mut start) {
        Err(error) if start.is_empty() => Err(error.into()),
        _ => Ok(start),
    }
}

/// Appends a stream to `content`, at most `limit` bytes. The memory grows in small steps, because
/// the size of packed data is unknown before it is unpacked.
pub(crate) fn read_whole(
    mut reader: Stream<'_>,
    limit: u64,
    content: &mut Vec<u8>,
) -> io::Result<()> {
    const STEP: usize = 64 << 10;
    const LONGEST_STEP: usize = 32 << 20;
    let mut remaining = limit;
    while remaining > 0 {
        let step = content.len().clamp(STEP, LONGEST_STEP);
        let step = usize::try_from(remaining).unwrap_or(step).min(step);
        content.try_reserve_exact(step)?;
        let read = reader.by_ref().take(step as u64).read_to_end(content)?;
        if read < step {
            break;
        }
        remaining -= step as u64;
    }
    Ok(())
}

/// A counter of the bytes read from a stream; clones share it.
#[derive(Clone, Default, Debug)]
pub struct Progress(Arc<AtomicU64>);

impl Progress {
    /// Returns the number of bytes of the packed file that have been read so far.
    pub fn bytes(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// Wraps a reader and counts its bytes.
    pub(crate) fn count<R>(&self, inner: R) -> CountingReader<R> {
        CountingReader {
            inner,
            bytes: Arc::clone(&self.0),
        }
    }
}

/// A reader that counts its bytes, for progress displays.
#[derive(Debug)]
pub(crate) struct CountingReader<R> {
    inner: R,
    bytes: Arc<AtomicU64>,
}

impl<R: Read> Read for CountingReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.bytes.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

/// Opens an archive, each time at its beginning.
type Open<'o, R> = &'o mut dyn FnMut() -> io::Result<R>;

impl Archive {
    /// Reads the table of contents.
    pub(crate) fn directory<R: Read + Seek + Send + 'static>(
        self,
        mut open: impl FnMut() -> io::Result<R>,
    ) -> Result<Directory, Problem> {
        Directory::read(self, &mut open)
    }
}

/// Returns the content of a stream, unpacked if necessary. `progress` counts the packed bytes.
pub fn open_stream(
    mut input: Stream<'static>,
    progress: &Progress,
) -> Result<Stream<'static>, Problem> {
    let mut start = [0; MAGIC];
    let length = fill(&mut input, &mut start)?;
    let start = start.get(..length).unwrap_or_default();
    let packing = Packing::from_start(start);
    let whole = io::Cursor::new(start.to_vec()).chain(input);
    packing.undo(Box::new(progress.count(whole)))
}
