//! The three files together.

use chessdb_core::{Error, FileSet, Result};

use super::games::GameFile;
use super::index::Index;
use super::names::NameFile;
use crate::{SG4_FILE, SI4_FILE, SN4_FILE};

/// A base as its bytes say it, nothing interpreted and nothing left out.
#[derive(Clone, Debug)]
pub struct Base<'a> {
    /// The index file.
    pub index: Index,
    /// The name file.
    pub names: NameFile,
    /// The games file.
    pub games: GameFile<'a>,
}

impl<'a> Base<'a> {
    /// Reads a base. Beside it comes the fault at which reading its names stopped, if it did.
    ///
    /// # Errors
    ///
    /// A missing file, `BadMagic`, `Truncated` for a header.
    pub fn parse(files: &'a dyn FileSet) -> Result<(Base<'a>, Option<Error>)> {
        let index = Index::parse(files.require(SI4_FILE)?)?;
        let (names, fault) = NameFile::parse(files.require(SN4_FILE)?)?;
        let games = GameFile::parse(files.require(SG4_FILE)?, &index.entries);
        Ok((
            Base {
                index,
                names,
                games,
            },
            fault,
        ))
    }

    /// The bytes of the files si4, sg4 and sn4.
    pub fn to_bytes(&self) -> [Vec<u8>; 3] {
        [
            self.index.to_bytes(),
            self.games.to_bytes(),
            self.names.to_bytes(),
        ]
    }
}
