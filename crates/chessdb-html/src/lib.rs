#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

mod board;
mod bulletin;
mod diagrams;
mod format;
mod game;
mod moves;
mod page;
mod signs;
mod writer;

/// The common model, re-exported so that a program that writes this format needs one dependency.
pub use chessdb_core;

pub use board::{PIECES, board_svg};
pub use format::{BULLETIN_ORDER, HTML, HTML_FILE};
pub use page::{STYLE, escaped};
pub use signs::nag_sign;

/// The formats of this crate. They are only written.
pub static TARGETS: &[&chessdb_core::Format] = &[&HTML];
