//! The three files of a SCID 3 or SCID 4 database.

use chessdb_core::{Error, FileSet, Result};

use super::games::GameFile;
use super::index::Index;
use super::names::NameFile;
use crate::Generation;
use crate::generation::in_file;

/// A database of SCID 4 or SCID 3 as stored, uninterpreted and complete.
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
    /// Reads a database of SCID 4. Also returns the error that ended reading its names early, if
    /// any.
    ///
    /// # Errors
    ///
    /// Returns an error for a missing file, `BadMagic`, and `Truncated` for a header.
    pub fn parse(files: &'a dyn FileSet) -> Result<(Base<'a>, Option<Error>)> {
        Base::parse_as(Generation::Si4, files)
    }

    /// Reads a database of SCID 3, like [`Base::parse`].
    ///
    /// # Errors
    ///
    /// Returns an error as [`Base::parse`] does.
    pub fn parse_si3(files: &'a dyn FileSet) -> Result<(Base<'a>, Option<Error>)> {
        Base::parse_as(Generation::Si3, files)
    }

    fn parse_as(
        generation: Generation,
        files: &'a dyn FileSet,
    ) -> Result<(Base<'a>, Option<Error>)> {
        let [index, games, names] = *generation.files();
        let in_names = |fault: Error| fault.at(in_file(names));
        let index =
            Index::parse(files.require(index)?).map_err(|fault| fault.at(in_file(index)))?;
        let names = NameFile::parse(files.require(names)?).map_err(in_names)?;
        let (names, fault) = (names.0, names.1.map(in_names));
        let places = index.entries.iter().map(|e| (e.offset.into(), e.length));
        let games = GameFile::parse(files.require(games)?, places);
        Ok((
            Base {
                index,
                names,
                games,
            },
            fault,
        ))
    }

    /// Returns the bytes of index, games and names.
    pub fn to_bytes(&self) -> [Vec<u8>; 3] {
        [
            self.index.to_bytes(),
            self.games.to_bytes(),
            self.names.to_bytes(),
        ]
    }
}
