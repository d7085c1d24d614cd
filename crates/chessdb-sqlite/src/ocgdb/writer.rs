//! Writing of a database of version 0.6, with moves as text (docs/formats/ocgdb.md, section 8).

use chessdb_core::files::FileSink;
use chessdb_core::files::Role;
use chessdb_core::model::Token;
use chessdb_core::options::Allow;
use chessdb_core::store::GameCopy;
use chessdb_core::text::TextId;
use chessdb_core::{Game, GameWrite, LossKind, Losses, Result, Start, WriteOptions};

use super::columns::is_reserved;
use super::format::{KNOWN, OCGDB_FILE};
use super::store::is_stored_date;
use crate::extras::Known;
use crate::file::Value;
use crate::numeric::survives_as_number;
use crate::write::{
    Columns, NameTable, PgnRow, RatingOrder, SET_INFO, SqliteWriter, base_losses, insert_counts,
    insert_info, insert_settings, lose_tag, number_after,
};
use crate::write::{CopiedRows, RowWriter, impl_game_copy};

/// A writer of databases.
pub struct Writer<'a> {
    file: SqliteWriter<'a>,
    allow: Allow,
    base_losses: Losses,
    columns: Columns,
    events: NameTable,
    sites: NameTable,
    players: NameTable,
    games: u32,
    /// The number of the last row.
    last: i64,
    copied: Option<Box<CopiedRows>>,
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

/// The columns of `Games`.
pub(super) const FIRST: [&str; 15] = [
    "ID",
    "EventID",
    "SiteID",
    "Date",
    "Round",
    "WhiteID",
    "WhiteElo",
    "BlackID",
    "BlackElo",
    "Result",
    "TimeControl",
    "ECO",
    "PlyCount",
    "FEN",
    "Moves",
];

const SET_RATING: &str = "UPDATE Players SET Elo = ?1 WHERE ID = ?2";

/// The cell of a tag.
enum Cell<'r> {
    /// The number of a name, in a column of this name.
    Name(&'static str, &'r [u8]),
    /// A text in a column that there is.
    Text(usize, Vec<u8>),
    /// A text in a new column.
    New(&'r str, Vec<u8>),
}

impl<'a> Writer<'a> {
    /// Starts a database.
    ///
    /// # Errors
    ///
    /// Returns an error if the sink or the temporary file fails, or if something of the database as
    /// a whole would be lost and this is not allowed.
    pub fn create(sink: &'a mut dyn FileSink, options: WriteOptions) -> Result<Writer<'a>> {
        let WriteOptions { allow, base, .. } = options;
        let lost = base_losses(&base, &[LossKind::Description], KNOWN.format);
        allow.check(&lost)?;
        let mut file = SqliteWriter::create(sink, OCGDB_FILE, TABLES)?;
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
        let names = |table| {
            let mut names = NameTable::new(table, "ID", "Name");
            names.skip_number();
            names
        };
        Ok(Writer {
            file,
            allow,
            base_losses: lost,
            columns: Columns::new(&FIRST),
            events: names("Events"),
            sites: names("Sites"),
            players: names("Players"),
            games: 0,
            last: 0,
            copied: None,
        })
    }

    /// Returns the cells of a game. Counts the tags that have none.
    fn cells<'r>(&self, game: &Game, row: &'r PgnRow, losses: &mut Losses) -> Vec<Cell<'r>> {
        let mut cells: Vec<Cell<'r>> = Vec::new();
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
                    cells.push(Cell::Name(column, value));
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
                None => Cell::New(name, text),
            });
        }
        cells
    }

    /// Returns the row of a game. New names and columns are added to their tables.
    fn row<'r>(
        &mut self,
        id: i64,
        game: &Game,
        pgn: &'r PgnRow,
        cells: &'r [Cell<'r>],
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
    const ABSENT: Option<i64> = Some(1);

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
        let [mut before, mut after] = [PgnRow::new(), PgnRow::new()];
        before.fill(old);
        after.fill(new);
        let [mut old_losses, mut losses] =
            [&mut before, &mut after].map(|row| std::mem::take(&mut row.losses));
        // The new version comes first: it may add columns, which the old row then has without
        // values.
        let new_cells = self.cells(new, &after, &mut losses);
        let new_row = self.row(row, new, &after, &new_cells)?;
        let old_cells = self.cells(old, &before, &mut old_losses);
        let old_row = self.row(row, old, &before, &old_cells)?;
        let (rows, columns) = (self.copied.as_deref(), self.columns.names());
        self.file
            .update(rows, row, columns, Some(&old_row), &new_row)?;
        Ok(losses.beyond(&old_losses))
    }

    fn count(&mut self) -> Result<()> {
        self.games = number_after(self.games)?;
        Ok(())
    }
}

impl_game_copy!(Writer);

impl GameWrite for Writer<'_> {
    fn assess(&self, game: &Game) -> Losses {
        let mut row = PgnRow::new();
        row.fill(game);
        let mut losses = std::mem::take(&mut row.losses);
        self.cells(game, &row, &mut losses);
        losses
    }

    fn write(&mut self, game: &Game) -> Result<Losses> {
        let mut pgn = PgnRow::new();
        pgn.fill(game);
        let mut losses = std::mem::take(&mut pgn.losses);
        let cells = self.cells(game, &pgn, &mut losses);
        self.allow.check(&losses)?;
        let games = number_after(self.games)?;
        let id = self.last + 1;
        let row = self.row(id, game, &pgn, &cells)?;
        self.file.insert(self.columns.insert(), &row)?;
        (self.games, self.last) = (games, id);
        Ok(losses)
    }

    fn copier(&mut self) -> Option<&mut dyn GameCopy> {
        Some(self)
    }

    fn base_losses(&self) -> &Losses {
        &self.base_losses
    }

    fn finish(mut self: Box<Self>) -> Result<u32> {
        if let Some(rows) = self.copied.take() {
            rows.finish(&mut self.file)?;
            self.file.finish()?;
            return Ok(self.games);
        }
        let names = [&self.players, &self.events, &self.sites];
        insert_counts(&mut self.file, self.games, names)?;
        insert_info(&mut self.file, "CommentCount", "0")?;
        self.file.finish()?;
        Ok(self.games)
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
