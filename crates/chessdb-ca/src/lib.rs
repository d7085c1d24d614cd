#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod check;
mod extras;
mod format;
mod guesses;
mod head;
mod info;
mod map;
mod moves;
mod names;
pub mod raw;
mod sample;
mod store;
mod symbols;
mod text;
mod writer;

use chessdb_core::Role;

pub use check::check;
/// The common model, so that a program that reads one format needs one dependency.
pub use chessdb_core;
pub use format::CA;
pub use guesses::{GameTypes, Guesses, Symbols};
pub use map::dump;
pub use store::Store;
pub use writer::Writer;

/// The formats of this crate.
pub static FORMATS: &[&chessdb_core::Format] = &[&CA];

/// The description of the base.
pub const CDP_FILE: Role = Role("cdp");
/// The headers of the games.
pub const D00_FILE: Role = Role("d00");
/// Where the records of the games lie.
pub const A02_FILE: Role = Role("a02");
/// The records of the games.
pub const D02_FILE: Role = Role("d02");
/// The names.
pub const EMB_FILE: Role = Role("emb");
/// Files that nobody has described; they are carried along.
pub const SIDE_FILES: [Role; 6] = [
    Role("a01"),
    Role("d01"),
    Role("axx"),
    Role("dxx"),
    Role("bo0"),
    Role("st0"),
];
