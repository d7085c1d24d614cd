//! The files and tables of a format that stores each game as a row of a table.

use chessdb_core::files::Role;

use crate::extras::Known;

/// The files and tables of a format.
#[derive(Debug)]
pub struct RowFormat {
    /// The file.
    pub(crate) file: Role,
    /// Its write-ahead log.
    pub(crate) log: Role,
    /// Everything that the program creates.
    pub(crate) known: Known,
    /// The tables that a file must have to be changed, each with its columns: first the games, with
    /// the columns that every new database has.
    pub(crate) tables: &'static [(&'static str, &'static [&'static str])],
    /// The number of an absent name; `None` without tables of names.
    pub(crate) absent: Option<i64>,
}
