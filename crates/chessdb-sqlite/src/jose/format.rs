//! The format description that the facade uses, and opening.

use chessdb_bytecode::raw::{Naming, Table, TableSet};
use chessdb_bytecode::{LIMITS, Store, check_with};
use chessdb_core::error::Location;
use chessdb_core::files::Role;
use chessdb_core::format::Score;
use chessdb_core::report::Finding;
use chessdb_core::{Charset, ErrorKind, FileSet, Format, ReadOptions, Result, Scratch, Severity};

use super::definitions::layouts;
use super::table::RowTable;
use crate::file::{Leaves, OtherObject, TextEncoding, Value};
use crate::rows::{find_rows, open_bytes, open_file, report_structure, verify};

/// The role of a SQLite file.
pub const SQLITE_FILE: Role = Role("sqlite");
/// The role of its write-ahead log.
pub const SQLITE_LOG: Role = Role("sqlite-wal");

/// jose's tables in a SQLite file. Writing needs the feature `write`.
pub static JOSE: Format = with_writing!(
    Format::new(
        "jose",
        "jose, SQLite",
        probe,
        |files, options| Ok(Box::new(store(files, options)?)),
        check,
    )
    .with_files(&[SQLITE_FILE, SQLITE_LOG], &[SQLITE_FILE])
    .with_limits(LIMITS)
    .with_salvage()
);

/// Judges a file by the definitions of its tables.
fn probe(files: &dyn FileSet) -> Score {
    if files.get(SQLITE_FILE).is_none() {
        return Score::No;
    }
    let Ok((_, schema)) = open_file(files, SQLITE_FILE, SQLITE_LOG) else {
        return Score::No;
    };
    let has = |table: &str, column: &str| {
        schema
            .table(table)
            .is_some_and(|table| table.column(column).is_some())
    };
    let has_players = |table| has(table, "WhiteId") && has(table, "BlackId");
    // Byte code may be in the published column for text, with or without headers.
    let is_jose = has_players("Game") && schema.table("MoreGame").is_some()
        || has_players("IO_Game")
        || has("Game", "GameText");
    if is_jose {
        Score::Certain
    } else if schema.is_damaged {
        Score::Maybe
    } else {
        Score::No
    }
}

fn store(files: &dyn FileSet, options: ReadOptions) -> Result<Store<'_>> {
    let file = files.require(SQLITE_FILE)?;
    let log = files.get(SQLITE_LOG);
    Store::open(tables(file, log, None, &options)?, options)
}

/// Opens the games in a SQLite file with other names for tables and columns than jose's.
///
/// # Errors
///
/// Returns an error if the tables or columns do not exist, or if it is not a SQLite file.
pub fn open_as(file: &[u8], naming: Naming, options: ReadOptions) -> Result<Store<'_>> {
    Store::open_as(
        tables(file, None, Some(&naming), &options)?,
        naming,
        options,
    )
}

fn check(files: &dyn FileSet, options: &ReadOptions, sink: &mut dyn FnMut(Finding)) {
    verify(files, (SQLITE_FILE, SQLITE_LOG), sink);
    if options.charset.is_none() {
        check_texts(files, sink);
    }
    check_with(options, |options| store(files, options), sink);
}

/// Reports the texts that are not UTF-8, the encoding of all texts; bytes that are declared as such
/// may be in any encoding.
fn check_texts(files: &dyn FileSet, sink: &mut dyn FnMut(Finding)) {
    let Ok((pages, schema)) = open_file(files, SQLITE_FILE, SQLITE_LOG) else {
        return;
    };
    // Texts in UTF-16 are converted when they are read.
    if pages.encoding() != TextEncoding::Utf8 {
        return;
    }
    for table in schema.tables.iter().filter(|table| !table.is_internal()) {
        let mut row = 0_u64;
        Leaves::of_table(&pages, table).for_each(&pages, |values| {
            row += 1;
            for (value, column) in values.iter().zip(&table.columns) {
                if let Value::Text(text) = value
                    && std::str::from_utf8(text).is_err()
                {
                    let (table, column) = (&table.name, &column.name);
                    let what = format!("the text of {table}.{column} in row {row} is not UTF-8");
                    let kind = ErrorKind::Other(what.into());
                    sink(Finding::new(Severity::Lost, kind, in_file()));
                }
            }
        });
    }
}

/// Returns the location in the file if no better one is known.
fn in_file() -> Location {
    Location {
        file: Some(SQLITE_FILE),
        ..Location::default()
    }
}

/// Opens the tables of a file: jose's, and the ones named in `naming`.
fn tables<'a>(
    file: &'a [u8],
    log: Option<&'a [u8]>,
    naming: Option<&Naming>,
    options: &ReadOptions,
) -> Result<TableSet<'a>> {
    let bytes = (SQLITE_FILE, file);
    let (pages, schema) = open_bytes(bytes, log, options, || layouts(naming))?;
    let names = wanted(naming);
    let is_wanted = |name: &str| names.iter().any(|own| own.eq_ignore_ascii_case(name));
    let mut set = TableSet::new();
    set.file = Some(SQLITE_FILE);
    let mut scratch = Scratch::new();
    let has_unowned = report_structure(&pages, &schema, SQLITE_FILE, options, &mut scratch)?;
    for other in schema.others.iter().filter(|other| is_table(other)) {
        if is_wanted(&other.name) {
            let name = &other.name;
            let what = format!("the table {name} cannot be read: its rows have no numbers");
            let kind = ErrorKind::Other(what.into());
            scratch.deviation(options, Severity::Lost, kind, in_file())?;
        }
    }
    let charset = options.charset.unwrap_or(Charset::LATIN_1);
    for table in schema.tables.iter().filter(|table| is_wanted(&table.name)) {
        if set.get(&table.name).is_some() {
            continue;
        }
        // Others are tables of names.
        let is_of_games = table.columns.len() > NAME_COLUMNS || schema.tables.len() == 1;
        let leaves = find_rows(
            &pages,
            &schema,
            (table, is_of_games && (has_unowned || schema.is_damaged)),
            SQLITE_FILE,
            options,
            &mut scratch,
        )?;
        let rows = RowTable::new(pages.clone(), leaves, table, charset, SQLITE_FILE);
        set.insert(table.name.clone(), Box::new(rows));
    }
    let all = schema.others.iter();
    let unknown = all.filter(|other| !(is_wanted(&other.table) && is_own_index(other)));
    let others = unknown.map(|other| format!("{} {}", other.kind, other.name));
    let (own, foreign): (Vec<_>, Vec<_>) = schema
        .tables
        .iter()
        .filter(|table| !table.is_internal())
        .partition(|table| is_wanted(&table.name));
    let tables = foreign.iter().map(|table| format!("table {}", table.name));
    let computed = own.iter().flat_map(|table| {
        table
            .computed
            .iter()
            .map(|column| format!("column {}.{column}", table.name))
    });
    set.foreign = others.chain(tables).chain(computed).collect();
    // The report must not depend on the order in the file.
    set.foreign.sort_unstable();
    set.is_salvaged = options.salvage;
    set.diagnostics = scratch.diagnostics;
    Ok(set)
}

/// The most columns of a table that is not of games: of the collections.
const NAME_COLUMNS: usize = Table::Collection.columns().len();

/// Returns the names of the tables to read.
fn wanted(naming: Option<&Naming>) -> Vec<String> {
    let with = |prefix: &str| Table::ALL.map(|table| format!("{prefix}{}", table.name()));
    let mut wanted: Vec<String> = [with(""), with("IO_")].concat();
    if let Some(naming) = naming {
        wanted.extend(with(&naming.prefix));
        wanted.push(naming.games.clone());
        wanted.extend(naming.moves.iter().map(|(table, _)| table.clone()));
    }
    wanted
}

fn is_table(other: &OtherObject) -> bool {
    other.kind == "table"
}

/// Returns whether the writer of this crate creates an index with this name.
fn is_own_index(other: &OtherObject) -> bool {
    let rest = other.name.strip_prefix(&*other.table);
    let column = rest.and_then(|rest| rest.strip_prefix('_'));
    other.kind == "index"
        && Table::ALL
            .iter()
            .any(|table| column.is_some_and(|column| table.indexes().contains(&column)))
}
