//! A table of jose that is read row by row.

use chessdb_bytecode::raw::{Cell, TableRead};
use chessdb_core::error::Location;
use chessdb_core::files::Role;
use chessdb_core::{Charset, Error, ErrorKind, Result};

use crate::file::{Column, Leaves, Pages, Record, Table, TextEncoding, Value};

/// A table whose rows are read where they are in the file.
pub(super) struct RowTable<'a> {
    pages: Pages<'a>,
    leaves: Leaves,
    names: Vec<String>,
    columns: Vec<Column>,
    charset: Charset,
    file: Role,
}

impl<'a> RowTable<'a> {
    pub(super) fn new(
        pages: Pages<'a>,
        leaves: Leaves,
        table: &Table,
        charset: Charset,
        file: Role,
    ) -> RowTable<'a> {
        let names = table.columns.iter().map(|column| column.name.clone());
        RowTable {
            pages,
            leaves,
            names: names.collect(),
            columns: table.columns.clone(),
            charset,
            file,
        }
    }

    /// Fills `row` with the first `cells` cells of a record. Returns whether they are whole.
    fn fill<'v>(
        &'v self,
        record: Option<Record<'v>>,
        number: i64,
        cells: usize,
        row: &mut Vec<Cell<'v>>,
    ) -> bool {
        row.clear();
        let Some(record) = record else {
            return false;
        };
        let encoding = self.pages.encoding();
        let values = record.values().take(cells);
        row.extend(values.map(|value| cell(value, encoding)));
        let is_whole = row.len() == cells || row.len() == record.declared();
        for (cell, column) in row.iter_mut().zip(&self.columns) {
            if column.is_row_number {
                *cell = Cell::Int(number);
            }
        }
        // Rows from before a column was added have its default.
        if is_whole && row.len() < cells {
            let later = self.columns.iter().take(cells).skip(row.len());
            row.extend(later.map(|column| cell(column.default_value(encoding), encoding)));
        }
        is_whole
    }
}

impl TableRead for RowTable<'_> {
    fn columns(&self) -> &[String] {
        &self.names
    }

    fn len(&self) -> u32 {
        u32::try_from(self.leaves.len()).unwrap_or(u32::MAX)
    }

    fn row<'t>(&'t self, n: u32, row: &mut Vec<Cell<'t>>) -> Result<()> {
        self.first_cells(n, self.columns.len(), row)
    }

    fn first_cells<'t>(&'t self, n: u32, cells: usize, row: &mut Vec<Cell<'t>>) -> Result<()> {
        row.clear();
        let count = cells.min(self.columns.len());
        let damaged = |offset| {
            let location = Location {
                file: Some(self.file),
                offset,
                ..Location::default()
            };
            Error::new(ErrorKind::Structure("the row is damaged")).at(location)
        };
        let stored = self.leaves.nth(&self.pages, n.into());
        let source = stored.ok_or_else(|| damaged(None))?;
        let damaged = || damaged(Some(source.offset));
        // The first cells of a long row are on its own page.
        if self.fill(Record::parse(source.local()), source.number, count, row) {
            return Ok(());
        }
        // A row without a continuation has nothing more to read.
        if !source.is_continued() {
            return Err(damaged());
        }
        let mut buffer = Vec::new();
        let payload = source.payload(&self.pages, &mut buffer);
        let mut whole = Vec::new();
        let record = payload.and_then(Record::parse);
        let is_whole = self.fill(record, source.number, count, &mut whole);
        // The cells refer to the buffer, which does not outlive this function.
        *row = whole.iter().map(Cell::owned).collect();
        is_whole.then_some(()).ok_or_else(damaged)
    }

    fn is_lost(&self, n: u32) -> bool {
        self.leaves.is_lost(n.into())
    }

    fn charset(&self) -> Charset {
        self.charset
    }
}

fn cell(value: Value<'_>, encoding: TextEncoding) -> Cell<'_> {
    // A text of digits, such as the round 007, remains a text.
    let number = match value {
        Value::Int(_) | Value::Real(_) => value.as_int(),
        _ => None,
    };
    number.map_or_else(
        || value.to_text(encoding).map_or(Cell::Null, Cell::Bytes),
        Cell::Int,
    )
}
