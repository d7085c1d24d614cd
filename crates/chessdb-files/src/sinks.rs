//! Sinks that write a new database to a stream, such as standard output, or into memory.

use std::io::{self, Seek, SeekFrom, Write};
use std::sync::{Arc, Mutex, PoisonError};

use chessdb_core::files::{FileId, FileSink, Role};
use chessdb_core::{ErrorKind, MemorySet, Result};

use crate::temporary::TemporaryFile;

/// Returns the id of the only file of a stream; fails if one was already created.
fn only_file(created: &mut bool) -> Result<FileId> {
    if *created {
        return Err(
            ErrorKind::Unsupported("writing a database with several files to a stream").into(),
        );
    }
    *created = true;
    Ok(FileId(0))
}

/// A sink that writes the one file of a database into a stream, such as standard output. Written
/// bytes cannot be changed, so it works only for formats that never patch.
#[derive(Debug)]
pub struct StreamSink<W> {
    out: W,
    created: bool,
}

impl<W: Write> StreamSink<W> {
    /// Creates a sink that writes to `out` immediately.
    pub fn new(out: W) -> StreamSink<W> {
        StreamSink {
            out,
            created: false,
        }
    }
}

impl<W: Write> FileSink for StreamSink<W> {
    fn create(&mut self, _role: Role) -> Result<FileId> {
        only_file(&mut self.created)
    }

    fn write(&mut self, _file: FileId, bytes: &[u8]) -> Result<()> {
        Ok(self.out.write_all(bytes)?)
    }

    fn patch(&mut self, _file: FileId, _offset: u64, _bytes: &[u8]) -> Result<()> {
        Err(ErrorKind::Unsupported("changing bytes that are already written to a stream").into())
    }

    fn commit(&mut self) -> Result<()> {
        Ok(self.out.flush()?)
    }
}

/// A sink that writes the one file of a database into a stream once it is complete. Until then the
/// file is kept in an unnamed temporary file.
#[derive(Debug)]
pub struct SpoolSink<W> {
    out: W,
    spool: TemporaryFile,
    created: bool,
}

impl<W: Write> SpoolSink<W> {
    /// Creates a sink that buffers in `spool`, an empty file open for reading and writing.
    pub fn new(out: W, spool: TemporaryFile) -> SpoolSink<W> {
        SpoolSink {
            out,
            spool,
            created: false,
        }
    }
}

impl<W: Write> FileSink for SpoolSink<W> {
    fn create(&mut self, _role: Role) -> Result<FileId> {
        only_file(&mut self.created)
    }

    fn write(&mut self, _file: FileId, bytes: &[u8]) -> Result<()> {
        Ok(self.spool.write_all(bytes)?)
    }

    fn patch(&mut self, _file: FileId, offset: u64, bytes: &[u8]) -> Result<()> {
        self.spool.seek(SeekFrom::Start(offset))?;
        self.spool.write_all(bytes)?;
        self.spool.seek(SeekFrom::End(0))?;
        Ok(())
    }

    fn commit(&mut self) -> Result<()> {
        self.spool.seek(SeekFrom::Start(0))?;
        io::copy(&mut self.spool, &mut self.out)?;
        Ok(self.out.flush()?)
    }
}

/// A sink that keeps the files of a new database in memory. Clones share the files, so that they
/// can be taken out of one clone after the writer has consumed another.
///
/// ```
/// use chessdb::convert::MemorySink;
///
/// # fn main() -> Result<(), chessdb::Error> {
/// let sink = MemorySink::new();
/// let writer = chessdb::Writer::options().format("pgn").create_in(sink.clone())?;
/// writer.finish()?;
/// assert_eq!(sink.take().iter().count(), 1);
/// # Ok(()) }
/// ```
#[derive(Clone, Default, Debug)]
pub struct MemorySink(Arc<Mutex<MemorySet>>);

impl MemorySink {
    /// Creates an empty sink.
    pub fn new() -> MemorySink {
        MemorySink::default()
    }

    /// Takes the files out of the sink, leaving it empty.
    pub fn take(&self) -> MemorySet {
        self.with(std::mem::take)
    }

    fn with<T>(&self, act: impl FnOnce(&mut MemorySet) -> T) -> T {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl FileSink for MemorySink {
    fn create(&mut self, role: Role) -> Result<FileId> {
        self.with(|files| files.create(role))
    }

    fn write(&mut self, file: FileId, bytes: &[u8]) -> Result<()> {
        self.with(|files| files.write(file, bytes))
    }

    fn patch(&mut self, file: FileId, offset: u64, bytes: &[u8]) -> Result<()> {
        self.with(|files| files.patch(file, offset, bytes))
    }

    fn commit(&mut self) -> Result<()> {
        self.with(FileSink::commit)
    }
}
