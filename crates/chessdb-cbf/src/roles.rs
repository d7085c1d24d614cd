//! The files of a database and of a book.

use chessdb_core::files::Role;

/// The file with the index.
pub const CBI_FILE: Role = Role("cbi");
/// The file with the games.
pub const CBF_FILE: Role = Role("cbf");
/// The file of an opening book.
pub const FBK_FILE: Role = Role("fbk");
