//! The three files of a SCID 5 database.

use chessdb_core::{Error, FileSet, Result};

use super::{Index, NameRecord, Names};
use crate::generation::in_file;
use crate::raw::GameFile;
use crate::roles::{SG5_FILE, SI5_FILE, SN5_FILE};

/// A database of SCID 5 as stored, uninterpreted and complete.
#[derive(Clone, Debug)]
pub struct Base<'a> {
    /// The index file.
    pub index: Index,
    /// The records of the name file.
    pub names: Vec<NameRecord<'a>>,
    /// The bytes after the last name that could be read.
    pub names_tail: &'a [u8],
    /// The games file.
    pub games: GameFile<'a>,
}

impl<'a> Base<'a> {
    /// Reads a database. Also returns the error that ended reading its names early, if any.
    ///
    /// # Errors
    ///
    /// Returns an error for a missing file.
    pub fn parse(files: &'a dyn FileSet) -> Result<(Base<'a>, Option<Error>)> {
        let index = Index::parse(files.require(SI5_FILE)?);
        let mut log = Names::new(files.require(SN5_FILE)?);
        let mut names = Vec::new();
        let fault = loop {
            match log.read() {
                Ok(Some(record)) => names.push(record),
                Ok(None) => break None,
                Err(fault) => {
                    break Some(fault.at(in_file(SN5_FILE)));
                }
            }
        };
        let places = index
            .entries
            .iter()
            .map(|entry| (entry.offset, entry.length));
        let games = GameFile::parse(files.require(SG5_FILE)?, places);
        let base = Base {
            index,
            names,
            names_tail: log.rest(),
            games,
        };
        Ok((base, fault))
    }

    /// Returns the bytes of the files si5, sg5 and sn5.
    pub fn to_bytes(&self) -> [Vec<u8>; 3] {
        let mut names = Vec::new();
        self.names
            .iter()
            .for_each(|record| record.write(&mut names));
        names.extend_from_slice(self.names_tail);
        [self.index.to_bytes(), self.games.to_bytes(), names]
    }
}
