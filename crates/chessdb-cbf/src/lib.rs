#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod check;
mod codes;
mod extras;
pub mod fbk;
mod format;
mod head;
mod map;
mod moves;
pub mod raw;
mod rebuild;
mod setup;
mod store;
mod text;
mod writer;

use chessdb_core::Role;

pub use check::check;
/// The common model, so that a program that reads one format needs one dependency.
pub use chessdb_core;
pub use fbk::FBK;
pub use format::CBF;
pub use map::{dump, dump_book};
pub use rebuild::rebuild_index;
pub use store::Store;
pub use writer::Writer;

/// The formats of this crate.
pub static FORMATS: &[&chessdb_core::Format] = &[&CBF, &FBK];

/// The index.
pub const CBI_FILE: Role = Role("cbi");
/// The games.
pub const CBF_FILE: Role = Role("cbf");
/// An opening book.
pub const FBK_FILE: Role = Role("fbk");
