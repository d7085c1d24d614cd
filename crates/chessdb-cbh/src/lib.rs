#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

pub mod archive;
mod check;
mod entry;
mod extras;
mod format;
mod header;
mod info;
mod integrity;
mod map;
mod markdown;
mod moves;
mod name_tables;
pub mod raw;
mod record_kinds;
mod roles;
mod salvage;
mod setup;
mod store;
mod table_writers;
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
