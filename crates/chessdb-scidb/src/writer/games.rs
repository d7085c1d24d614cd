//! The games file during writing (docs/formats/scidb.md, section 4).

use chessdb_core::Result;
use chessdb_core::files::{FileId, FileSink};

use crate::raw::{GameFile, VERSION};
use crate::roles::SCG_FILE;

/// Writes records one after another, in the blocks in which Scidb expects them.
#[derive(Debug)]
pub(super) struct GamesFile {
    file: FileId,
    end: u64,
    /// The end of the blocks of the last record that is longer than a block.
    long_end: u64,
}

impl GamesFile {
    /// Creates the file.
    pub(super) fn create(sink: &mut dyn FileSink) -> Result<GamesFile> {
        let file = sink.create(SCG_FILE)?;
        let mut start = GameFile::MAGIC.to_vec();
        start.extend(VERSION.to_be_bytes());
        start.push(0);
        sink.write(file, &start)?;
        Ok(GamesFile::appending(file, start.len() as u64))
    }

    /// Continues a file of this length.
    pub(super) fn appending(file: FileId, end: u64) -> GamesFile {
        GamesFile {
            file,
            end,
            long_end: 0,
        }
    }

    /// Returns the offset of the next byte.
    pub(super) fn end(&self) -> u64 {
        self.end
    }

    /// Returns whether a record of this length may be appended.
    pub(super) fn has_room(&self, length: usize) -> bool {
        let length = length as u64;
        let end = self.end + GameFile::padding(self.end, length) + length;
        end <= u64::from(u32::MAX)
    }

    /// Appends a record that has room, and returns its offset.
    pub(super) fn append(&mut self, record: &[u8], sink: &mut dyn FileSink) -> Result<u32> {
        let length = record.len() as u64;
        self.pad(GameFile::padding(self.end, length), sink)?;
        let start = self.end;
        sink.write(self.file, record)?;
        self.end += length;
        if length > GameFile::BLOCK {
            self.long_end = self.end.next_multiple_of(GameFile::BLOCK);
        }
        Ok(start as u32)
    }

    /// Fills the last block of a long record at the end: Scidb reads all blocks of a record, and
    /// fails if the last one is not whole.
    pub(super) fn finish(&mut self, sink: &mut dyn FileSink) -> Result<()> {
        self.pad(self.long_end.saturating_sub(self.end), sink)
    }

    /// Appends zeros.
    fn pad(&mut self, count: u64, sink: &mut dyn FileSink) -> Result<()> {
        if count == 0 {
            return Ok(());
        }
        let zeros = vec![0; usize::try_from(count).unwrap_or(0)];
        sink.write(self.file, &zeros)?;
        self.end += count;
        Ok(())
    }
}
