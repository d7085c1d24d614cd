//! The store of a format that keeps each game as a row of a table.

use std::fmt::Debug;

use chessdb_core::error::Location;
use chessdb_core::report::{Finding, GameReport};
use chessdb_core::store::{Opened, Remark, StoredRows, UnusedSpace};
use chessdb_core::{BaseInfo, FileSet, Game, GameStore, ReadOptions, Result, Scratch};

use crate::file::{Layout, Pages, Schema, Table, Value};
use crate::row_format::RowFormat;
use crate::rows::{Games, check_count, is_changeable, no_table, open_or_salvage, salvaged, verify};

/// The meaning of the rows of a format.
pub trait ReadRows: Debug + Send + Sync + Sized {
    /// The files and tables.
    const FORMAT: &'static RowFormat;
    /// The tables of names, by the names that they have in any version.
    const NAMES: &'static [&'static str] = &[];
    /// Whether all moves are legal, so that their facts cost little and writers need not play them.
    const HAS_FACTS: bool = false;

    /// Returns the tables as the programs create them.
    fn layouts() -> Vec<Layout>;

    /// Returns the table of games; `None` if the file is of another program.
    fn games(schema: &Schema) -> Option<&Table>;

    /// Reads what is around the games.
    ///
    /// # Errors
    ///
    /// Returns the first finding in strict mode.
    fn open(
        pages: &Pages<'_>,
        schema: &Schema,
        games: &Table,
        base: &mut BaseInfo,
        report: (&ReadOptions, &mut Scratch),
    ) -> Result<Self>;

    /// Returns whether a writer makes the rows that this file has, if it is intact and has the tables
    /// of [`RowFormat::tables`].
    fn is_writable(&self, _pages: &Pages<'_>, _games: &Table) -> bool {
        true
    }

    /// Fills a game from its row: the header, and the moves if `has_moves`.
    ///
    /// # Errors
    ///
    /// Returns the first finding in strict mode.
    fn read(
        &self,
        pages: &Pages<'_>,
        row: (&[Value<'_>], Location),
        has_moves: bool,
        game: &mut Game,
        report: &mut GameReport<'_>,
    ) -> Result<()>;

    /// Returns the number of games that the database states.
    fn stated_games(&self) -> Option<i64> {
        None
    }

    /// Returns [`GameStore::remarks`].
    fn remarks(&self) -> Vec<Remark> {
        Vec::new()
    }
}

/// A database that is open for reading.
#[derive(Debug)]
pub struct RowStore<'a, R> {
    options: ReadOptions,
    pub(crate) games: Games<'a>,
    pub(crate) rows: R,
    opened: Opened,
}

impl<'a, R: ReadRows> RowStore<'a, R> {
    /// Opens a database.
    ///
    /// # Errors
    ///
    /// Returns an error if it is no SQLite file or has no table of games, and in strict mode also if
    /// pages are missing or damaged.
    pub fn open(files: &'a dyn FileSet, options: ReadOptions) -> Result<RowStore<'a, R>> {
        let format = R::FORMAT;
        let (pages, schema) =
            open_or_salvage(files, format.file, format.log, &options, R::layouts)?;
        let table = R::games(&schema).ok_or_else(|| no_table(&schema, format.file))?;
        let mut scratch = Scratch::new();
        let tables = (table, R::NAMES);
        let mut games = Games::open(pages, &schema, tables, format.file, &options, &mut scratch)?;
        let mut base = BaseInfo::default();
        let report = (&options, &mut scratch);
        let rows = R::open(&games.pages, &schema, table, &mut base, report)?;
        let known = &format.known;
        known.note_others(&schema, &mut base, format.file, &options, &mut scratch)?;
        games.is_changeable = rows.is_writable(&games.pages, table)
            && is_changeable(&schema, format.tables, &scratch.diagnostics);
        let mut store = RowStore {
            options: if R::HAS_FACTS { options.with_facts(true) } else { options },
            games,
            rows,
            opened: Opened::new(base, scratch.diagnostics),
        };
        if store.options.salvage {
            store.opened.salvaged = Some(salvaged(&store, |n| store.games.is_lost(n)));
        }
        Ok(store)
    }

    /// Reports what SQLite finds, and a stated number of games that is not the number of rows.
    /// Returns the database, if it can be opened.
    pub(crate) fn check(
        files: &'a dyn FileSet,
        options: &ReadOptions,
        sink: &mut dyn FnMut(Finding),
    ) -> Option<RowStore<'a, R>> {
        let format = R::FORMAT;
        verify(files, (format.file, format.log), sink);
        let store = RowStore::<R>::open(files, options.clone()).ok()?;
        let stated = store.rows.stated_games();
        check_count(stated, store.games.len(), format.file).map(sink);
        Some(store)
    }

    fn read(&self, n: u32, has_moves: bool, game: &mut Game, scratch: &mut Scratch) -> Result<()> {
        let mut report = GameReport::new(&self.options, scratch, n.saturating_add(1));
        game.clear();
        self.games.with_row(n, |row, location| {
            let pages = &self.games.pages;
            self.rows
                .read(pages, (row, location), has_moves, game, &mut report)
        })
    }
}

impl<R: ReadRows> GameStore for RowStore<'_, R> {
    fn len(&self) -> u32 {
        self.games.len()
    }

    fn opened(&self) -> &Opened {
        &self.opened
    }

    fn is_dense(&self) -> bool {
        self.games.is_dense()
    }

    fn stored_rows(&self) -> Option<&dyn StoredRows> {
        self.games.stored_rows()
    }

    fn header_into(&self, n: u32, game: &mut Game, scratch: &mut Scratch) -> Result<()> {
        self.read(n, false, game, scratch)
    }

    fn game_into(&self, n: u32, game: &mut Game, scratch: &mut Scratch) -> Result<()> {
        self.read(n, true, game, scratch)
    }

    fn remarks(&self) -> Vec<Remark> {
        self.rows.remarks()
    }

    fn unused(&self) -> Option<UnusedSpace> {
        Some(self.games.unused(R::FORMAT.absent))
    }
}

/// Returns the cell of a column, if the table has that; otherwise null.
pub(crate) fn cell<'v>(row: &[Value<'v>], column: impl Into<Option<usize>>) -> Value<'v> {
    let cell = column.into().and_then(|column| row.get(column));
    cell.copied().unwrap_or(Value::Null)
}
