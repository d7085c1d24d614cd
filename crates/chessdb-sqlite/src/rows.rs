//! The rows of a table of games, and of the tables of names that they refer to.

use chessdb_core::Diagnostic;
use chessdb_core::error::Location;
use chessdb_core::files::Role;
use chessdb_core::format::Score;
use chessdb_core::report::Finding;
use chessdb_core::salvage::{Found, Salvaged};
use chessdb_core::store::StoredRows;
use chessdb_core::{Error, ErrorKind, FileSet, GameStore, ReadOptions, Result, Scratch, Severity};

use crate::file::{
    Column, Layout, Leaves, Owners, PageSet, Pages, Record, Schema, Table, Value, complete,
    pages_of,
};

/// Opens the file of a set with its write-ahead log, and reads its definitions.
pub(crate) fn open_file<'a>(
    files: &'a dyn FileSet,
    file: Role,
    log: Role,
) -> Result<(Pages<'a>, Schema)> {
    let opened = Pages::new(files.require(file)?, files.get(log));
    let pages = opened.map_err(|error| error.at(Location::byte(file, 0)))?;
    let schema = Schema::read(&pages);
    Ok((pages, schema))
}

/// Returns whether a file has the tables of a program.
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
/// pages show, and tables by the program's `layouts`.
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
    let (is_stated, recovered) = if options.salvage {
        (stated.is_ok(), pages_of(bytes, log))
    } else {
        (true, None)
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
    let quality = |n| if is_lost(n) { Found::Carved } else { Found::Exact };
    let games = (0..store.len()).map(quality).collect();
    let mut salvaged = Salvaged::new(games, Vec::new());
    salvaged.mark_incomplete(store);
    salvaged
}

/// Returns the error for a file without the tables of any known program.
pub(crate) fn no_table(schema: &Schema, file: Role) -> Error {
    Error::new(ErrorKind::Other(schema.to_string().into())).at(Location::byte(file, 0))
}

/// Reports damage of the file as a whole: of the definitions and of the log, missing pages, and pages
/// without an owner or with two. Returns whether pages have no owner.
pub(crate) fn report_structure(
    pages: &Pages<'_>,
    schema: &Schema,
    file: Role,
    options: &ReadOptions,
    scratch: &mut Scratch,
) -> Result<bool> {
    let mut report = |kind, page| {
        let location = Location::byte(file, pages.offset(page));
        scratch.deviation(options, Severity::Lost, kind, location)
    };
    if schema.is_damaged {
        let kind = ErrorKind::Structure("the definitions of the tables are damaged");
        report(kind, 1)?;
    }
    if pages.log_is_damaged() {
        let kind = "the write-ahead log is damaged, so that its last transactions are missing";
        report(ErrorKind::Structure(kind), 1)?;
    }
    let (promised, available) = (pages.promised(), pages.len());
    if promised > available {
        let kind = ErrorKind::truncated("pages of the database", promised.into(), available.into());
        report(kind, available + 1)?;
    }
    let owners = Owners::find(pages, schema);
    if let Some(&first) = owners.unowned.first() {
        let kind = ErrorKind::mismatch(
            "the number of pages that belong to no table and are not free",
            owners.unowned.len() as u64,
            0,
        );
        report(kind, first)?;
    }
    if let Some(page) = owners.shared {
        let kind = ErrorKind::Structure("a page belongs to two tables or indexes, or is also free");
        report(kind, page)?;
    }
    if owners.is_free_list_damaged {
        report(ErrorKind::Structure("the list of free pages is damaged"), 1)?;
    }
    Ok(!owners.unowned.is_empty())
}

/// Calls `each` with the values of every row of a small table next to the games. Reports damaged
/// pages and rows. A file without the table has no rows.
pub(crate) fn side_rows(
    pages: &Pages<'_>,
    table: Option<&Table>,
    file: Role,
    (options, scratch): (&ReadOptions, &mut Scratch),
    each: impl FnMut(&[Value<'_>]),
) -> Result<()> {
    let Some(table) = table else { return Ok(()) };
    let leaves = Leaves::of_table(pages, table);
    report_faults(pages, table, &leaves, file, (options, scratch))?;
    let unread = leaves.for_each(pages, each);
    if unread > 0 {
        let what = format!("{unread} rows of the table {} are damaged", table.name);
        let location = Location::byte(file, pages.offset(table.root));
        scratch.deviation(
            options,
            Severity::Lost,
            ErrorKind::Other(what.into()),
            location,
        )?;
    }
    Ok(())
}

/// Reports the damaged pages of a table.
pub(crate) fn report_faults(
    pages: &Pages<'_>,
    table: &Table,
    leaves: &Leaves,
    file: Role,
    (options, scratch): (&ReadOptions, &mut Scratch),
) -> Result<()> {
    for &page in leaves.faults() {
        let what = format!("a page of the table {} is damaged", table.name);
        let location = Location::byte(file, pages.offset(page));
        scratch.deviation(
            options,
            Severity::Lost,
            ErrorKind::Other(what.into()),
            location,
        )?;
    }
    Ok(())
}

/// Reports what SQLite itself finds in the file.
pub(crate) fn verify(
    files: &dyn FileSet,
    (file, log): (Role, Role),
    sink: &mut dyn FnMut(Finding),
) {
    let faults = match (files.transaction(), files.get(file)) {
        (Some(transaction), _) => transaction.verify(),
        #[cfg(all(feature = "write", not(target_family = "wasm")))]
        (None, Some(bytes)) if files.get(log).is_none_or(<[u8]>::is_empty) => {
            crate::write::disk::faults_of_bytes(bytes)
        }
        _ => Vec::new(),
    };
    let _ = log;
    for fault in faults {
        let kind = ErrorKind::Other(format!("SQLite finds: {fault}").into());
        sink(Finding::new(Severity::Lost, kind, Location::byte(file, 0)));
    }
}

/// Reports a stated number of games that is not the number of rows.
pub(crate) fn check_count(stated: Option<i64>, games: u32, file: Role) -> Option<Finding> {
    let count = stated.filter(|&stated| stated != i64::from(games))?;
    let kind = ErrorKind::mismatch("the GameCount of the database", count as u64, games.into());
    Some(Finding::new(Severity::Note, kind, Location::byte(file, 0)))
}

/// Finds the rows of a table. Damaged pages are reported, and rows behind them are searched for in
/// the rest of the file. Names have no distinct form, so that pages without a damaged one above
/// are searched for only in the table of games, `searches_all` of which tells whether the file has such
/// pages.
pub(crate) fn find_rows(
    pages: &Pages<'_>,
    schema: &Schema,
    (table, searches_all): (&Table, bool),
    file: Role,
    options: &ReadOptions,
    scratch: &mut Scratch,
) -> Result<Leaves> {
    let mut leaves = Leaves::of_table(pages, table);
    report_faults(pages, table, &leaves, file, (options, scratch))?;
    if !leaves.faults().is_empty() || searches_all {
        let mut owned = PageSet::new(pages.len());
        let mut is_ambiguous = false;
        let all = schema.tables.iter();
        let others: Vec<&Table> = all.filter(|other| other.root != table.root).collect();
        for other in &others {
            let rows = Leaves::of_table(pages, other);
            rows.mark(&mut owned);
            // The rows of two damaged tables of the same form cannot be told apart.
            is_ambiguous |= !rows.faults().is_empty() && other.form() == table.form();
        }
        let width = table.columns.len();
        let max_width = if schema.is_damaged { usize::MAX } else { width };
        let is_row = |values: &[Value<'_>]| {
            let fits = |table: &Table| {
                let width = table.columns.len();
                table.fits(values, width..=width)
            };
            // Rows from before columns were added have fewer values.
            let fits_loosely = || table.fits(values, width / 2 + 1..=max_width);
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
    pub(crate) columns: Vec<Column>,
    leaves: Leaves,
    file: Role,
    /// Whether a writer can change the rows of the file.
    pub(crate) is_changeable: bool,
}

impl<'a> Games<'a> {
    /// Finds the rows of the table of games, and checks the pages of its tables of `names`. In a file
    /// that is known to be intact it reads neither, if the numbers of the rows are successive.
    pub(crate) fn open(
        pages: Pages<'a>,
        schema: &Schema,
        (table, names): (&Table, &[&str]),
        file: Role,
        options: &ReadOptions,
        scratch: &mut Scratch,
    ) -> Result<Games<'a>> {
        let is_successive = options.known_intact && options.known_dense;
        let successive = is_successive.then(|| Leaves::successive(&pages, table.root));
        let leaves = match successive.flatten() {
            Some(leaves) => leaves,
            None => {
                let is_unknown = !options.known_intact;
                let has_unowned =
                    is_unknown && report_structure(&pages, schema, file, options, scratch)?;
                let rows = (table, has_unowned || schema.is_damaged);
                let leaves = find_rows(&pages, schema, rows, file, options, scratch)?;
                let others = names.iter().filter(|_| is_unknown);
                for names in others.filter_map(|name| schema.table(name)) {
                    let leaves = Leaves::of_table(&pages, names);
                    report_faults(&pages, names, &leaves, file, (options, scratch))?;
                }
                leaves
            }
        };
        let games = Games {
            columns: table.columns.clone(),
            pages,
            leaves,
            file,
            is_changeable: false,
        };
        Ok(games)
    }

    /// Returns the rows for a writer that can change them.
    pub(crate) fn stored_rows(&self) -> Option<&dyn StoredRows> {
        (cfg!(feature = "write") && self.is_changeable).then_some(self)
    }

    /// Returns whether the numbers of the rows are successive.
    pub(crate) fn is_dense(&self) -> bool {
        self.leaves.are_successive(&self.pages)
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
            let kind = ErrorKind::over_limit("games in the database", self.len().into());
            return Err(kind.into());
        }
        let damaged = || Error::new(ErrorKind::Structure("the row of the game is damaged"));
        let stored = self.leaves.nth(&self.pages, n.into());
        let row = stored.ok_or_else(|| damaged().at(game))?;
        let location = Location {
            offset: Some(row.offset),
            ..game
        };
        let mut buffer = Vec::new();
        let parsed = row
            .payload(&self.pages, &mut buffer)
            .and_then(Record::parse);
        let mut values = vec![Value::Null; self.columns.len()];
        let whole = parsed.filter(|record| record.fill(&mut values));
        let record = whole.ok_or_else(|| damaged().at(location))?;
        let declared = record.declared();
        for (n, (value, column)) in values.iter_mut().zip(&self.columns).enumerate() {
            if column.is_row_number {
                *value = Value::Int(row.number);
            } else if n >= declared {
                *value = column.default_value(self.pages.encoding());
            }
        }
        read(&values, location)
    }
}

impl StoredRows for Games<'_> {
    fn role(&self) -> Role {
        self.file
    }

    fn copy_file(&self, write: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        for page in 1..=self.pages.len() {
            write(self.pages.page(page).unwrap_or_default())?;
        }
        Ok(())
    }

    fn row_number(&self, n: u32) -> Option<i64> {
        self.leaves.nth(&self.pages, n.into()).map(|row| row.number)
    }
}

/// Returns whether the tables of an intact file are those that a writer makes, so that it can change
/// their rows. `tables` are the names of tables, each with columns that it must have.
pub(crate) fn is_changeable(
    schema: &Schema,
    tables: &[(&str, &[&str])],
    diagnostics: &[Diagnostic],
) -> bool {
    let is_lost = |diagnostic: &Diagnostic| diagnostic.severity == Severity::Lost;
    !diagnostics.iter().any(is_lost)
        && tables.iter().all(|(name, columns)| {
            schema
                .table(name)
                .is_some_and(|table| columns.iter().all(|name| table.column(name).is_some()))
        })
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
    pub(crate) fn find(schema: &Schema, table: &str, column: &str) -> Option<Names> {
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
        record
            .values()
            .nth(self.column)?
            .to_text(pages.encoding())
            .map(Into::into)
    }
}
