//! Tables, columns and other objects that are not jose's (docs/formats/bytecode.md, section 9); a
//! rewritten database cannot store them.

use chessdb_core::error::Location;
use chessdb_core::model::Extra;
use chessdb_core::{BaseInfo, Error, ErrorKind, ReadOptions, Result, Scratch, Severity};

use crate::extras;
use crate::raw::{Naming, Table, TableRead, TableSet};
use crate::row::column_names;

/// Maximum number of reported names.
const MOST: usize = 1000;
/// Maximum number of columns of the games table, as in MySQL. Short rows are padded to its width, so
/// that very many columns with short rows would cost quadratic time.
const MOST_COLUMNS: usize = 4096;

/// Returns the error for tables that are not jose's, or are an incomplete set of them.
pub(crate) fn not_jose(tables: &TableSet<'_>) -> Error {
    if let Some(role) = Naming::missing_half(tables) {
        return ErrorKind::MissingFile(role).into();
    }
    let location = Location {
        file: tables.file,
        ..Location::default()
    };
    Error::new(ErrorKind::Unsupported(
        "a database without the game tables of jose",
    ))
    .at(location)
}

/// Returns an error for a games table with more columns than MySQL allows.
pub(crate) fn check_width(games: &dyn TableRead, location: Location) -> Result<()> {
    if games.columns().len() > MOST_COLUMNS {
        let what = "a games table with more than 4,096 columns";
        return Err(Error::new(ErrorKind::Unsupported(what)).at(location));
    }
    Ok(())
}

/// Describes everything in the set that a database with this naming does not have: tables, columns,
/// and the other objects reported by the container.
pub(crate) fn names(tables: &TableSet<'_>, naming: &Naming) -> Vec<String> {
    let mut foreign = Vec::new();
    for name in tables.names() {
        let Some(table) = tables.get(name) else {
            continue;
        };
        match owner(name, naming) {
            None => foreign.push(format!("table {name}")),
            Some(owner) => {
                let columns = table
                    .columns()
                    .iter()
                    .filter(|column| !owner.has(column, naming));
                foreign.extend(columns.map(|column| format!("column {name}.{column}")));
            }
        }
    }
    foreign.sort();
    foreign.extend(tables.foreign.iter().cloned());
    foreign.truncate(MOST);
    foreign
}

/// Stores these names as extras of the database, and reports them as findings.
///
/// # Errors
///
/// In strict mode, returns the first finding.
pub(crate) fn note(
    names: Vec<String>,
    base: &mut BaseInfo,
    options: &ReadOptions,
    scratch: &mut Scratch,
    location: Location,
) -> Result<()> {
    for what in names {
        base.extras
            .push(Extra::new(extras::FORMAT, extras::FOREIGN, what.as_bytes()));
        let what = format!("jose does not use {what}; a new database will not contain it");
        let kind = ErrorKind::Other(what.into());
        scratch.deviation(options, Severity::Note, kind, location)?;
    }
    Ok(())
}

/// The kind of one of jose's tables.
enum Owner {
    /// A table of games or moves, or of both.
    Games,
    Other(Table),
}

fn owner(name: &str, naming: &Naming) -> Option<Owner> {
    let is = |expected: &str| name.eq_ignore_ascii_case(expected);
    let moves = naming.moves.as_ref();
    if is(&naming.games) || moves.is_some_and(|(table, _)| is(table)) {
        return Some(Owner::Games);
    }
    // If the tables of a database exist, the tables of an archive are not read.
    Table::ALL
        .into_iter()
        .filter(|table| !matches!(table, Table::Game | Table::MoreGame))
        .find(|table| is(table.name()) || is(&format!("{}{}", naming.prefix, table.name())))
        .map(Owner::Other)
}

impl Owner {
    fn has(&self, column: &str, naming: &Naming) -> bool {
        let is = |expected: &str| column.eq_ignore_ascii_case(expected);
        match self {
            Owner::Other(table) => table.columns().iter().any(|own| is(own.name)),
            Owner::Games => {
                let names = [
                    Some(naming.bin.as_str()),
                    naming.comments.as_deref(),
                    naming.moves.as_ref().map(|(_, key)| key.as_str()),
                ];
                let tables = [Table::Game, Table::MoreGame];
                let mut schema = tables.iter().flat_map(|table| table.columns());
                names.into_iter().flatten().any(is)
                    || schema.any(|own| is(own.name))
                    || column_names().any(is)
            }
        }
    }
}
