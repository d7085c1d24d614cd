//! The files of a database.

use chessdb_core::files::Role;

/// The only file.
pub const TEMPLATE_FILE: Role = Role("template");
