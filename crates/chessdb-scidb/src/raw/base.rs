//! The three files of a database together.

use chessdb_core::format::Segment;
use chessdb_core::{FileSet, MemorySet, Result};

use super::{Index, NameFault, NameFile, Record};
use crate::roles::{SCG_FILE, SCI_FILE, SCN_FILE};

/// A stretch of the games file.
pub type GameSegment<'a> = Segment<'a, Record<'a>>;

/// The games file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameFile<'a> {
    /// The header: magic bytes, version, one more byte.
    pub header: &'a [u8],
    /// The records and the bytes between them.
    pub segments: Vec<GameSegment<'a>>,
    /// The games without a record of their own, in ascending order, from 0.
    pub unplaced: Vec<u32>,
}

impl<'a> GameFile<'a> {
    /// The first bytes of the file.
    pub const MAGIC: &'static [u8; 8] = b"Scidb.g\0";
    /// The number of bytes of the header.
    pub const HEADER: usize = 11;
    /// The number of bytes of a block. A record that is not longer is within one block, a longer one
    /// starts with a block (section 4).
    pub const BLOCK: u64 = 131_072;

    /// Returns the number of zero bytes before a record of this length that would start at `end`.
    pub fn padding(end: u64, length: u64) -> u64 {
        let used = end % GameFile::BLOCK;
        if used == 0 || used + length <= GameFile::BLOCK {
            0
        } else {
            GameFile::BLOCK - used
        }
    }

    /// Returns whether bytes that start at `offset` are the unused rest of a block.
    pub fn is_rest_of_block(offset: usize, bytes: &[u8]) -> bool {
        let rest = GameFile::BLOCK - offset as u64 % GameFile::BLOCK;
        bytes.len() as u64 <= rest && bytes.iter().all(|&byte| byte == 0)
    }

    /// Divides a file among the games of the index.
    pub fn parse(bytes: &'a [u8], index: &Index<'_>) -> GameFile<'a> {
        let header = bytes.get(..GameFile::HEADER).unwrap_or(bytes);
        let count = u32::try_from(index.entries.len()).unwrap_or(u32::MAX);
        let place = |n| {
            let entry = index.entry(n)?;
            Some((u64::from(entry.record), n, ()))
        };
        let mut places: Vec<_> = (0..count).filter_map(place).collect();
        places.sort_unstable();
        let (segments, unplaced) = Segment::divide(bytes, header.len(), places, |rest, ()| {
            let size = Record::size(rest)?;
            let record = Record::parse(rest.get(..size)?).ok()?;
            Some((record, size))
        });
        GameFile {
            header,
            segments,
            unplaced,
        }
    }

    /// Returns the bytes that were parsed.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = self.header.to_vec();
        Segment::write_all(&self.segments, &mut out, |record, out| record.write(out));
        out
    }
}

/// The bytes of a database as structs, without omissions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Base<'a> {
    /// The index.
    pub index: Index<'a>,
    /// The games, if there is such a file.
    pub games: Option<GameFile<'a>>,
    /// The names, if there is such a file.
    pub names: Option<NameFile>,
    /// The place where the names are damaged.
    pub name_fault: Option<NameFault>,
}

impl<'a> Base<'a> {
    /// Reads a database.
    ///
    /// # Errors
    ///
    /// Returns an error if the index is missing, or if a file has no header.
    pub fn parse(files: &'a dyn FileSet) -> Result<Base<'a>> {
        let index = Index::parse(files.require(SCI_FILE)?)?;
        let names = files.get(SCN_FILE).map(NameFile::parse).transpose()?;
        let (names, name_fault) = names.unzip();
        let games = files.get(SCG_FILE);
        Ok(Base {
            games: games.map(|bytes| GameFile::parse(bytes, &index)),
            index,
            names,
            name_fault: name_fault.flatten(),
        })
    }

    /// Returns the files.
    pub fn to_files(&self) -> MemorySet {
        let mut set = MemorySet::new();
        set.insert(SCI_FILE, self.index.to_bytes());
        if let Some(games) = &self.games {
            set.insert(SCG_FILE, games.to_bytes());
        }
        if let Some(names) = &self.names {
            set.insert(SCN_FILE, names.to_bytes());
        }
        set
    }
}
