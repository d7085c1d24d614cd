#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

mod check;
mod codes;
mod extras;
pub mod fbk;
mod format;
mod header;
mod info;
mod map;
mod moves;
pub mod raw;
mod rebuild;
mod record_offsets;
mod roles;
mod salvage;
mod setup;
mod store;
mod text;
mod writer;

/// Re-exported so that a program that reads one format needs only one dependency.
pub use chessdb_core;
pub use fbk::FBK;
pub use format::CBF;
pub use rebuild::rebuild_index;
pub use roles::{CBF_FILE, CBI_FILE, FBK_FILE};
pub use store::Store;
pub use writer::Writer;

/// The formats of this crate.
pub static FORMATS: &[&chessdb_core::Format] = &[&CBF, &FBK];
