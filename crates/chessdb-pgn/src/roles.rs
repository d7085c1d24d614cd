//! The role of the file of a PGN database.

use chessdb_core::files::Role;

/// The only file of a PGN database.
pub const PGN_FILE: Role = Role("pgn");
