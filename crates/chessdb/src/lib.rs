#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub mod convert;
mod formats;
#[cfg(feature = "fs")]
pub mod fs;

#[cfg(feature = "cbf")]
pub use chessdb_cbf as cbf;
#[cfg(feature = "pgn")]
pub use chessdb_pgn as pgn;
#[cfg(feature = "scid")]
pub use chessdb_scid as scid;

pub use chessdb_core::*;

pub use convert::{ConvertOptions, Report, convert};
pub use formats::{FORMATS, format_by_extension, format_by_id, probe};
#[cfg(feature = "fs")]
pub use fs::{Base, create, open};

/// The examples of the repository's README.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct RepositoryReadme;
