//! Packed files. gzip, Zstandard, bzip2, xz, zip, 7z, tar and ChessBase archives are unpacked while
//! reading, regardless of the file name. New files are packed with gzip or Zstandard if their
//! names have that suffix.

use std::io::{self, Read, Seek};
#[cfg(any(feature = "fs", not(feature = "archives")))]
use std::path::Path;
#[cfg(not(feature = "archives"))]
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::Problem;

#[cfg(all(feature = "archives", feature = "fs"))]
mod archive;
#[cfg(feature = "archives")]
mod cbv;
#[cfg(feature = "archives")]
mod directory;
#[cfg(feature = "archives")]
mod gzip;
#[cfg(feature = "archives")]
mod sevenzip;
#[cfg(all(feature = "archives", feature = "fs"))]
mod sink;
#[cfg(feature = "archives")]
mod tar;
#[cfg(feature = "archives")]
mod zip;
#[cfg(all(feature = "archives", target_family = "wasm"))]
mod zstandard;

#[cfg(all(feature = "archives", feature = "fs"))]
pub use archive::{ARCHIVE, ArchiveSink};
#[cfg(all(feature = "archives", feature = "fs"))]
pub use sink::PackedSink;

/// The key of an encrypted archive.
#[cfg(feature = "archives")]
pub use chessdb_cbh::archive::Key;
/// No key exists, because this build cannot read encrypted archives.
#[cfg(not(feature = "archives"))]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Key {}

/// Returns the key for a password, which ChessBase encodes in Windows-1252.
#[cfg_attr(
    not(feature = "archives"),
    expect(unused_variables, reason = "nothing to unlock")
)]
pub fn key_of(password: &str) -> Option<Key> {
    #[cfg(feature = "archives")]
    {
        let mut bytes = Vec::new();
        let western = chessdb_core::Charset::WINDOWS_1252.encode_strict(password, &mut bytes);
        Some(Key::new(if western.is_ok() {
            &bytes
        } else {
            password.as_bytes()
        }))
    }
    #[cfg(not(feature = "archives"))]
    None
}

/// The largest size in bytes that packed files may unpack to in memory.
pub(crate) const UNPACKED: u64 = 1 << 30;

#[cfg_attr(all(feature = "archives", not(feature = "fs")), expect(dead_code))]
pub(crate) const NO_UNPACKING: &str =
    "packed, and this build cannot unpack it: the feature `archives` is missing";

/// The memory limit of the xz decoder in KiB. The highest level needs 64 MiB.
#[cfg(feature = "archives")]
const XZ_KIB: u32 = 128 << 10;

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
#[cfg(feature = "fs")]
pub enum Method {
    /// gzip.
    Gzip,
    /// Zstandard.
    Zstd,
    /// All files of the database in a ChessBase archive, `.cbz` if it has a password.
    #[cfg(feature = "archives")]
    Archive {
        /// Whether it has a password.
        locked: bool,
    },
}

#[cfg(feature = "fs")]
impl Method {
    /// Returns the method that a suffix indicates.
    pub fn by_suffix(path: &Path) -> Option<Method> {
        let suffix = path.extension()?;
        let is = |other: &str| suffix.eq_ignore_ascii_case(other);
        match () {
            () if is("gz") => Some(Method::Gzip),
            () if is("zst") => Some(Method::Zstd),
            #[cfg(feature = "archives")]
            () if is("cbv") => Some(Method::Archive { locked: false }),
            #[cfg(feature = "archives")]
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
    #[cfg_attr(not(feature = "archives"), expect(dead_code))]
    Tar(Packing),
    /// A ChessBase archive, with its key if it is encrypted.
    #[cfg(feature = "archives")]
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
    #[cfg_attr(
        not(feature = "archives"),
        expect(unused_variables, reason = "nothing to unlock")
    )]
    pub(crate) fn detect<'a>(
        mut file: impl Read + Send + 'a,
        key: Option<Key>,
    ) -> io::Result<Container> {
        let mut start = [0; MAGIC];
        let length = fill(&mut file, &mut start)?;
        let start = start.get(..length).unwrap_or_default();
        let packing = Packing::of(start);
        match packing {
            Packing::Zip => return Ok(Container::Archive(Archive::Zip)),
            Packing::SevenZip => return Ok(Container::Archive(Archive::SevenZip)),
            _ => {}
        }
        #[cfg(feature = "archives")]
        if let Some(archive) = cbv::recognised(start, key) {
            return Ok(Container::Archive(archive));
        }
        let whole = io::Cursor::new(start.to_vec()).chain(file);
        // Reading the content reports the error if it cannot be unpacked.
        #[cfg(feature = "archives")]
        if let Ok(mut inner) = packing.undo(Box::new(whole)) {
            let mut header = [0; 512];
            let length = fill(&mut inner, &mut header).unwrap_or(0);
            if tar::is_archive(header.get(..length).unwrap_or_default()) {
                return Ok(Container::Archive(Archive::Tar(packing)));
            }
        }
        #[cfg(not(feature = "archives"))]
        drop(whole);
        Ok(Container::File(packing))
    }
}

/// The number of bytes that determine how a file is packed.
pub const MAGIC: usize = 8;

impl Packing {
    /// Returns the compression of a file that begins with these bytes.
    pub fn of(start: &[u8]) -> Packing {
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
        match self {
            Packing::None => Ok(packed),
            #[cfg(feature = "archives")]
            Packing::Gzip => Ok(Box::new(gzip::GzipMembers::new(packed))),
            #[cfg(all(feature = "archives", not(target_family = "wasm")))]
            Packing::Zstd => Ok(Box::new(zstd::stream::read::Decoder::new(packed)?)),
            #[cfg(all(feature = "archives", target_family = "wasm"))]
            Packing::Zstd => Ok(Box::new(zstandard::Frames::new(packed))),
            #[cfg(feature = "archives")]
            Packing::Bzip2 => Ok(Box::new(bzip2::read::MultiBzDecoder::new(packed))),
            #[cfg(feature = "archives")]
            Packing::Xz => {
                let xz = lzma_rust2::XzReader::new_mem_limit(packed, true, XZ_KIB);
                Ok(Box::new(xz))
            }
            Packing::Zip | Packing::SevenZip => {
                Err(Problem::Packed("an archive cannot be read from a pipe"))
            }
            #[cfg(not(feature = "archives"))]
            _ => Err(Problem::Packed(NO_UNPACKING)),
        }
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
#[cfg(feature = "fs")]
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
#[cfg(feature = "archives")]
type Open<'o, R> = &'o mut dyn FnMut() -> io::Result<R>;

impl Archive {
    /// Reads the table of contents.
    #[cfg(feature = "archives")]
    pub(crate) fn directory<R: Read + Seek + Send + 'static>(
        self,
        mut open: impl FnMut() -> io::Result<R>,
    ) -> Result<Directory, Problem> {
        Directory::read(self, &mut open)
    }

    /// Returns an error, because this build cannot unpack anything.
    #[cfg(not(feature = "archives"))]
    pub(crate) fn directory<R: Read + Seek + Send + 'static>(
        self,
        open: impl FnMut() -> io::Result<R>,
    ) -> Result<Directory, Problem> {
        let _ = (self, open);
        Err(Problem::Packed(NO_UNPACKING))
    }
}

#[cfg(feature = "archives")]
pub use directory::Directory;

/// No directory exists, because this build cannot unpack anything.
#[cfg(not(feature = "archives"))]
#[derive(Debug)]
pub(crate) enum Directory {}

#[cfg(not(feature = "archives"))]
#[cfg_attr(not(feature = "fs"), expect(dead_code))]
impl Directory {
    pub(crate) fn names(&self) -> Vec<PathBuf> {
        match *self {}
    }

    pub(crate) fn renamed(&self) -> &[(PathBuf, String)] {
        match *self {}
    }

    pub(crate) fn unread(&self) -> &[PathBuf] {
        match *self {}
    }

    pub(crate) fn contains(&self, _name: &Path) -> bool {
        match *self {}
    }

    pub(crate) fn member<R: Read + Seek + Send + 'static>(
        &self,
        _open: impl FnMut() -> io::Result<R>,
        _name: &Path,
    ) -> Result<Stream<'static>, Problem> {
        match *self {}
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
    let packing = Packing::of(start);
    let whole = io::Cursor::new(start.to_vec()).chain(input);
    packing.undo(Box::new(progress.count(whole)))
}
