#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod check;
mod derived;
mod entry;
mod format;
mod generation;
mod head;
mod info;
mod lines;
mod map;
mod moves;
mod names;
pub mod raw;
mod store;
mod text;
mod translate;
mod writer;

use chessdb_core::Role;

pub use check::check;
/// The common model, so that a program that reads one format needs one dependency.
pub use chessdb_core;
pub use format::{SI3, SI4, SI5};
pub use generation::Generation;
pub use map::dump;
pub use store::Store;
pub use translate::{Translated, translate};
pub use writer::Writer;

/// The formats of this crate.
pub static FORMATS: &[&chessdb_core::Format] = &[&SI4, &SI5, &SI3];

/// The index of SCID 4.
pub const SI4_FILE: Role = Role("si4");
/// The games of SCID 4.
pub const SG4_FILE: Role = Role("sg4");
/// The names of SCID 4.
pub const SN4_FILE: Role = Role("sn4");
/// The index of SCID 5.
pub const SI5_FILE: Role = Role("si5");
/// The games of SCID 5.
pub const SG5_FILE: Role = Role("sg5");
/// The names of SCID 5.
pub const SN5_FILE: Role = Role("sn5");
/// The index of SCID 3.
pub const SI3_FILE: Role = Role("si3");
/// The games of SCID 3.
pub const SG3_FILE: Role = Role("sg3");
/// The names of SCID 3.
pub const SN3_FILE: Role = Role("sn3");
