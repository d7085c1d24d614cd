#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

mod check;
mod extras;
mod format;
mod header;
mod info;
mod map;
mod moves;
mod nags;
mod names;
pub mod raw;
mod roles;
mod salvage;
mod start;
mod store;
mod text;
mod unused_names;
mod writer;

/// The common model, re-exported so that a program that reads one format needs one dependency.
pub use chessdb_core;
pub use format::SCIDB;
pub use roles::{SCG_FILE, SCI_FILE, SCN_FILE};
pub use store::Store;
pub use writer::Writer;

/// The formats of this crate.
pub static FORMATS: &[&chessdb_core::Format] = &[&SCIDB];
