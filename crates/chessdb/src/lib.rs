#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

#[cfg(feature = "arrow")]
pub mod arrow;
pub mod convert;
mod database;
pub mod diff;
mod error;
mod files;
mod format_hint;
pub mod formats;
#[cfg(feature = "fs")]
pub mod fs;
mod game;
#[cfg(all(feature = "fs", feature = "query"))]
mod index;
mod names;
pub mod options;
mod packed;
#[cfg(feature = "threads")]
mod parallel;
#[cfg(feature = "arrow")]
mod parts;
mod paths;
#[cfg(all(feature = "fs", feature = "parquet", feature = "threads"))]
mod positions;
mod scan;
mod selection;
mod sinks;
mod writer;

#[cfg(feature = "bytecode")]
pub use chessdb_bytecode as bytecode;
#[cfg(feature = "ca")]
pub use chessdb_ca as ca;
#[cfg(feature = "cbf")]
pub use chessdb_cbf as cbf;
#[cfg(feature = "cbh")]
pub use chessdb_cbh as cbh;
/// The common model, and traits, boards, moves and texts for authors of formats.
#[doc(inline)]
pub use chessdb_core as core;
#[cfg(feature = "dcx")]
pub use chessdb_dcx as dcx;
#[cfg(feature = "parquet")]
pub use chessdb_parquet as parquet;
#[cfg(feature = "pgn")]
pub use chessdb_pgn as pgn;
#[cfg(feature = "query")]
pub use chessdb_query as query;
#[cfg(feature = "scid")]
pub use chessdb_scid as scid;

pub use chessdb_core::{
    Allow, BaseInfo, Color, Diagnostic, Format, Limits, LossKind, Losses, Outcome, Severity,
};

pub use convert::{Converter, OnError};
pub use database::Database;
pub use error::{Error, Problem, Result};
pub use formats::FORMATS;
pub use game::Game;
pub use scan::{Games, Reader, Scan};
pub use selection::Selection;
pub use writer::Writer;
#[cfg(feature = "fs")]
pub use writer::create;

#[cfg(feature = "fs")]
pub(crate) use options::OpenOptions;

/// The examples of the repository's README.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct RepositoryReadme;
