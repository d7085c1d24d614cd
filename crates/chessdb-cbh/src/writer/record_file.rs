//! The files of moves and annotations of an existing database, which grow at their ends.

use chessdb_core::Result;
use chessdb_core::files::{BufferedFile, Growing, Role};

use super::start;
use crate::raw::{FileFields, FileHeader};

/// A file of records that are located by the index.
#[derive(Debug)]
pub(super) struct RecordFile {
    role: Role,
    fields: FileFields,
    /// The length of the file in bytes; `None` if the database does not have it.
    length: Option<u64>,
    /// Opened with the first new record.
    file: Option<BufferedFile>,
    /// The bytes of records that are no longer used.
    released: u64,
}

impl RecordFile {
    /// Opens the file. `None` if it does not have a known header, or is shorter than that states:
    /// then a game may refer to the bytes where new records would be stored.
    pub(super) fn open(role: Role, base: &dyn Growing) -> Result<Option<RecordFile>> {
        let mut file = RecordFile {
            role,
            fields: FileFields {
                short: [0; 2],
                long: Some([0; 2]),
            },
            length: base.length(role),
            file: None,
            released: 0,
        };
        let Some(length) = file.length else {
            return Ok(Some(file));
        };
        let mut bytes = vec![0; length.min(FileHeader::LARGEST as u64) as usize];
        base.read_old(role, 0, &mut bytes)?;
        let FileHeader(Some(fields)) = FileHeader::parse(&bytes) else {
            return Ok(None);
        };
        file.fields = fields;
        let [short, _] = fields.short;
        let stated = fields.long.map_or(short.into(), |[long, _]| long);
        Ok((stated <= length).then_some(file))
    }

    /// Returns the length of the file in bytes, without new records.
    pub(super) fn length(&self) -> u64 {
        self.length.unwrap_or(0)
    }

    /// Reads up to `length` bytes of the old file at `offset`.
    pub(super) fn read(&self, base: &dyn Growing, offset: u64, length: usize) -> Result<Vec<u8>> {
        let available = self.length().saturating_sub(offset);
        let mut bytes = vec![0; available.min(length as u64) as usize];
        base.read_old(self.role, offset.min(self.length()), &mut bytes)?;
        Ok(bytes)
    }

    /// Appends a record that `write` adds to a buffer. Returns its offset, whose low 32 bits are
    /// not 0.
    pub(super) fn append(
        &mut self,
        base: &mut dyn Growing,
        write: impl FnOnce(&mut Vec<u8>),
    ) -> Result<u64> {
        let mut file = match (self.file.take(), self.length) {
            (Some(file), _) => file,
            (None, Some(length)) => BufferedFile::appending(base.grow(self.role)?, length),
            (None, None) => start(base.create(self.role)?, FileHeader::LARGEST),
        };
        // An offset with 0 in its low 32 bits would mean that there are no annotations.
        while file.end() as u32 == 0 {
            file.buffer.push(0);
        }
        let offset = file.end();
        write(&mut file.buffer);
        file.flush_portion(base)?;
        self.file = Some(file);
        Ok(offset)
    }

    /// Counts the bytes of a record that is no longer used.
    pub(super) fn release(&mut self, bytes: usize) {
        self.released = self.released.saturating_add(bytes as u64);
    }

    /// Writes the new records and the sizes in the header.
    pub(super) fn finish(self, base: &mut dyn Growing) -> Result<()> {
        let (file, end) = match self.file {
            Some(mut file) => {
                file.flush(base)?;
                (file.file(), file.end())
            }
            None if self.released == 0 => return Ok(()),
            None => (base.grow(self.role)?, self.length()),
        };
        let long = self.fields.long;
        let unused = FileHeader(Some(self.fields))
            .unused()
            .saturating_add(self.released);
        let short = |value| u32::try_from(value).unwrap_or(u32::MAX);
        let header = FileHeader(Some(FileFields {
            short: [short(end), short(unused)],
            long: long.map(|_| [end, unused]),
        }));
        base.patch(file, 0, &header.to_bytes())
    }
}
