//! The games file during writing.

use chessdb_core::Result;
use chessdb_core::files::{BufferedFile, FileId, FileSink};

use crate::generation::Spec;

/// Writes records one after another, none across a block border (section 4).
#[derive(Debug)]
pub(super) struct GamesFile {
    file: BufferedFile,
    spec: &'static Spec,
}

impl GamesFile {
    /// Continues after the existing bytes of the file.
    pub(super) fn new(file: FileId, spec: &'static Spec, bytes: u64) -> GamesFile {
        GamesFile {
            file: BufferedFile::appending(file, bytes),
            spec,
        }
    }

    /// Returns the offset of the next byte.
    pub(super) fn end(&self) -> u64 {
        self.file.end()
    }

    /// Returns the offset of a record of this length: the current end, or the start of the next
    /// block if it would cross a border.
    pub(super) fn place(&self, length: usize) -> u64 {
        let end = self.end();
        let room = self.spec.block - end % self.spec.block;
        if length as u64 > room { end + room } else { end }
    }

    /// Returns whether a record of this length may be appended.
    pub(super) fn has_room(&self, length: usize) -> bool {
        let end = self.place(length) + length as u64;
        length <= self.spec.max_record && end <= self.spec.max_bytes
    }

    /// Appends a record and returns its offset. If it does not fit into the rest of a block, the
    /// rest is filled with the first bytes of the record itself, or with zeros in SCID 3.
    pub(super) fn append(&mut self, record: &[u8], sink: &mut dyn FileSink) -> Result<u64> {
        let offset = self.place(record.len());
        let gap = (offset - self.end()) as usize;
        let buffer = &mut self.file.buffer;
        if self.spec.zero_filler {
            buffer.resize(buffer.len() + gap, 0);
        } else {
            let filler = record.get(..gap).unwrap_or(record);
            buffer.extend_from_slice(filler);
        }
        buffer.extend_from_slice(record);
        self.file.flush_portion(sink)?;
        Ok(offset)
    }

    pub(super) fn flush(&mut self, sink: &mut dyn FileSink) -> Result<()> {
        self.file.flush(sink)
    }
}
