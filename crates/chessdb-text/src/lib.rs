#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

mod columns;
mod epd;
mod format;
mod games;
mod json;
mod layout;
mod lichess;
mod pgn_text;
mod puzzles;
mod reader;
mod roles;
mod splitter;
mod store;
mod table;

/// The common model, so that a program that reads one format needs one dependency.
pub use chessdb_core;
pub use format::{CSV, EPD, FEN, FORMATS, NDJSON};
pub use reader::Reader;
pub use roles::{CSV_FILE, EPD_FILE, FEN_FILE, NDJSON_FILE};
pub use store::Store;
