#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

/// The crates of the formats, each in a module with the name of its feature.
#[doc(inline)]
#[allow(
    unused_imports,
    unreachable_pub,
    reason = "without the feature of a format there are none"
)]
pub use chessdb_formats::crates::*;

/// The common model, and traits, boards, moves and texts for authors of formats.
#[doc(inline)]
pub use chessdb_core as core;
pub use chessdb_query as query;

pub use chessdb_core::options::Allow;
pub use chessdb_core::{BaseInfo, Color, Diagnostic, Format, LossKind, Losses, Outcome, Severity};

#[cfg(feature = "arrow")]
pub use chessdb_convert::arrow;
pub use chessdb_convert::{Converter, OnError, convert, diff};
pub use chessdb_database::{
    CheckCounts, Database, Game, Games, Reader, Scan, Selection, Writer, create, result_to_fix,
};
pub use chessdb_files::error::{Error, Problem, Result};
#[doc(no_inline)]
pub use chessdb_formats::FORMATS;
#[cfg(feature = "book")]
pub use chessdb_owned::OwnedBook;

/// Values of games that a list shows as columns.
#[cfg(feature = "pgn")]
pub mod columns {
    pub use chessdb_database::columns::{Column, names};
}

/// The formats of this build, and their lookup by id, suffix or content.
pub mod formats {
    pub use chessdb_files::choices::{CharsetName, FormatName};
    pub use chessdb_files::files::{Files, unpack, unpack_each};
    pub use chessdb_files::format_hint::FormatHint;
    pub use chessdb_files::names::{
        Group, group, suffix_format as by_name, target_format, unpacked_name,
    };
    pub use chessdb_files::paths::{
        NO_FILE_NAME, Shown, in_folder, leads_elsewhere, portable_name, shown,
    };
    #[cfg(feature = "bytecode")]
    pub use chessdb_formats::jose;
    #[cfg(feature = "tables")]
    pub use chessdb_formats::table_columns;
    pub use chessdb_formats::{
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
pub mod fs {
    #[cfg(feature = "parquet")]
    pub use chessdb_database::Positions;
    #[cfg(feature = "book")]
    pub use chessdb_database::open_for_queries;
    pub use chessdb_database::{IndexUse, index_path};
    #[cfg(feature = "book")]
    pub use chessdb_files::books::{BookFiles, is_book, write_polyglot};
    pub use chessdb_files::filesystem::{
        DirSink, Finder, FoundDatabase, LastChange, RecordedCommand, Survey, belongs_to,
        consume_while_held, create, find, find_as, in_archive, last_change, last_changes, recover,
        stdin, survey, undo, undo_last,
    };
    pub use chessdb_files::names::suffix_format;
    pub use chessdb_files::recovery::{Ending, Recovery};
    pub use chessdb_owned::{HiddenFileGuard, exit_on_truncation, has_own_console, remove_hidden};
}

/// The moves played in positions of a database.
pub mod explorer {
    #[cfg(feature = "parquet")]
    pub use chessdb_database::TreeTable;
    pub use chessdb_database::{Explorer, PlayedMove, PositionMoves};
}

/// Options for opening and creating databases.
pub mod options {
    pub use chessdb_core::limits::Limits;
    pub use chessdb_database::{CreateOptions, OpenOptions, TextField};
}

/// The examples of the repository's README.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct RepositoryReadme;
