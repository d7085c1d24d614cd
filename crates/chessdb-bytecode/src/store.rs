//! Reading games by number.

use std::collections::HashMap;

use chessdb_core::error::Location;
use chessdb_core::line::Counts;
use chessdb_core::report::GameReport;
use chessdb_core::salvage::{Found, Salvaged};
use chessdb_core::store::Opened;
use chessdb_core::{
    BaseInfo, Charset, ErrorKind, FileSet, Game, GameStore, ReadOptions, Result, Scratch, Severity,
};

use crate::codec::MoveColumns;
use crate::foreign;
use crate::header::{HeaderFacts, read_header};
use crate::info::BaseReader;
use crate::moves::{TextColumn, decode, last_result};
use crate::names::NameLookup;
use crate::order::{GameOrder, OrderedTables};
use crate::raw::myisam::{self, TableFiles};
use crate::raw::{Attributes, Cell, Naming, TableRead, TableSet, column_index};
use crate::row::{Column, ColumnMap, Row};

/// An open database.
pub struct Store<'a> {
    games: Box<dyn TableRead + 'a>,
    moves: Option<Box<dyn TableRead + 'a>>,
    map: ColumnMap,
    naming: Naming,
    order: GameOrder,
    names: NameLookup,
    opened: Opened,
    options: ReadOptions,
    fallback: Charset,
    file: Location,
    game_counts: Vec<(u32, i64)>,
}

impl<'a> Store<'a> {
    /// Opens the database in these tables. Errors in single games are reported when the games are
    /// read.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no table of games. In strict mode, also if name tables are
    /// damaged or missing.
    pub fn open(tables: TableSet<'a>, options: ReadOptions) -> Result<Store<'a>> {
        match Naming::find(&tables) {
            Some(naming) => Store::open_as(tables, naming, options),
            None => Err(foreign::not_jose(&tables)),
        }
    }

    /// Opens a database like [`Store::open`], with other names of tables and columns.
    ///
    /// # Errors
    ///
    /// See [`Store::open`].
    pub fn open_as(
        mut tables: TableSet<'a>,
        naming: Naming,
        options: ReadOptions,
    ) -> Result<Store<'a>> {
        if !naming.fits(&tables) {
            return Err(foreign::not_jose(&tables));
        }
        let missing = || foreign::not_jose(&TableSet::new());
        let file = Location {
            file: tables.file,
            ..Location::default()
        };
        let foreign_names = foreign::names(&tables, &naming);
        let games = tables.take(&naming.games).ok_or_else(missing)?;
        let moves = match &naming.moves {
            Some((table, _)) => Some(tables.take(table).ok_or_else(missing)?),
            None => None,
        };
        foreign::check_width(&*games, file)?;
        let fallback = options.charset.unwrap_or_else(|| games.charset());
        let mut scratch = Scratch::new();
        scratch.diagnostics.append(&mut tables.diagnostics);
        let mut reader = BaseReader {
            tables: &tables,
            naming: &naming,
            game_columns: games.columns(),
            options: &options,
            fallback,
            scratch: &mut scratch,
            base: BaseInfo::default(),
            game_counts: Vec::new(),
        };
        let names = reader.read()?;
        let BaseReader {
            mut base,
            game_counts,
            ..
        } = reader;
        foreign::note(foreign_names, &mut base, &options, &mut scratch, file)?;
        let map = ColumnMap::new(&naming, &*games, moves.as_deref());
        let mut store = Store {
            games,
            moves,
            map,
            naming,
            order: GameOrder::default(),
            names,
            opened: Opened::new(base, Vec::new()),
            options,
            fallback,
            file,
            game_counts,
        };
        store.order(&mut scratch)?;
        store.opened.diagnostics = scratch.diagnostics;
        if tables.is_salvaged {
            store.opened.salvaged = Some(store.salvaged());
        }
        Ok(store)
    }

    /// Returns how each game was found.
    fn salvaged(&self) -> Salvaged {
        let is_lost = |table: Option<&dyn TableRead>, row: Option<u32>| {
            table
                .zip(row)
                .is_some_and(|(table, row)| table.is_lost(row))
        };
        let states = self.order.iter().map(|rows| match rows.game {
            None => Found::HeaderUnknown,
            game if is_lost(Some(&*self.games), game) => Found::Carved,
            _ if is_lost(self.moves.as_deref(), rows.moves) => Found::Carved,
            _ => Found::Exact,
        });
        let mut salvaged = Salvaged::new(states.collect(), Vec::new());
        salvaged.mark_incomplete(self);
        salvaged
    }

    /// Finds the rows of each game.
    fn order(&mut self, scratch: &mut Scratch) -> Result<()> {
        let key = self.naming.moves.as_ref().map(|(_, key)| key);
        let moves = self.moves.as_deref().map(|table| {
            let column = key.and_then(|key| column_index(table, key));
            (table, column)
        });
        let tables = OrderedTables {
            games: &*self.games,
            moves,
            map: &self.map,
        };
        let joined = tables.join();
        for (what, count) in [
            ("the number of rows of moves without a game", joined.without),
            (
                "the number of rows of games or moves with a number that is already in use",
                joined.double,
            ),
        ] {
            if count > 0 {
                let kind = ErrorKind::mismatch(what, count, 0);
                scratch.deviation(&self.options, Severity::Lost, kind, self.file)?;
            }
        }
        self.order = joined.order;
        Ok(())
    }

    /// Fills `row` with the cells of a game. A missing games row is reported and read as NULLs.
    fn row<'t>(
        &'t self,
        n: u32,
        row: &mut Vec<Cell<'t>>,
        report: &mut GameReport<'_>,
    ) -> Result<()> {
        let place = self.order.get(n);
        let place = place.ok_or_else(|| ErrorKind::no_such_game(n, self.len()))?;
        let location = self.file.in_game(n.saturating_add(1));
        match place.game {
            Some(game) => self
                .games
                .row(game, row)
                .map_err(|error| error.at(location))?,
            None => {
                row.clear();
                let kind = ErrorKind::Structure("the moves belong to a game without a header row");
                report.lost(kind, location)?;
            }
        }
        let Some(table) = &self.moves else {
            return Ok(());
        };
        // The map of columns counts the cells of the moves after all columns of the games.
        row.resize(self.games.columns().len(), Cell::Null);
        let Some(moves) = place.moves else {
            let kind = ErrorKind::Structure("the row with the moves of the game is missing");
            return report.lost(kind, location);
        };
        let mut move_cells = Vec::new();
        let read = table.row(moves, &mut move_cells);
        row.append(&mut move_cells);
        let Err(error) = read else {
            return Ok(());
        };
        let (kind, mut stated) = error.into_parts();
        stated.fill(location);
        report.lost(kind, stated)
    }

    /// Returns the stored and the actual game count of each collection where they differ.
    pub(crate) fn mismatched_counts(&self) -> impl Iterator<Item = (i64, u64)> + '_ {
        let mut counts: HashMap<i64, u64> = HashMap::new();
        let cells = self.map.cells_to(&[Column::CollectionId]);
        let mut row = Vec::new();
        for game in self.order.iter().filter_map(|rows| rows.game) {
            row.clear();
            if cells > 0 {
                let _ = self.games.first_cells(game, cells, &mut row);
            }
            let collection = self.map.cell(&row, Column::CollectionId).as_int();
            *counts.entry(collection.unwrap_or(0)).or_default() += 1;
        }
        self.game_counts.iter().filter_map(move |&(key, stored)| {
            let actual = counts.get(&i64::from(key)).copied().unwrap_or(0);
            (i64::try_from(actual) != Ok(stored)).then_some((stored, actual))
        })
    }

    /// Returns the tables of games with the game number of each row; a row that belongs to two
    /// games has the first.
    pub(crate) fn games_of_rows(&self) -> Vec<(String, Vec<Option<u32>>)> {
        let mut games = vec![None; self.games.len() as usize];
        let mut moves = vec![None; self.moves.as_ref().map_or(0, |moves| moves.len() as usize)];
        for (n, place) in (0..).zip(self.order.iter()) {
            let game = place.game.and_then(|row| games.get_mut(row as usize));
            let moves = place.moves.and_then(|row| moves.get_mut(row as usize));
            for owner in [game, moves].into_iter().flatten() {
                owner.get_or_insert(n);
            }
        }
        let mut tables = vec![(self.naming.games.clone(), games)];
        if let Some((name, _)) = &self.naming.moves {
            tables.push((name.clone(), moves));
        }
        tables
    }

    /// Returns the location to report if no better one is known.
    pub(crate) fn location(&self) -> Location {
        self.file
    }

    pub(crate) fn read(
        &self,
        n: u32,
        what: ReadScope,
        game: &mut Game,
        scratch: &mut Scratch,
    ) -> Result<()> {
        game.clear();
        let mut report = GameReport::new(&self.options, scratch, Some(n.saturating_add(1)));
        let mut cells = Vec::new();
        self.row(n, &mut cells, &mut report)?;
        let row = Row {
            cells: &cells,
            map: &self.map,
        };
        let mut facts = read_header(
            row,
            &self.names,
            &self.opened.base,
            self.fallback,
            game,
            &mut report,
        )?;
        let bin = row.bytes(Column::Bin);
        if !facts.outcome
            && let Some(bin) = &bin
        {
            // `decode` stops at the same limit.
            let limit = self.options.limits.game_bytes as usize;
            let examined = bin.get(..limit).unwrap_or(bin);
            if let Some(outcome) = last_result(examined, self.naming.comments.is_none()) {
                game.header.outcome = outcome;
                facts.outcome = true;
            }
        }
        if what == ReadScope::Header || !facts.start {
            return Ok(());
        }
        let Some(bin) = bin else {
            let kind = ErrorKind::Structure("the game has no moves and no end mark");
            return report.lost(kind, self.file);
        };
        let comments = row.bytes(Column::Comments);
        let eval = row.bytes(Column::Eval);
        let columns = MoveColumns {
            bin: &bin,
            texts: match self.naming.comments {
                Some(_) => TextColumn::Separate(comments.as_deref()),
                None => TextColumn::Inline,
            },
            eval: eval.as_deref(),
        };
        let counts = decode(
            &columns,
            self.fallback,
            facts.outcome,
            self.options.check,
            game,
            &mut report,
        )?;
        match counts {
            Some(counts) => self.compare(facts, counts, &mut report),
            None => Ok(()),
        }
    }

    /// Compares the row's data about the moves with the moves.
    fn compare(
        &self,
        facts: HeaderFacts,
        counts: Counts,
        report: &mut GameReport<'_>,
    ) -> Result<()> {
        let mut differs = |severity, what, in_row: u64, expected: u64| {
            let kind = ErrorKind::mismatch(what, in_row, expected);
            report.add(severity, kind, self.file)
        };
        if let Some(plies) = facts
            .plies
            .filter(|&plies| plies != i64::from(counts.plies))
        {
            let expected = counts.plies.into();
            differs(Severity::Lost, "PlyCount", plies as u64, expected)?;
        }
        let Some(stored) = facts.attributes else {
            return Ok(());
        };
        let derived = [
            (Attributes::VARIATIONS, counts.variations),
            (Attributes::COMMENTS, counts.comments + counts.nags),
            (Attributes::ERRORS, counts.faults),
        ];
        for (attribute, count) in derived {
            if stored.contains(attribute) != (count > 0) {
                let what = "the bits of Attributes that depend on the moves";
                let bit = stored.contains(attribute);
                // Promised but absent data has been lost.
                let severity = if bit { Severity::Lost } else { Severity::Note };
                return differs(severity, what, bit.into(), u64::from(count > 0));
            }
        }
        Ok(())
    }
}

/// Opens the tables in these files.
///
/// # Errors
///
/// Returns an error if the table of games is missing or unreadable. In strict mode, also for any
/// damage.
pub fn open_tables<'a>(
    files: &'a dyn FileSet,
    tables: &[TableFiles],
    options: ReadOptions,
) -> Result<Store<'a>> {
    Store::open(myisam::open(files, tables, &options)?, options)
}

/// The part of a game to read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ReadScope {
    Header,
    Game,
}

impl GameStore for Store<'_> {
    fn len(&self) -> u32 {
        self.order.len()
    }

    fn opened(&self) -> &Opened {
        &self.opened
    }

    fn header_into(&self, n: u32, game: &mut Game, scratch: &mut Scratch) -> Result<()> {
        self.read(n, ReadScope::Header, game, scratch)
    }

    fn game_into(&self, n: u32, game: &mut Game, scratch: &mut Scratch) -> Result<()> {
        self.read(n, ReadScope::Game, game, scratch)
    }
}

impl std::fmt::Debug for Store<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Store")
            .field("games", &self.order.len())
            .field("naming", &self.naming)
            .finish_non_exhaustive()
    }
}
