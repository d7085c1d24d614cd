//! Writing of a database as the program makes it from a PGN file (docs/formats/encroissant.md).

use chessdb_core::files::{FileSink, Role};
use chessdb_core::loss::LossSet;
use chessdb_core::options::Allow;
use chessdb_core::store::{EncodeGame, GameCopy, WriteEncoded, WriterState};
use chessdb_core::text::TextId;
use chessdb_core::{Format, Game, LossKind, Losses, Result, WriteOptions, rules};

mod columns;
mod encode;

use super::format::{DB3, KNOWN, WAL};
use super::store::COLUMNS;
use crate::extras::Known;
use crate::file::Value;
use crate::write::{
    Columns, NameTable, SET_INFO, SqliteWriter, append, base_losses, change, insert_counts,
    insert_info, insert_settings, with_disk,
};
use crate::write::{CopiedRows, RowWriter, impl_game_copy};
use columns::{HeaderColumns, Text, UNKNOWN, write_header};
use encode::EncodedMoves;

/// The losses of this format (docs/formats/encroissant.md, section 5).
const LOSSES: LossSet = LossSet::all().without(&[
    LossKind::Moves,
    LossKind::Promotion,
    LossKind::UnnumberedPiece,
    LossKind::VariationBeforeMove,
    LossKind::VariationMoved,
    LossKind::CommentMerged,
    LossKind::CommentCut,
    LossKind::CommentLayout,
    LossKind::NagMoved,
    LossKind::NagChanged,
    LossKind::NameCut,
    LossKind::NameLeftOut,
    LossKind::SiteMerged,
    LossKind::TextLayout,
    LossKind::Transliterated,
    LossKind::TagCut,
    LossKind::RatingRounded,
    LossKind::StartCounters,
    LossKind::BaseTitle,
    LossKind::Description,
    LossKind::NameTable,
]);

/// Adds losses, writing and the access to files on disk to the description of the format.
pub(super) const fn with_writing(format: Format) -> Format {
    with_disk(
        format
            .with_losses(LOSSES)
            .with_create(|sink, options| Ok(Box::new(Writer::create(sink, options)?)))
            .with_change(|base, options| change::<Writer<'_>>(base, options))
            .with_append(|base, options| append::<Writer<'_>>(base, options)),
    )
}

/// A writer of databases.
pub struct Writer<'a> {
    file: SqliteWriter<'a>,
    state: WriterState<GameEncoder>,
    columns: Columns,
    players: NameTable,
    events: NameTable,
    sites: NameTable,
    /// The number of the last row.
    last: i64,
    copied: Option<Box<CopiedRows>>,
}

/// The encoder of games.
#[derive(Clone, Debug)]
pub struct GameEncoder;

/// An encoded game without the numbers of its names.
#[derive(Default)]
pub struct EncodedGame {
    columns: HeaderColumns,
    moves: EncodedMoves,
}

impl EncodeGame for GameEncoder {
    type Encoded = EncodedGame;

    fn encode(&self, game: &Game, encoded: &mut EncodedGame, losses: &mut Losses) -> Result<bool> {
        // One row with such a start position hides all games from the program (section 8).
        if !rules::is_playable_position(&game.start_board()) {
            losses.add(LossKind::StartPosition, None);
            return Ok(false);
        }
        encoded.columns = write_header(game, losses);
        encoded.moves.encode(game, losses).map(|()| true)
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
        let compacts = options.renumbers_names;
        let WriteOptions { allow, base, .. } = options;
        let stored = [LossKind::BaseTitle, LossKind::Description];
        let lost = base_losses(&base, &stored, KNOWN.format);
        let state = WriterState::new(GameEncoder, allow, lost)?;
        let text = |id: TextId| base.texts.get(id).decode().into_owned();
        // The program lists databases by their title.
        let own = text(base.title);
        let name = sink.name().filter(|_| own.is_empty());
        let title = name
            .map(str::to_owned)
            .or(base.title.is_some().then_some(own));
        let mut file = SqliteWriter::create(sink, DB3, TABLES)?;
        file.compacts = compacts;
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
        Ok(Writer::with_file(file, state))
    }

    fn with_file(file: SqliteWriter<'a>, state: WriterState<GameEncoder>) -> Writer<'a> {
        let names = |table| NameTable::new(table, "ID", "Name");
        Writer {
            file,
            state,
            columns: Columns::new(&COLUMNS),
            players: names("Players"),
            events: names("Events"),
            sites: names("Sites"),
            last: 0,
            copied: None,
        }
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
    const LOG: Role = WAL;
    const TABLES: &'static [(&'static str, &'static [&'static str])] = &[
        ("Games", &COLUMNS),
        ("Players", &["ID", "Name"]),
        ("Events", &["ID", "Name"]),
        ("Sites", &["ID", "Name"]),
    ];
    const ABSENT: Option<i64> = Some(0);

    fn over(file: SqliteWriter<'a>, allow: Allow, before: u32) -> Result<Writer<'a>> {
        let state = WriterState::appending(GameEncoder, allow, before);
        Ok(Writer::with_file(file, state))
    }

    fn file(&mut self) -> &mut SqliteWriter<'a> {
        &mut self.file
    }

    fn copied(&mut self) -> &mut Option<Box<CopiedRows>> {
        &mut self.copied
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
        let [mut old_losses, mut losses] = [Losses::new(), Losses::new()];
        let is_comparable = GameEncoder
            .encode(old, &mut before, &mut old_losses)
            .unwrap_or(false);
        let is_stored = GameEncoder.encode(new, &mut after, &mut losses)?;
        let mut further = losses.beyond(&old_losses);
        if !is_stored {
            further.add(LossKind::Game, None);
            return Ok(further);
        }
        let old_row = self.row(row, &before)?;
        let new_row = self.row(row, &after)?;
        let old_row = is_comparable.then_some(&old_row[..]);
        self.file.update(
            self.copied.as_deref(),
            row,
            COLUMNS.into_iter(),
            old_row,
            &new_row,
        )?;
        Ok(further)
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
    let stored = name.as_deref().filter(|&name| name != UNKNOWN);
    let number = stored.map(|name| table.number(file, name.as_bytes()));
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
    let value = number(name, table, file)?;
    if name.is_some() && table.last() == before && !table.is_adopted() {
        table.skip_number();
    }
    Ok(value)
}

impl_game_copy!(Writer);

impl WriteEncoded for Writer<'_> {
    type Encoder = GameEncoder;

    fn state(&self) -> &WriterState<GameEncoder> {
        &self.state
    }

    fn state_mut(&mut self) -> &mut WriterState<GameEncoder> {
        &mut self.state
    }

    fn put(&mut self, _: &Game, encoded: &mut EncodedGame) -> Result<()> {
        let id = self.last + 1;
        let row = self.row(id, encoded)?;
        self.file.insert(self.columns.insert(), &row)?;
        self.last = id;
        Ok(())
    }

    fn game_copy(&mut self) -> Option<&mut dyn GameCopy> {
        Some(self)
    }

    fn close(mut self: Box<Self>) -> Result<()> {
        if let Some(rows) = self.copied.take() {
            let names = [&self.players, &self.events, &self.sites];
            rows.finish(&mut self.file, self.state.games(), names)?;
            return self.file.finish();
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
        insert_counts(&mut self.file, self.state.games(), names)?;
        self.file.finish()
    }
}
