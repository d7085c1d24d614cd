//! The columns of `ls` and `find`.

use std::io::Write;
use std::str::FromStr;

use chessdb::core::model::GameFlags;
use chessdb::core::text::push_number;
use chessdb::pgn::{GameText, Layout};
use chessdb::{Color, Game};

use crate::output::{plain, push_plain};

/// A column with its name for `--columns`, its title and its widths on a terminal.
#[derive(PartialEq, Debug)]
pub(crate) struct KnownColumn {
    pub(crate) name: &'static str,
    other_name: &'static str,
    pub(crate) title: &'static str,
    /// The member of JSON output.
    pub(crate) json: &'static str,
    width: usize,
    min_width: usize,
    /// When the column is hidden on a narrow terminal: first 1; 0 is never.
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
    Base,
    HitPly,
    HitPosition,
}

/// The columns hidden from here on come after the names were made narrower.
const AFTER_NAMES: u8 = 6;

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
    "base" "database" "Database" "base" 24 10 0 ColumnValue::Base;
    "ply" "" "Ply" "ply" 3 3 0 ColumnValue::HitPly;
    "position" "" "Position" "fen" 68 68 5 ColumnValue::HitPosition;
};

/// The number of default columns.
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

/// A column of a list.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum ListColumn {
    Known(&'static KnownColumn),
    Tag(String),
}

/// The columns of a list of games, in order.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct ListColumns(Vec<ListColumn>);

impl Default for ListColumns {
    fn default() -> ListColumns {
        let known = KNOWN.iter().take(DEFAULT);
        ListColumns(known.map(ListColumn::Known).collect())
    }
}

impl FromStr for ListColumns {
    type Err = String;

    /// Parses names separated by commas, ignoring case.
    fn from_str(text: &str) -> Result<ListColumns, String> {
        let column = |name: &str| {
            let name = name.trim();
            let is_name = |known: &str| !name.is_empty() && known.eq_ignore_ascii_case(name);
            let mut known = KNOWN.iter();
            if let Some(known) = known.find(|one| is_name(one.name) || is_name(one.other_name)) {
                return Ok(ListColumn::Known(known));
            }
            if let Some(tag) = TAGS.iter().find(|tag| is_name(tag)) {
                return Ok(ListColumn::Tag((*tag).to_owned()));
            }
            match name.split_once(':') {
                Some((kind, tag)) if kind.eq_ignore_ascii_case("tag") && !tag.is_empty() => {
                    Ok(ListColumn::Tag(tag.to_owned()))
                }
                _ => Err(format!(
                    "there is no column {name:?}; columns: {}",
                    names().collect::<Vec<_>>().join(", ")
                )),
            }
        };
        text.split(',')
            .map(column)
            .collect::<Result<_, _>>()
            .map(ListColumns)
    }
}

/// Returns the names of all columns.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    let known = KNOWN.iter().map(|column| column.name);
    known.chain(TAGS.iter().copied()).chain(["tag:NAME"])
}

impl ListColumn {
    pub(crate) fn title(&self) -> &str {
        match self {
            ListColumn::Known(known) => known.title,
            ListColumn::Tag(name) => name,
        }
    }

    /// Returns the name of the member in JSON output.
    pub(crate) fn json(&self) -> &str {
        match self {
            ListColumn::Known(known) => known.json,
            ListColumn::Tag(name) => name,
        }
    }

    /// Returns the preferred and the minimum width.
    fn widths(&self) -> (usize, usize) {
        match self {
            ListColumn::Known(known) => (known.width, known.min_width),
            ListColumn::Tag(name) => (name.len().max(16), 8),
        }
    }

    fn min_width(&self) -> usize {
        self.widths().1
    }

    /// Returns whether JSON output has the value as a number.
    pub(crate) fn is_number(&self) -> bool {
        let ListColumn::Known(known) = self else {
            return false;
        };
        matches!(known.value, ColumnValue::Year | ColumnValue::Plies)
    }

    fn hidden(&self) -> u8 {
        match self {
            ListColumn::Known(known) => known.hidden,
            ListColumn::Tag(_) => 0,
        }
    }

    fn is_player(&self) -> bool {
        matches!(
            self,
            ListColumn::Known(KnownColumn {
                value: ColumnValue::Player(_),
                ..
            })
        )
    }

    /// Appends the value without control characters. `base` is the name of the database.
    pub(crate) fn append(&self, base: &str, game: &Game, line: &mut Vec<u8>) {
        let header = &game.header;
        let known = match self {
            ListColumn::Known(known) => known,
            ListColumn::Tag(name) => {
                let mut tags = game.tags();
                if let Some((_, value)) = tags.find(|(known, _)| known.eq_ignore_ascii_case(name)) {
                    line.extend_from_slice(plain(&value).as_bytes());
                }
                return;
            }
        };
        match known.value {
            ColumnValue::Number => push_number(game.number(), line),
            ColumnValue::Date => header.date.write_pgn(line),
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
                if header.date.year > 0 {
                    push_number(header.date.year.into(), line);
                }
            }
            ColumnValue::Plies => push_number(game.plies(), line),
            ColumnValue::Movetext => {
                let mut text = Vec::new();
                GameText::new(Layout::with_width(0)).append_moves(game, &mut text);
                line.extend_from_slice(plain(&String::from_utf8_lossy(&text)).as_bytes());
            }
            ColumnValue::Base => line.extend_from_slice(plain(base).as_bytes()),
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

impl ListColumns {
    pub(crate) fn iter(&self) -> impl Iterator<Item = &ListColumn> {
        self.0.iter()
    }

    /// Returns the columns followed by the ply and position of a match.
    pub(crate) fn with_hit(mut self) -> ListColumns {
        let known = KNOWN.iter().map(ListColumn::Known);
        let hit = known.filter(|column| matches!(column.json(), "ply" | "fen"));
        self.0.extend(hit);
        self
    }

    /// Returns the columns after the name of the database.
    pub(crate) fn after_base(mut self) -> ListColumns {
        let mut known = KNOWN.iter();
        let base = known.find(|known| known.value == ColumnValue::Base);
        self.0.splice(0..0, base.map(ListColumn::Known));
        self
    }

    /// Returns whether the values need the moves of a game.
    pub(crate) fn need_moves(&self) -> bool {
        self.iter().any(|column| {
            let ListColumn::Known(known) = column else {
                return false;
            };
            matches!(known.value, ColumnValue::Plies | ColumnValue::Movetext)
        })
    }

    /// Returns the widths of the columns in a line of `available` cells; 0 hides a column, which
    /// happens only if `hides` is set. The players' names are narrowed last.
    pub(crate) fn widths(&self, available: usize, hides: bool) -> Vec<usize> {
        let mut fitting = Fitting {
            columns: &self.0,
            widths: self.iter().map(|column| column.widths().0).collect(),
            available,
        };
        fitting.narrow(false, ListColumn::min_width);
        if hides {
            fitting.hide(1..AFTER_NAMES);
        }
        fitting.narrow(true, ListColumn::min_width);
        if hides {
            fitting.hide(AFTER_NAMES..u8::MAX);
        }
        fitting.narrow(false, |_| 1);
        fitting.narrow(true, |_| 1);
        fitting.widen();
        fitting.widths
    }
}

/// The columns while they are fitted into a line.
struct Fitting<'c> {
    columns: &'c [ListColumn],
    widths: Vec<usize>,
    available: usize,
}

impl Fitting<'_> {
    /// Returns the width of a line with a space between columns.
    fn used(&self) -> usize {
        let shown = self.widths.iter().filter(|width| **width > 0);
        shown
            .map(|width| width + 1)
            .sum::<usize>()
            .saturating_sub(1)
    }

    /// Narrows the players' names, or the other columns from the last one on.
    fn narrow(&mut self, players: bool, least: fn(&ListColumn) -> usize) {
        let mut excess = self.used().saturating_sub(self.available);
        let columns = self.columns.iter().zip(&mut self.widths).rev();
        let mut columns: Vec<_> = columns
            .filter(|(column, width)| column.is_player() == players && **width > 0)
            .collect();
        // One cell at a time, so that several names stay equally wide.
        while excess > 0 {
            let before = excess;
            for (column, width) in &mut columns {
                if excess > 0 && **width > least(column) {
                    **width -= 1;
                    excess -= 1;
                }
            }
            if excess == before {
                return;
            }
        }
    }

    fn hide(&mut self, ranks: std::ops::Range<u8>) {
        for rank in ranks {
            for (n, column) in self.columns.iter().enumerate() {
                if column.hidden() == rank
                    && self.used() > self.available
                    && let Some(width) = self.widths.get_mut(n)
                {
                    *width = 0;
                }
            }
        }
    }

    /// Uses cells that hidden columns left over, for the names first.
    fn widen(&mut self) {
        let mut free = self.available.saturating_sub(self.used());
        for players in [true, false] {
            for (column, width) in self.columns.iter().zip(&mut self.widths) {
                if column.is_player() == players && *width > 0 {
                    let more = free.min(column.widths().0.saturating_sub(*width));
                    *width += more;
                    free -= more;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fitted(columns: ListColumns, available: usize) -> Vec<(String, usize)> {
        let widths = columns.widths(available, true);
        let used: usize = widths
            .iter()
            .filter(|width| **width > 0)
            .map(|width| width + 1)
            .sum();
        assert!(used <= available + 1, "{available}: {widths:?}");
        let titles = columns.iter().map(|column| column.json().to_owned());
        titles.zip(widths).filter(|(_, width)| *width > 0).collect()
    }

    #[test]
    fn lines_fit_and_names_are_narrowed_last() {
        let names = |columns: &[(String, usize)]| -> Vec<String> {
            columns.iter().map(|(name, _)| name.clone()).collect()
        };
        let whole = fitted(ListColumns::default(), 200);
        assert_eq!(whole.len(), 12);
        let eighty = fitted(ListColumns::default(), 80);
        let expected = "game date white whiteElo black blackElo result eco";
        assert_eq!(names(&eighty).join(" "), expected);
        assert!(eighty.contains(&("white".to_owned(), 18)), "{eighty:?}");
        let hit = fitted(ListColumns::default().with_hit(), 200);
        assert!(names(&hit).contains(&"fen".to_owned()));
        let mut last = 0;
        for available in 30..250 {
            for columns in [ListColumns::default(), ListColumns::default().with_hit()] {
                let fitted = fitted(columns, available);
                assert!(names(&fitted).contains(&"white".to_owned()));
                let is_narrow = fitted
                    .iter()
                    .any(|(name, width)| name == "white" && *width < 22);
                let has_event = names(&fitted).contains(&"event".to_owned());
                assert!(!(is_narrow && has_event), "{available}: {fitted:?}");
            }
            let columns = fitted(ListColumns::default(), available).len();
            assert!(columns >= last, "{available}");
            last = columns;
        }
    }

    #[test]
    fn every_name_is_a_column_in_any_case() {
        for name in names() {
            for name in [name.to_uppercase(), name.to_lowercase()] {
                let columns: ListColumns = name.parse().unwrap();
                assert_eq!(columns.iter().count(), 1, "{name}");
            }
        }
        assert_eq!(
            "Plies,MOVES".parse::<ListColumns>(),
            "plycount,movetext".parse()
        );
        for wrong in ["", "white,,black", "whit", "tag:", "white black"] {
            let error = wrong.parse::<ListColumns>().unwrap_err();
            assert!(error.contains("columns: game, date,"), "{error}");
        }
    }
}
