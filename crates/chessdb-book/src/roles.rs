//! The files of a book.

use chessdb_core::files::Role;

/// The pages of a CTG book, which contain everything.
pub const CTG_FILE: Role = Role("ctg");
/// The table of pages of a CTG book. Without it, a book is read page by page once.
pub const CTO_FILE: Role = Role("cto");
/// The inner nodes of the table of a CTG book, which follow from the table.
pub const CTB_FILE: Role = Role("ctb");
/// A Polyglot book.
pub const BIN_FILE: Role = Role("bin");
/// An Arena book.
pub const ABK_FILE: Role = Role("abk");
