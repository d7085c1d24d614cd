//! Databases that the host of a session can open, so that no files have to be added.

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
}
