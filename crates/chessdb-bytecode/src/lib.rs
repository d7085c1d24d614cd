//! Reads and writes the games of the chess database jose: byte code, tables, SQL scripts.

#![forbid(unsafe_code)]

mod codec;
mod moves;
mod report;
mod text;

use chessdb_core::Role;

pub use chessdb_core::legacy::jose::JoseNumbering;
pub use codec::{Columns, Encoded, decode, decode_and_judge, decode_into, encode, encode_as};
pub use moves::{Layout, TextColumn};

/// Places in the column with the byte code.
pub const BIN: Role = Role("Bin");
/// Places in the column with the texts.
pub const COMMENTS: Role = Role("Comments");
/// Places in the column with the evaluations.
pub const EVAL: Role = Role("Eval");

/// The numbers of what only jose understands (docs/formats/bytecode.md, section 9).
pub mod extra {
    /// The name of the format in extras.
    pub const FORMAT: &str = "jose";
    /// The byte code does not end with the result of the game; no content.
    pub const NO_RESULT: u16 = 1;
}
