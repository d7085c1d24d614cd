//! Writing of a database of version 0.6, with moves as text (docs/formats/ocgdb.md, section 8).

use chessdb_core::files::FileSink;
use chessdb_core::loss::LossSet;
use chessdb_core::model::Token;
use chessdb_core::store::EncodeGame;
use chessdb_core::text::TextId;
use chessdb_core::{Format, Game, LossKind, Losses, Result, Start, WriteOptions};

use super::columns::{OTHERS, PLIES, TAGS};
use super::format::FORMAT;
use super::store::{FIRST, is_stored_date};
use crate::file::Value;
use crate::row_format::RowFormat;
use crate::write::numeric::survives_as_number;
use crate::write::{
    COLUMN_LOSSES, Columns, GamesTable, NameTable, NameTables, PgnRow, RatingOrder, RowWriter,
    SET_INFO, SqliteWriter, WriteRows, insert_counts, insert_info, insert_settings, lose_tag,
    with_changes,
};

/// The losses of this format (docs/formats/ocgdb.md, section 8): those of PGN, which the column of
/// moves contains, and those of the other columns.
const LOSSES: LossSet = chessdb_pgn::PGN
    .losses
    .with(&COLUMN_LOSSES)
    .with(&[LossKind::EmptyTag, LossKind::Date]);

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
        let mut names = NameTables::new();
        names.each().iter_mut().for_each(NameTable::skip_number);
        Rows { names }
    }
}

/// The encoder of games.
#[derive(Clone, Default, Debug)]
pub struct GameEncoder;

/// A game as PGN, and the cells of its tags.
#[derive(Default)]
pub struct EncodedGame {
    pgn: PgnRow,
    cells: Vec<Cell>,
}

impl EncodeGame for GameEncoder {
    type Encoded = EncodedGame;

    fn encode(&self, game: &Game, encoded: &mut EncodedGame, losses: &mut Losses) -> Result<bool> {
        encoded.pgn.fill(game, losses);
        Ok(true)
    }
}

/// The tables (section 1). Row 1 of the tables of names is an absent tag.
const TABLES: &str = "
CREATE TABLE Info (Name TEXT UNIQUE NOT NULL, Value TEXT);
CREATE TABLE Events (ID INTEGER PRIMARY KEY AUTOINCREMENT, Name TEXT UNIQUE);
CREATE TABLE Sites (ID INTEGER PRIMARY KEY AUTOINCREMENT, Name TEXT UNIQUE);
CREATE TABLE Players (ID INTEGER PRIMARY KEY, Name TEXT UNIQUE, Elo INTEGER);
CREATE TABLE Games (ID INTEGER PRIMARY KEY AUTOINCREMENT, EventID INTEGER, SiteID INTEGER, \
Date TEXT, Round TEXT, WhiteID INTEGER, WhiteElo INTEGER, BlackID INTEGER, BlackElo INTEGER, \
Result TEXT, TimeControl TEXT, ECO TEXT, PlyCount INTEGER, FEN TEXT, Moves TEXT, \
FOREIGN KEY(EventID) REFERENCES Events, FOREIGN KEY(SiteID) REFERENCES Sites, \
FOREIGN KEY(WhiteID) REFERENCES Players, FOREIGN KEY(BlackID) REFERENCES Players);
CREATE TABLE Comments (ID INTEGER PRIMARY KEY AUTOINCREMENT, GameID INTEGER, Ply INTEGER, \
Comment TEXT);
INSERT INTO Events (ID, Name) VALUES (1, '');
INSERT INTO Sites (ID, Name) VALUES (1, '');
INSERT INTO Players (ID, Name) VALUES (1, '');";

const SET_RATING: &str = "UPDATE Players SET Elo = ?1 WHERE ID = ?2";

/// The cell of a tag.
enum Cell {
    /// The number of a name, in a column of this name.
    Name(&'static str, Vec<u8>),
    /// A text in a column that there is.
    Text(usize, Vec<u8>),
    /// A text in a new column.
    New(String, Vec<u8>),
}

impl<'a> Writer<'a> {
    /// Starts a database.
    ///
    /// # Errors
    ///
    /// Returns an error if the sink or the temporary file fails, or if something of the database as
    /// a whole would be lost and this is not allowed.
    pub fn create(sink: &'a mut dyn FileSink, options: WriteOptions) -> Result<Writer<'a>> {
        let base = &options.base;
        let mut writer = RowWriter::start(sink, TABLES, &[LossKind::Description], &options)?;
        let file = &mut writer.table.file;
        let text = |id: TextId| base.texts.get(id).decode().into_owned();
        for (name, value) in [
            ("Data Structure Version", "0.6"),
            ("Version", "0.1"),
            ("License", "free"),
            ("Description", &text(base.description)),
            ("Variant", "standard"),
        ] {
            insert_info(file, name, value)?;
        }
        insert_settings(file, SET_INFO, base, FORMAT.known.format)?;
        Ok(writer)
    }
}

impl WriteRows for Rows {
    type Encoder = GameEncoder;

    const FORMAT: &'static RowFormat = &FORMAT;

    fn fit(&self, columns: &Columns, game: &Game, encoded: &mut EncodedGame, losses: &mut Losses) {
        encoded.cells = cells(columns, game, &encoded.pgn, losses);
    }

    fn row<'r>(
        &mut self,
        table: &mut GamesTable<'_>,
        id: i64,
        game: &Game,
        EncodedGame { pgn, cells }: &'r EncodedGame,
    ) -> Result<Vec<Value<'r>>> {
        for cell in cells {
            if let Cell::New(name, _) = cell
                && table.columns.place(name).is_none()
            {
                table.add_column(name, "TEXT")?;
            }
        }
        let GamesTable { file, columns } = table;
        let place = |name| columns.place(name).unwrap_or(usize::MAX);
        let mut values: Vec<(usize, Value<'_>)> = vec![
            (place("ID"), Value::Int(id)),
            (place("PlyCount"), Value::Int(mainline(game))),
            (place("Moves"), Value::Text(&pgn.moves)),
        ];
        // A cell of the game replaces the number of the absent name.
        for column in ["EventID", "SiteID", "WhiteID", "BlackID"] {
            values.push((place(column), Value::Int(1)));
        }
        for cell in cells {
            let cell = match cell {
                Cell::Name(column, name) => {
                    let tag = match *column {
                        "WhiteID" => Some("WhiteElo"),
                        "BlackID" => Some("BlackElo"),
                        _ => None,
                    };
                    let rating = tag.and_then(|tag| pgn.tag(tag));
                    let number = self.number(file, column, name, rating)?;
                    (place(column), Value::Int(number))
                }
                Cell::Text(place, text) => (*place, Value::Text(text)),
                Cell::New(name, text) => (place(name), Value::Text(text)),
            };
            values.push(cell);
        }
        Ok(columns.row(values))
    }

    fn names(&mut self) -> Option<&mut NameTables> {
        Some(&mut self.names)
    }

    fn finish_new(&mut self, file: &mut SqliteWriter<'_>, games: u32) -> Result<()> {
        insert_counts(file, games, &self.names)?;
        insert_info(file, "CommentCount", "0")
    }
}

impl Rows {
    /// Returns the number of a name. The rating of a player is that of the first game.
    fn number(
        &mut self,
        file: &mut SqliteWriter<'_>,
        column: &str,
        name: &[u8],
        rating: Option<&[u8]>,
    ) -> Result<i64> {
        let [players, events, sites] = self.names.each();
        let table = match column {
            "EventID" => events,
            "SiteID" => sites,
            _ => players,
        };
        let before = table.last();
        let number = table.number(file, name)?;
        // A number above the last one belongs to a new name.
        if let Some(rating) = rating.filter(|_| number > before) {
            let row = [Value::Text(rating), Value::Int(number)];
            file.insert(SET_RATING, &row)?;
        }
        Ok(number)
    }
}

/// Returns the cells of a game. Counts the tags that have none.
fn cells(columns: &Columns, game: &Game, row: &PgnRow, losses: &mut Losses) -> Vec<Cell> {
    let mut cells = Vec::new();
    let mut seen: Vec<&str> = Vec::new();
    let mut ratings = RatingOrder::new(game, row, columns);
    let mut next = columns.len();
    for (name, value) in row.tags() {
        // A start position implies it.
        if name == "SetUp" && value == b"1" && game.header.start != Start::Standard {
            continue;
        }
        let is_twin = seen.iter().any(|other| other.eq_ignore_ascii_case(name));
        seen.push(name);
        if value.is_empty() {
            losses.add(LossKind::EmptyTag, None);
            continue;
        }
        let column = match name {
            "Event" => Some("EventID"),
            "Site" => Some("SiteID"),
            "White" => Some("WhiteID"),
            "Black" => Some("BlackID"),
            _ => None,
        };
        if let Some(column) = column.filter(|_| !is_twin) {
            // An absent name, which readers take for this one.
            if value != b"?" {
                cells.push(Cell::Name(column, value.to_vec()));
            }
            continue;
        }
        let place = columns.place(name);
        let is_fixed = place.is_some_and(|place| place < FIRST.len());
        let same = place.and_then(|place| columns.name(place)) == Some(name);
        let is_possible = match place {
            Some(_) => same && (!is_fixed || !is_reserved(name)),
            None => columns.has_room() && !is_reserved(name),
        };
        if is_twin || !is_possible || !ratings.add(name, place.unwrap_or(next)) {
            lose_tag(game, name, !is_twin, losses);
            continue;
        }
        next += usize::from(place.is_none());
        let text = stored(name, value, losses);
        cells.push(match place {
            Some(place) => Cell::Text(place, text),
            None => Cell::New(name.to_owned(), text),
        });
    }
    cells
}

/// Returns whether a column with this name means something else than the tag of this name.
fn is_reserved(name: &str) -> bool {
    let is_other = |own: &&str| own.eq_ignore_ascii_case(name);
    let is_alias = |&(own, tag): &(&str, &str)| own.eq_ignore_ascii_case(name) && tag != name;
    OTHERS.iter().chain(&PLIES).any(is_other) || TAGS.iter().any(is_alias)
}

/// Returns the text of a column (section 1), and counts what a reader does not give back.
fn stored(name: &str, value: &[u8], losses: &mut Losses) -> Vec<u8> {
    let text = String::from_utf8_lossy(value);
    match name {
        "WhiteElo" | "BlackElo" if text == "0" => losses.add(LossKind::EmptyTag, None),
        "WhiteElo" | "BlackElo" if !survives_as_number(&text) => {
            losses.add(LossKind::Rating, None);
        }
        name if name.contains("Date") => {
            let hyphens: Vec<u8> = value
                .iter()
                .map(|&byte| if byte == b'.' { b'-' } else { byte })
                .collect();
            if is_stored_date(value) {
                // It has hyphens already.
                losses.add(
                    match name {
                        "Date" => LossKind::Date,
                        "EventDate" => LossKind::EventDate,
                        _ => LossKind::TagText,
                    },
                    None,
                );
            } else if is_stored_date(&hyphens) {
                return hyphens;
            }
        }
        _ => {}
    }
    value.to_vec()
}

/// Returns the number of half-moves of the mainline.
fn mainline(game: &Game) -> i64 {
    let mut depth = 0_i64;
    let mut plies = 0;
    for token in game.moves.tokens() {
        match token {
            Token::Open(_) => depth += 1,
            Token::Close => depth -= 1,
            Token::Move(_) if depth == 0 => plies += 1,
            _ => {}
        }
    }
    plies
}
