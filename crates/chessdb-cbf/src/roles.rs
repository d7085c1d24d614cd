//! The files of a base and of a book.

use chessdb_core::Role;

/// The index.
pub const CBI_FILE: Role = Role("cbi");
/// The games.
pub const CBF_FILE: Role = Role("cbf");
/// An opening book.
pub const FBK_FILE: Role = Role("fbk");
