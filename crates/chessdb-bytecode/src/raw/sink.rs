//! Receivers of rows.

use chessdb_core::{Charset, Result};

use super::{Cell, MemoryTable, Table, TableSet};

/// A receiver of the rows of a new database.
pub trait RowSink {
    /// Adds a row with the cells of [`Table::columns`]. Rows of different tables come in any order.
    ///
    /// # Errors
    ///
    /// Returns the errors of the container.
    fn insert(&mut self, table: Table, row: &[Cell<'_>]) -> Result<()>;

    /// Completes the database.
    ///
    /// # Errors
    ///
    /// Returns the errors of the container.
    fn finish(&mut self) -> Result<()>;
}

impl<S: RowSink + ?Sized> RowSink for &mut S {
    fn insert(&mut self, table: Table, row: &[Cell<'_>]) -> Result<()> {
        (**self).insert(table, row)
    }

    fn finish(&mut self) -> Result<()> {
        (**self).finish()
    }
}

/// A sink that keeps rows in memory.
#[derive(Debug)]
pub struct MemorySink {
    tables: Vec<(Table, MemoryTable)>,
}

impl MemorySink {
    /// Creates a sink without rows.
    pub fn new() -> MemorySink {
        let tables = Table::ALL.map(|table| {
            let names = table.columns().iter().map(|column| column.name.to_owned());
            (table, MemoryTable::new(names.collect(), Charset::LATIN_1))
        });
        MemorySink {
            tables: tables.into(),
        }
    }

    /// Returns the rows of a table.
    pub fn table(&self, table: Table) -> Option<&MemoryTable> {
        self.tables
            .iter()
            .find(|(own, _)| *own == table)
            .map(|(_, rows)| rows)
    }

    /// Converts the sink into tables for reading.
    pub fn into_set(self) -> TableSet<'static> {
        let mut set = TableSet::new();
        for (table, rows) in self.tables {
            set.insert(table.name(), Box::new(rows));
        }
        set
    }
}

impl Default for MemorySink {
    fn default() -> MemorySink {
        MemorySink::new()
    }
}

impl RowSink for MemorySink {
    fn insert(&mut self, table: Table, row: &[Cell<'_>]) -> Result<()> {
        if let Some((_, rows)) = self.tables.iter_mut().find(|(own, _)| *own == table) {
            rows.push(row);
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        Ok(())
    }
}
