//! The rows of a MyISAM table: its `.MYD` file (docs/formats/bytecode.md, section 8).

mod blocks;
mod column_format;
mod map;
mod row_layout;
mod scan;
mod table;

use std::borrow::Cow;

use chessdb_core::error::Location;
use chessdb_core::files::Role;
use chessdb_core::{ErrorKind, FileSet, ReadOptions, Result, Scratch, Severity};

use super::TableSet;
use super::frm::Frm;

pub use table::MyisamTable;
use table::spend;

/// A table and its files.
#[derive(Clone, Copy, Debug)]
pub struct TableFiles {
    /// jose's name of the table.
    pub name: &'static str,
    /// The file with its rows.
    pub rows: Role,
    /// The file with its description.
    pub description: Role,
}

macro_rules! files {
    ($($name:literal),* $(,)?) => {
        &[$(TableFiles {
            name: $name,
            rows: Role(concat!($name, ".MYD")),
            description: Role(concat!($name, ".frm")),
        },)*]
    };
}

/// The tables of a running jose database.
pub const LIVE: &[TableFiles] = files![
    "Game",
    "MoreGame",
    "Player",
    "Event",
    "Site",
    "Opening",
    "Collection",
    "MetaInfo",
];

/// The tables of jose's archives.
pub const ARCHIVE: &[TableFiles] = files![
    "IO_Game",
    "IO_Player",
    "IO_Event",
    "IO_Site",
    "IO_Opening",
    "IO_Collection",
    "MetaInfo",
];

/// Opens the tables that exist.
///
/// # Errors
///
/// Returns an error if a table of games has no description or cannot be read at all. In strict
/// mode, also for any damage.
pub fn open<'a>(
    files: &'a dyn FileSet,
    tables: &[TableFiles],
    options: &ReadOptions,
) -> Result<TableSet<'a>> {
    open_with(tables, options, &mut |role| {
        files.get(role).map(Cow::Borrowed)
    })
}

/// Opens the tables like [`open`], with a function that supplies the files.
///
/// # Errors
///
/// See [`open`].
pub fn open_with<'a>(
    tables: &[TableFiles],
    options: &ReadOptions,
    get: &mut dyn FnMut(Role) -> Option<Cow<'a, [u8]>>,
) -> Result<TableSet<'a>> {
    let mut set = TableSet::new();
    let mut scratch = Scratch::new();
    for table in tables {
        let Some(rows) = get(table.rows) else {
            continue;
        };
        let described = get(table.description)
            .ok_or_else(|| ErrorKind::MissingFile(table.description).into())
            .and_then(|bytes| Frm::parse(&bytes, table.description));
        let opened = described
            .and_then(|frm| MyisamTable::open(&frm, rows, table.rows, options, &mut scratch));
        match opened {
            Ok(opened) => set.insert(table.name, Box::new(opened)),
            Err(error) if table.name.ends_with("Game") => return Err(error),
            // Without names there are still games.
            Err(error) => {
                let (kind, stated) = error.into_parts();
                let location = Location {
                    file: stated.file.or(Some(table.rows)),
                    ..stated
                };
                scratch.deviation(options, Severity::Lost, kind, location)?;
            }
        }
    }
    set.file = tables.first().map(|table| table.rows);
    set.diagnostics = scratch.diagnostics;
    Ok(set)
}
