#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

mod embedded;
mod format;
mod game;
mod header;
mod lines;
mod moves;
mod portion;
pub mod raw;
mod reader;
mod report;
mod roles;
mod store;
mod text;
mod writer;

/// The common model, re-exported so that a program that reads one format needs one dependency.
pub use chessdb_core;
pub use embedded::read_embedded;
pub use format::PGN;
pub use lines::{EPD, FEN, LineKind, TARGETS, UCI, append_lines, is_text_operation};
pub use reader::Reader;
pub use roles::PGN_FILE;
pub use store::Store;
pub use writer::{GameText, Layout, Writer, stored_game, write_game};

/// The formats of this crate.
pub static FORMATS: &[&chessdb_core::Format] = &[&PGN];
