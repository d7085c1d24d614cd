//! The files of the formats; each has a single one.

use chessdb_core::files::Role;

/// A table: puzzles, or games.
pub const CSV_FILE: Role = Role("csv");
/// Games as JSON objects.
pub const NDJSON_FILE: Role = Role("ndjson");
/// Positions with operations.
pub const EPD_FILE: Role = Role("epd");
/// Positions.
pub const FEN_FILE: Role = Role("fen");
