//! The files of a database.

use chessdb_core::files::Role;

/// The index.
pub const SCI_FILE: Role = Role("sci");
/// The games.
pub const SCG_FILE: Role = Role("scg");
/// The names.
pub const SCN_FILE: Role = Role("scn");

/// All files; the index is first.
pub(crate) const FILES: &[Role] = &[SCI_FILE, SCG_FILE, SCN_FILE];
