//! The tables as stored in their containers: rows of cells, and the files that contain them
//! (docs/formats/bytecode.md, sections 7 and 8).

mod cell;
pub mod frm;
mod memory;
pub mod myisam;
mod naming;
mod plan;
mod schema;
mod sink;
pub mod sql;

use chessdb_core::files::Role;
use chessdb_core::{Charset, Diagnostic, Result};

pub use cell::{Cell, DateFlags, StoredDate};
pub use memory::{MemoryRow, MemoryTable};
pub(crate) use memory::{pack_all, unpack_all};
pub use naming::{Naming, TEXTS};
pub use plan::{PlannedColumn, PlannedTable, PutRow, TablePlan};
pub use schema::{Attributes, ColumnType, Table, TableColumn};
pub use sink::{MemorySink, RowSink};

/// A table that can be read row by row.
pub trait TableRead: Send + Sync {
    /// Returns the names of the columns.
    fn columns(&self) -> &[String];

    /// Returns the number of rows.
    fn len(&self) -> u32;

    /// Returns whether there are no rows.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Fills `row` with the cells of row `n`, counted from 0. A damaged row may have fewer cells
    /// than columns.
    ///
    /// # Errors
    ///
    /// Returns the fault of this row, with its location in the file.
    fn row<'t>(&'t self, n: u32, row: &mut Vec<Cell<'t>>) -> Result<()>;

    /// Like [`TableRead::row`], but only the first `_cells` cells are required; `row` may contain
    /// more.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`TableRead::row`] if they affect these cells.
    fn first_cells<'t>(&'t self, n: u32, _cells: usize, row: &mut Vec<Cell<'t>>) -> Result<()> {
        self.row(n, row)
    }

    /// Returns whether row `n` was found by a search for rows in a damaged file.
    fn is_lost(&self, _n: u32) -> bool {
        false
    }

    /// Returns the charset assumed for texts that are not valid UTF-8.
    fn charset(&self) -> Charset;
}

/// Returns the index of the column with this name, ignoring ASCII case.
pub(crate) fn column_index(table: &dyn TableRead, name: &str) -> Option<usize> {
    table
        .columns()
        .iter()
        .position(|column| column.eq_ignore_ascii_case(name))
}

/// The tables of one database.
#[derive(Default)]
pub struct TableSet<'a> {
    tables: Vec<(String, Box<dyn TableRead + 'a>)>,
    /// Faults found on opening.
    pub diagnostics: Vec<Diagnostic>,
    /// The file to name in errors.
    pub file: Option<Role>,
    /// Whether rows were searched for in a damaged file.
    pub is_salvaged: bool,
    /// Descriptions of other objects in the container, such as `trigger t`.
    pub foreign: Vec<String>,
}

impl<'a> TableSet<'a> {
    /// Creates an empty set.
    pub fn new() -> TableSet<'a> {
        TableSet::default()
    }

    /// Adds a table.
    pub fn insert(&mut self, name: impl Into<String>, table: Box<dyn TableRead + 'a>) {
        self.tables.push((name.into(), table));
    }

    /// Returns the table with this name, ignoring ASCII case.
    pub fn get(&self, name: &str) -> Option<&(dyn TableRead + 'a)> {
        self.tables
            .iter()
            .find(|(other, _)| other.eq_ignore_ascii_case(name))
            .map(|(_, table)| &**table)
    }

    /// Removes and returns a table.
    pub fn take(&mut self, name: &str) -> Option<Box<dyn TableRead + 'a>> {
        let index = self
            .tables
            .iter()
            .position(|(other, _)| other.eq_ignore_ascii_case(name))?;
        Some(self.tables.swap_remove(index).1)
    }

    /// Returns the names of the tables.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.tables.iter().map(|(name, _)| name.as_str())
    }
}

impl std::fmt::Debug for TableSet<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.names()).finish()
    }
}
