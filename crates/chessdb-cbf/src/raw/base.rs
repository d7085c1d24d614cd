//! The two files together.

use chessdb_core::{FileSet, Result};

use super::games::GameFile;
use super::index::Index;
use crate::roles::{CBF_FILE, CBI_FILE};

/// A base as its bytes say it, nothing interpreted and nothing left out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Base<'a> {
    /// The index file.
    pub index: Index,
    /// The games file.
    pub games: GameFile<'a>,
}

impl<'a> Base<'a> {
    /// Reads a base. The index is trusted; bytes that it names but that are no record are kept like
    /// those that it does not name.
    ///
    /// # Errors
    ///
    /// A missing file.
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

    /// The bytes of the files cbi and cbf.
    pub fn to_bytes(&self) -> [Vec<u8>; 2] {
        [self.index.to_bytes(), self.games.to_bytes()]
    }
}
