//! The values of a game that a list shows as columns.

use std::io::Write;
use std::str::FromStr;

use chessdb_core::Color;
use chessdb_core::model::GameFlags;
use chessdb_core::text::{plain, push_number, push_plain};
use chessdb_pgn::{GameText, Layout};
use chessdb_query::endings::ending;
use chessdb_query::openings::opening;
use chessdb_query::time_class::{TimeClass, TimeLimits};

use crate::Game;

/// A column of a list of games: a part of the header, a tag, or a property of the moves.
///
/// ```
/// use chessdb::columns::Column;
///
/// let column: Column = "WhiteElo".parse().unwrap();
/// assert_eq!((column.name(), column.title()), ("whiteelo", "Elo"));
/// assert_eq!("tag:Mode".parse::<Column>().unwrap().name(), "Mode");
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct Column(ColumnKind);

#[derive(Clone, PartialEq, Debug)]
enum ColumnKind {
    Known(&'static KnownColumn),
    Tag(String),
}

/// A column with its names, its title and its widths in characters.
#[derive(PartialEq, Debug)]
struct KnownColumn {
    name: &'static str,
    other_name: &'static str,
    title: &'static str,
    json: &'static str,
    width: usize,
    min_width: usize,
    hidden: u8,
    value: ColumnValue,
}

/// The value of a column.
#[derive(Clone, Copy, PartialEq, Debug)]
enum ColumnValue {
    Number,
    Date,
    Player(Color),
    Elo(Color),
    Result,
    Eco,
    Event,
    Site,
    Round,
    Deleted,
    Year,
    Plies,
    Movetext,
    OpeningName,
    Time,
    Ending,
    EndingSource,
    Database,
    HitPly,
    HitPosition,
}

macro_rules! known_columns {
    ($($name:literal $other:literal $title:literal $json:literal $width:literal $min:literal
       $hidden:literal $value:expr;)*) => {
        &[$(KnownColumn {
            name: $name,
            other_name: $other,
            title: $title,
            json: $json,
            width: $width,
            min_width: $min,
            hidden: $hidden,
            value: $value,
        }),*]
    };
}

/// The columns that are no tags. The first twelve are the default.
static KNOWN: &[KnownColumn] = known_columns! {
    "game" "number" "Game" "game" 7 7 0 ColumnValue::Number;
    "date" "" "Date" "date" 10 10 7 ColumnValue::Date;
    "white" "" "White" "white" 22 12 0 ColumnValue::Player(Color::White);
    "whiteelo" "" "Elo" "whiteElo" 4 4 6 ColumnValue::Elo(Color::White);
    "black" "" "Black" "black" 22 12 0 ColumnValue::Player(Color::Black);
    "blackelo" "" "Elo" "blackElo" 4 4 6 ColumnValue::Elo(Color::Black);
    "result" "" "Result" "result" 7 7 0 ColumnValue::Result;
    "eco" "" "ECO" "eco" 5 5 8 ColumnValue::Eco;
    "event" "" "Event" "event" 24 12 4 ColumnValue::Event;
    "site" "" "Site" "site" 16 8 1 ColumnValue::Site;
    "round" "" "Round" "round" 5 5 2 ColumnValue::Round;
    "deleted" "" "" "deleted" 7 7 3 ColumnValue::Deleted;
    "year" "" "Year" "year" 4 4 0 ColumnValue::Year;
    "plycount" "plies" "Plies" "plyCount" 5 5 0 ColumnValue::Plies;
    "movetext" "moves" "Moves" "movetext" 60 10 0 ColumnValue::Movetext;
    "openingname" "" "Opening name" "openingName" 32 10 0 ColumnValue::OpeningName;
    "time" "timeclass" "Time" "timeClass" 14 6 0 ColumnValue::Time;
    "ending" "" "Ending" "ending" 12 6 0 ColumnValue::Ending;
    "endingsource" "" "Known by" "endingSource" 11 6 0 ColumnValue::EndingSource;
    "base" "database" "Database" "base" 24 10 0 ColumnValue::Database;
    "ply" "" "Ply" "ply" 3 3 0 ColumnValue::HitPly;
    "position" "" "Position" "fen" 68 68 5 ColumnValue::HitPosition;
};

/// The number of columns of a list if the caller names none.
const DEFAULT: usize = 12;

/// Tags that are columns under their names. Any other tag is `tag:NAME`.
const TAGS: &[&str] = &[
    "WhiteTitle",
    "BlackTitle",
    "WhiteFideId",
    "BlackFideId",
    "EventDate",
    "Annotator",
    "Source",
    "Opening",
    "Variation",
    "TimeControl",
    "Termination",
    "UTCDate",
    "UTCTime",
    "FEN",
];

impl Column {
    /// Returns the columns with a fixed name: all except other tags.
    pub fn all() -> impl Iterator<Item = Column> {
        let tags = TAGS.iter().map(|tag| ColumnKind::Tag((*tag).to_owned()));
        KNOWN.iter().map(ColumnKind::Known).chain(tags).map(Column)
    }

    /// Returns the columns of a list if the caller names none.
    pub fn defaults() -> impl Iterator<Item = Column> {
        let columns = KNOWN.iter().take(DEFAULT).map(ColumnKind::Known);
        columns.map(Column)
    }

    /// Returns the ply and the position of a match.
    pub fn of_match() -> impl Iterator<Item = Column> {
        let is_hit = |value| matches!(value, ColumnValue::HitPly | ColumnValue::HitPosition);
        let columns = KNOWN.iter().filter(move |column| is_hit(column.value));
        columns.map(|column| Column(ColumnKind::Known(column)))
    }

    /// Returns the name of the database.
    pub fn database() -> Option<Column> {
        let mut columns = KNOWN.iter();
        columns
            .find(|column| column.value == ColumnValue::Database)
            .map(|column| Column(ColumnKind::Known(column)))
    }

    fn value(&self) -> Option<ColumnValue> {
        match &self.0 {
            ColumnKind::Known(column) => Some(column.value),
            ColumnKind::Tag(_) => None,
        }
    }

    /// Returns the name, which can be parsed unless it is a tag without a fixed column.
    pub fn name(&self) -> &str {
        match &self.0 {
            ColumnKind::Known(column) => column.name,
            ColumnKind::Tag(name) => name,
        }
    }

    /// Returns the heading in English.
    pub fn title(&self) -> &str {
        match &self.0 {
            ColumnKind::Known(column) => column.title,
            ColumnKind::Tag(name) => name,
        }
    }

    /// Returns the name of the member in JSON output.
    pub fn json(&self) -> &str {
        match &self.0 {
            ColumnKind::Known(column) => column.json,
            ColumnKind::Tag(name) => name,
        }
    }

    /// Returns the preferred and the minimum width in characters.
    pub fn widths(&self) -> (usize, usize) {
        match &self.0 {
            ColumnKind::Known(column) => (column.width, column.min_width),
            ColumnKind::Tag(name) => (name.len().max(16), 8),
        }
    }

    /// Returns when the column is hidden where space is short: first 1; 0 is never.
    pub fn hiding_rank(&self) -> u8 {
        match &self.0 {
            ColumnKind::Known(column) => column.hidden,
            ColumnKind::Tag(_) => 0,
        }
    }

    /// Returns whether the value is always a number.
    pub fn is_number(&self) -> bool {
        matches!(
            self.value(),
            Some(ColumnValue::Year | ColumnValue::Plies | ColumnValue::Elo(_))
        )
    }

    /// Returns whether the value is the name of a player.
    pub fn is_player(&self) -> bool {
        matches!(self.value(), Some(ColumnValue::Player(_)))
    }

    /// Returns whether the value needs the moves of the game. Tags may need the whole game too, as
    /// some formats store them with the moves.
    pub fn needs_moves(&self) -> bool {
        matches!(
            self.value(),
            Some(
                ColumnValue::Plies
                    | ColumnValue::Movetext
                    | ColumnValue::OpeningName
                    | ColumnValue::Ending
                    | ColumnValue::EndingSource
            )
        )
    }

    /// Returns whether the value is a tag that the header of the game does not contain.
    pub fn is_tag(&self) -> bool {
        self.value().is_none()
    }

    /// Appends the value of a game without control characters. `database` is the name of the
    /// database.
    pub fn append(&self, database: &str, game: &Game, line: &mut Vec<u8>) {
        let header = &game.header;
        let column = match &self.0 {
            ColumnKind::Known(column) => column,
            ColumnKind::Tag(name) => {
                // A name that is not a tag of the game leaves the column empty.
                let mut tags = game.tags();
                if let Some((_, value)) = tags.find(|(tag, _)| tag.eq_ignore_ascii_case(name)) {
                    line.extend_from_slice(plain(&value).as_bytes());
                }
                return;
            }
        };
        match column.value {
            ColumnValue::Number => push_number(game.number(), line),
            ColumnValue::Date => game.effective_date().write_pgn(line),
            ColumnValue::Player(color) => {
                push_plain(game.text(header.player(color).name.text), line);
            }
            ColumnValue::Elo(color) => {
                if let Some(rating) = header.player(color).rating {
                    push_number(rating.value.into(), line);
                }
            }
            ColumnValue::Result => {
                line.extend_from_slice(header.shown_result(&game.texts).as_bytes());
            }
            ColumnValue::Eco => {
                if let Some(eco) = header.eco {
                    eco.write_ascii(line);
                }
            }
            ColumnValue::Event => push_plain(game.text(header.event.text), line),
            ColumnValue::Site => push_plain(game.text(header.site.text), line),
            ColumnValue::Round => push_plain(game.text(header.round.text), line),
            ColumnValue::Deleted => {
                if header.flags.contains(GameFlags::DELETED) {
                    line.extend_from_slice(b"deleted");
                }
            }
            ColumnValue::Year => {
                let year = game.effective_date().year;
                if year > 0 {
                    push_number(year.into(), line);
                }
            }
            ColumnValue::Plies => push_number(game.plies(), line),
            ColumnValue::Movetext => {
                let mut text = Vec::new();
                GameText::new(Layout::with_width(0)).append_moves(game, &mut text);
                line.extend_from_slice(plain(&String::from_utf8_lossy(&text)).as_bytes());
            }
            ColumnValue::OpeningName => {
                if let Some(opening) = opening(game) {
                    line.extend_from_slice(opening.name.as_bytes());
                }
            }
            ColumnValue::Time => {
                let class = TimeClass::from_game(game, TimeLimits::Lichess);
                line.extend_from_slice(class.map_or("", TimeClass::name).as_bytes());
            }
            ColumnValue::Ending => {
                line.extend_from_slice(ending(game).map_or("", |(name, _)| name).as_bytes());
            }
            ColumnValue::EndingSource => {
                let source = ending(game).map_or("", |(_, source)| source.name());
                line.extend_from_slice(source.as_bytes());
            }
            ColumnValue::Database => line.extend_from_slice(plain(database).as_bytes()),
            ColumnValue::HitPly => {
                if let Some(hit) = game.found().hit() {
                    push_number(hit.ply(), line);
                }
            }
            ColumnValue::HitPosition => {
                if let Some(hit) = game.found().hit() {
                    // Writing to memory cannot fail.
                    let _ = write!(line, "{}", hit.board());
                }
            }
        }
    }
}

impl FromStr for Column {
    type Err = String;

    /// Parses a name, ignoring case.
    fn from_str(name: &str) -> Result<Column, String> {
        let name = name.trim();
        let is_name = |label: &str| !name.is_empty() && label.eq_ignore_ascii_case(name);
        let mut columns = KNOWN.iter();
        let is_named = |column: &&KnownColumn| is_name(column.name) || is_name(column.other_name);
        if let Some(column) = columns.find(is_named) {
            return Ok(Column(ColumnKind::Known(column)));
        }
        // Common tags need no prefix; any other name must have one, so that a typing error is
        // reported.
        if let Some(tag) = TAGS.iter().find(|tag| is_name(tag)) {
            return Ok(Column(ColumnKind::Tag((*tag).to_owned())));
        }
        match name.split_once(':') {
            Some((kind, tag)) if kind.eq_ignore_ascii_case("tag") && !tag.is_empty() => {
                Ok(Column(ColumnKind::Tag(tag.to_owned())))
            }
            _ => Err(format!(
                "there is no column {name:?}; a tag is tag:{name}; columns: {}",
                names().collect::<Vec<_>>().join(", ")
            )),
        }
    }
}

/// Returns the names of all columns; `tag:NAME` is any other tag.
pub fn names() -> impl Iterator<Item = &'static str> {
    let standard = KNOWN.iter().map(|column| column.name);
    standard.chain(TAGS.iter().copied()).chain(["tag:NAME"])
}
