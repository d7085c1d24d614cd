//! The file of a base.

use chessdb_core::{Location, Role};

/// The table.
pub const PARQUET_FILE: Role = Role("parquet");

/// The file as a place in messages.
pub(crate) const FILE: Location = Location {
    file: Some(PARQUET_FILE),
    offset: None,
    game: None,
    ply: None,
};
