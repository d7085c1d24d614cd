//! Games of a table, by number.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use chessdb_arrow::{Column, Columns, Rows};
use chessdb_core::{
    BaseInfo, Charset, Diagnostic, Error, ErrorKind, Extra, Game, GameStore, Location, ReadOptions,
    Result, Scratch, Severity,
};
use chessdb_pgn::Store as Pgn;

use crate::raw::{Portion, Table};
use crate::roles::FILE;

/// Of a table as a whole: a column or an entry of the metadata that is not ours, by its name.
pub(crate) const FOREIGN: u16 = 1;

/// Portions that are kept unpacked: threads that read ahead are in two neighbouring ones.
const KEPT: usize = 3;

/// A table of games in memory: ours, or one of others that has some of the columns.
///
/// Rows lie packed together, so that a game can only be had with thousands of its neighbours. The last
/// portions that were unpacked are therefore kept, behind a lock.
#[derive(Debug)]
pub struct Store<'a> {
    table: Table<'a>,
    options: ReadOptions,
    base: BaseInfo,
    diagnostics: Vec<Diagnostic>,
    kept: Mutex<Vec<Arc<Kept>>>,
}

/// A portion, from the moment that somebody wants it.
#[derive(Debug)]
struct Kept {
    portion: Portion,
    headers_only: bool,
    rows: OnceLock<std::result::Result<Rows, String>>,
}

impl<'a> Store<'a> {
    /// Reads how the table is divided.
    ///
    /// # Errors
    ///
    /// A file that is no table, or one without any column of games.
    pub fn open(bytes: &'a [u8], options: ReadOptions) -> Result<Store<'a>> {
        let at = |error: Error| error.at(FILE);
        let table = Table::open(bytes).map_err(at)?;
        let known = [
            Column::Movetext,
            Column::Moves,
            Column::White,
            Column::Black,
        ];
        if !known.into_iter().any(|column| table.has(column)) {
            let kind = ErrorKind::Unsupported(
                "a table without a column of games (movetext, moves, White, Black)",
            );
            return Err(at(kind.into()));
        }
        let mut store = Store {
            table,
            options,
            base: BaseInfo::default(),
            diagnostics: Vec::new(),
            kept: Mutex::default(),
        };
        for what in store.table.foreign() {
            let said =
                format!("{what} is not of a table of games: a new database does not have it");
            let found = Diagnostic::new(Severity::Note, ErrorKind::Other(said.into()), FILE);
            store.diagnostics.push(found);
            store.base.extras.push(Extra {
                format: "parquet",
                field: FOREIGN,
                bytes: what.as_bytes().into(),
            });
        }
        // Our texts are in UTF-8, whatever charset others are to be read in.
        store.options.charset = Some(Charset::UTF_8);
        if !store.table.has(Column::Movetext) {
            let said = match store.table.has(Column::Moves) {
                true => "the table has no movetext: no comments, variations or clocks",
                false => "the table has neither movetext nor moves",
            };
            let found = Diagnostic::new(Severity::Note, ErrorKind::Structure(said), FILE);
            store.diagnostics.push(found);
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
        let here = Location::game(n.saturating_add(1));
        let Some((portion, row)) = self.table.portion_of(n.into()) else {
            let kind = ErrorKind::BadField {
                field: "game number",
                value: n.into(),
            };
            return Err(Error::new(kind));
        };
        let kept = self.keep(portion, headers_only);
        let rows = match kept.rows.get_or_init(|| self.unpack(portion, headers_only)) {
            Ok(rows) => rows,
            Err(said) => {
                let kind = ErrorKind::Other(said.clone().into());
                return Err(Error::new(kind).at(here).at(FILE));
            }
        };
        let mut text = Vec::new();
        rows.append_pgn(row, &mut text);
        if let Some(said) = rows.error(row) {
            let kind = ErrorKind::Other(format!("the table says of this game: {said}").into());
            scratch.deviation(&self.options, Severity::Note, kind, here)?;
        }
        let told = scratch.diagnostics.len();
        let result = read_text(&text, &self.options, headers_only, game, scratch);
        // Places are those of a text that nobody else has seen.
        for found in scratch.diagnostics.iter_mut().skip(told) {
            found.at = located(found.at, here);
        }
        result.map_err(|error| {
            let (kind, at) = error.into_parts();
            Error::new(kind).at(located(at, here))
        })
    }

    /// The place of a portion among those that are kept; the one that was not wanted for the longest
    /// time makes room.
    fn keep(&self, portion: Portion, headers_only: bool) -> Arc<Kept> {
        let mut all = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let wanted = |kept: &Arc<Kept>| {
            kept.portion == portion && (kept.headers_only == headers_only || headers_only)
        };
        let kept = match all.iter().position(wanted) {
            Some(at) => all.remove(at),
            None => {
                all.truncate(KEPT - 1);
                Arc::new(Kept {
                    portion,
                    headers_only,
                    rows: OnceLock::new(),
                })
            }
        };
        all.insert(0, Arc::clone(&kept));
        kept
    }

    fn unpack(&self, portion: Portion, headers_only: bool) -> std::result::Result<Rows, String> {
        let columns = match headers_only {
            true => Columns::HEADERS.with(Column::Tags).with(Column::UtcTime),
            false => Columns::ALL.with(Column::UtcTime),
        };
        // A movetext says what these say.
        let mut columns = columns
            .without(Column::Clocks)
            .without(Column::Elapsed)
            .without(Column::Evals)
            .without(Column::Id);
        if self.table.has(Column::Movetext) {
            columns = columns.without(Column::Moves);
        }
        let rows = self.table.read(portion, columns);
        rows.map_err(|error| error.kind().to_string())
    }
}

/// Reads the one game of a text.
fn read_text(
    text: &[u8],
    options: &ReadOptions,
    headers_only: bool,
    game: &mut Game,
    scratch: &mut Scratch,
) -> Result<()> {
    let pgn = Pgn::open(text, options.clone())?;
    match headers_only {
        true => pgn.header_into(0, game, scratch)?,
        false => pgn.game_into(0, game, scratch)?,
    }
    if pgn.len() > 1 {
        let kind =
            ErrorKind::Structure("a movetext of several games, of which the first was taken");
        scratch.deviation(options, Severity::Lost, kind, Location::default())?;
    }
    Ok(())
}

fn located(at: Location, here: Location) -> Location {
    Location {
        ply: at.ply,
        ..here
    }
}

impl GameStore for Store<'_> {
    fn len(&self) -> u32 {
        u32::try_from(self.table.rows()).unwrap_or(u32::MAX)
    }

    fn base(&self) -> &BaseInfo {
        &self.base
    }

    fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    fn header_into(&self, n: u32, game: &mut Game, scratch: &mut Scratch) -> Result<()> {
        self.read(n, true, game, scratch)
    }

    fn game_into(&self, n: u32, game: &mut Game, scratch: &mut Scratch) -> Result<()> {
        self.read(n, false, game, scratch)
    }
}
