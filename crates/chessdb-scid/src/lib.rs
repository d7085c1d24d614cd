#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod check;
mod derived;
mod format;
mod head;
mod lines;
mod map;
mod moves;
mod names;
pub mod raw;
mod report;
mod store;
mod text;
mod writer;

use chessdb_core::Role;

pub use check::check;
/// The common model, so that a program that reads one format needs one dependency.
pub use chessdb_core;
pub use format::SI4;
pub use map::dump;
pub use store::Store;
pub use writer::Writer;

/// The formats of this crate.
pub static FORMATS: &[&chessdb_core::Format] = &[&SI4];

/// The index.
pub const SI4_FILE: Role = Role("si4");
/// The games.
pub const SG4_FILE: Role = Role("sg4");
/// The names.
pub const SN4_FILE: Role = Role("sn4");
