//! The file of a base.

use chessdb_core::Role;

/// The one file of a PGN base.
pub const PGN_FILE: Role = Role("pgn");
