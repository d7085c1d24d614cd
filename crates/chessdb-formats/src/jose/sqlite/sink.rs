//! The writer of rows to a SQLite file.

use chessdb_bytecode::raw::{
    Cell, ColumnType, Naming, PlannedTable, RowSink, StoredDate, Table, TablePlan,
};
use chessdb_core::files::{FileId, FileSink};
use chessdb_core::{Error, ErrorKind, Result};
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, ToSql};

use super::draft::Draft;
use super::{SQLITE_FILE, here, quoted};

/// Writes rows to a draft and passes it on when it is complete.
pub(super) struct SqliteSink<'a> {
    sink: &'a mut dyn FileSink,
    file: FileId,
    draft: Draft,
    connection: Connection,
    plan: TablePlan,
    /// The statements that insert a row into each table of the plan.
    inserts: Vec<String>,
}

fn failed(error: rusqlite::Error) -> Error {
    Error::new(ErrorKind::Io(std::io::Error::other(error))).at(here())
}

impl<'a> SqliteSink<'a> {
    pub(super) fn create(sink: &'a mut dyn FileSink, naming: &Naming) -> Result<SqliteSink<'a>> {
        let plan = TablePlan::new(naming);
        let file = sink.create(SQLITE_FILE)?;
        let draft = Draft::new()?;
        let connection = draft.connect().map_err(failed)?;
        // No one sees the file before it is complete, so it needs no journal. Moved content is
        // overwritten at its old place and the page size does not depend on the build of SQLite, so
        // that the rows determine the bytes.
        connection
            .execute_batch(
                "PRAGMA page_size = 4096; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA temp_store = MEMORY; \
                 PRAGMA locking_mode = EXCLUSIVE; PRAGMA secure_delete = ON;",
            )
            .map_err(failed)?;
        connection
            .execute_batch(&definitions(plan.tables()))
            .map_err(failed)?;
        connection.execute_batch("BEGIN").map_err(failed)?;
        // One statement for each table.
        connection.set_prepared_statement_cache_capacity(Table::ALL.len());
        let inserts = plan.tables().iter().map(insert).collect();
        Ok(SqliteSink {
            sink,
            file,
            draft,
            connection,
            plan,
            inserts,
        })
    }
}

fn insert(table: &PlannedTable) -> String {
    let marks = vec!["?"; table.columns.len()].join(",");
    format!("INSERT INTO {} VALUES ({marks})", quoted(&table.name))
}

fn definitions(tables: &[PlannedTable]) -> String {
    let mut all = String::new();
    for table in tables {
        let columns = table.columns.iter().enumerate().map(|(n, column)| {
            // The key is the row number.
            if n == 0 && table.has_key {
                format!("{} integer primary key", quoted(&column.name))
            } else {
                format!("{} {}", quoted(&column.name), column.kind)
            }
        });
        let columns: Vec<_> = columns.collect();
        let name = quoted(&table.name);
        all += &format!("CREATE TABLE {name} ({});\n", columns.join(", "));
    }
    all
}

fn indexes(tables: &[PlannedTable]) -> String {
    let mut all = String::new();
    for table in tables {
        for column in table.indexes {
            let index = quoted(&format!("{}_{column}", table.name));
            let (table, column) = (quoted(&table.name), quoted(column));
            all += &format!("CREATE INDEX {index} ON {table} ({column});\n");
        }
    }
    all
}

/// A cell as a parameter of a statement: texts as texts, blobs as blobs.
struct Bound<'c>(&'c Cell<'c>, ColumnType);

impl ToSql for Bound<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        let value = match self.0 {
            Cell::Null => ValueRef::Null,
            Cell::Int(number) => ValueRef::Integer(*number),
            Cell::Date(date) => return Ok(ToSqlOutput::from(StoredDate::text(*date))),
            Cell::Bytes(bytes) if self.1 == ColumnType::MediumBlob => ValueRef::Blob(bytes),
            Cell::Bytes(bytes) => match std::str::from_utf8(bytes) {
                Ok(text) => ValueRef::Text(text.as_bytes()),
                Err(_) => ValueRef::Blob(bytes),
            },
        };
        Ok(ToSqlOutput::Borrowed(value))
    }
}

impl RowSink for SqliteSink<'_> {
    fn insert(&mut self, table: Table, row: &[Cell<'_>]) -> Result<()> {
        let SqliteSink {
            connection,
            plan,
            inserts,
            ..
        } = self;
        plan.place(table, row, &mut |number, planned, cells| {
            let Some(insert) = inserts.get(number) else {
                return Ok(());
            };
            let mut statement = connection.prepare_cached(insert).map_err(failed)?;
            // Parameters that are not bound are NULL.
            let cells = (1..).zip(cells.iter().zip(&planned.columns));
            for (n, (cell, column)) in cells.filter(|(_, (cell, _))| !cell.is_null()) {
                statement
                    .raw_bind_parameter(n, Bound(cell, column.kind))
                    .map_err(failed)?;
            }
            statement.raw_execute().map_err(failed)?;
            Ok(())
        })
    }

    fn finish(&mut self) -> Result<()> {
        self.connection.flush_prepared_statement_cache();
        self.connection
            .execute_batch(&indexes(self.plan.tables()))
            .map_err(failed)?;
        self.connection.execute_batch("COMMIT").map_err(failed)?;
        let none = Connection::open_in_memory().map_err(failed)?;
        let complete = std::mem::replace(&mut self.connection, none);
        let SqliteSink { sink, file, .. } = self;
        self.draft
            .give(complete, failed, &mut |bytes| sink.write(*file, bytes))?;
        self.sink.commit()
    }
}
