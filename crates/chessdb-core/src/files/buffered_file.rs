//! A file that is written sequentially.

use super::{FileId, FileSink};
use crate::Result;

/// The number of bytes that are collected before they are passed to the sink.
const PORTION: usize = 1 << 18;

/// A file that is written sequentially in large portions.
#[derive(Debug)]
pub struct BufferedFile {
    file: FileId,
    /// The number of bytes before those in the buffer.
    flushed: u64,
    /// The bytes to pass to the sink next. Append new ones here.
    pub buffer: Vec<u8>,
}

impl BufferedFile {
    /// Creates a buffer for a new file.
    pub fn new(file: FileId) -> BufferedFile {
        BufferedFile::appending(file, 0)
    }

    /// Creates a buffer for a file that has this number of bytes.
    pub fn appending(file: FileId, bytes: u64) -> BufferedFile {
        BufferedFile {
            file,
            flushed: bytes,
            buffer: Vec::with_capacity(PORTION),
        }
    }

    /// Returns the file.
    pub fn file(&self) -> FileId {
        self.file
    }

    /// Returns the offset of the next byte.
    #[inline]
    pub fn end(&self) -> u64 {
        self.flushed + self.buffer.len() as u64
    }

    /// Passes the bytes to the sink if there are enough of them.
    ///
    /// # Errors
    ///
    /// Returns the errors of the sink.
    #[inline]
    pub fn flush_portion(&mut self, sink: &mut dyn FileSink) -> Result<()> {
        if self.buffer.len() < PORTION {
            return Ok(());
        }
        self.flush(sink)
    }

    /// Passes all bytes to the sink.
    ///
    /// # Errors
    ///
    /// Returns the errors of the sink.
    pub fn flush(&mut self, sink: &mut dyn FileSink) -> Result<()> {
        sink.write(self.file, &self.buffer)?;
        self.flushed += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }
}
