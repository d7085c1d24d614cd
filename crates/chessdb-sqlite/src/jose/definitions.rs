//! The definitions of jose's tables.

use chessdb_bytecode::raw::{Naming, PlannedTable, TablePlan};

use crate::file::Layout;

/// The type of keys in new databases: the key is the row number.
pub(super) const KEY: &str = "integer primary key";

/// Returns the definition of each table, with keys of this type.
pub(super) fn definitions(tables: &[PlannedTable], key: &str) -> Vec<String> {
    let define = |table: &PlannedTable| {
        let named = table.columns.iter().enumerate().map(|(n, column)| {
            if n == 0 && table.has_key {
                format!("{} {key}", quoted(&column.name))
            } else {
                format!("{} {}", quoted(&column.name), column.kind)
            }
        });
        let columns: Vec<_> = named.collect();
        let name = quoted(&table.name);
        format!("CREATE TABLE {name} ({});\n", columns.join(", "))
    };
    tables.iter().map(define).collect()
}

/// Quotes a name for a statement.
pub(super) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// Returns the tables of databases with these names, or with all known names. Other programs may
/// have keys that are not the row number.
pub(super) fn layouts(naming: Option<&Naming>) -> Vec<Layout> {
    let standard = || vec![Naming::jose(), Naming::archive(), Naming::inline()];
    let namings = naming.map_or_else(standard, |naming| vec![naming.clone()]);
    let layouts = namings.iter().flat_map(|naming| {
        let plan = TablePlan::new(naming);
        let moves = naming.moves.iter().map(|(table, _)| table.clone());
        let games: Vec<String> = [naming.games.clone()].into_iter().chain(moves).collect();
        [KEY, "int primary key"].map(|key| Layout {
            definitions: definitions(plan.tables(), key),
            games: games.clone(),
            has_more_columns: false,
            is_game: |_| true,
        })
    });
    layouts.collect()
}
