#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

mod check;
mod extras;
mod format;
mod guesses;
mod header;
mod info;
mod map;
mod moves;
mod names;
pub mod raw;
mod record_faults;
mod remarks;
mod roles;
mod salvage;
mod sample;
mod store;
mod symbols;
mod text;
mod writer;

/// The common model, so that a program that reads one format needs one dependency.
pub use chessdb_core;
pub use format::CA;
pub use guesses::{GameTypes, Guesses, Symbols};
pub use roles::{A02_FILE, CDP_FILE, D00_FILE, D02_FILE, EMB_FILE, SIDE_FILES};
pub use store::Store;
pub use writer::Writer;

/// The formats of this crate.
pub static FORMATS: &[&chessdb_core::Format] = &[&CA];
