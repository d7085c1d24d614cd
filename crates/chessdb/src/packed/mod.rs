//! Packed input: gzip, Zstandard and zip are undone on the way, whatever the file is called.

use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::Problem;

#[cfg(feature = "archives")]
mod gzip;
#[cfg(feature = "archives")]
mod zip;

/// The most that packed files may grow to in memory.
pub(crate) const UNPACKED: u64 = 1 << 30;

#[cfg(not(feature = "archives"))]
const CANNOT: &str = "is packed, and this build cannot unpack";

/// A reader that can be handed to another thread.
pub(crate) type Stream<'a> = Box<dyn Read + Send + 'a>;

/// How a file is packed, by its first bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Packing {
    None,
    Gzip,
    Zstd,
    Zip,
}

impl Packing {
    pub(crate) fn of(start: &[u8]) -> Packing {
        match start {
            [0x1F, 0x8B, 8, ..] => Packing::Gzip,
            [0x28, 0xB5, 0x2F, 0xFD, ..] => Packing::Zstd,
            // A frame to be passed over, as some packers write first.
            [0x50..=0x5F, 0x2A, 0x4D, 0x18, ..] => Packing::Zstd,
            [b'P', b'K', 3 | 5, 4 | 6, ..] => Packing::Zip,
            _ => Packing::None,
        }
    }

    /// What comes out of `packed`.
    pub(crate) fn undo<'a>(self, packed: Stream<'a>) -> Result<Stream<'a>, Problem> {
        match self {
            Packing::None => Ok(packed),
            #[cfg(feature = "archives")]
            Packing::Gzip => Ok(Box::new(gzip::Members::new(packed))),
            #[cfg(feature = "archives")]
            Packing::Zstd => Ok(Box::new(zstd::stream::read::Decoder::new(packed)?)),
            Packing::Zip => Err(Problem::Packed("a zip archive cannot be read from a pipe")),
            #[cfg(not(feature = "archives"))]
            _ => Err(Problem::Packed(CANNOT)),
        }
    }
}

/// Reads until `buffer` is full or the input ends; how much it was.
pub(crate) fn fill(reader: &mut dyn Read, buffer: &mut [u8]) -> io::Result<usize> {
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

/// How far the reading of a stream has come; clones share the count.
#[derive(Clone, Default, Debug)]
pub struct Progress(Arc<AtomicU64>);

impl Progress {
    /// Bytes of the file, packed as it is, that have been read so far.
    pub fn bytes(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// Counts what is read of this.
    pub(crate) fn count<R>(&self, inner: R) -> Counted<R> {
        Counted {
            inner,
            bytes: Arc::clone(&self.0),
        }
    }
}

/// Counts the bytes that pass, for whoever shows progress.
#[derive(Debug)]
pub(crate) struct Counted<R> {
    inner: R,
    bytes: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.bytes.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

/// What opens an archive, each time from its beginning.
#[cfg(feature = "archives")]
type Open<'o, R> = &'o mut dyn FnMut() -> io::Result<R>;

/// The names of the files in a zip archive, sorted.
#[cfg_attr(
    not(feature = "archives"),
    expect(unused_mut, unused_variables, reason = "nothing to unpack with")
)]
pub(crate) fn members<R: Read + Seek>(
    mut open: impl FnMut() -> io::Result<R>,
) -> Result<Vec<PathBuf>, Problem> {
    #[cfg(feature = "archives")]
    return zip::members(&mut open);
    #[cfg(not(feature = "archives"))]
    Err(Problem::Packed(CANNOT))
}

/// The content of a file in a zip archive, checked against its checksum at its end.
#[cfg_attr(
    not(feature = "archives"),
    expect(unused_mut, unused_variables, reason = "nothing to unpack with")
)]
pub(crate) fn member<R: Read + Seek + Send + 'static>(
    mut open: impl FnMut() -> io::Result<R>,
    name: &Path,
) -> Result<Stream<'static>, Problem> {
    #[cfg(feature = "archives")]
    return zip::member(&mut open, name);
    #[cfg(not(feature = "archives"))]
    Err(Problem::Packed(CANNOT))
}

/// What a stream holds, unpacked if it is packed; `progress` counts the bytes as they are.
pub(crate) fn open_stream(
    mut input: Stream<'static>,
    progress: &Progress,
) -> Result<Stream<'static>, Problem> {
    let mut start = [0; 4];
    let length = fill(&mut input, &mut start)?;
    let start = start.get(..length).unwrap_or_default();
    let packing = Packing::of(start);
    let whole = io::Cursor::new(start.to_vec()).chain(input);
    packing.undo(Box::new(progress.count(whole)))
}
