//! Reads and writes the games of the chess database jose: byte code, tables, SQL scripts.

#![forbid(unsafe_code)]

mod base;
mod check;
mod codec;
mod format;
mod head;
mod map;
mod moves;
mod names;
pub mod raw;
mod row;
mod store;
mod text;
mod writer;

use chessdb_core::Role;

pub use check::{check_store, check_with};
/// The common model, so that a program that reads one format needs one dependency.
pub use chessdb_core;
pub use chessdb_core::legacy::jose::JoseNumbering;
pub use codec::{Columns, Encoded, decode, decode_and_judge, decode_into, encode, encode_as};
pub use format::{JOSE_IO, JOSE_MYISAM, JOSE_SQL, LIMITS, LOSSES};
pub use moves::{Layout, TextColumn};
pub use store::{Store, open_tables};
pub use writer::{Width, Writer};

/// The formats of this crate.
pub static FORMATS: &[&chessdb_core::Format] = &[&JOSE_SQL, &JOSE_MYISAM, &JOSE_IO];

/// A script of SQL statements.
pub const SQL_FILE: Role = Role("sql");
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
    /// The game lies in another collection than the base's first: its number, eight bytes.
    pub const COLLECTION: u16 = 2;
    /// Where a game in the trash or on the clipboard came from: collection and place, eight bytes
    /// each, the smallest number for NULL.
    pub const ORIGIN: u16 = 3;
    /// Attributes that the model does not know: two bytes.
    pub const ATTRIBUTES: u16 = 4;
    /// The column PosMain.
    pub const POS_MAIN: u16 = 5;
    /// The column PosVar.
    pub const POS_VAR: u16 = 6;
    /// Of the base: number, HashKey, Ply and ECO of an opening, as packed cells.
    pub const OPENING: u16 = 16;
    /// Of the base: number, OPId, Path, Attributes, SourceURL and LastModified of a collection, as
    /// packed cells.
    pub const COLLECTION_ROW: u16 = 17;
    /// Of the base: a row of MetaInfo, as packed cells.
    pub const META: u16 = 18;
}
