//! The file of a database.

use chessdb_core::error::Location;
use chessdb_core::files::Role;

/// The file with the table.
pub const PARQUET_FILE: Role = Role("parquet");

/// The location of the file in diagnostics.
pub(crate) const FILE: Location = Location {
    file: Some(PARQUET_FILE),
    offset: None,
    game: None,
    ply: None,
};
