//! Writing of jose's tables.

use chessdb_bytecode::raw::{
    Cell, ColumnType, Naming, PlannedTable, RowSink, StoredDate, Table, TablePlan,
};
use chessdb_bytecode::{Width, Writer};
use chessdb_core::Format;
use chessdb_core::files::FileSink;
use chessdb_core::loss::LossSet;
use chessdb_core::{GameWrite, LossKind, Result, WriteOptions};

use super::definitions::{KEY, definitions, quoted};
use super::format::SQLITE_FILE;
use crate::file::Value;
use crate::write::{SqliteWriter, with_disk};

/// The losses of jose's own tables, except those of their widths, which SQLite does not have.
const LOSSES: LossSet = chessdb_bytecode::LOSSES.without(&[
    LossKind::NameCut,
    LossKind::TagCut,
    LossKind::Round,
    LossKind::EmptyTag,
]);

/// Adds losses, writing and the access to files on disk to the description of the format.
pub(super) const fn with_writing(format: Format) -> Format {
    with_disk(
        format
            .with_losses(LOSSES)
            .with_settings(&[chessdb_bytecode::raw::TEXTS])
            .with_create(create),
    )
}

pub(super) fn create<'a>(
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
    let rows = Box::new(SqliteRows::create(sink, naming)?);
    let (width, layout) = (Width::Any, naming.layout());
    Ok(Box::new(Writer::create_as(rows, width, layout, options)?))
}

/// Writes rows to a SQLite file.
struct SqliteRows<'a> {
    writer: SqliteWriter<'a>,
    plan: TablePlan,
    /// The statements that insert a row into each table of the plan.
    inserts: Vec<String>,
}

impl<'a> SqliteRows<'a> {
    fn create(sink: &'a mut dyn FileSink, naming: &Naming) -> Result<SqliteRows<'a>> {
        let plan = TablePlan::new(naming);
        let statements = definitions(plan.tables(), KEY).concat();
        let writer = SqliteWriter::create(sink, SQLITE_FILE, &statements)?;
        let inserts = plan.tables().iter().map(insert).collect();
        Ok(SqliteRows {
            writer,
            plan,
            inserts,
        })
    }
}

fn insert(table: &PlannedTable) -> String {
    let marks = vec!["?"; table.columns.len()].join(",");
    format!("INSERT INTO {} VALUES ({marks})", quoted(&table.name))
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

/// Converts a cell to a value: texts to texts, blobs to blobs. `date` is its date as text.
fn value<'c>(cell: &'c Cell<'_>, date: Option<&'c String>, kind: ColumnType) -> Value<'c> {
    match cell {
        Cell::Null => Value::Null,
        Cell::Int(number) => Value::Int(*number),
        Cell::Date(_) => date.map_or(Value::Null, |date| Value::Text(date.as_bytes())),
        Cell::Bytes(bytes) if kind != ColumnType::MediumBlob && is_text(bytes) => {
            Value::Text(bytes)
        }
        // A text that is not UTF-8 keeps its bytes as a blob.
        Cell::Bytes(bytes) => Value::Blob(bytes),
    }
}

fn is_text(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_ok()
}

impl RowSink for SqliteRows<'_> {
    fn insert(&mut self, table: Table, row: &[Cell<'_>]) -> Result<()> {
        let SqliteRows {
            writer,
            plan,
            inserts,
        } = self;
        plan.place(table, row, &mut |number, planned, cells| {
            let Some(insert) = inserts.get(number) else {
                return Ok(());
            };
            // The values refer to the texts of dates, which therefore come first.
            let texts = cells.iter().map(|cell| match cell {
                Cell::Date(date) => Some(StoredDate::text(*date)),
                _ => None,
            });
            let dates: Vec<_> = texts.collect();
            let pairs = cells.iter().zip(&dates).zip(&planned.columns);
            let values =
                pairs.map(|((cell, date), column)| value(cell, date.as_ref(), column.kind));
            writer.insert(insert, &values.collect::<Vec<_>>())
        })
    }

    fn finish(&mut self) -> Result<()> {
        self.writer.execute(&indexes(self.plan.tables()))?;
        self.writer.finish()
    }
}
