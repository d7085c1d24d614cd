#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

pub mod archive;
mod cbh2;
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
mod table_changes;
mod table_writers;
mod text;
mod writer;

pub use cbh2::CBH2;
/// Re-exported so that a program that reads one format needs only one dependency.
pub use chessdb_core;
pub use format::CBH;
pub use roles::{
    CBA_FILE, CBA2_FILE, CBC_FILE, CBE_FILE, CBG_FILE, CBG2_FILE, CBH_FILE, CBH2_FILE, CBJ_FILE,
    CBL_FILE, CBM_FILE, CBP_FILE, CBS_FILE, CBT_FILE, CBTT_FILE, FLAGS_FILE, LCD2_FILE, LGD2_FILE,
    LID2_FILE,
};
pub use store::Store;
pub use writer::Writer;

/// The formats of this crate.
pub static FORMATS: &[&chessdb_core::Format] = &[&CBH, &CBH2];
