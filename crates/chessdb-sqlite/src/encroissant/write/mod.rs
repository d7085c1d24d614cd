//! Writing of a database as the program makes it from a PGN file (docs/formats/encroissant.md).

use chessdb_core::files::FileSink;
use chessdb_core::loss::LossSet;
use chessdb_core::store::EncodeGame;
use chessdb_core::text::TextId;
use chessdb_core::{Format, Game, LossKind, Losses, Result, WriteOptions, rules};

mod columns;
mod encode;

use super::format::{FORMAT, INDEXES};
use crate::file::Value;
use crate::row_format::RowFormat;
use crate::write::{
    GamesTable, NameTable, NameTables, RowWriter, SET_INFO, SqliteWriter, WriteRows, insert_counts,
    insert_info, insert_settings, with_changes,
};
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
    with_changes::<Rows>(
        format
            .with_losses(LOSSES)
            .with_create(|sink, options| Ok(Box::new(Writer::create(sink, options)?))),
    )
}

/// A writer of databases.
pub type Writer<'a> = RowWriter<'a, Rows>;

/// The rows of games and names.
pub struct Rows {
    names: NameTables,
}

impl Default for Rows {
    fn default() -> Rows {
        Rows {
            names: NameTables::new(),
        }
    }
}

/// The encoder of games.
#[derive(Clone, Default, Debug)]
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
        let base = &options.base;
        let text = |id: TextId| base.texts.get(id).decode().into_owned();
        // The program lists databases by their title.
        let own = text(base.title);
        let name = sink.name().filter(|_| own.is_empty());
        let title = name
            .map(str::to_owned)
            .or(base.title.is_some().then_some(own));
        let kinds = [LossKind::BaseTitle, LossKind::Description];
        let mut writer = RowWriter::start(sink, TABLES, &kinds, &options)?;
        let file = &mut writer.table.file;
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
                insert_info(file, name, &value)?;
            }
        }
        insert_settings(file, SET_INFO, base, FORMAT.known.format)?;
        Ok(writer)
    }
}

impl WriteRows for Rows {
    type Encoder = GameEncoder;

    const FORMAT: &'static RowFormat = &FORMAT;

    /// Returns the values of [`COLUMNS`](super::store::COLUMNS).
    fn row<'r>(
        &mut self,
        table: &mut GamesTable<'_>,
        id: i64,
        _: &Game,
        EncodedGame { columns, moves }: &'r EncodedGame,
    ) -> Result<Vec<Value<'r>>> {
        let file = &mut table.file;
        let [players, events, sites] = self.names.each();
        let [white_material, black_material] = moves.material;
        Ok(vec![
            Value::Int(id),
            by_use(&columns.event, events, file)?,
            by_use(&columns.site, sites, file)?,
            text(&columns.date),
            text(&columns.utc_time),
            text(&columns.round),
            number(&columns.white, players, file)?,
            int(columns.white_elo),
            number(&columns.black, players, file)?,
            int(columns.black_elo),
            Value::Int(white_material),
            Value::Int(black_material),
            text(&columns.result),
            text(&columns.time_control),
            text(&columns.eco),
            Value::Int(moves.plies.into()),
            text(&columns.fen),
            Value::Blob(&moves.blob),
            Value::Int(moves.pawn_home),
        ])
    }

    fn names(&mut self) -> Option<&mut NameTables> {
        Some(&mut self.names)
    }

    fn finish_new(&mut self, file: &mut SqliteWriter<'_>, games: u32) -> Result<()> {
        let [_, events, sites] = self.names.each();
        for (table, names) in [("Events", events), ("Sites", sites)] {
            file.execute(&format!(
                "UPDATE sqlite_sequence SET seq = {} WHERE name = '{table}'",
                names.last()
            ))?;
        }
        for (name, column) in INDEXES {
            file.execute(&format!("CREATE INDEX {name} ON Games({column})"))?;
        }
        insert_counts(file, games, &self.names)
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
