#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

mod check;
mod codec;
pub mod extras;
mod foreign;
mod format;
mod header;
mod info;
mod map;
mod moves;
mod names;
mod order;
pub mod raw;
mod roles;
mod row;
mod store;
mod text;
mod writer;

pub use check::check_with;
/// The common model, so that a program that reads one format needs one dependency.
pub use chessdb_core;
pub use chessdb_core::legacy::jose::JoseNumbering;
pub use codec::{Encoded, MoveColumns, decode, decode_and_judge, decode_into, encode, encode_as};
pub use format::{JOSE_IO, JOSE_MYISAM, JOSE_SQL, LIMITS, LOSSES};
pub use moves::{Layout, TextColumn};
pub use roles::{BIN, COMMENTS, EVAL, SQL_FILE};
pub use store::{Store, open_tables};
pub use writer::{Width, Writer};

/// The formats of this crate.
pub static FORMATS: &[&chessdb_core::Format] = &[&JOSE_SQL, &JOSE_MYISAM, &JOSE_IO];
