//! Writing of a database of version 0.6, with moves as text (docs/formats/ocgdb.md, section 8).

use chessdb_core::files::{FileSink, Role};
use chessdb_core::loss::LossSet;
use chessdb_core::model::Token;
use chessdb_core::options::Allow;
use chessdb_core::store::{EncodeGame, GameCopy, WriteEncoded, WriterState};
use chessdb_core::text::TextId;
use chessdb_core::{Format, Game, LossKind, Losses, Result, Start, WriteOptions};

use super::columns::{OTHERS, PLIES, TAGS};
use super::format::{KNOWN, OCGDB_FILE, WAL};
use super::store::{FIRST, is_stored_date};
use crate::extras::Known;
use crate::file::Value;
use crate::write::numeric::survives_as_number;
use crate::write::{
    COLUMN_LOSSES, Columns, NameTable, PgnRow, RatingOrder, SET_INFO, SqliteWriter, append,
    base_losses, change, insert_counts, insert_info, insert_settings, lose_tag, with_disk,
};
use crate::write::{CopiedRows, RowWriter, impl_game_copy};

/// The losses of this format (docs/formats/ocgdb.md, section 8): those of PGN, which the column of
/// moves contains, and those of the other columns.
const LOSSES: LossSet = chessdb_pgn::PGN
    .losses
    .with(&COLUMN_LOSSES)
    .with(&[LossKind::EmptyTag, LossKind::Date]);

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
    events: NameTable,
    sites: NameTable,
    players: NameTable,
    /// The number of the last row.
    last: i64,
    copied: Option<Box<CopiedRows>>,
}

/// The encoder of games.
#[derive(Clone, Debug)]
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
        let compacts = options.renumbers_names;
        let WriteOptions { allow, base, .. } = options;
        let lost = base_losses(&base, &[LossKind::Description], KNOWN.format);
        let state = WriterState::new(GameEncoder, allow, lost)?;
        let mut file = SqliteWriter::create(sink, OCGDB_FILE, TABLES)?;
        file.compacts = compacts;
        let text = |id: TextId| base.texts.get(id).decode().into_owned();
        for (name, value) in [
            ("Data Structure Version", "0.6"),
            ("Version", "0.1"),
            ("License", "free"),
            ("Description", &text(base.description)),
            ("Variant", "standard"),
        ] {
            insert_info(&mut file, name, value)?;
        }
        insert_settings(&mut file, SET_INFO, &base, KNOWN.format)?;
        Ok(Writer::with_file(file, state))
    }

    fn with_file(file: SqliteWriter<'a>, state: WriterState<GameEncoder>) -> Writer<'a> {
        let names = |table| {
            let mut names = NameTable::new(table, "ID", "Name");
            names.skip_number();
            names
        };
        Writer {
            file,
            state,
            columns: Columns::new(&FIRST),
            events: names("Events"),
            sites: names("Sites"),
            players: names("Players"),
            last: 0,
            copied: None,
        }
    }

    /// Returns the cells of a game. Counts the tags that have none.
    fn cells(&self, game: &Game, row: &PgnRow, losses: &mut Losses) -> Vec<Cell> {
        let mut cells = Vec::new();
        let mut seen: Vec<&str> = Vec::new();
        let mut ratings = RatingOrder::new(game, row, &self.columns);
        let mut next = self.columns.len();
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
            let place = self.columns.place(name);
            let is_fixed = place.is_some_and(|place| place < FIRST.len());
            let same = place.and_then(|place| self.columns.name(place)) == Some(name);
            let is_possible = match place {
                Some(_) => same && (!is_fixed || !is_reserved(name)),
                None => self.columns.has_room() && !is_reserved(name),
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

    /// Returns the row of a game. New names and columns are added to their tables.
    fn row<'r>(
        &mut self,
        id: i64,
        game: &Game,
        EncodedGame { pgn, cells }: &'r EncodedGame,
    ) -> Result<Vec<Value<'r>>> {
        for cell in cells {
            if let Cell::New(name, _) = cell
                && self.columns.place(name).is_none()
            {
                let (_, statement) = self.columns.add(name, "TEXT");
                self.file.execute(&statement)?;
            }
        }
        let place = |columns: &Columns, name| columns.place(name).unwrap_or(usize::MAX);
        let mut values: Vec<(usize, Value<'_>)> = vec![
            (place(&self.columns, "ID"), Value::Int(id)),
            (place(&self.columns, "PlyCount"), Value::Int(mainline(game))),
            (place(&self.columns, "Moves"), Value::Text(&pgn.moves)),
        ];
        // A cell of the game replaces the number of the absent name.
        for column in ["EventID", "SiteID", "WhiteID", "BlackID"] {
            values.push((place(&self.columns, column), Value::Int(1)));
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
                    let number = self.number(column, name, rating)?;
                    (place(&self.columns, column), Value::Int(number))
                }
                Cell::Text(place, text) => (*place, Value::Text(text)),
                Cell::New(name, text) => (place(&self.columns, name), Value::Text(text)),
            };
            values.push(cell);
        }
        Ok(self.columns.row(values))
    }

    /// Returns the number of a name. The rating of a player is that of the first game.
    fn number(&mut self, column: &str, name: &[u8], rating: Option<&[u8]>) -> Result<i64> {
        let table = match column {
            "EventID" => &mut self.events,
            "SiteID" => &mut self.sites,
            _ => &mut self.players,
        };
        let before = table.last();
        let number = table.number(&mut self.file, name)?;
        // A number above the last one belongs to a new name.
        if let Some(rating) = rating.filter(|_| number > before) {
            let row = [Value::Text(rating), Value::Int(number)];
            self.file.insert(SET_RATING, &row)?;
        }
        Ok(number)
    }
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

impl<'a> RowWriter<'a> for Writer<'a> {
    const KNOWN: &'static Known = &KNOWN;
    const ROLE: Role = OCGDB_FILE;
    const LOG: Role = WAL;
    const TABLES: &'static [(&'static str, &'static [&'static str])] = &[
        ("Games", &FIRST),
        ("Players", &["ID", "Name"]),
        ("Events", &["ID", "Name"]),
        ("Sites", &["ID", "Name"]),
    ];
    const ABSENT: Option<i64> = Some(1);

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
        self.columns.adopt(self.file.columns("Games")?);
        self.last = self.file.last_number("Games", "ID")?;
        Ok(())
    }

    fn change(&mut self, row: i64, old: &Game, new: &Game) -> Result<Losses> {
        let [mut before, mut after] = [EncodedGame::default(), EncodedGame::default()];
        let [mut old_losses, mut losses] = [Losses::new(), Losses::new()];
        // The new version comes first: it may add columns, which the old row then has without
        // values.
        GameEncoder.encode(new, &mut after, &mut losses)?;
        self.fit(new, &mut after, &mut losses);
        let new_row = self.row(row, new, &after)?;
        GameEncoder.encode(old, &mut before, &mut old_losses)?;
        self.fit(old, &mut before, &mut old_losses);
        let old_row = self.row(row, old, &before)?;
        let (rows, columns) = (self.copied.as_deref(), self.columns.names());
        self.file
            .update(rows, row, columns, Some(&old_row), &new_row)?;
        Ok(losses.beyond(&old_losses))
    }
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

    fn fit(&self, game: &Game, encoded: &mut EncodedGame, losses: &mut Losses) -> bool {
        encoded.cells = self.cells(game, &encoded.pgn, losses);
        true
    }

    fn put(&mut self, game: &Game, encoded: &mut EncodedGame) -> Result<()> {
        let id = self.last + 1;
        let row = self.row(id, game, encoded)?;
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
        let names = [&self.players, &self.events, &self.sites];
        insert_counts(&mut self.file, self.state.games(), names)?;
        insert_info(&mut self.file, "CommentCount", "0")?;
        self.file.finish()
    }
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
