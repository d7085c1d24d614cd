//! The games of a table, by number.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use chessdb_arrow::{Column, Columns, Rows};
use chessdb_core::error::Location;
use chessdb_core::model::Extra;
use chessdb_core::store::Opened;
use chessdb_core::{
    Charset, Diagnostic, Error, ErrorKind, Game, GameStore, ReadOptions, Result, Scratch, Severity,
};
use chessdb_pgn::read_embedded;

use crate::raw::{ParquetTable, Portion};
use crate::roles::FILE;

/// The extra field of a table for the name of a column or metadata entry that is not part of the
/// schema.
pub(crate) const FOREIGN: u16 = 1;

/// The number of decoded portions to keep: threads that read ahead use two adjacent ones.
const CACHED_PORTIONS: usize = 3;

/// A table of games in memory, written by chessdb or by another program that has some of the
/// columns.
///
/// Rows are compressed together, so reading one game decodes thousands of its neighbours. The most
/// recently used portions are therefore kept, protected by a mutex.
#[derive(Debug)]
pub struct Store<'a> {
    table: ParquetTable<'a>,
    options: ReadOptions,
    opened: Opened,
    cache: Mutex<Vec<Arc<CachedPortion>>>,
}

/// A portion, decoded on first use.
#[derive(Debug)]
struct CachedPortion {
    portion: Portion,
    without_moves: bool,
    rows: OnceLock<std::result::Result<Rows, String>>,
}

impl<'a> Store<'a> {
    /// Reads the metadata of the table.
    ///
    /// # Errors
    ///
    /// Returns an error if the file is not a table or has no column of games.
    pub fn open(bytes: &'a [u8], options: ReadOptions) -> Result<Store<'a>> {
        let in_file = |error: Error| error.at(FILE);
        let table = ParquetTable::open(bytes).map_err(in_file)?;
        let game_columns = [
            Column::Movetext,
            Column::Moves,
            Column::White,
            Column::Black,
        ];
        if !game_columns.into_iter().any(|column| table.has(column)) {
            let kind = ErrorKind::Unsupported(
                "a table without a column of games (movetext, moves, White, Black)",
            );
            return Err(in_file(kind.into()));
        }
        let mut store = Store {
            table,
            options,
            opened: Opened::default(),
            cache: Mutex::default(),
        };
        // Conversion loses these columns; as extras they are named and counted.
        let mut unread = store.table.unread().to_vec();
        if !store.table.has(Column::Movetext) {
            let from_moves = [Column::Clocks, Column::Elapsed, Column::Evals].into_iter();
            let from_moves = from_moves.filter(|column| store.table.is_named(*column));
            unread.extend(from_moves.map(|column| format!("column {}", column.name())));
        }
        for what in unread {
            let message =
                format!("{what} is not read as part of a game; a new database will not contain it");
            let kind = ErrorKind::Other(message.into());
            store
                .opened
                .diagnostics
                .push(Diagnostic::new(Severity::Note, kind, FILE));
            store.opened.base.extras.push(Extra {
                format: "parquet",
                field: FOREIGN,
                bytes: what.as_bytes().into(),
            });
        }
        // The texts of a table are UTF-8, regardless of the charset set for other formats.
        store.options.charset = Some(Charset::UTF_8);
        if !store.table.has(Column::Movetext) {
            let message = if store.table.has(Column::Moves) {
                "the table has no movetext: no comments, variations or clocks"
            } else {
                "the table has neither movetext nor moves"
            };
            let note = Diagnostic::new(Severity::Note, ErrorKind::Structure(message), FILE);
            store.opened.diagnostics.push(note);
        }
        Ok(store)
    }

    fn read(
        &self,
        n: u32,
        headers_only: bool,
        game: &mut Game,
        scratch: &mut Scratch,
    ) -> Result<()> {
        game.clear();
        let location = Location::game(n.saturating_add(1));
        let Some((portion, row)) = self.table.portion_of(n.into()) else {
            return Err(ErrorKind::no_such_game(n, self.len()).into());
        };
        // In tables of chessdb the result after the moves is the one in the column Result. In others
        // they may differ, so that a header needs the movetext too.
        let without_moves = headers_only && self.table.is_own();
        let cached = self.cached_portion(portion, without_moves);
        let rows = match cached
            .rows
            .get_or_init(|| self.unpack(portion, without_moves))
        {
            Ok(rows) => rows,
            Err(message) => {
                let kind = ErrorKind::Other(message.clone().into());
                return Err(Error::new(kind).at(location).at(FILE));
            }
        };
        let mut text = Vec::new();
        rows.append_pgn(row, &mut text);
        if let Some(message) = rows.error(row) {
            let kind = ErrorKind::Other(
                format!("the table reports an error for this game: {message}").into(),
            );
            scratch.deviation(&self.options, Severity::Note, kind, location)?;
        }
        if std::str::from_utf8(&text).is_err() {
            let kind = ErrorKind::Structure("a text that is not in UTF-8");
            scratch.deviation(&self.options, Severity::Lost, kind, location)?;
        }
        // The row is read as PGN, so that tags and movetext have one reader.
        read_embedded(&text, &self.options, headers_only, location, game, scratch)
    }

    /// Returns the cache entry of a portion. If necessary, it replaces the least recently used one.
    fn cached_portion(&self, portion: Portion, without_moves: bool) -> Arc<CachedPortion> {
        let mut all = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        let wanted = |cached: &Arc<CachedPortion>| {
            // An entry with moves also serves headers.
            cached.portion == portion && (cached.without_moves == without_moves || without_moves)
        };
        let entry = match all.iter().position(wanted) {
            Some(index) => all.remove(index),
            None => {
                // The least recently used entry is the last.
                all.truncate(CACHED_PORTIONS - 1);
                Arc::new(CachedPortion {
                    portion,
                    without_moves,
                    rows: OnceLock::new(),
                })
            }
        };
        all.insert(0, Arc::clone(&entry));
        entry
    }

    fn unpack(&self, portion: Portion, without_moves: bool) -> std::result::Result<Rows, String> {
        let columns =
            if without_moves { Columns::HEADERS.with(Column::Tags) } else { Columns::ALL };
        // The movetext contains the data of the columns without games.
        // The tag UTCTime has no other column if the timestamp has no date.
        let mut columns = columns.with(Column::UtcTime).filter(Column::is_read);
        if self.table.has(Column::Movetext) {
            columns = columns.without(Column::Moves);
        }
        self.table
            .read(portion, columns)
            .map_err(|error| error.kind().to_string())
    }
}

impl GameStore for Store<'_> {
    fn len(&self) -> u32 {
        u32::try_from(self.table.rows()).unwrap_or(u32::MAX)
    }

    fn opened(&self) -> &Opened {
        &self.opened
    }

    fn header_into(&self, n: u32, game: &mut Game, scratch: &mut Scratch) -> Result<()> {
        self.read(n, true, game, scratch)
    }

    fn game_into(&self, n: u32, game: &mut Game, scratch: &mut Scratch) -> Result<()> {
        self.read(n, false, game, scratch)
    }
}
