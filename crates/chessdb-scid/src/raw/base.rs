//! The three files together.

use chessdb_core::{Error, FileSet, Location, Result};

use super::games::GameFile;
use super::index::Index;
use super::names::NameFile;
use crate::Generation;

/// A base of SCID 4 or SCID 3 as its bytes say it, nothing interpreted and nothing left out.
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
    /// Reads a base of SCID 4. Beside it comes the fault at which reading its names stopped, if it
    /// did.
    ///
    /// # Errors
    ///
    /// A missing file, `BadMagic`, `Truncated` for a header.
    pub fn parse(files: &'a dyn FileSet) -> Result<(Base<'a>, Option<Error>)> {
        Base::parse_as(Generation::Si4, files)
    }

    /// The same for a base of SCID 3.
    ///
    /// # Errors
    ///
    /// Those of [`Base::parse`].
    pub fn parse_si3(files: &'a dyn FileSet) -> Result<(Base<'a>, Option<Error>)> {
        Base::parse_as(Generation::Si3, files)
    }

    fn parse_as(
        generation: Generation,
        files: &'a dyn FileSet,
    ) -> Result<(Base<'a>, Option<Error>)> {
        let [index, games, names] = *generation.files();
        let of = |file| Location {
            file: Some(file),
            ..Location::default()
        };
        let in_names = |fault: Error| fault.at(of(names));
        let index = Index::parse(files.require(index)?).map_err(|fault| fault.at(of(index)))?;
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

    /// The bytes of index, games and names.
    pub fn to_bytes(&self) -> [Vec<u8>; 3] {
        [
            self.index.to_bytes(),
            self.games.to_bytes(),
            self.names.to_bytes(),
        ]
    }
}
