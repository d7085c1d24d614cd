//! Writing of SQLite files, by SQLite itself (docs/formats/sqlite.md).
//!
//! A new file is built outside the sink and passed on when it is complete; the same calls give the
//! same bytes. An existing file on disk is changed by a transaction on the file itself.

mod changes;
mod copied;
#[cfg(not(target_family = "wasm"))]
pub(crate) mod disk;
mod draft;
#[cfg(not(target_family = "wasm"))]
mod lent;
mod names;
pub(crate) mod numeric;
#[cfg(not(target_family = "wasm"))]
mod page_journal;
mod pgn_row;
mod row_writer;

use chessdb_core::error::Location;
use chessdb_core::files::{FileId, FileSink, Growing, Role};
use chessdb_core::model::Extra;
use chessdb_core::store::StoredRows;
use chessdb_core::{BaseInfo, Error, ErrorKind, Format, Result};
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{CachedStatement, Connection, ToSql};

use crate::extras::ROW;
use crate::file::Value;
pub(crate) use changes::with_changes;
pub(crate) use copied::CopiedRows;
use draft::Draft;
#[cfg(not(target_family = "wasm"))]
use lent::LentFile;
pub use names::{NameTable, NameTables};
pub use pgn_row::Columns;
pub(crate) use pgn_row::{COLUMN_LOSSES, PgnRow, RatingOrder, base_losses, lose_tag};
pub use row_writer::{EncodedRow, GamesTable, RowWriter, WriteRows};

/// Adds the transactions of files on disk, where there are any.
pub(crate) const fn with_disk(format: Format) -> Format {
    #[cfg(not(target_family = "wasm"))]
    let format = format.with_disk(disk::ACCESS);
    format
}

/// A writer of a SQLite file. Memory does not depend on the number of rows.
pub struct SqliteWriter<'a> {
    /// `None` once the file is complete. Before the target, because it must be closed first.
    connection: Option<Connection>,
    target: Target<'a>,
    role: Role,
    /// The bytes that announce a write-ahead log, of a file that is a copy of another.
    versions: [u8; 2],
    /// Whether a copy of another file loses its free pages and its unused names.
    pub(crate) compacts: bool,
}

/// The place of the file.
enum Target<'a> {
    /// A new file, which replaces an old one when it is complete. Its sink may not have the file yet.
    New(&'a mut dyn FileSink, Option<FileId>, Draft),
    /// An existing file, which is changed by a transaction; `None` after its end.
    #[cfg(not(target_family = "wasm"))]
    Lent(Option<LentFile<'a>>),
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
        let target = Target::New(sink, Some(file), draft);
        let mut writer = SqliteWriter::new(role, connection, target);
        // No one sees the file before it is complete, so it needs no journal, and one transaction
        // does: pages that do not fit into memory are written before its end. Moved content is
        // overwritten at its old place and the page size does not depend on the build of SQLite, so
        // that the rows determine the bytes.
        writer.begin()?;
        writer.execute(definitions)?;
        Ok(writer)
    }

    fn new(role: Role, connection: Connection, target: Target<'a>) -> SqliteWriter<'a> {
        connection.set_prepared_statement_cache_capacity(STATEMENTS);
        SqliteWriter {
            connection: Some(connection),
            target,
            role,
            versions: [1; 2],
            compacts: false,
        }
    }

    /// Starts a change of an existing file, which remains as it is until [`SqliteWriter::finish`].
    /// `None` if it must be rewritten.
    pub(crate) fn open(base: &'a mut dyn Growing, role: Role) -> Result<Option<SqliteWriter<'a>>> {
        #[cfg(not(target_family = "wasm"))]
        if let Some(path) = base.lend(role)? {
            let opened = LentFile::open(base, role, &path)?;
            return Ok(opened.map(|(connection, lent)| {
                SqliteWriter::new(role, connection, Target::Lent(Some(lent)))
            }));
        }
        let source = WholeFile(role, base.read_whole(role)?);
        let draft = Draft::new(None)?;
        let connection = draft.connect().map_err(|error| failed(role, error))?;
        let mut writer = SqliteWriter::new(role, connection, Target::New(base, None, draft));
        writer.restart(&source)?;
        Ok(Some(writer))
    }

    /// Returns whether an existing file is changed by a transaction.
    pub(crate) fn is_lent(&self) -> bool {
        !matches!(self.target, Target::New(..))
    }

    fn begin(&mut self) -> Result<()> {
        self.execute(&format!(
            "PRAGMA page_size = 4096; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; \
             PRAGMA temp_store = {}; PRAGMA cache_size = -16384; PRAGMA locking_mode = EXCLUSIVE; \
             PRAGMA secure_delete = ON; BEGIN;",
            Draft::TEMP_STORE,
        ))
    }

    /// Discards everything written so far, and continues with a copy of another file. Triggers of the
    /// file do not run, and its foreign keys are not enforced.
    pub(crate) fn restart(&mut self, source: &dyn StoredRows) -> Result<()> {
        use rusqlite::config::DbConfig;

        let role = self.role;
        let failed = |error| failed(role, error);
        if let Some(connection) = self.connection.take() {
            // SQLite does not close a connection that has prepared statements.
            connection.flush_prepared_statement_cache();
            connection.close().map_err(|(_, error)| failed(error))?;
        }
        let draft = match &self.target {
            Target::New(_, _, draft) => draft,
            #[cfg(not(target_family = "wasm"))]
            Target::Lent(_) => return Err(ErrorKind::Unsupported("copying an open file").into()),
        };
        let (connection, versions) = draft.connect_to_copy(source, failed)?;
        self.versions = versions;
        connection.set_prepared_statement_cache_capacity(STATEMENTS);
        connection
            .set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)
            .map_err(failed)?;
        self.connection = Some(connection);
        // The definitions of the file may be hostile.
        self.execute("PRAGMA trusted_schema = OFF; PRAGMA foreign_keys = OFF;")?;
        self.begin()
    }

    /// Returns the last number of a row that a table has or had.
    pub(crate) fn last_number(&mut self, table: &str, column: &str) -> Result<i64> {
        let highest = self.find_int(
            &format!("SELECT ifnull(max({column}), 0) FROM {table}"),
            &[],
        )?;
        let name = [Value::Text(table.as_bytes())];
        // Without AUTOINCREMENT in any table, SQLite does not remember the numbers.
        let sequence = "SELECT seq FROM sqlite_sequence WHERE name = ?1 COLLATE NOCASE";
        let used = self.find_int(sequence, &name).unwrap_or_default();
        Ok(highest.max(used).unwrap_or(0))
    }

    /// Returns the bytes in the first column of the first row of a query; `None` without any.
    pub(crate) fn blob(&mut self, sql: &str) -> Result<Option<Vec<u8>>> {
        let role = self.role;
        let mut statement = self.bind(sql, &[])?;
        let mut rows = statement.raw_query();
        let row = rows.next().map_err(|error| failed(role, error))?;
        let cell = row.map(|row| row.get_ref(0)).transpose();
        let value = cell.map_err(|error| failed(role, error))?;
        Ok(value.and_then(|value| value.as_bytes_or_null().ok()?.map(<[u8]>::to_vec)))
    }

    /// Returns the texts in the first column of the rows of a query.
    ///
    /// # Errors
    ///
    /// Returns the errors of SQLite.
    pub(crate) fn texts(&mut self, sql: &str, parameters: &[Value<'_>]) -> Result<Vec<String>> {
        let role = self.role;
        let mut statement = self.bind(sql, parameters)?;
        let mut rows = statement.raw_query();
        let mut texts = Vec::new();
        while let Some(row) = rows.next().map_err(|error| failed(role, error))? {
            texts.push(row.get(0).map_err(|error| failed(role, error))?);
        }
        Ok(texts)
    }

    /// Executes SQL statements without parameters and without results, such as definitions of
    /// indexes. Indexes are made fastest after all rows.
    ///
    /// # Errors
    ///
    /// Returns the errors of SQLite.
    pub fn execute(&mut self, sql: &str) -> Result<()> {
        let role = self.role;
        self.connection()?
            .execute_batch(sql)
            .map_err(|error| failed(role, error))
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
        statement
            .raw_execute()
            .map(drop)
            .map_err(|error| failed(role, error))
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
        let number = rows
            .next()
            .and_then(|row| row.map(|row| row.get(0)).transpose());
        number.map_err(|error| failed(role, error))
    }

    /// Returns the number of rows that the last statement changed.
    pub(crate) fn changed_rows(&self) -> u64 {
        self.connection.as_ref().map_or(0, Connection::changes)
    }

    /// Passes the complete file to the sink and commits it, or ends the transaction. The writer cannot
    /// be used afterwards.
    ///
    /// # Errors
    ///
    /// Returns the errors of SQLite, of the temporary file and of the sink.
    pub fn finish(&mut self) -> Result<()> {
        let role = self.role;
        let failed = |error| failed(role, error);
        let Some(connection) = self.connection.take() else {
            return Ok(());
        };
        connection.flush_prepared_statement_cache();
        let (sink, file, draft) = match &mut self.target {
            Target::New(sink, file, draft) => (sink, file, draft),
            #[cfg(not(target_family = "wasm"))]
            Target::Lent(lent) => {
                return lent.take().map_or(Ok(()), |lent| lent.commit(connection));
            }
        };
        connection.execute_batch("COMMIT").map_err(failed)?;
        if self.compacts {
            connection.execute_batch("VACUUM").map_err(failed)?;
        }
        let file = match *file {
            Some(file) => file,
            None => sink.create(role)?,
        };
        draft.give(connection, failed, &mut |bytes| sink.write(file, bytes))?;
        // Only now may the file announce its log again.
        if self.versions != [1; 2] {
            sink.patch(file, draft::VERSIONS, &self.versions)?;
        }
        sink.commit()
    }

    fn connection(&self) -> Result<&Connection> {
        let closed = || Error::new(ErrorKind::Structure("the file is complete already"));
        self.connection
            .as_ref()
            .ok_or_else(|| closed().at(location(self.role)))
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

/// The bytes of a file, to be copied as a whole.
struct WholeFile(Role, Vec<u8>);

impl StoredRows for WholeFile {
    fn role(&self) -> Role {
        self.0
    }

    fn copy_file(&self, write: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        write(&self.1)
    }

    fn row_number(&self, _: u32) -> Option<i64> {
        None
    }
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

/// Returns the name and the value of a row of settings of this format.
pub(crate) fn as_row<'e>(extra: &'e Extra, format: &str) -> Option<(&'e [u8], Value<'e>)> {
    if extra.format != format || extra.field != ROW {
        return None;
    }
    let end = extra.bytes.iter().position(|&byte| byte == 0)?;
    let (name, value) = extra.bytes.split_at_checked(end)?;
    let (kind, content) = value.get(1..)?.split_first()?;
    let value = match kind {
        b'n' => Value::Null,
        b'i' => Value::Int(i64::from_be_bytes(*content.first_chunk()?)),
        b'r' => Value::Real(f64::from_bits(u64::from_be_bytes(*content.first_chunk()?))),
        b't' => Value::Text(content),
        _ => Value::Blob(content),
    };
    Some((name, value))
}

/// Replaces a row of `Info`.
pub(crate) const SET_INFO: &str = "INSERT INTO Info (Name, Value) VALUES (?1, ?2) \
    ON CONFLICT (Name) DO UPDATE SET Value = excluded.Value";

/// Adds the numbers of games, players, events and sites to `Info`. The row of an absent name counts
/// too.
pub(crate) fn insert_counts(
    file: &mut SqliteWriter<'_>,
    games: u32,
    names: &NameTables,
) -> Result<()> {
    insert_info(file, "GameCount", &games.to_string())?;
    let counts = ["PlayerCount", "EventCount", "SiteCount"].into_iter();
    for (count, names) in counts.zip(&names.tables) {
        insert_info(file, count, &(names.len() + 1).to_string())?;
    }
    Ok(())
}

/// Quotes a name for a statement.
pub(crate) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
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
