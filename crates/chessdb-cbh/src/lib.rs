#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub mod archive;
mod check;
mod contents;
mod entry;
mod extras;
mod format;
mod header;
mod info;
mod map;
mod moves;
mod names;
pub mod raw;
mod roles;
mod salvage;
mod setup;
mod sound;
mod store;
mod tables;
mod text;
mod writer;

/// Re-exported so that a program that reads one format needs only one dependency.
pub use chessdb_core;
pub use format::CBH;
pub use roles::{
    CBA_FILE, CBC_FILE, CBE_FILE, CBG_FILE, CBH_FILE, CBJ_FILE, CBL_FILE, CBM_FILE, CBP_FILE,
    CBS_FILE, CBT_FILE, CBTT_FILE, FLAGS_FILE,
};
pub use store::Store;
pub use writer::Writer;

/// The formats of this crate.
pub static FORMATS: &[&chessdb_core::Format] = &[&CBH];
