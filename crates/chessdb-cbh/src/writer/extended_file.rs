//! The extended headers of an existing database (docs/formats/cbh.md, section 4).

use std::collections::BTreeMap;

use chessdb_core::Result;
use chessdb_core::files::{BufferedFile, Growing};

use crate::raw::{NewExtended, Records};
use crate::roles::CBJ_FILE;

/// The records of .cbj.
#[derive(Debug)]
pub(super) struct ExtendedFile {
    version: Option<u32>,
    /// The number of records that the header states.
    stated: u32,
    /// The size of a record in bytes.
    size: usize,
    /// The bytes after the header.
    bytes: u64,
    /// The changed records by the number of their game.
    changed: BTreeMap<u32, Vec<u8>>,
    /// Opened with the first new record.
    file: Option<BufferedFile>,
    added: u32,
}

impl ExtendedFile {
    /// Opens the file; `None` if the database does not have it.
    pub(super) fn open(base: &dyn Growing) -> Result<Option<ExtendedFile>> {
        let length = base.length(CBJ_FILE);
        let bytes = length.and_then(|length| length.checked_sub(Records::HEADER as u64));
        let Some(bytes) = bytes else { return Ok(None) };
        let mut header = [0; Records::HEADER];
        base.read_old(CBJ_FILE, 0, &mut header)?;
        let header = Records::parse(&header);
        Ok(Some(ExtendedFile {
            version: header.version,
            stated: header.count,
            size: header.size as usize,
            bytes,
            changed: BTreeMap::new(),
            file: None,
            added: 0,
        }))
    }

    /// Returns whether each of `games` games has a record of the form that is written for new ones.
    pub(super) fn is_complete(&self, games: u32) -> bool {
        self.version == Some(NewExtended::VERSION)
            && self.size == NewExtended::SIZE
            && self.stated == games
            && self.bytes == u64::from(games) * NewExtended::SIZE as u64
    }

    fn offset(&self, game: u32) -> u64 {
        Records::HEADER as u64 + u64::from(game.saturating_sub(1)) * self.size as u64
    }

    /// Returns the record of a game; `None` if it has none.
    pub(super) fn get(&self, base: &dyn Growing, game: u32) -> Result<Option<Vec<u8>>> {
        if let Some(record) = self.changed.get(&game) {
            return Ok(Some(record.clone()));
        }
        let end = u64::from(game) * self.size as u64;
        if game == 0 || self.size == 0 || end > self.bytes {
            return Ok(None);
        }
        let mut record = vec![0; self.size];
        base.read_old(CBJ_FILE, self.offset(game), &mut record)?;
        Ok(Some(record))
    }

    /// Reads the records of `count` games from `first` on, as far as they exist.
    pub(super) fn read_block(
        &self,
        base: &dyn Growing,
        first: u32,
        count: u32,
    ) -> Result<Block<'_>> {
        let start = u64::from(first.saturating_sub(1)) * self.size as u64;
        let wanted = u64::from(count) * self.size as u64;
        let mut bytes = vec![0; self.bytes.saturating_sub(start).min(wanted) as usize];
        base.read_old(CBJ_FILE, self.offset(first), &mut bytes)?;
        Ok(Block {
            file: self,
            first,
            bytes,
        })
    }

    /// Replaces the record of a game.
    pub(super) fn set(&mut self, game: u32, record: Vec<u8>) {
        self.changed.insert(game, record);
    }

    /// Appends the record of a new game.
    pub(super) fn append(&mut self, base: &mut dyn Growing, record: &NewExtended) -> Result<()> {
        let end = Records::HEADER as u64 + self.bytes;
        let mut file = match self.file.take() {
            Some(file) => file,
            None => BufferedFile::appending(base.grow(CBJ_FILE)?, end),
        };
        record.write(&mut file.buffer);
        file.flush_portion(base)?;
        self.file = Some(file);
        self.added += 1;
        Ok(())
    }

    /// Writes the changes.
    pub(super) fn finish(mut self, base: &mut dyn Growing) -> Result<()> {
        let file = match self.file.take() {
            Some(mut file) => {
                file.flush(base)?;
                file.file()
            }
            None if self.changed.is_empty() => return Ok(()),
            None => base.grow(CBJ_FILE)?,
        };
        for (game, record) in &self.changed {
            base.patch(file, self.offset(*game), record)?;
        }
        if self.added > 0 {
            let count = self.stated.saturating_add(self.added);
            base.patch(file, 8, &count.to_le_bytes())?;
        }
        Ok(())
    }
}

/// The records of consecutive games.
pub(super) struct Block<'f> {
    file: &'f ExtendedFile,
    first: u32,
    bytes: Vec<u8>,
}

impl Block<'_> {
    /// Returns the record of a game; `None` if it has none.
    pub(super) fn get(&self, game: u32) -> Option<&[u8]> {
        let size = self.file.size;
        let start = game.checked_sub(self.first)? as usize * size;
        let changed = self.file.changed.get(&game).map(Vec::as_slice);
        changed.or_else(|| self.bytes.get(start..start.checked_add(size)?))
    }
}
