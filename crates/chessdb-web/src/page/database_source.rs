//! Databases that the host of a session can open, so that no files have to be added.

use chessdb::convert::{GameEdits, Report};
use chessdb::core::ErrorKind;
use chessdb::fs::LastChange;
use chessdb::{Database, Error};

/// A database that the host offers, not opened yet.
#[derive(Clone, Debug)]
pub struct OfferedDatabase {
    /// The displayed name.
    pub name: String,
    /// The name of its format, if known.
    pub format: Option<&'static str>,
    /// The total size of its files in bytes, if known.
    pub size: Option<u64>,
}

/// A source of databases, which are opened by number.
pub trait DatabaseSource {
    /// Returns all databases.
    fn bases(&self) -> Vec<OfferedDatabase>;

    /// Opens a database. `encoding` is the charset that the user selected.
    fn open(
        &mut self,
        number: usize,
        encoding: Option<&str>,
        salvage: bool,
    ) -> Result<Database, Error>;

    /// Returns whether changes can be saved in the files of the databases.
    fn stores(&self) -> bool {
        false
    }

    /// Saves changed and new games in the files of a database, which was opened as `db`.
    fn store(
        &mut self,
        _number: usize,
        _db: &Database,
        _edits: &GameEdits,
    ) -> Result<Report, Error> {
        Err(chessdb::core::Error::from(ErrorKind::Unsupported("saving in the database")).into())
    }

    /// Undoes the last change of the files of a database, or repeats it.
    fn undo(&mut self, _number: usize) -> Result<LastChange, Error> {
        Err(chessdb::core::Error::from(ErrorKind::Unsupported("saving in the database")).into())
    }
}
