//! The files and columns by which places are named.

use chessdb_core::Role;

/// A script of SQL statements.
pub const SQL_FILE: Role = Role("sql");
/// Places in the column with the byte code.
pub const BIN: Role = Role("Bin");
/// Places in the column with the texts.
pub const COMMENTS: Role = Role("Comments");
/// Places in the column with the evaluations.
pub const EVAL: Role = Role("Eval");
