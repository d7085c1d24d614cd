#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod format;
mod header;
mod map;
mod moves;
pub mod raw;
mod roles;
mod store;
mod text;
mod writer;

/// The common model, so that a program that reads one format needs one dependency.
pub use chessdb_core;
pub use format::TEMPLATE;
pub use roles::TEMPLATE_FILE;
pub use store::{Reader, Store};
pub use writer::Writer;

/// The formats of this crate.
pub static FORMATS: &[&chessdb_core::Format] = &[&TEMPLATE];
