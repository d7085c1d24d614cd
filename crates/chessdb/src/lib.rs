#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

#[cfg(feature = "arrow")]
pub mod arrow;
mod choices;
pub mod convert;
mod database;
pub mod diff;
mod error;
mod files;
#[cfg(feature = "fs")]
mod filesystem;
mod format_hint;
mod game;
#[cfg(all(feature = "fs", feature = "query"))]
mod index;
#[cfg(all(feature = "fs", feature = "query"))]
mod indexing;
mod names;
mod packed;
#[cfg(feature = "threads")]
mod parallel;
#[cfg(feature = "arrow")]
mod parts;
mod paths;
#[cfg(all(feature = "fs", feature = "parquet", feature = "threads"))]
mod positions;
mod reading;
#[cfg(feature = "fs")]
mod recovery;
mod report;
mod scan;
mod selection;
mod sinks;
#[cfg(feature = "fs")]
mod snapshot;
mod table;
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
pub use game::Game;
pub use scan::{Games, Reader, Scan};
pub use selection::Selection;
#[doc(no_inline)]
pub use table::FORMATS;
pub use writer::Writer;
#[cfg(feature = "fs")]
pub use writer::create;

#[cfg(feature = "fs")]
pub(crate) use database::OpenOptions;

/// The formats of this build, and their lookup by id, suffix or content.
pub mod formats {
    pub use crate::choices::{CharsetName, FormatName};
    pub use crate::files::{Files, unpack};
    pub use crate::format_hint::FormatHint;
    #[cfg(feature = "fs")]
    pub use crate::names::target_format;
    pub use crate::names::{Group, group, suffix_format as by_name, unpacked_name};
    pub use crate::paths::{Shown, portable_name, shown};
    #[cfg(feature = "bytecode")]
    pub use crate::table::jose;
    pub use crate::table::{
        FORMATS, TARGETS, by_extension, by_id, missing_feature, named, other_names, probe,
        reading_for,
    };
}

/// Databases by path: finding their files, reading them and replacing them safely.
///
/// A path may be any file of a database, the name that its files share (the stem), or a folder or
/// archive that contains one database; [`survey`](fs::survey) lists several. Names are matched in
/// any case, so `BASE.SI4` and `base.sg4` may be parts of one set.
///
/// Most programs need only [`Database::open`] and [`create`]. This module has the steps between a
/// path and a database, and the targets for new databases.
#[cfg(feature = "fs")]
pub mod fs {
    pub use crate::filesystem::{
        DirSink, Finder, FoundDatabase, Survey, belongs_to, create, find, find_as, in_archive,
        recover, stdin, survey,
    };
    #[cfg(feature = "query")]
    pub use crate::index::{IndexUse, index_path};
    pub use crate::names::suffix_format;
    #[cfg(all(feature = "parquet", feature = "threads"))]
    pub use crate::positions::Positions;
    pub use crate::recovery::{Ending, Recovery};
    #[cfg(all(feature = "mmap", unix))]
    pub use chessdb_owned::end_when_cut;
    pub use chessdb_owned::{Hidden, remove_hidden};
}

/// Options for opening and creating databases.
pub mod options {
    pub use crate::database::{OpenOptions, TextField};
    pub use crate::writer::CreateOptions;
}

/// The examples of the repository's README.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct RepositoryReadme;
