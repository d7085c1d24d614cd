//! New bases that go elsewhere than into files: into a stream, such as standard output, or memory.

#[cfg(feature = "fs")]
use std::fs::File;
use std::io::Write;
#[cfg(feature = "fs")]
use std::io::{self, Seek, SeekFrom};
use std::sync::{Arc, Mutex, PoisonError};

use chessdb_core::{ErrorKind, FileId, FileSink, MemorySet, Result, Role};

/// The one file of a stream, where none was `created` yet.
fn only_file(created: &mut bool) -> Result<FileId> {
    if *created {
        return Err(ErrorKind::Unsupported("a base of several files in a stream").into());
    }
    *created = true;
    Ok(FileId(0))
}

/// A base of one file on its way into a stream, such as standard output. What is written cannot be
/// taken back, so this is for formats that never patch.
#[derive(Debug)]
pub struct StreamSink<W> {
    out: W,
    created: bool,
}

impl<W: Write> StreamSink<W> {
    /// Writes to `out` as the games come.
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
        Err(ErrorKind::Unsupported("changing what was already written to a stream").into())
    }

    fn commit(&mut self) -> Result<()> {
        Ok(self.out.flush()?)
    }
}

/// A base of one file that goes into a stream only when it is complete; until then it lies in a
/// file without a name.
#[cfg(feature = "fs")]
#[derive(Debug)]
pub struct SpoolSink<W> {
    out: W,
    spool: File,
    created: bool,
}

#[cfg(feature = "fs")]
impl<W: Write> SpoolSink<W> {
    /// Holds everything back until the end, in `spool`, an empty file open for reading and writing.
    pub fn new(out: W, spool: File) -> SpoolSink<W> {
        SpoolSink {
            out,
            spool,
            created: false,
        }
    }
}

#[cfg(feature = "fs")]
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

/// The same where there are no files: until the base is complete it lies in memory.
#[cfg(not(feature = "fs"))]
#[derive(Debug)]
pub(crate) struct HeldBack<W> {
    out: W,
    files: MemorySet,
}

#[cfg(not(feature = "fs"))]
impl<W: Write> HeldBack<W> {
    pub(crate) fn new(out: W) -> HeldBack<W> {
        HeldBack {
            out,
            files: MemorySet::new(),
        }
    }
}

#[cfg(not(feature = "fs"))]
impl<W: Write> FileSink for HeldBack<W> {
    fn create(&mut self, role: Role) -> Result<FileId> {
        self.files.create(role)
    }

    fn write(&mut self, file: FileId, bytes: &[u8]) -> Result<()> {
        self.files.write(file, bytes)
    }

    fn patch(&mut self, file: FileId, offset: u64, bytes: &[u8]) -> Result<()> {
        self.files.patch(file, offset, bytes)
    }

    fn commit(&mut self) -> Result<()> {
        self.files.commit()?;
        for (_, bytes) in self.files.iter() {
            self.out.write_all(bytes)?;
        }
        Ok(self.out.flush()?)
    }
}

/// The files of a new base in memory, for a writer that keeps its sink: what is written into one
/// clone can be taken out of another.
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
    /// No files.
    pub fn new() -> MemorySink {
        MemorySink::default()
    }

    /// The files; nothing is left here.
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
