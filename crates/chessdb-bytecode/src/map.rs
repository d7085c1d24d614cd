//! The byte map of jose's MyISAM tables, for `chessdb dump --raw`.

use chessdb_core::dump::Region;
use chessdb_core::{FileSet, ReadOptions, Scratch};

use crate::raw::frm::Frm;
use crate::raw::myisam::{MyisamTable, TableFiles};
use crate::store::open_tables;

/// Reports each region of these tables. For each table the rows come first, with every column, and
/// with the number of the game for rows of games; then the description, as far as it is understood.
pub(crate) fn dump(files: &dyn FileSet, tables: &[TableFiles], emit: &mut dyn FnMut(Region)) {
    let options = ReadOptions::default();
    let store = open_tables(files, tables, options.clone()).ok();
    let numbers = store.map(|store| store.games_of_rows()).unwrap_or_default();
    for table in tables {
        let description = files.get(table.description);
        let frm = description.and_then(|bytes| Frm::parse(bytes, table.description).ok());
        if let (Some(rows), Some(frm)) = (files.get(table.rows), frm) {
            let scratch = &mut Scratch::new();
            let games = numbers.iter().find(|(name, _)| *name == table.name);
            let game_of = |row: u32| *games?.1.get(row as usize)?;
            if let Ok(opened) = MyisamTable::open(&frm, rows, table.rows, &options, scratch) {
                opened.dump(&game_of, emit);
            }
        }
        if let Some(bytes) = description {
            Frm::dump(bytes, table.description, emit);
        }
    }
}
