//! Writing a script that creates and fills jose's tables.

use chessdb_core::Result;
use chessdb_core::files::{FileId, FileSink, Role};

use crate::raw::{
    Cell, ColumnType, Naming, PlannedColumn, PlannedTable, RowSink, StoredDate, Table, TablePlan,
};

/// Size in bytes at which a statement is ended; servers reject very long ones.
const STATEMENT: usize = 64 << 10;

/// A sink that writes rows as INSERT statements.
pub struct SqlSink<'a> {
    sink: &'a mut dyn FileSink,
    file: FileId,
    /// The pending statement of each table.
    statements: [Vec<u8>; Table::ALL.len()],
    plan: TablePlan,
}

impl<'a> SqlSink<'a> {
    /// Starts a script with the tables, without rows.
    ///
    /// # Errors
    ///
    /// Returns the errors of the sink.
    pub fn create(sink: &'a mut dyn FileSink, role: Role) -> Result<SqlSink<'a>> {
        SqlSink::create_as(sink, role, &Naming::jose())
    }

    /// Starts a script like [`SqlSink::create`], with tables and columns of these names.
    ///
    /// # Errors
    ///
    /// Returns the errors of the sink.
    pub fn create_as(
        sink: &'a mut dyn FileSink,
        role: Role,
        naming: &Naming,
    ) -> Result<SqlSink<'a>> {
        let file = sink.create(role)?;
        let plan = TablePlan::new(naming);
        sink.write(file, header(plan.tables()).as_bytes())?;
        Ok(SqlSink {
            sink,
            file,
            statements: Default::default(),
            plan,
        })
    }
}

impl RowSink for SqlSink<'_> {
    fn insert(&mut self, table: Table, row: &[Cell<'_>]) -> Result<()> {
        let SqlSink {
            sink,
            file,
            statements,
            plan,
        } = self;
        plan.place(table, row, &mut |number, planned, cells| {
            let Some(statement) = statements.get_mut(number) else {
                return Ok(());
            };
            append(statement, planned, cells);
            if statement.len() >= STATEMENT {
                end(statement, *file, *sink)?;
            }
            Ok(())
        })
    }

    fn finish(&mut self) -> Result<()> {
        for statement in &mut self.statements {
            end(statement, self.file, self.sink)?;
        }
        self.sink.write(self.file, TAIL.as_bytes())?;
        self.sink.commit()
    }
}

/// Adds a row to a statement.
fn append(statement: &mut Vec<u8>, table: &PlannedTable, cells: &[&Cell<'_>]) {
    if statement.is_empty() {
        statement
            .extend_from_slice(format!("INSERT INTO {} VALUES\n(", quoted(&table.name)).as_bytes());
    } else {
        statement.extend_from_slice(b",\n(");
    }
    for (n, (cell, column)) in cells.iter().zip(&table.columns).enumerate() {
        if n > 0 {
            statement.push(b',');
        }
        literal(cell, column.kind, statement);
    }
    statement.push(b')');
}

/// Writes a pending statement.
fn end(statement: &mut Vec<u8>, file: FileId, sink: &mut dyn FileSink) -> Result<()> {
    if statement.is_empty() {
        return Ok(());
    }
    statement.extend_from_slice(b";\n");
    sink.write(file, statement)?;
    statement.clear();
    Ok(())
}

/// Returns a name as written in a script.
fn quoted(name: &str) -> String {
    format!("`{}`", name.replace('`', "``"))
}

impl std::fmt::Debug for SqlSink<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SqlSink").finish_non_exhaustive()
    }
}

/// Server settings for reading the script correctly: dates such as 31 June, texts with backslashes,
/// a row with number 0.
const SETTINGS: &str = "\
-- The tables of the chess database jose, written by chessdb.
SET NAMES utf8mb4;
SET @old_sql_mode = @@sql_mode;
SET sql_mode = 'STRICT_ALL_TABLES,ALLOW_INVALID_DATES,NO_AUTO_VALUE_ON_ZERO';
";

const TAIL: &str = "SET sql_mode = @old_sql_mode;\n";

fn header(tables: &[PlannedTable]) -> String {
    let mut header = SETTINGS.to_owned();
    for table in tables {
        header += &format!("CREATE TABLE {} (\n", quoted(&table.name));
        let mut lines: Vec<String> = table.columns.iter().map(definition).collect();
        if table.has_key
            && let Some(first) = table.columns.first()
        {
            lines.push(format!("  PRIMARY KEY ({})", quoted(&first.name)));
        }
        for index in table.indexes {
            let mut columns = table.columns.iter();
            let is_text = columns.any(|column| {
                column.name == *index && matches!(column.kind, ColumnType::VarChar(_))
            });
            // A MyISAM key has at most 1000 bytes, and a character has up to four.
            let length = if is_text { "(60)" } else { "" };
            lines.push(format!("  KEY `{index}` (`{index}`{length})"));
        }
        header += &lines.join(",\n");
        header += "\n) ENGINE=MyISAM DEFAULT CHARSET=utf8mb4;\n";
    }
    header
}

fn definition(column: &PlannedColumn) -> String {
    let null = if column.null { "" } else { " NOT NULL" };
    format!("  {} {}{null}", quoted(&column.name), column.kind)
}

fn literal(cell: &Cell<'_>, kind: ColumnType, out: &mut Vec<u8>) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    match cell {
        Cell::Null => out.extend_from_slice(b"NULL"),
        Cell::Int(number) => out.extend_from_slice(number.to_string().as_bytes()),
        Cell::Date(date) => {
            out.push(b'\'');
            out.extend_from_slice(StoredDate::text(*date).as_bytes());
            out.push(b'\'');
        }
        // The script is UTF-8, which bytes need not be; `0x` without digits is no value.
        Cell::Bytes(bytes) if kind == ColumnType::MediumBlob && !bytes.is_empty() => {
            out.extend_from_slice(b"0x");
            for &byte in bytes.iter() {
                for nibble in [byte >> 4, byte & 15] {
                    out.extend(DIGITS.get(usize::from(nibble)));
                }
            }
        }
        Cell::Bytes(bytes) => {
            out.push(b'\'');
            for &byte in bytes.iter() {
                match byte {
                    0 => out.extend_from_slice(b"\\0"),
                    b'\n' => out.extend_from_slice(b"\\n"),
                    b'\r' => out.extend_from_slice(b"\\r"),
                    0x1A => out.extend_from_slice(b"\\Z"),
                    b'\'' | b'\\' => out.extend_from_slice(&[b'\\', byte]),
                    _ => out.push(byte),
                }
            }
            out.push(b'\'');
        }
    }
}
