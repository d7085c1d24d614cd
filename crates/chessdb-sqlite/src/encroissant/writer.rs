//! Writing of a database as the program makes it from a PGN file (docs/formats/encroissant.md).

use std::sync::Arc;

use chessdb_core::files::FileSink;
use chessdb_core::files::Role;
use chessdb_core::options::Allow;
use chessdb_core::store::GameCopy;
use chessdb_core::store::{Prepare, Prepared, preparer};
use chessdb_core::text::TextId;
use chessdb_core::{Error, Game, GameWrite, LossKind, Losses, Result, WriteOptions, rules};

use super::columns::{HeaderColumns, Text, UNKNOWN, write_header};
use super::encode::EncodedMoves;
use super::format::{DB3, KNOWN};
use crate::extras::Known;
use crate::file::Value;
use crate::write::{KeptRows, RowWriter, impl_game_copy};
use crate::write::{
    NameTable, SET_INFO, SqliteWriter, base_losses, insert_counts, insert_info, insert_settings,
    number_after,
};

/// A writer of databases.
pub struct Writer<'a> {
    file: SqliteWriter<'a>,
    allow: Allow,
    base_losses: Losses,
    players: NameTable,
    events: NameTable,
    sites: NameTable,
    games: u32,
    /// The number of the last row.
    last: i64,
    work: EncodedGame,
    kept: Option<Box<KeptRows>>,
}

/// An encoded game without the numbers of its names.
#[derive(Default)]
struct EncodedGame {
    columns: HeaderColumns,
    moves: EncodedMoves,
    losses: Losses,
    /// Whether the program can show the game.
    is_shown: bool,
    /// Why there are no moves.
    fault: Option<Error>,
}

impl EncodedGame {
    fn encode(&mut self, game: &Game) {
        self.losses.clear();
        // One row with such a start position hides all games from the program (section 8).
        self.is_shown = rules::is_playable_position(&game.start_board());
        if !self.is_shown {
            self.losses.add(LossKind::StartPosition, None);
            self.losses.add(LossKind::Game, None);
            return;
        }
        self.columns = write_header(game, &mut self.losses);
        self.fault = self.moves.encode(game, &mut self.losses).err();
    }
}

/// The tables (section 1).
const TABLES: &str = "
CREATE TABLE Info (Name TEXT UNIQUE NOT NULL, Value TEXT);
CREATE TABLE Events (ID INTEGER PRIMARY KEY AUTOINCREMENT, Name TEXT UNIQUE);
CREATE TABLE Sites (ID INTEGER PRIMARY KEY AUTOINCREMENT, Name TEXT UNIQUE);
CREATE TABLE Players (ID INTEGER PRIMARY KEY, Name TEXT UNIQUE, Elo INTEGER);
CREATE TABLE Games (
    ID INTEGER PRIMARY KEY AUTOINCREMENT, EventID INTEGER, SiteID INTEGER, Date TEXT, UTCTime TEXT,
    Round INTEGER, WhiteID INTEGER, WhiteElo INTEGER, BlackID INTEGER, BlackElo INTEGER,
    WhiteMaterial INTEGER, BlackMaterial INTEGER, Result INTEGER, TimeControl TEXT, ECO TEXT,
    PlyCount INTEGER, FEN TEXT, Moves BLOB, PawnHome BLOB,
    FOREIGN KEY(EventID) REFERENCES Events, FOREIGN KEY(SiteID) REFERENCES Sites,
    FOREIGN KEY(WhiteID) REFERENCES Players, FOREIGN KEY(BlackID) REFERENCES Players
);";

/// The indexes, by name and column (section 1).
const INDEXES: [(&str, &str); 7] = [
    ("games_date_idx", "Date"),
    ("games_white_idx", "WhiteID"),
    ("games_black_idx", "BlackID"),
    ("games_result_idx", "Result"),
    ("games_white_elo_idx", "WhiteElo"),
    ("games_black_elo_idx", "BlackElo"),
    ("games_plycount_idx", "PlyCount"),
];

/// The columns of a game.
pub(super) const COLUMNS: [&str; 19] = [
    "ID",
    "EventID",
    "SiteID",
    "Date",
    "UTCTime",
    "Round",
    "WhiteID",
    "WhiteElo",
    "BlackID",
    "BlackElo",
    "WhiteMaterial",
    "BlackMaterial",
    "Result",
    "TimeControl",
    "ECO",
    "PlyCount",
    "FEN",
    "Moves",
    "PawnHome",
];

const INSERT_GAME: &str = "INSERT INTO Games (ID, EventID, SiteID, Date, UTCTime, Round, WhiteID, \
    WhiteElo, BlackID, BlackElo, WhiteMaterial, BlackMaterial, Result, TimeControl, ECO, PlyCount, \
    FEN, Moves, PawnHome) \
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19)";

/// The version that every version of the program writes.
const VERSION: &str = "1.0.0";

impl<'a> Writer<'a> {
    /// Starts a database.
    ///
    /// # Errors
    ///
    /// Returns an error if the sink or the temporary file fails, or if something of the database as
    /// a whole would be lost and this is not allowed.
    pub fn create(sink: &'a mut dyn FileSink, options: WriteOptions) -> Result<Writer<'a>> {
        let WriteOptions { allow, base, .. } = options;
        let kept = [LossKind::BaseTitle, LossKind::Description];
        let base_losses = base_losses(&base, &allow, &kept, KNOWN.format)?;
        let text = |id: TextId| base.texts.get(id).decode().into_owned();
        // The program lists databases by their title.
        let own = text(base.title);
        let name = sink.name().filter(|_| own.is_empty());
        let title = name
            .map(str::to_owned)
            .or(base.title.is_some().then_some(own));
        let mut file = SqliteWriter::create(sink, DB3, TABLES)?;
        for table in ["Events", "Sites", "Players"] {
            file.execute(&format!(
                "INSERT INTO {table} (ID, Name) VALUES (0, '{UNKNOWN}')"
            ))?;
        }
        for (name, value) in [
            ("Version", Some(VERSION.to_owned())),
            ("Title", title),
            ("Description", Some(text(base.description))),
        ] {
            if let Some(value) = value {
                insert_info(&mut file, name, &value)?;
            }
        }
        insert_settings(&mut file, SET_INFO, &base, KNOWN.format)?;
        let names = |table| NameTable::new(table, "ID", "Name");
        Ok(Writer {
            file,
            allow,
            base_losses,
            players: names("Players"),
            events: names("Events"),
            sites: names("Sites"),
            games: 0,
            last: 0,
            work: EncodedGame::default(),
            kept: None,
        })
    }

    fn put(&mut self, work: &mut EncodedGame) -> Result<Losses> {
        if let Some(fault) = work.fault.take() {
            return Err(fault);
        }
        self.allow.check(&work.losses)?;
        if !work.is_shown {
            return Ok(std::mem::take(&mut work.losses));
        }
        let games = number_after(self.games)?;
        let id = self.last + 1;
        let row = self.row(id, work)?;
        self.file.insert(INSERT_GAME, &row)?;
        (self.games, self.last) = (games, id);
        Ok(std::mem::take(&mut work.losses))
    }

    /// Returns the values of [`COLUMNS`]. New names are added to their tables.
    fn row<'w>(&mut self, id: i64, work: &'w EncodedGame) -> Result<[Value<'w>; COLUMNS.len()]> {
        let Writer {
            file,
            players,
            events,
            sites,
            ..
        } = self;
        let HeaderColumns {
            event,
            site,
            white,
            black,
            date,
            utc_time,
            round,
            white_elo,
            black_elo,
            result,
            time_control,
            eco,
            fen,
        } = &work.columns;
        let moves = &work.moves;
        let [white_material, black_material] = moves.material;
        Ok([
            Value::Int(id),
            by_use(event, events, file)?,
            by_use(site, sites, file)?,
            text(date),
            text(utc_time),
            text(round),
            number(white, players, file)?,
            int(*white_elo),
            number(black, players, file)?,
            int(*black_elo),
            Value::Int(white_material),
            Value::Int(black_material),
            text(result),
            text(time_control),
            text(eco),
            Value::Int(moves.plies.into()),
            text(fen),
            Value::Blob(&moves.blob),
            Value::Int(moves.pawn_home),
        ])
    }
}

impl<'a> RowWriter<'a> for Writer<'a> {
    const KNOWN: &'static Known = &KNOWN;
    const ROLE: Role = DB3;
    const ABSENT: Option<i64> = Some(0);

    fn file(&mut self) -> &mut SqliteWriter<'a> {
        &mut self.file
    }

    fn kept(&mut self) -> &mut Option<Box<KeptRows>> {
        &mut self.kept
    }

    fn adopt(&mut self) -> Result<()> {
        for names in [&mut self.players, &mut self.events, &mut self.sites] {
            names.adopt(&mut self.file)?;
        }
        self.last = self.file.last_number("Games", "ID")?;
        Ok(())
    }

    fn change(&mut self, row: i64, old: &Game, new: &Game) -> Result<Losses> {
        let [mut before, mut after] = [EncodedGame::default(), EncodedGame::default()];
        before.encode(old);
        after.encode(new);
        if let Some(fault) = after.fault {
            return Err(fault);
        }
        let losses = after.losses.beyond(&before.losses);
        if !after.is_shown {
            return Ok(losses);
        }
        let is_comparable = before.is_shown && before.fault.is_none();
        let old_row = self.row(row, &before)?;
        let new_row = self.row(row, &after)?;
        let old_row = is_comparable.then_some(&old_row[..]);
        self.file.update(
            self.kept.as_deref(),
            row,
            COLUMNS.into_iter(),
            old_row,
            &new_row,
        )?;
        Ok(losses)
    }

    fn games(&mut self) -> &mut u32 {
        &mut self.games
    }
}

fn text(text: &Text) -> Value<'_> {
    text.as_ref()
        .map_or(Value::Null, |text| Value::Text(text.as_bytes()))
}

fn int(number: Option<i64>) -> Value<'static> {
    number.map_or(Value::Null, Value::Int)
}

/// Returns the number of a name: 0 if it is absent.
fn number(
    name: &Text,
    table: &mut NameTable,
    file: &mut SqliteWriter<'_>,
) -> Result<Value<'static>> {
    let name = name.as_deref().filter(|&name| name != UNKNOWN);
    let number = name.map(|name| table.number(file, name.as_bytes()));
    Ok(Value::Int(number.transpose()?.unwrap_or(0)))
}

/// Like [`number`], for a table whose numbers are used up by every game that has a name of it.
///
/// QUIRK: the program tries to insert each name, and SQLite counts the attempts.
fn by_use(
    name: &Text,
    table: &mut NameTable,
    file: &mut SqliteWriter<'_>,
) -> Result<Value<'static>> {
    let before = table.last();
    let number = number(name, table, file)?;
    if name.is_some() && table.last() == before && !table.is_adopted() {
        table.skip_number();
    }
    Ok(number)
}

impl_game_copy!(Writer);

impl GameWrite for Writer<'_> {
    fn assess(&self, game: &Game) -> Losses {
        // A game that cannot be encoded is reported when it is written.
        let mut work = EncodedGame::default();
        work.encode(game);
        work.losses
    }

    fn write(&mut self, game: &Game) -> Result<Losses> {
        let mut work = std::mem::take(&mut self.work);
        work.encode(game);
        let written = self.put(&mut work);
        self.work = work;
        written
    }

    fn preparer(&self) -> Option<Arc<dyn Prepare>> {
        Some(preparer(|game, work: &mut EncodedGame| work.encode(game)))
    }

    fn write_prepared(&mut self, game: &Game, prepared: &mut Prepared) -> Result<Losses> {
        match prepared.made() {
            Some(work) => self.put(work),
            None => self.write(game),
        }
    }

    fn copier(&mut self) -> Option<&mut dyn GameCopy> {
        Some(self)
    }

    fn base_losses(&self) -> &Losses {
        &self.base_losses
    }

    fn finish(mut self: Box<Self>) -> Result<u32> {
        if let Some(kept) = self.kept.take() {
            kept.finish(&mut self.file)?;
            self.file.finish()?;
            return Ok(self.games);
        }
        for (table, names) in [("Events", &self.events), ("Sites", &self.sites)] {
            self.file.execute(&format!(
                "UPDATE sqlite_sequence SET seq = {} WHERE name = '{table}'",
                names.last()
            ))?;
        }
        for (name, column) in INDEXES {
            let index = format!("CREATE INDEX {name} ON Games({column})");
            self.file.execute(&index)?;
        }
        let names = [&self.players, &self.events, &self.sites];
        insert_counts(&mut self.file, self.games, names)?;
        self.file.finish()?;
        Ok(self.games)
    }
}
