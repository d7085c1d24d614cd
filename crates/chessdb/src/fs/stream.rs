//! New bases of one file that go into a stream, such as standard output.

use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};

use crate::{ErrorKind, FileId, FileSink, Result, Role};

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
#[derive(Debug)]
pub struct SpoolSink<W> {
    out: W,
    spool: File,
    created: bool,
}

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
