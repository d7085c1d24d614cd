//! Packed input: gzip and Zstandard are undone on the way, whatever the file is called.

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::fs::Problem;

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
            [b'P', b'K', 3 | 5, 4 | 6, ..] => Packing::Zip,
            _ => Packing::None,
        }
    }

    /// What comes out of `packed`.
    pub(crate) fn undo<'a>(self, packed: Stream<'a>) -> Result<Stream<'a>, Problem> {
        match self {
            Packing::None => Ok(packed),
            #[cfg(feature = "archives")]
            Packing::Gzip => Ok(Box::new(flate2::read::MultiGzDecoder::new(packed))),
            #[cfg(feature = "archives")]
            Packing::Zstd => Ok(Box::new(zstd::stream::read::Decoder::new(packed)?)),
            Packing::Zip => Err(Problem::Packed("a zip archive cannot be read from a pipe")),
            #[cfg(not(feature = "archives"))]
            _ => Err(Problem::Packed("is packed, and this build cannot unpack")),
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

/// Counts the bytes that pass, for whoever shows progress.
#[derive(Debug)]
pub(crate) struct Counted<R> {
    inner: R,
    bytes: Arc<AtomicU64>,
}

impl<R> Counted<R> {
    pub(crate) fn new(inner: R, bytes: Arc<AtomicU64>) -> Counted<R> {
        Counted { inner, bytes }
    }
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.bytes.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}
