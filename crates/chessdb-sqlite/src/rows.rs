//! The rows of a table of games, and of the tables of names that they refer to.

use chessdb_core::error::Location;
use chessdb_core::files::Role;
use chessdb_core::format::Score;
use chessdb_core::salvage::{Found, Salvaged};
use chessdb_core::{
    Diagnostic, Error, ErrorKind, FileSet, GameStore, ReadOptions, Result, Scratch, Severity,
};

use crate::file::{
    Column, Layout, Leaves, PageSet, Pages, Record, Schema, Table, Value, complete, pages_of,
};

/// Opens the file of a set with its write-ahead log, and reads its definitions.
pub(crate) fn open_file<'a>(
    files: &'a dyn FileSet,
    file: Role,
    log: Role,
) -> Result<(Pages<'a>, Schema)> {
    let pages = Pages::new(files.require(file)?, files.get(log));
    let pages = pages.map_err(|error| error.at(Location::byte(file, 0)))?;
    let schema = Schema::read(&pages);
    Ok((pages, schema))
}

/// Returns whether the tables of a file are those of a program.
pub(crate) fn probe(
    files: &dyn FileSet,
    file: Role,
    log: Role,
    is_known: impl FnOnce(&Schema) -> bool,
) -> Score {
    let opened = files.get(file).map(|_| open_file(files, file, log));
    match opened {
        Some(Ok((_, schema))) if is_known(&schema) => Score::Certain,
        _ => Score::No,
    }
}

/// Opens a file like [`open_file`]. In a salvage, a damaged first page is replaced by what the other
/// pages show, and tables by those of the program's `layouts`.
pub(crate) fn open_or_salvage<'a>(
    files: &'a dyn FileSet,
    file: Role,
    log: Role,
    options: &ReadOptions,
    layouts: fn() -> Vec<Layout>,
) -> Result<(Pages<'a>, Schema)> {
    let bytes = files.require(file)?;
    open_bytes((file, bytes), files.get(log), options, layouts)
}

/// Opens the bytes of a file like [`open_or_salvage`].
pub(crate) fn open_bytes<'a>(
    (file, bytes): (Role, &'a [u8]),
    log: Option<&'a [u8]>,
    options: &ReadOptions,
    layouts: impl FnOnce() -> Vec<Layout>,
) -> Result<(Pages<'a>, Schema)> {
    let stated = Pages::new(bytes, log).map_err(|error| error.at(Location::byte(file, 0)));
    let (is_stated, recovered) = match options.salvage {
        true => (stated.is_ok(), pages_of(bytes, log)),
        false => (true, None),
    };
    let pages = match recovered {
        Some(pages) => pages,
        None => stated?,
    };
    let mut schema = Schema::read(&pages);
    if options.salvage {
        complete(&mut schema, &pages, &layouts());
        schema.is_damaged |= !is_stated;
    }
    Ok((pages, schema))
}

/// Returns how the games of a salvaged database were found. `is_lost` tells whether a game is on a
/// page that nothing points to.
pub(crate) fn salvaged(store: &dyn GameStore, is_lost: impl Fn(u32) -> bool) -> Salvaged {
    let found = |n| match is_lost(n) {
        true => Found::Carved,
        false => Found::Exact,
    };
    let games = (0..store.len()).map(found).collect();
    let mut salvaged = Salvaged::new(games, Vec::new());
    salvaged.mark_incomplete(store);
    salvaged
}

/// Returns the error for a file without the tables of any known program.
pub(crate) fn no_table(schema: &Schema, file: Role) -> Error {
    Error::new(ErrorKind::Other(schema.to_string().into())).at(Location::byte(file, 0))
}

/// Reports a damaged first page, and pages that the file should have and does not.
pub(crate) fn report_missing_pages(
    pages: &Pages<'_>,
    schema: &Schema,
    file: Role,
    options: &ReadOptions,
    scratch: &mut Scratch,
) -> Result<()> {
    if schema.is_damaged {
        let kind = ErrorKind::Structure("the definitions of the tables are damaged");
        scratch.deviation(options, Severity::Lost, kind, Location::byte(file, 0))?;
    }
    let (promised, there) = (pages.promised(), pages.len());
    if promised <= there {
        return Ok(());
    }
    let kind = ErrorKind::Truncated {
        what: "pages of the database",
        needed: promised.into(),
        had: there.into(),
    };
    let at = Location::byte(file, pages.offset(there + 1));
    scratch.deviation(options, Severity::Lost, kind, at)
}

/// Finds the rows of a table. Damaged pages are reported, and rows behind them are searched for in
/// the rest of the file. Names have no form of their own, so that pages without a damaged one above
/// are searched for only if the table `is_of_games`.
pub(crate) fn find_rows(
    pages: &Pages<'_>,
    schema: &Schema,
    (table, is_of_games): (&Table, bool),
    file: Role,
    options: &ReadOptions,
    scratch: &mut Scratch,
) -> Result<Leaves> {
    let mut leaves = Leaves::of(pages, table.root);
    for &page in leaves.faults() {
        let kind = ErrorKind::Structure("a page of a table is damaged");
        let at = Location::byte(file, pages.offset(page));
        scratch.deviation(options, Severity::Lost, kind, at)?;
    }
    if !leaves.faults().is_empty() || schema.is_damaged && is_of_games {
        let mut owned = PageSet::new(pages.len());
        let mut is_ambiguous = false;
        let others = schema.tables.iter();
        let others: Vec<&Table> = others.filter(|other| other.root != table.root).collect();
        for other in &others {
            let rows = Leaves::of(pages, other.root);
            rows.mark(&mut owned);
            is_ambiguous |= !rows.faults().is_empty() && other.form() == table.form();
        }
        let width = table.columns.len();
        let most = if schema.is_damaged { usize::MAX } else { width };
        let is_row = |values: &[Value<'_>]| {
            let fits = |table: &Table| {
                let width = table.columns.len();
                table.fits(values, width..=width)
            };
            // Rows from before columns were added have fewer values.
            let fits_loosely = || table.fits(values, width / 2 + 1..=most);
            fits(table) || fits_loosely() && !others.iter().any(|other| fits(other))
        };
        if !is_ambiguous {
            leaves.add_lost(pages, &owned, is_row);
        }
    }
    Ok(leaves)
}

/// A table of games that is read row by row.
#[derive(Debug)]
pub(crate) struct Games<'a> {
    pub(crate) pages: Pages<'a>,
    columns: Vec<Column>,
    leaves: Leaves,
    file: Role,
}

impl<'a> Games<'a> {
    /// Finds the rows of a table.
    pub(crate) fn open(
        pages: Pages<'a>,
        schema: &Schema,
        table: &Table,
        file: Role,
        options: &ReadOptions,
    ) -> Result<(Games<'a>, Vec<Diagnostic>)> {
        let mut scratch = Scratch::new();
        report_missing_pages(&pages, schema, file, options, &mut scratch)?;
        let leaves = find_rows(&pages, schema, (table, true), file, options, &mut scratch)?;
        let games = Games {
            columns: table.columns.clone(),
            pages,
            leaves,
            file,
        };
        Ok((games, scratch.diagnostics))
    }

    /// Returns whether row `n` is on a page that no tree contains.
    pub(crate) fn is_lost(&self, n: u32) -> bool {
        self.leaves.is_lost(n.into())
    }

    /// Returns the number of rows, at most the highest number that the model counts.
    pub(crate) fn len(&self) -> u32 {
        u32::try_from(self.leaves.len()).unwrap_or(u32::MAX)
    }

    /// Calls `read` with the values of row `n`, counted from 0, and their location.
    pub(crate) fn with_row<T>(
        &self,
        n: u32,
        read: impl FnOnce(&[Value<'_>], Location) -> Result<T>,
    ) -> Result<T> {
        let game = Location {
            file: Some(self.file),
            ..Location::game(n.saturating_add(1))
        };
        if n >= self.len() {
            let kind = ErrorKind::LimitExceeded {
                what: "games in the database",
                limit: self.len().into(),
            };
            return Err(kind.into());
        }
        let damaged = || Error::new(ErrorKind::Structure("the row of the game is damaged"));
        let row = self.leaves.nth(&self.pages, n.into());
        let row = row.ok_or_else(|| damaged().at(game))?;
        let at = Location {
            offset: Some(row.offset),
            ..game
        };
        let mut buffer = Vec::new();
        let record = row
            .payload(&self.pages, &mut buffer)
            .and_then(Record::parse);
        let mut values = vec![Value::Null; self.columns.len()];
        let record = record.filter(|record| record.fill(&mut values));
        let record = record.ok_or_else(|| damaged().at(at))?;
        let declared = record.declared();
        for (n, (value, column)) in values.iter_mut().zip(&self.columns).enumerate() {
            if column.is_row_number {
                *value = Value::Int(row.number);
            } else if n >= declared {
                *value = column.default_value(self.pages.encoding());
            }
        }
        read(&values, at)
    }
}

/// The bytes of the longest row of a name: more than a game may have by default.
const MOST_NAME: usize = 16 << 20;

/// A table of names, which are read when they are needed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Names {
    root: u32,
    column: usize,
}

impl Names {
    /// Returns the names in this column of this table.
    pub(crate) fn of(schema: &Schema, table: &str, column: &str) -> Option<Names> {
        let table = schema.table(table)?;
        Some(Names {
            root: table.root,
            column: table.column(column)?,
        })
    }

    /// Returns the name with this number.
    pub(crate) fn get(self, pages: &Pages<'_>, number: i64) -> Option<Vec<u8>> {
        let row = Leaves::find(pages, self.root, number)?;
        let mut buffer = Vec::new();
        let row = Some(row).filter(|row| row.length() <= MOST_NAME)?;
        let record = Record::parse(row.payload(pages, &mut buffer)?)?;
        let value = record.values().nth(self.column)?;
        value.to_text(pages.encoding()).map(Into::into)
    }
}
