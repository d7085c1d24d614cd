#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod check;
mod format;
mod head;
mod map;
mod moves;
mod names;
pub mod raw;
mod rebuild;
mod report;
mod store;
mod text;
mod writer;

use chessdb_core::Role;

/// The common model, so that a program that reads one format needs one dependency.
pub use chessdb_core;
pub use format::DCX;
pub use map::dump;
pub use moves::Promotions;
pub use store::Store;
pub use writer::{Writer, encode};

/// The formats of this crate.
pub static FORMATS: &[&chessdb_core::Format] = &[&DCX];

/// The index.
pub const DCI_FILE: Role = Role("dci");
/// The names of players.
pub const DCN_FILE: Role = Role("dcn");
/// The sites.
pub const DCS_FILE: Role = Role("dcs");
/// The events.
pub const DCE_FILE: Role = Role("dce");
/// The games.
pub const DCG_FILE: Role = Role("dcg");
