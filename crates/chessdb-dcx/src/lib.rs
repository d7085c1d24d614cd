#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

mod check;
mod format;
mod header;
mod map;
mod moves;
mod names;
pub mod raw;
mod report;
mod roles;
mod salvage;
mod store;
mod text;
mod unindexed;
mod writer;

/// The common model, so that a program that reads one format needs one dependency.
pub use chessdb_core;
pub use format::DCX;
pub use moves::Promotions;
pub use roles::{DCE_FILE, DCG_FILE, DCI_FILE, DCN_FILE, DCS_FILE};
pub use store::Store;
pub use writer::Writer;

/// The formats of this crate.
pub static FORMATS: &[&chessdb_core::Format] = &[&DCX];
