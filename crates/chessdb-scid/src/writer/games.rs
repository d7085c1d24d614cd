//! The games file while it is written.

use chessdb_core::{FileId, FileSink, Result};

use crate::generation::Spec;

/// Bytes of games that are collected before they go to the sink.
const BUFFER: usize = 1 << 18;

/// Puts records one behind another, none across the border of a block (section 4).
#[derive(Debug)]
pub(super) struct GamesFile {
    file: FileId,
    spec: &'static Spec,
    /// Bytes that the sink has.
    flushed: u64,
    /// Bytes that it will get next.
    pending: Vec<u8>,
}

impl GamesFile {
    pub(super) fn new(file: FileId, spec: &'static Spec) -> GamesFile {
        GamesFile {
            file,
            spec,
            flushed: 0,
            pending: Vec::with_capacity(BUFFER),
        }
    }

    /// Behind so many bytes that are there.
    pub(super) fn behind(file: FileId, spec: &'static Spec, bytes: u64) -> GamesFile {
        GamesFile {
            flushed: bytes,
            ..GamesFile::new(file, spec)
        }
    }

    /// Where the next byte will stand.
    pub(super) fn end(&self) -> u64 {
        self.flushed + self.pending.len() as u64
    }

    /// Where a record of this length goes: here, or at the start of the next block if it would
    /// cross a border.
    pub(super) fn place(&self, length: usize) -> u64 {
        let here = self.end();
        let room = self.spec.block - here % self.spec.block;
        if length as u64 > room {
            here + room
        } else {
            here
        }
    }

    /// Whether a record of this length may be appended.
    pub(super) fn has_room(&self, length: usize) -> bool {
        let end = self.place(length) + length as u64;
        length <= self.spec.max_record && end <= self.spec.max_bytes
    }

    /// Appends a record and says where it stands. What is left of a block that it does not fit
    /// into is filled with the head of the record itself, in SCID 3 with zeros.
    pub(super) fn append(&mut self, record: &[u8], sink: &mut dyn FileSink) -> Result<u64> {
        let offset = self.place(record.len());
        let gap = (offset - self.end()) as usize;
        if self.spec.zero_filler {
            self.pending.resize(self.pending.len() + gap, 0);
        } else {
            let filler = record.get(..gap).unwrap_or(record);
            self.pending.extend_from_slice(filler);
        }
        self.pending.extend_from_slice(record);
        if self.pending.len() >= BUFFER {
            self.flush(sink)?;
        }
        Ok(offset)
    }

    pub(super) fn flush(&mut self, sink: &mut dyn FileSink) -> Result<()> {
        sink.write(self.file, &self.pending)?;
        self.flushed += self.pending.len() as u64;
        self.pending.clear();
        Ok(())
    }
}
