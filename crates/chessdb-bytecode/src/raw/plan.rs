//! Conversion of rows for tables and columns with other names than jose's.

use chessdb_core::Result;

use super::{Cell, ColumnType, Naming, Table};
use crate::moves::Layout;

/// The tables of a new database, in the order of [`Table::ALL`].
#[derive(Clone, Debug)]
pub struct TablePlan {
    tables: Vec<PlannedTable>,
    /// Whether games have a single row.
    is_single: bool,
    layout: Layout,
    /// The first half of a single row.
    held: Vec<Cell<'static>>,
}

/// A table to create.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlannedTable {
    /// The name.
    pub name: String,
    /// The columns.
    pub columns: Vec<PlannedColumn>,
    /// Whether its first column is a primary key.
    pub has_key: bool,
    /// The indexed columns besides the key.
    pub indexes: &'static [&'static str],
}

/// A column to create.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlannedColumn {
    /// The name.
    pub name: String,
    /// The type.
    pub kind: ColumnType,
    /// Whether it may be NULL.
    pub null: bool,
}

/// A receiver of a row: the number of its table in [`TablePlan::tables`], that table, the cells.
pub type PutRow<'p> = &'p mut dyn FnMut(usize, &PlannedTable, &[&Cell<'_>]) -> Result<()>;

impl TablePlan {
    /// Creates the plan of a database with these names.
    pub fn new(naming: &Naming) -> TablePlan {
        let is_single = naming.moves.is_none();
        let mut plan = TablePlan {
            tables: Vec::new(),
            is_single,
            layout: naming.layout(),
            held: Vec::new(),
        };
        for table in Table::ALL {
            let mut columns: Vec<_> = plan.columns(table, naming).collect();
            let name = match (table, &naming.moves) {
                (Table::Game, None) => {
                    columns.extend(plan.columns(Table::MoreGame, naming).skip(1));
                    naming.games.clone()
                }
                (Table::Game, Some(_)) => naming.games.clone(),
                (Table::MoreGame, None) => continue,
                (Table::MoreGame, Some((name, _))) => name.clone(),
                (Table::MetaInfo, _) => table.name().to_owned(),
                _ => format!("{}{}", naming.prefix, table.name()),
            };
            plan.tables.push(PlannedTable {
                name,
                columns,
                has_key: table.has_key(),
                indexes: table.indexes(),
            });
        }
        plan
    }

    /// Returns the columns of one of jose's tables under their new names.
    fn columns<'n>(
        &self,
        table: Table,
        naming: &'n Naming,
    ) -> impl Iterator<Item = PlannedColumn> + use<'n> {
        let layout = self.layout;
        let columns = table.columns().iter();
        let needed = columns.filter(move |column| is_needed(table, column.name, layout));
        needed.map(move |column| {
            let name = match (table, column.name, &naming.moves) {
                (Table::MoreGame, "GId", Some((_, key))) => key,
                (Table::MoreGame, "Bin", _) => &naming.bin,
                (Table::MoreGame, "Comments", _) => {
                    naming.comments.as_deref().unwrap_or(column.name)
                }
                _ => column.name,
            };
            PlannedColumn {
                name: name.to_owned(),
                kind: column.kind,
                null: column.null,
            }
        })
    }

    /// Returns the tables.
    pub fn tables(&self) -> &[PlannedTable] {
        &self.tables
    }

    /// Passes a row of one of jose's tables to `put`, with the cells of the planned table. The
    /// first half of a game's single row is held until the second follows.
    ///
    /// # Errors
    ///
    /// Returns the errors of `put`.
    pub fn place(&mut self, table: Table, row: &[Cell<'_>], put: PutRow<'_>) -> Result<()> {
        if self.is_single && table == Table::Game {
            self.held = row.iter().map(Cell::owned).collect();
            return Ok(());
        }
        let joined = self.is_single && table == Table::MoreGame;
        let number = if joined { Table::Game } else { table } as usize;
        let layout = self.layout;
        // In a single row, the number of the game comes only once.
        let own = row
            .iter()
            .zip(table.columns())
            .filter(|(_, column)| is_needed(table, column.name, layout))
            .map(|(cell, _)| cell)
            .skip(usize::from(joined));
        let held = self.held.iter().take(if joined { usize::MAX } else { 0 });
        let mut cells: Vec<&Cell<'_>> = Vec::with_capacity(held.len() + row.len());
        cells.extend(held.chain(own));
        match self.tables.get(number) {
            Some(planned) => put(number, planned, &cells),
            None => Ok(()),
        }
    }
}

/// Returns whether a column is needed; inline texts need none.
fn is_needed(table: Table, column: &str, layout: Layout) -> bool {
    layout == Layout::Separate || table != Table::MoreGame || column != "Comments"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joses_own_names_change_nothing() {
        let plan = TablePlan::new(&Naming::jose());
        for (table, planned) in Table::ALL.iter().zip(plan.tables()) {
            assert_eq!(planned.name, table.name());
            let names = planned.columns.iter().map(|column| column.name.as_str());
            assert!(names.eq(table.columns().iter().map(|column| column.name)));
        }
    }

    #[test]
    fn halves_of_a_row_are_joined() {
        let mut plan = TablePlan::new(&Naming::inline());
        let width = Table::Game.columns().len() + Table::MoreGame.columns().len() - 2;
        let games = &plan.tables()[Table::Game as usize];
        assert_eq!(games.columns.len(), width);
        assert!(games.columns.iter().any(|column| column.name == "GameText"));
        let mut rows = Vec::new();
        for table in [Table::Game, Table::MoreGame, Table::Player] {
            let row: Vec<_> = (0..table.columns().len() as i64).map(Cell::Int).collect();
            plan.place(table, &row, &mut |number, planned, cells| {
                assert_eq!(cells.len(), planned.columns.len());
                rows.push((number, cells.len()));
                Ok(())
            })
            .unwrap();
        }
        assert_eq!(
            rows,
            [(Table::Game as usize, width), (Table::Player as usize, 3)]
        );
    }
}
