//! The values by which games are grouped: openings, players, years, time classes.

use std::str::FromStr;

use chessdb_core::model::Eco;
use chessdb_core::{Color, Game};

use crate::endings::same_moves;
use crate::names::{is_named, known_text};
use crate::openings::opening;
use crate::time_class::{TimeClass, TimeLimits};

/// The value by which games are grouped.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum GroupKey {
    /// The ECO code of the game, or else of the position reached.
    Eco,
    /// The letter of the ECO code.
    EcoLetter,
    /// The opening with its main variation.
    Opening,
    /// The opening without its variations.
    Family,
    /// Each of both players.
    Player,
    /// The player of the white pieces.
    White,
    /// The player of the black pieces.
    Black,
    /// The event.
    Event,
    /// The site.
    Site,
    /// The annotator.
    Annotator,
    /// The year.
    Year,
    /// Year and month.
    Month,
    /// Year, month and day.
    Day,
    /// Ten years, such as 1990 to 1999.
    Decade,
    /// The average rating of both players, in steps of 100.
    Elo,
    /// The number of moves, in steps of 10.
    Moves,
    /// The time control.
    TimeControl,
    /// The time class, by these limits.
    TimeClass(TimeLimits),
    /// The value of the tag with this name.
    Tag(String),
    /// The position after this number of half-moves of the mainline, as the four fields of EPD. The
    /// en passant square is only set if a pawn can capture there.
    Position(u16),
}

/// The names of the keys, for help texts and messages.
pub const GROUP_KEYS: [&str; 21] = [
    "eco",
    "ecoletter",
    "opening",
    "family",
    "player",
    "white",
    "black",
    "event",
    "site",
    "annotator",
    "year",
    "month",
    "day",
    "decade",
    "elo",
    "moves",
    "time",
    "time:fide",
    "timecontrol",
    "tag:NAME",
    "position:N",
];

impl FromStr for GroupKey {
    type Err = String;

    /// Parses a name, ignoring case.
    fn from_str(text: &str) -> Result<GroupKey, String> {
        let (word, tag) = match text.split_once([':', '=']) {
            Some((name, tag)) => (name, tag.trim()),
            None => (text, ""),
        };
        let name = word.trim().to_ascii_lowercase();
        Ok(match (name.as_str(), tag) {
            ("tag", tag) if !tag.is_empty() => GroupKey::Tag(tag.to_owned()),
            ("time" | "timeclass", limits) => match limits.to_ascii_lowercase().as_str() {
                "" | "lichess" => GroupKey::TimeClass(TimeLimits::Lichess),
                "fide" => GroupKey::TimeClass(TimeLimits::Fide),
                _ => return Err(expected()),
            },
            ("position", plies) => {
                let plies = plies.parse::<u16>().map_err(|_| expected())?;
                GroupKey::Position(plies)
            }
            (_, tag) if !tag.is_empty() => return Err(expected()),
            ("eco", _) => GroupKey::Eco,
            ("ecoletter" | "letter", _) => GroupKey::EcoLetter,
            ("opening" | "openings" | "variation", _) => GroupKey::Opening,
            ("family" | "openingfamily", _) => GroupKey::Family,
            ("player" | "players", _) => GroupKey::Player,
            ("white", _) => GroupKey::White,
            ("black", _) => GroupKey::Black,
            ("event" | "events" | "tournament", _) => GroupKey::Event,
            ("site" | "place", _) => GroupKey::Site,
            ("annotator", _) => GroupKey::Annotator,
            ("year" | "years", _) => GroupKey::Year,
            ("month" | "months", _) => GroupKey::Month,
            ("day" | "days" | "date", _) => GroupKey::Day,
            ("decade" | "decades", _) => GroupKey::Decade,
            ("elo" | "rating", _) => GroupKey::Elo,
            ("moves" | "length", _) => GroupKey::Moves,
            ("timecontrol", _) => GroupKey::TimeControl,
            _ => return Err(expected()),
        })
    }
}

fn expected() -> String {
    format!("games are grouped by {}", GROUP_KEYS.join(", "))
}

/// A value of a game: its text, and its place in the order of the values if they have one.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub(super) struct GroupValue {
    pub(super) order: u32,
    pub(super) text: String,
}

impl GroupValue {
    pub(super) fn text(text: impl AsRef<str>) -> GroupValue {
        let text = match known_text(text.as_ref()) {
            "-" => "",
            text => text,
        };
        GroupValue {
            order: 0,
            text: text.to_owned(),
        }
    }

    /// Creates the value of a band of numbers.
    fn band(number: u32, size: u32) -> GroupValue {
        let first = number / size * size;
        GroupValue {
            // Place 0 is that of an unknown value, before all bands.
            order: first + 1,
            text: format!("{first}-{}", first + size - 1),
        }
    }
}

impl GroupKey {
    /// Returns whether the values are players, each with a score by colour. Otherwise a score is
    /// White's.
    pub fn is_of_players(&self) -> bool {
        matches!(self, GroupKey::Player | GroupKey::White | GroupKey::Black)
    }

    /// Returns whether the values have a natural order, such as years.
    pub fn is_ordered(&self) -> bool {
        matches!(
            self,
            GroupKey::Year
                | GroupKey::Month
                | GroupKey::Day
                | GroupKey::Decade
                | GroupKey::Elo
                | GroupKey::Moves
                | GroupKey::TimeClass(_)
        )
    }

    /// Returns whether a value needs the moves of a game. Without moves, a game without an ECO code
    /// has no value by that.
    pub fn needs_moves(&self) -> bool {
        use GroupKey::{Family, Moves, Opening, Position};
        matches!(self, Opening | Family | Moves | Position(_))
    }

    /// Returns the sides of the players that the values are.
    pub(super) fn sides(&self) -> &'static [Color] {
        match self {
            GroupKey::White => &[Color::White],
            GroupKey::Black => &[Color::Black],
            _ => &Color::ALL,
        }
    }

    /// Returns the different values of a game, as texts: two if the values are players, otherwise
    /// one, which is empty if it is unknown.
    pub fn values(&self, game: &Game) -> Vec<String> {
        let sides = self
            .sides()
            .iter()
            .take(if self.is_of_players() { 2 } else { 1 });
        let mut values: Vec<String> = sides.map(|&side| self.value(game, side).text).collect();
        values.dedup();
        values
    }

    /// Returns the value of a game; of players, the one of this side.
    pub(super) fn value(&self, game: &Game, side: Color) -> GroupValue {
        let tag = |name: &str| GroupValue::text(game.tag(name).unwrap_or_default());
        match self {
            GroupKey::Eco | GroupKey::EcoLetter => {
                let eco = game.eco().or_else(|| Some(opening(game)?.eco));
                // A code without the letter of a subdivision, which other programs add.
                let code = eco.map_or(String::new(), |eco| Eco::new(eco.code).to_string());
                let length = if *self == GroupKey::Eco { 3 } else { 1 };
                GroupValue::text(code.get(..length).unwrap_or_default())
            }
            GroupKey::Opening => GroupValue::text(opening_name(game)),
            GroupKey::Family => {
                let name = opening_name(game);
                let end = name.find([':', ',']).unwrap_or(name.len());
                GroupValue::text(name.get(..end).unwrap_or_default())
            }
            GroupKey::Player | GroupKey::White | GroupKey::Black => {
                let name = side.pick(game.white(), game.black());
                if is_named(&name) { GroupValue::text(name) } else { GroupValue::default() }
            }
            GroupKey::Event => GroupValue::text(game.event()),
            GroupKey::Site => GroupValue::text(game.site()),
            GroupKey::Annotator => GroupValue::text(game.annotator().unwrap_or_default()),
            GroupKey::Year => match game.effective_date().year {
                0 => GroupValue::default(),
                year => GroupValue {
                    order: year.into(),
                    text: year.to_string(),
                },
            },
            GroupKey::Month => match game.effective_date() {
                date if date.year == 0 || date.month == 0 => GroupValue::default(),
                date => GroupValue {
                    order: u32::from(date.year) << 8 | u32::from(date.month),
                    text: format!("{:04}.{:02}", date.year, date.month),
                },
            },
            GroupKey::Day => match game.effective_date() {
                date if date.year == 0 || date.month == 0 || date.day == 0 => GroupValue::default(),
                date => GroupValue {
                    order: u32::from(date.year) << 16
                        | u32::from(date.month) << 8
                        | u32::from(date.day),
                    text: date.to_string(),
                },
            },
            GroupKey::Decade => match game.effective_date().year {
                0 => GroupValue::default(),
                year => GroupValue::band(year.into(), 10),
            },
            GroupKey::TimeClass(limits) => match TimeClass::from_game(game, *limits) {
                None => GroupValue::default(),
                Some(class) => GroupValue {
                    order: class as u32 + 1,
                    text: class.name().to_owned(),
                },
            },
            GroupKey::Elo => {
                let rating = |color| Some(u32::from(game.rating(color)?.value));
                match (rating(Color::White), rating(Color::Black)) {
                    (Some(white), Some(black)) => GroupValue::band((white + black) / 2, 100),
                    _ => GroupValue::default(),
                }
            }
            GroupKey::Moves => GroupValue::band(game.plies().div_ceil(2), 10),
            GroupKey::TimeControl => tag("TimeControl"),
            GroupKey::Tag(name) => tag(name),
            GroupKey::Position(plies) => GroupValue {
                order: 0,
                text: epd_after(game, *plies).unwrap_or_default(),
            },
        }
    }
}

/// Returns the position after a number of half-moves; `None` if the mainline is shorter or its start
/// is unknown.
fn epd_after(game: &Game, plies: u16) -> Option<String> {
    if !game.has_known_start() {
        return None;
    }
    let mut board = game.start_board();
    let mut moves = game.mainline();
    for _ in 0..plies {
        board.play(moves.next()?);
    }
    let fen = same_moves(&board).to_string();
    let fields: Vec<&str> = fen.split(' ').take(4).collect();
    Some(fields.join(" "))
}

/// Returns the opening of a game up to its main variation: the tags `Opening` and `Variation`, or
/// else the name of the last named position. Empty if there is none.
pub(crate) fn opening_name(game: &Game) -> String {
    let tag = |name| {
        let value = game.tag(name)?;
        let value = known_text(&value);
        (!matches!(value, "" | "-")).then(|| value.to_owned())
    };
    let name = match (tag("Opening"), tag("Variation")) {
        (Some(name), Some(variation)) if !name.contains(':') => format!("{name}: {variation}"),
        (Some(name), _) => name,
        (None, _) => opening(game).map_or("", |opening| opening.name).to_owned(),
    };
    // Commas separate the further variations.
    match name.split_once(',') {
        Some((name, _)) => name.trim_end().to_owned(),
        None => name,
    }
}
