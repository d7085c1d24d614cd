#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub mod convert;
mod formats;
#[cfg(feature = "fs")]
pub mod fs;
#[cfg(feature = "bytecode")]
pub mod jose;

#[cfg(feature = "bytecode")]
pub use chessdb_bytecode as bytecode;
#[cfg(feature = "ca")]
pub use chessdb_ca as ca;
#[cfg(feature = "cbf")]
pub use chessdb_cbf as cbf;
#[cfg(feature = "dcx")]
pub use chessdb_dcx as dcx;
#[cfg(feature = "pgn")]
pub use chessdb_pgn as pgn;
#[cfg(feature = "scid")]
pub use chessdb_scid as scid;

pub use chessdb_core::*;

pub use convert::{ConvertOptions, Report, convert};
pub use formats::{
    FORMATS, format_by_extension, format_by_id, probe, reading_for, writing_charset,
};
#[cfg(feature = "fs")]
pub use fs::{Base, create, open};

/// The examples of the repository's README.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct RepositoryReadme;
