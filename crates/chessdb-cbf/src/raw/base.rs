//! The two files of a database together.

use chessdb_core::{FileSet, Result};

use super::games::GameFile;
use super::index::Index;
use crate::roles::{CBF_FILE, CBI_FILE};

/// The raw content of a database, uninterpreted and complete.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Base<'a> {
    /// The index file.
    pub index: Index,
    /// The games file.
    pub games: GameFile<'a>,
}

impl<'a> Base<'a> {
    /// Parses a database. The index is trusted. Bytes that it points to but that are not a record
    /// are kept like bytes that it does not point to.
    ///
    /// # Errors
    ///
    /// Returns an error if a file is missing.
    pub fn parse(files: &'a dyn FileSet) -> Result<Base<'a>> {
        let index = Index::parse(files.require(CBI_FILE)?);
        let games = index.words.len().saturating_sub(2);
        let places = (1u32..).zip(index.words.iter().skip(1).take(games));
        let offsets: Vec<_> = places
            .map(|(place, &word)| Index::offset(place, word))
            .collect();
        let games = GameFile::parse(files.require(CBF_FILE)?, &offsets);
        Ok(Base { index, games })
    }

    /// Returns the bytes of the files cbi and cbf.
    pub fn to_bytes(&self) -> [Vec<u8>; 2] {
        [self.index.to_bytes(), self.games.to_bytes()]
    }
}
