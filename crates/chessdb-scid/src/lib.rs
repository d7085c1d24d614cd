#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

mod check;
mod derived;
mod entry;
mod format;
mod generation;
mod header;
mod info;
mod map;
mod moves;
mod names;
mod opening_lines;
pub mod raw;
mod remarks;
mod roles;
mod salvage;
mod store;
mod text;
mod translate;
mod writer;

/// The common model, re-exported so that a program that reads one format needs one dependency.
pub use chessdb_core;
pub use format::{SI3, SI4, SI5};
pub use generation::Generation;
pub use roles::{
    SG3_FILE, SG4_FILE, SG5_FILE, SI3_FILE, SI4_FILE, SI5_FILE, SN3_FILE, SN4_FILE, SN5_FILE,
};
pub use store::Store;
pub use translate::{Translated, translate};
pub use writer::Writer;

/// The formats of this crate.
pub static FORMATS: &[&chessdb_core::Format] = &[&SI4, &SI5, &SI3];
