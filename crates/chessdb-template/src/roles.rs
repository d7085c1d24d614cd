//! The files of a database.

use chessdb_core::Role;

/// The only file.
pub const TEMPLATE_FILE: Role = Role("template");
