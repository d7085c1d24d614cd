//! A script that creates jose's tables and fills them.

use chessdb_core::{FileId, FileSink, Result, Role};

use crate::raw::{Cell, ColumnType, RowSink, StoredDate, Table, TableColumn};

/// How much of a statement is collected before it is ended; a server refuses very long ones.
const STATEMENT: usize = 64 << 10;

/// Writes rows as INSERT statements.
pub struct SqlSink<'a> {
    sink: &'a mut dyn FileSink,
    file: FileId,
    /// The statement that each table has begun.
    statements: [Vec<u8>; Table::ALL.len()],
}

impl<'a> SqlSink<'a> {
    /// Starts a script: the tables, without rows.
    ///
    /// # Errors
    ///
    /// What the sink says.
    pub fn create(sink: &'a mut dyn FileSink, role: Role) -> Result<SqlSink<'a>> {
        let file = sink.create(role)?;
        sink.write(file, head().as_bytes())?;
        Ok(SqlSink {
            sink,
            file,
            statements: Default::default(),
        })
    }

    fn flush(&mut self, table: Table) -> Result<()> {
        if let Some(statement) = self.statements.get_mut(table as usize)
            && !statement.is_empty()
        {
            statement.extend_from_slice(b";\n");
            self.sink.write(self.file, statement)?;
            statement.clear();
        }
        Ok(())
    }
}

impl RowSink for SqlSink<'_> {
    fn insert(&mut self, table: Table, row: &[Cell<'_>]) -> Result<()> {
        let Some(statement) = self.statements.get_mut(table as usize) else {
            return Ok(());
        };
        if statement.is_empty() {
            statement.extend_from_slice(b"INSERT INTO `");
            statement.extend_from_slice(table.name().as_bytes());
            statement.extend_from_slice(b"` VALUES\n(");
        } else {
            statement.extend_from_slice(b",\n(");
        }
        for (n, (cell, column)) in row.iter().zip(table.columns()).enumerate() {
            if n > 0 {
                statement.push(b',');
            }
            literal(cell, column.kind, statement);
        }
        statement.push(b')');
        if statement.len() >= STATEMENT {
            self.flush(table)?;
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        for table in Table::ALL {
            self.flush(table)?;
        }
        self.sink.write(self.file, TAIL.as_bytes())?;
        self.sink.commit()
    }
}

impl std::fmt::Debug for SqlSink<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SqlSink").finish_non_exhaustive()
    }
}

/// What a server needs to know to take the script as it is meant: dates such as 31 June, texts with
/// backslashes, a row with number 0.
const SETTINGS: &str = "\
-- The tables of the chess database jose, written by chessdb.
SET NAMES utf8mb4;
SET @old_sql_mode = @@sql_mode;
SET sql_mode = 'STRICT_ALL_TABLES,ALLOW_INVALID_DATES,NO_AUTO_VALUE_ON_ZERO';
";

const TAIL: &str = "SET sql_mode = @old_sql_mode;\n";

fn head() -> String {
    let mut head = SETTINGS.to_owned();
    for table in Table::ALL {
        head += &format!("CREATE TABLE `{}` (\n", table.name());
        let mut lines: Vec<String> = table.columns().iter().map(definition).collect();
        if table.has_key()
            && let Some(first) = table.columns().first()
        {
            lines.push(format!("  PRIMARY KEY (`{}`)", first.name));
        }
        for index in table.indexes() {
            let columns = table.columns().iter();
            let is_text = columns.clone().any(|column| {
                column.name == *index && matches!(column.kind, ColumnType::VarChar(_))
            });
            // A key of MyISAM has at most 1000 bytes, a character up to four.
            let length = if is_text { "(60)" } else { "" };
            lines.push(format!("  KEY `{index}` (`{index}`{length})"));
        }
        head += &lines.join(",\n");
        head += "\n) ENGINE=MyISAM DEFAULT CHARSET=utf8mb4;\n";
    }
    head
}

fn definition(column: &TableColumn) -> String {
    let kind = match column.kind {
        ColumnType::TinyInt => "tinyint".to_owned(),
        ColumnType::SmallInt => "smallint".to_owned(),
        ColumnType::Int => "int".to_owned(),
        ColumnType::BigInt => "bigint".to_owned(),
        ColumnType::Date => "date".to_owned(),
        ColumnType::DateTime => "datetime".to_owned(),
        ColumnType::Char(width) => format!("char({width})"),
        ColumnType::VarChar(width) => format!("varchar({width})"),
        ColumnType::MediumText => "mediumtext".to_owned(),
        ColumnType::MediumBlob => "mediumblob".to_owned(),
    };
    let null = if column.null { "" } else { " NOT NULL" };
    format!("  `{}` {kind}{null}", column.name)
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
