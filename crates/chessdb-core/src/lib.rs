//! The common model of chess databases.
//!
//! Format crates read their files into the model and write files from it; the facade crate
//! `chessdb` connects a reader to a writer. This crate has no file system access, no threads, and
//! no knowledge of formats except the legacy move numberings in [`legacy`].
//!
//! The root contains the names that nearly every user needs. All names, those included, are in the
//! modules:
//!
//! * vocabulary: [`board`] (squares, pieces, moves, any position, legal or not), [`fen`]
//! * rules: [`rules`] (legality, SAN), on demand; the board itself imposes none
//! * games: [`model`] (header, move tape, data of the database), [`tree`], [`commands`] in comments
//! * texts: [`text`] (bytes with a charset, decoded late), [`utf16`]
//! * opening a database: [`Format::open_bytes`], [`files`], [`options`], [`limits`], [`store`]
//!   (reading and writing games), [`guiding`] (texts that are stored next to the games)
//! * findings: [`error`], [`loss`]
//! * searching: [`search`] (summaries of games, visitors of mainlines)
//! * sorting with little code: [`sorting`]
//! * comparing and looking at bytes: [`compare`], [`dump`]
//! * for authors of formats: [`mod@format`], [`prelude`], [`stored_header`], [`input_window`], [`report`], [`mod@line`] (rules for
//!   filling and writing tapes, shared by all formats), [`annotation`] (comments), [`legacy`],
//!   [`salvage`]

#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

pub mod annotation;
pub mod board;
pub mod commands;
pub mod compare;
pub mod dump;
pub mod error;
pub mod fen;
pub mod files;
pub mod format;
pub mod guiding;
pub mod input_window;
pub mod legacy;
pub mod limits;
pub mod line;
pub mod loss;
pub mod model;
pub mod options;
mod parse;
pub mod prelude;
#[cfg(feature = "nom")]
#[doc(hidden)]
pub mod raw;
#[doc(hidden)]
pub mod record;
pub mod report;
pub mod rules;
pub mod salvage;
pub mod search;
pub mod sorting;
pub mod store;
pub mod stored_header;
pub mod text;
pub mod tree;
pub mod utf16;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

pub use board::{Board, Color, PackedMove, PieceType, Setup, Square};
pub use error::{Diagnostic, Error, ErrorKind, Result, Severity};
pub use files::{FileSet, MemorySet};
pub use format::Format;
pub use loss::{LossKind, Losses};
pub use model::{BaseInfo, Date, Event, Game, Outcome, Start};
pub use options::{ReadOptions, WriteOptions};
pub use report::Scratch;
pub use store::{GameRead, GameStore, GameWrite};
pub use text::{Charset, Text};
