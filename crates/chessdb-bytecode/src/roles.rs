//! The files and columns that locations refer to.

use chessdb_core::files::Role;

/// A script of SQL statements.
pub const SQL_FILE: Role = Role("sql");
/// A location in the column with the byte code.
pub const BIN: Role = Role("Bin");
/// A location in the column with the texts.
pub const COMMENTS: Role = Role("Comments");
/// A location in the column with the evaluations.
pub const EVAL: Role = Role("Eval");
