//! jose's tables in a SQLite file, read and written (docs/formats/bytecode.md, section 7).
//!
//! SQLite itself reads a copy of the file, in memory if it is small, otherwise on disk. Only plain
//! reads of tables are executed. Writing goes through a temporary file.

mod draft;
mod sink;

use std::io::Read as _;
#[cfg(not(target_family = "wasm"))]
use std::io::Write as _;

use chessdb_bytecode::raw::{Cell, MemoryTable, Naming, TEXTS, Table, TableSet};
use chessdb_bytecode::{LIMITS, LOSSES, Store, Width, Writer, check_with};
use chessdb_core::error::Location;
use chessdb_core::files::{FileSink, Role};
use chessdb_core::format::Score;
use chessdb_core::report::Finding;
use chessdb_core::{
    Charset, Error, ErrorKind, FileSet, Format, GameWrite, ReadOptions, Result, Scratch, Severity,
    WriteOptions,
};
use rusqlite::limits::Limit;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags};
#[cfg(not(target_family = "wasm"))]
use tempfile::NamedTempFile;

use sink::SqliteSink;

/// The role of a SQLite file.
pub const SQLITE_FILE: Role = Role("sqlite");

/// jose's tables in a SQLite file.
pub static JOSE: Format = Format::new(
    "jose",
    "jose, SQLite",
    probe,
    |files, options| Ok(Box::new(store(files, options)?)),
    check,
)
.with_files(&[SQLITE_FILE], &[SQLITE_FILE])
.with_losses(LOSSES)
.with_limits(LIMITS)
.with_settings(&[TEXTS])
.with_create(create);

/// The first bytes of every SQLite file.
const MAGIC: &[u8; 16] = b"SQLite format 3\0";

/// Returns a location in the file.
fn here() -> Location {
    Location {
        file: Some(SQLITE_FILE),
        ..Location::default()
    }
}

/// Converts an error of SQLite.
fn damaged(error: &rusqlite::Error) -> ErrorKind {
    ErrorKind::Other(format!("SQLite reports: {error}").into())
}

/// Judges a file by its first page, which contains the definitions of the tables unless there are
/// very many.
fn probe(files: &dyn FileSet) -> Score {
    const LARGEST_PAGE: usize = 65536;
    let Some(rest) = files
        .get(SQLITE_FILE)
        .and_then(|file| file.strip_prefix(MAGIC))
    else {
        return Score::No;
    };
    let size = match rest
        .first_chunk()
        .map_or(0, |size| u16::from_be_bytes(*size))
    {
        1 => LARGEST_PAGE,
        size => size.into(),
    };
    let page = rest.get(..size.saturating_sub(MAGIC.len())).unwrap_or(rest);
    let has = |word: &[u8]| {
        page.windows(word.len())
            .any(|part| part.eq_ignore_ascii_case(word))
    };
    let is_jose = |games: &[u8]| has(games) && has(b"WhiteId") && has(b"BlackId");
    match page.get(100 - MAGIC.len()) {
        _ if is_jose(b"MoreGame") || is_jose(b"IO_Game") => Score::Certain,
        // Byte code in the published column for text, with or without headers.
        _ if has(b"CREATE TABLE") && has(b"Game") && has(b"GameText") => Score::Certain,
        // The definitions are on other pages, to which this one only points.
        Some(5) => Score::Maybe,
        _ => Score::No,
    }
}

fn store(files: &dyn FileSet, options: ReadOptions) -> Result<Store<'static>> {
    let file = files.require(SQLITE_FILE)?;
    Store::open(tables(file, None, &options)?, options)
}

/// Opens the games in a SQLite file with other names for tables and columns than jose's.
///
/// # Errors
///
/// Returns an error if the tables or columns do not exist, or if it is not a SQLite file.
pub fn open_as(file: &[u8], naming: Naming, options: ReadOptions) -> Result<Store<'static>> {
    let tables = tables(file, Some(&naming), &options)?;
    Store::open_as(tables, naming, options)
}

fn create<'a>(
    sink: &'a mut dyn FileSink,
    options: WriteOptions,
) -> Result<Box<dyn GameWrite + 'a>> {
    let naming = Naming::for_texts(&options.settings)?;
    create_as(sink, &naming, options)
}

/// Starts a SQLite file with other names for tables and columns than jose's.
///
/// # Errors
///
/// Returns an error for a loss of the database that is not allowed, and for names that SQLite
/// rejects, such as one name for two columns.
pub fn create_as<'a>(
    sink: &'a mut dyn FileSink,
    naming: &Naming,
    options: WriteOptions,
) -> Result<Box<dyn GameWrite + 'a>> {
    let rows = Box::new(SqliteSink::create(sink, naming)?);
    let (width, layout) = (Width::Any, naming.layout());
    Ok(Box::new(Writer::create_as(rows, width, layout, options)?))
}

fn check(files: &dyn FileSet, options: &ReadOptions, found: &mut dyn FnMut(Finding)) {
    check_with(options, |options| store(files, options), found);
}

/// Reads the tables of a file: jose's, and the ones named in `naming`.
fn tables(
    file: &[u8],
    naming: Option<&Naming>,
    options: &ReadOptions,
) -> Result<TableSet<'static>> {
    if !file.starts_with(MAGIC) {
        let kind = ErrorKind::BadMagic { expected: MAGIC };
        return Err(Error::new(kind).at(here()));
    }
    let OpenCopy { connection, .. } =
        &connect(file).map_err(|error| Error::new(damaged(&error)).at(here()))?;
    let mut wanted: Vec<String> = Table::ALL
        .iter()
        .map(|table| table.name().to_owned())
        .collect();
    wanted.extend(
        Table::ALL
            .iter()
            .map(|table| format!("IO_{}", table.name())),
    );
    if let Some(naming) = naming {
        let names = Table::ALL
            .iter()
            .map(|table| format!("{}{}", naming.prefix, table.name()));
        wanted.extend(names);
        wanted.push(naming.games.clone());
        wanted.extend(naming.moves.iter().map(|(table, _)| table.clone()));
    }
    let mut set = TableSet::new();
    set.file = Some(SQLITE_FILE);
    let mut scratch = Scratch::new();
    let mut budget = Budget {
        rows: file.len() as u64,
        bytes: file.len() as u64 * 2 + 4096,
    };
    set.foreign = foreign(connection, &wanted).unwrap_or_default();
    let present = names(connection).map_err(|error| Error::new(damaged(&error)).at(here()))?;
    for name in present {
        if !wanted.iter().any(|known| known.eq_ignore_ascii_case(&name)) {
            continue;
        }
        let charset = options.charset.unwrap_or(Charset::LATIN_1);
        let mut reader = TableReader {
            connection,
            name: &name,
            budget: &mut budget,
        };
        let (table, fault) = reader.read(charset);
        if let Some(kind) = fault {
            scratch.deviation(options, Severity::Lost, kind, here())?;
        }
        if let Some(table) = table {
            set.insert(name, Box::new(table));
        }
    }
    set.diagnostics = scratch.diagnostics;
    Ok(set)
}

/// The two bytes that state how the file is written: with a rollback journal or with a write-ahead
/// log (WAL). The latter is useless here, because only this file is available.
const FILE_FORMAT: std::ops::Range<usize> = 18..20;

/// Suffixes of the names of the indexes that this crate creates, after the table name.
const INDEXED: [&str; 4] = ["_Name", "_CId", "_WhiteId", "_BlackId"];

/// The maximum number of damaged places in a table after which reading continues.
const MOST_FAULTS: usize = 4096;

/// Files from this size on are copied to disk, if there is one, instead of to memory.
#[cfg(not(target_family = "wasm"))]
const LARGE: usize = 4 << 20;

/// A file that SQLite has open.
struct OpenCopy {
    connection: Connection,
    /// It must be dropped after the connection.
    #[cfg(not(target_family = "wasm"))]
    _temporary: Option<NamedTempFile>,
}

impl OpenCopy {
    fn new(file: &[u8]) -> rusqlite::Result<OpenCopy> {
        let (header, rest) = file.split_at(file.len().min(FILE_FORMAT.end));
        let mut header = header.to_vec();
        if let Some(format) = header.get_mut(FILE_FORMAT) {
            for byte in format.iter_mut().filter(|byte| **byte == 2) {
                *byte = 1;
            }
        }
        // If the disk is not writable, use memory.
        #[cfg(not(target_family = "wasm"))]
        if file.len() >= LARGE
            && let Some(copy) = OpenCopy::on_disk(&header, rest)
        {
            return Ok(copy);
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut connection = Connection::open_in_memory_with_flags(flags)?;
        let content = header.chain(rest);
        connection.deserialize_read_exact("main", content, file.len(), true)?;
        Ok(OpenCopy {
            connection,
            #[cfg(not(target_family = "wasm"))]
            _temporary: None,
        })
    }

    #[cfg(not(target_family = "wasm"))]
    fn on_disk(header: &[u8], rest: &[u8]) -> Option<OpenCopy> {
        let mut temporary = NamedTempFile::new().ok()?;
        temporary.write_all(header).ok()?;
        temporary.write_all(rest).ok()?;
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(temporary.path(), flags).ok()?;
        Some(OpenCopy {
            connection,
            _temporary: Some(temporary),
        })
    }
}

fn connect(file: &[u8]) -> rusqlite::Result<OpenCopy> {
    let mut copy = OpenCopy::new(file)?;
    let connection = &mut copy.connection;
    connection.set_limit(Limit::SQLITE_LIMIT_ATTACHED, 0)?;
    connection.set_limit(Limit::SQLITE_LIMIT_TRIGGER_DEPTH, 1)?;
    let longest = i32::try_from(file.len()).unwrap_or(i32::MAX).max(1 << 16);
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, longest)?;
    // Pages that several others point to could yield any number of rows, including rows that
    // describe tables.
    let mut steps = 1000 + file.len() as u64 / 32;
    let count = move || {
        steps = steps.saturating_sub(1);
        steps == 0
    };
    connection.progress_handler(1000, Some(count))?;
    connection.execute_batch(
        "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA query_only = ON;",
    )?;
    Ok(copy)
}

/// Returns the plain tables of a file; views and virtual tables could execute anything.
fn names(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut statement = connection.prepare(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0 \
         AND sql NOT LIKE 'CREATE VIRTUAL%' LIMIT 10000",
    )?;
    let names = statement.query_map([], |row| row.get(0))?;
    names.collect()
}

/// Returns the names of everything in a file except the plain tables with these names.
fn foreign(connection: &Connection, wanted: &[String]) -> rusqlite::Result<Vec<String>> {
    let mut statement = connection.prepare(
        "SELECT type, name, tbl_name FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\' \
         ORDER BY type, name LIMIT 1000",
    )?;
    let known = |name: &str| wanted.iter().any(|known| known.eq_ignore_ascii_case(name));
    let mut rows = statement.query([])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let text = |n| {
            let bytes = row.get_ref(n)?.as_bytes().unwrap_or_default();
            Ok::<_, rusqlite::Error>(String::from_utf8_lossy(bytes).into_owned())
        };
        let (kind, name, table) = (text(0)?, text(1)?, text(2)?);
        let is_ours = match kind.as_str() {
            "table" => known(&name),
            // An index that this crate creates.
            "index" => {
                let rest = name.get(table.len()..).filter(|_| name.starts_with(&table));
                known(&table) && rest.is_some_and(|rest| INDEXED.contains(&rest))
            }
            _ => false,
        };
        if !is_ours {
            found.push(format!("{kind} {name}"));
        }
    }
    Ok(found)
}

/// Limits on what is read, independent of what the file claims: many pointers may lead to one page.
struct Budget {
    rows: u64,
    bytes: u64,
}

struct TableReader<'c> {
    connection: &'c Connection,
    name: &'c str,
    budget: &'c mut Budget,
}

impl TableReader<'_> {
    /// Returns the readable part of a table, and the error in the rest.
    fn read(&mut self, charset: Charset) -> (Option<MemoryTable>, Option<ErrorKind>) {
        let columns = match self.columns() {
            Ok(columns) => columns,
            Err(error) => return (None, Some(damaged(&error))),
        };
        if columns.is_empty() {
            return (None, None);
        }
        let mut table = MemoryTable::new(columns.clone(), charset);
        let mut last = i64::MIN;
        let list: Vec<_> = columns.iter().map(|name| quoted(name)).collect();
        let (list, from) = (list.join(", "), quoted(self.name));
        // Indexes may be damaged as well; the table itself contains everything.
        let numbered =
            format!("SELECT rowid, {list} FROM {from} NOT INDEXED WHERE rowid > ?1 ORDER BY rowid");
        if self.connection.prepare(&numbered).is_err() {
            let plain = format!("SELECT 0, {list} FROM {from} WHERE ?1 IS NOT NULL");
            let fault = self.rows(&plain, &mut last, &mut table);
            return (Some(table), fault);
        }
        let mut first_fault = None;
        for _ in 0..MOST_FAULTS {
            let fault = self.rows(&numbered, &mut last, &mut table);
            let Some(fault) = fault else { break };
            first_fault.get_or_insert(fault);
            match self.next_readable(&from, last) {
                Some(number) => last = number,
                None => break,
            }
        }
        (Some(table), first_fault)
    }

    /// Returns the row number above `last` after which rows can be read again.
    fn next_readable(&self, from: &str, last: i64) -> Option<i64> {
        let query =
            format!("SELECT rowid FROM {from} NOT INDEXED WHERE rowid > ?1 ORDER BY rowid LIMIT 1");
        let mut statement = self.connection.prepare(&query).ok()?;
        let mut reads = |number: i64| statement.query_row([number], |row| row.get::<_, i64>(0));
        let last = last.max(-1);
        // Skips the damage in steps that double, then searches for the first row number after it.
        let (mut damaged, mut step) = (last, 1);
        let mut readable = loop {
            let number = last.checked_add(step)?;
            match reads(number) {
                Ok(_) => break number,
                Err(rusqlite::Error::QueryReturnedNoRows) if damaged + 1 >= number => return None,
                Err(rusqlite::Error::QueryReturnedNoRows) => break number,
                Err(_) => (damaged, step) = (number, step.checked_mul(2)?),
            }
        };
        while readable - damaged > 1 {
            let middle = damaged + (readable - damaged) / 2;
            match reads(middle) {
                Ok(_) | Err(rusqlite::Error::QueryReturnedNoRows) => readable = middle,
                Err(_) => damaged = middle,
            }
        }
        Some(readable)
    }

    /// Returns the stored columns; computed ones could execute anything.
    fn columns(&self) -> rusqlite::Result<Vec<String>> {
        let mut statement = self
            .connection
            .prepare("SELECT name FROM pragma_table_xinfo(?1) WHERE hidden = 0")?;
        let names = statement.query_map([self.name], |row| row.get(0))?;
        names.collect()
    }

    /// Reads the rows with numbers above `last`. Returns the first error, if there is one.
    fn rows(&mut self, query: &str, last: &mut i64, table: &mut MemoryTable) -> Option<ErrorKind> {
        match self.try_rows(query, last, table) {
            Ok(fault) => fault,
            Err(error) => Some(damaged(&error)),
        }
    }

    fn try_rows(
        &mut self,
        query: &str,
        last: &mut i64,
        table: &mut MemoryTable,
    ) -> rusqlite::Result<Option<ErrorKind>> {
        let mut statement = self.connection.prepare(query)?;
        let columns = statement.column_count();
        let mut rows = statement.query([*last])?;
        while let Some(row) = rows.next()? {
            let number = row.get_ref(0)?.as_i64().unwrap_or(0);
            let mut taken = table.begin();
            let mut bytes = 0;
            for column in 1..columns {
                let cell = cell(row.get_ref(column)?);
                if let Cell::Bytes(content) = &cell {
                    bytes += content.len() as u64;
                }
                taken.push(&cell);
            }
            let Budget { rows, bytes: left } = self.budget;
            let (Some(fewer), Some(less)) = (rows.checked_sub(1), left.checked_sub(bytes)) else {
                return Ok(Some(ErrorKind::LimitExceeded {
                    what: "bytes in the rows of a file of this size",
                    limit: *left,
                }));
            };
            (*rows, *left) = (fewer, less);
            taken.finish();
            *last = number;
        }
        Ok(None)
    }
}

fn cell(value: ValueRef<'_>) -> Cell<'_> {
    match value {
        ValueRef::Null => Cell::Null,
        ValueRef::Integer(number) => Cell::Int(number),
        ValueRef::Real(number) => Cell::Bytes(number.to_string().into_bytes().into()),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Cell::bytes(bytes),
    }
}

/// Quotes a name for a statement.
fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
