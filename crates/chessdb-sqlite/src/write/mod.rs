//! Writing of SQLite files, by SQLite itself (docs/formats/sqlite.md).
//!
//! The file is built outside the sink and passed on when it is complete. The same calls give the
//! same bytes.

mod draft;
mod names;
mod pgn_row;

use chessdb_core::error::Location;
use chessdb_core::files::{FileId, FileSink, Role};
use chessdb_core::{BaseInfo, Error, ErrorKind, Result};
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{CachedStatement, Connection, ToSql};

use crate::extras::as_row;
use crate::file::Value;
use draft::Draft;
pub use names::NameTable;
pub(crate) use pgn_row::{COLUMN_LOSSES, Columns, PgnRow, RatingOrder, base_losses, lose_tag};

/// A writer of a SQLite file. Memory does not depend on the number of rows.
pub struct SqliteWriter<'a> {
    sink: &'a mut dyn FileSink,
    role: Role,
    file: FileId,
    draft: Draft,
    /// `None` once the file is complete.
    connection: Option<Connection>,
}

/// More statements than any format needs.
const STATEMENTS: usize = 64;

impl<'a> SqliteWriter<'a> {
    /// Creates a file with these definitions of tables, as one or more SQL statements.
    ///
    /// # Errors
    ///
    /// Returns the errors of the sink, of the temporary file and of SQLite.
    pub fn create(
        sink: &'a mut dyn FileSink,
        role: Role,
        definitions: &str,
    ) -> Result<SqliteWriter<'a>> {
        let file = sink.create(role)?;
        let draft = Draft::new(sink.hidden_path(file))?;
        let connection = draft.connect().map_err(|error| failed(role, error))?;
        connection.set_prepared_statement_cache_capacity(STATEMENTS);
        let mut writer = SqliteWriter {
            sink,
            role,
            file,
            draft,
            connection: Some(connection),
        };
        // No one sees the file before it is complete, so it needs no journal, and one transaction
        // does: pages that do not fit into memory are written before its end. Moved content is
        // overwritten at its old place and the page size does not depend on the build of SQLite, so
        // that the rows determine the bytes.
        writer.execute(&format!(
            "PRAGMA page_size = 4096; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; \
             PRAGMA temp_store = {}; PRAGMA cache_size = -16384; PRAGMA locking_mode = EXCLUSIVE; \
             PRAGMA secure_delete = ON; BEGIN;",
            Draft::TEMP_STORE,
        ))?;
        writer.execute(definitions)?;
        Ok(writer)
    }

    /// Executes SQL statements without parameters and without results, such as definitions of
    /// indexes. Indexes are made fastest after all rows.
    ///
    /// # Errors
    ///
    /// Returns the errors of SQLite.
    pub fn execute(&mut self, sql: &str) -> Result<()> {
        let role = self.role;
        let done = self.connection()?.execute_batch(sql);
        done.map_err(|error| failed(role, error))
    }

    /// Executes a statement with the values of a row as its parameters `?1`, `?2`, … The statement
    /// is prepared once. Texts must be UTF-8 as far as the reader of the file needs that: their
    /// bytes are not changed.
    ///
    /// # Errors
    ///
    /// Returns the errors of SQLite.
    pub fn insert(&mut self, sql: &str, row: &[Value<'_>]) -> Result<()> {
        let role = self.role;
        let mut statement = self.bind(sql, row)?;
        let done = statement.raw_execute();
        done.map(drop).map_err(|error| failed(role, error))
    }

    /// Returns the integer in the first column of the first row of a query; `None` without a row.
    ///
    /// # Errors
    ///
    /// Returns the errors of SQLite.
    pub fn find_int(&mut self, sql: &str, parameters: &[Value<'_>]) -> Result<Option<i64>> {
        let role = self.role;
        let mut statement = self.bind(sql, parameters)?;
        let mut rows = statement.raw_query();
        let found = rows
            .next()
            .and_then(|row| row.map(|row| row.get(0)).transpose());
        found.map_err(|error| failed(role, error))
    }

    /// Passes the complete file to the sink and commits it. The writer cannot be used afterwards.
    ///
    /// # Errors
    ///
    /// Returns the errors of SQLite, of the temporary file and of the sink.
    pub fn finish(&mut self) -> Result<()> {
        self.execute("COMMIT")?;
        let Some(connection) = self.connection.take() else {
            return Ok(());
        };
        connection.flush_prepared_statement_cache();
        let SqliteWriter {
            sink, file, role, ..
        } = self;
        self.draft
            .give(connection, |error| failed(*role, error), &mut |bytes| {
                sink.write(*file, bytes)
            })?;
        sink.commit()
    }

    fn connection(&self) -> Result<&Connection> {
        let closed = || Error::new(ErrorKind::Structure("the file is complete already"));
        let connection = self.connection.as_ref();
        connection.ok_or_else(|| closed().at(location(self.role)))
    }

    fn bind(&self, sql: &str, values: &[Value<'_>]) -> Result<CachedStatement<'_>> {
        let failed = |error| failed(self.role, error);
        let mut statement = self.connection()?.prepare_cached(sql).map_err(failed)?;
        for (n, value) in (1..).zip(values) {
            statement
                .raw_bind_parameter(n, Bound(*value))
                .map_err(failed)?;
        }
        Ok(statement)
    }
}

/// Returns the number of the game after `games` games.
///
/// # Errors
///
/// Returns an error if that is more than a database can have here.
pub(crate) fn number_after(games: u32) -> Result<u32> {
    games.checked_add(1).ok_or_else(|| {
        let what = "games in a database";
        let limit = u32::MAX.into();
        Error::new(ErrorKind::LimitExceeded { what, limit })
    })
}

/// Adds a row to the table `Info` of En Croissant and OCGDB.
pub(crate) fn insert_info(file: &mut SqliteWriter<'_>, name: &str, value: &str) -> Result<()> {
    let row = [name, value].map(|text| Value::Text(text.as_bytes()));
    file.insert("INSERT INTO Info (Name, Value) VALUES (?1, ?2)", &row)
}

/// Adds the rows of settings that a database of the same format had, with a statement that inserts a
/// name and a value.
pub(crate) fn insert_settings(
    file: &mut SqliteWriter<'_>,
    statement: &str,
    base: &BaseInfo,
    format: &str,
) -> Result<()> {
    for extra in base.settings.iter().chain(&base.extras) {
        if let Some((name, value)) = as_row(extra, format) {
            file.insert(statement, &[Value::Text(name), value])?;
        }
    }
    Ok(())
}

/// Replaces a row of `Info`.
pub(crate) const SET_INFO: &str = "INSERT INTO Info (Name, Value) VALUES (?1, ?2) \
    ON CONFLICT (Name) DO UPDATE SET Value = excluded.Value";

/// Adds the numbers of games, players, events and sites to `Info`. The row of an absent name counts
/// too.
pub(crate) fn insert_counts(
    file: &mut SqliteWriter<'_>,
    games: u32,
    [players, events, sites]: [&NameTable; 3],
) -> Result<()> {
    for (name, count) in [
        ("GameCount", games.into()),
        ("PlayerCount", players.len() + 1),
        ("EventCount", events.len() + 1),
        ("SiteCount", sites.len() + 1),
    ] {
        insert_info(file, name, &count.to_string())?;
    }
    Ok(())
}

fn location(role: Role) -> Location {
    Location {
        file: Some(role),
        ..Location::default()
    }
}

fn failed(role: Role, error: rusqlite::Error) -> Error {
    Error::new(ErrorKind::Io(std::io::Error::other(error))).at(location(role))
}

/// A value as a parameter of a statement.
struct Bound<'v>(Value<'v>);

impl ToSql for Bound<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self.0 {
            Value::Null => ValueRef::Null,
            Value::Int(number) => ValueRef::Integer(number),
            Value::Real(number) => ValueRef::Real(number),
            Value::Text(text) => ValueRef::Text(text),
            Value::Blob(bytes) => ValueRef::Blob(bytes),
        }))
    }
}
