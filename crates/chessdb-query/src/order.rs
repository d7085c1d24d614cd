//! Sort orders of games, and the first games in an order.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::str::FromStr;

use chessdb_core::{Color, Date, Game, Outcome};

use crate::QueryError;
use crate::fold::folded;
use crate::names::known_text;
use crate::natural::{natural_key, round_key};
use crate::time_class::{TimeClass, TimeLimits};

/// A key by which games are sorted: its name, and the function that returns a game's value.
type SortKey = (&'static str, fn(&Game) -> Option<KeyValue>);

const KEYS: [SortKey; 22] = [
    ("date", |game| date(game.effective_date())),
    ("year", |game| number(game.effective_date().year.into())),
    ("eventdate", |game| date(game.event_date())),
    ("utcdate", |game| {
        let text = tag_of(game, &["UTCDate"])?;
        date(Date::from_lenient_ascii(text.as_bytes()))
    }),
    ("time", |game| {
        clock(game, &["Time", "StartTime", "UTCTime"])
    }),
    ("utctime", |game| clock(game, &["UTCTime"])),
    ("endtime", |game| clock(game, &["EndTime"])),
    ("event", |game| text(&game.event())),
    ("site", |game| text(&game.site())),
    ("round", |game| {
        let round = known_folded(&game.round()).filter(|round| round != "-")?;
        Some(KeyValue::Text(round_key(&round).into()))
    }),
    ("white", |game| text(&game.white())),
    ("black", |game| text(&game.black())),
    ("eco", |game| {
        let code = folded(&game.eco()?.to_string());
        Some(KeyValue::Text(code.into()))
    }),
    ("result", |game| {
        let rank = Outcome::ALL.iter().position(|one| *one == game.result())?;
        (game.result() != Outcome::Unknown).then_some(KeyValue::Number(rank as u32))
    }),
    ("elo", |game| {
        // A missing rating counts as 0, so that a game with one known rating still has a place.
        let elos = Color::ALL.map(|color| game.elo(color).unwrap_or_default());
        number(elos.map(u32::from).iter().sum())
    }),
    ("whiteelo", |game| number(game.elo(Color::White)?.into())),
    ("blackelo", |game| number(game.elo(Color::Black)?.into())),
    ("elodiff", |game| {
        let [white, black] = Color::ALL.map(|color| game.elo(color).filter(|elo| *elo > 0));
        // Shifted, so that the numbers have the same order as the differences.
        Some(KeyValue::Number(
            u32::from(u16::MAX) + u32::from(white?) - u32::from(black?),
        ))
    }),
    ("annotator", |game| text(&game.annotator()?)),
    ("timeclass", |game| {
        let class = TimeClass::from_game(game, TimeLimits::Lichess)?;
        Some(KeyValue::Number(class as u32))
    }),
    ("timecontrol", |game| text(&game.tag("TimeControl")?)),
    (PLIES, |game| Some(KeyValue::Number(game.plies()))),
];

/// The only key that needs the moves of a game.
const PLIES: &str = "plies";

/// The value by which games are sorted.
#[derive(Clone, PartialEq, Eq, Debug)]
enum SortValue {
    /// The index of a key in [`KEYS`].
    Known(usize),
    /// The value of the tag with this name.
    Tag(String),
}

/// A sort order of games: by one key, among equals by the next, and so on. Unknown values come
/// last.
///
/// ```
/// use chessdb_core::Game;
/// use chessdb_query::order::Order;
///
/// let order: Order = "-date,white".parse()?;
/// let old = Game::builder().white("Tal").date("1959.09.07").build();
/// let new = Game::builder().white("Carlsen").date("2013.11.09").build();
/// assert!(order.compare(&order.key(&new), &order.key(&old)).is_lt());
/// # Ok::<(), chessdb_query::QueryError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Order {
    /// The values, each with whether its order is reversed.
    keys: Vec<(SortValue, bool)>,
}

/// The sort keys of one game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OrderKey(Vec<Option<KeyValue>>);

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum KeyValue {
    Number(u32),
    /// A key of [`crate::natural`].
    Text(Box<str>),
}

impl FromStr for Order {
    type Err = QueryError;

    /// Parses comma-separated keys. A `-` before a key sorts it in descending order.
    fn from_str(text: &str) -> Result<Order, QueryError> {
        let mut keys = Vec::new();
        let mut start = 0;
        for word in text.split(',') {
            let span = start..start + word.len();
            // One more byte, for the comma.
            start = span.end + 1;
            let (name, reversed) = match word.trim().strip_prefix('-') {
                Some(name) => (name, true),
                None => (word.trim(), false),
            };
            let Some(key) = SortValue::from_name(name) else {
                let message = format!(
                    "games are ordered by {}, tag:NAME",
                    KEYS.map(|(name, _)| name).join(", ")
                );
                return Err(QueryError::new(text, span, message));
            };
            keys.push((key, reversed));
        }
        Ok(Order { keys })
    }
}

impl Order {
    /// Returns whether the order depends on the moves of a game, and not only on its header.
    pub fn needs_moves(&self) -> bool {
        self.keys.iter().any(|(key, _)| match key {
            SortValue::Known(key) => KEYS.get(*key).is_some_and(|(name, _)| *name == PLIES),
            SortValue::Tag(_) => false,
        })
    }

    /// Returns the sort keys of a game.
    pub fn key(&self, game: &Game) -> OrderKey {
        let keys = self.keys.iter().map(|(key, _)| match key {
            SortValue::Known(key) => KEYS.get(*key).and_then(|(_, value)| value(game)),
            SortValue::Tag(name) => text(&tag_of(game, &[name])?),
        });
        OrderKey(keys.collect())
    }

    /// Compares two games by their keys. A stable sort keeps the order of equal games.
    pub fn compare(&self, left: &OrderKey, right: &OrderKey) -> Ordering {
        let pairs = left.0.iter().zip(&right.0).zip(&self.keys);
        let mut orders = pairs.map(|((left, right), (_, reversed))| match (left, right) {
            (Some(left), Some(right)) if *reversed => right.cmp(left),
            (Some(left), Some(right)) => left.cmp(right),
            (left, right) => right.is_some().cmp(&left.is_some()),
        });
        orders
            .find(|order| order.is_ne())
            .unwrap_or(Ordering::Equal)
    }
}

impl SortValue {
    /// Returns the value with a name, ignoring case.
    fn from_name(name: &str) -> Option<SortValue> {
        let has_name = |(key, _): &SortKey| key.eq_ignore_ascii_case(name);
        if let Some(key) = KEYS.iter().position(has_name) {
            return Some(SortValue::Known(key));
        }
        let (kind, tag) = name.split_once([':', '='])?;
        let is_tag = kind.eq_ignore_ascii_case("tag") && !tag.is_empty();
        is_tag.then(|| SortValue::Tag(tag.to_owned()))
    }
}

/// Collects games in any number and keeps the first ones in an order. Games with equal keys keep
/// the order in which they were added.
///
/// With a limit it holds at most twice as many games as the limit.
///
/// ```
/// use chessdb_core::{Color, Game};
/// use chessdb_query::order::{TopGames, Order};
///
/// let order: Order = "-elo".parse()?;
/// let mut first = TopGames::new(&order, Some(2));
/// for elo in [2400, 2700, 2300, 2600] {
///     let game = Game::builder().elo(Color::White, elo).build();
///     first.add(order.key(&game), elo);
/// }
/// assert_eq!(first.into_sorted(), [2700, 2600]);
/// # Ok::<(), chessdb_query::QueryError>(())
/// ```
#[derive(Clone, Debug)]
pub struct TopGames<'o, T> {
    order: &'o Order,
    limit: usize,
    games: Vec<(OrderKey, T)>,
    /// The number of games at the start of the list that are sorted.
    sorted: usize,
}

impl<'o, T> TopGames<'o, T> {
    /// Creates an empty collection for the first `limit` games, or for all.
    pub fn new(order: &'o Order, limit: Option<u32>) -> TopGames<'o, T> {
        TopGames {
            order,
            limit: limit.map_or(usize::MAX, |limit| limit as usize),
            games: Vec::new(),
            sorted: 0,
        }
    }

    /// Adds a game with its key and any data.
    pub fn add(&mut self, key: OrderKey, game: T) {
        let full = self.sorted == self.limit;
        // An equal game is later too, since it was added later.
        let is_later = |last: &(OrderKey, T)| self.order.compare(&key, &last.0).is_ge();
        let last = self.sorted.checked_sub(1).and_then(|n| self.games.get(n));
        if self.limit == 0 || full && last.is_some_and(is_later) {
            return;
        }
        self.games.push((key, game));
        // Sorting only at twice the limit keeps the cost of each game logarithmic.
        if self.games.len() >= self.limit.saturating_mul(2) {
            self.sort();
        }
    }

    fn sort(&mut self) {
        self.games.sort_by(|a, b| self.order.compare(&a.0, &b.0));
        self.games.truncate(self.limit);
        self.sorted = self.games.len();
    }

    /// Returns the data of the first games in their order.
    pub fn into_sorted(mut self) -> Vec<T> {
        self.sort();
        self.games.into_iter().map(|(_, game)| game).collect()
    }
}

fn number(number: u32) -> Option<KeyValue> {
    (number > 0).then_some(KeyValue::Number(number))
}

fn date(date: Date) -> Option<KeyValue> {
    // The order of these numbers is that of the dates; 0 is an unknown date.
    number(u32::from(date.year) << 16 | u32::from(date.month) << 8 | u32::from(date.day))
}

/// Returns a text as it is compared; `None` if it is unknown.
fn known_folded(text: &str) -> Option<String> {
    Some(folded(known_text(text))).filter(|folded| !folded.is_empty())
}

fn text(text: &str) -> Option<KeyValue> {
    Some(KeyValue::Text(natural_key(&known_folded(text)?).into()))
}

/// Returns the value of the first of these tags that has one. Names are compared ignoring case.
fn tag_of<'g>(game: &'g Game, names: &[&str]) -> Option<Cow<'g, str>> {
    names.iter().find_map(|name| {
        game.tags()
            .find(|(tag, value)| tag.eq_ignore_ascii_case(name) && !value.trim().is_empty())
            .map(|(_, value)| value)
    })
}

/// Returns the time of day of the first of these tags that has one, in milliseconds.
fn clock(game: &Game, names: &[&str]) -> Option<KeyValue> {
    names.iter().find_map(|name| {
        let text = tag_of(game, &[*name])?;
        milliseconds(text.trim()).map(KeyValue::Number)
    })
}

/// Reads `18:05`, `18:05:09`, `18:05:09.5`, also after a date and before a zone.
fn milliseconds(text: &str) -> Option<u32> {
    let first = text.find(':')?;
    let before = text.get(..first)?;
    // The hours may follow a date.
    let start = before
        .rfind(|c: char| !c.is_ascii_digit())
        .map_or(0, |index| index + 1);
    let hours: u32 = before.get(start..)?.parse().ok()?;
    let rest = text.get(first + 1..)?;
    // A zone may follow, such as `Z` or `+02:00`.
    let end = rest.find(|c: char| !c.is_ascii_digit() && c != ':' && c != '.');
    let mut parts = rest.get(..end.unwrap_or(rest.len()))?.split(':');
    let minutes: u32 = parts.next()?.parse().ok()?;
    let seconds: f64 = parts.next().map_or(Some(0.0), |text| text.parse().ok())?;
    // Sources write midnight as 24:00 too, and a minute may have a leap second.
    let is_time = hours <= 24 && minutes < 60 && (0.0..61.0).contains(&seconds);
    is_time.then(|| (hours * 60 + minutes) * 60_000 + (seconds * 1000.0) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(event: &str, round: &str, date: &str) -> Game {
        let game = Game::builder().event(event).round(round).date(date);
        game.build()
    }

    fn sorted(order: &str, games: &[Game]) -> Vec<usize> {
        let order: Order = order.parse().unwrap();
        let keys: Vec<OrderKey> = games.iter().map(|game| order.key(game)).collect();
        let mut places: Vec<usize> = (0..games.len()).collect();
        places.sort_by(|a, b| order.compare(&keys[*a], &keys[*b]));
        places
    }

    #[test]
    fn rounds_sort_by_number_and_unknown_values_last() {
        let games = [
            game("B", "10", "1959.09.07"),
            game("a", "2", "????.??.??"),
            game("?", "2.10", "1959.??.??"),
            game("Á", "2.9", "1959.09.06"),
        ];
        assert_eq!(sorted("round", &games), [1, 3, 2, 0]);
        assert_eq!(sorted("date", &games), [2, 3, 0, 1]);
        assert_eq!(sorted("-date", &games), [0, 3, 2, 1]);
        assert_eq!(sorted("event,-round", &games), [3, 1, 0, 2]);
    }

    #[test]
    fn texts_sort_by_number_and_utc_date_is_a_fallback() {
        let game = |n: &str, date: &str, utc: &str| {
            Game::builder()
                .white(&format!("Engine {n}"))
                .event(&format!("Season {n} - Final"))
                .site(&format!("Room {n}"))
                .round(&format!("R{n}"))
                .date(date)
                .tag("UTCDate", utc)
                .build()
        };
        let games = [
            game("10", "????.??.??", "2015.03.05"),
            game("2", "2014.??.??", "2020.01.01"),
            game("9", "????.??.??", "????.??.??"),
        ];
        for order in ["event", "white", "site", "round"] {
            assert_eq!(sorted(order, &games), [1, 2, 0], "{order}");
        }
        for order in ["date", "year"] {
            assert_eq!(sorted(order, &games), [1, 0, 2], "{order}");
        }
    }

    #[test]
    fn games_of_one_day_sort_by_time() {
        let game = |tags: &[(&str, &str)]| {
            let game = Game::builder().date("2024.05.01");
            tags.iter()
                .fold(game, |game, (name, value)| game.tag(name, value))
                .build()
        };
        for (order, name, early, late) in [
            ("date,time", "UTCTime", "09:00:00", "10:00:00"),
            ("date,time", "Time", "9:05", "10:00"),
            ("date,time", "StartTime", "10:00:00", "10:00:00.5"),
            ("UTCDate,UTCTime", "UTCTime", "10:00:09", "10:00:10"),
            (
                "date,endtime",
                "EndTime",
                "9:59:59 PDT",
                "16:00:00 GMT+0000",
            ),
            (
                "utctime",
                "utctime",
                "2024-05-01T23:00:00Z",
                "2024-05-01T23:01:00Z",
            ),
            ("utcdate", "UTCDate", "2024.05.01", "2024.05.02"),
            ("utctime", "UTCTime", "10:00:00", "??:??:??"),
            ("time", "Time", "00:00", "-"),
        ] {
            let games = [game(&[(name, late)]), game(&[]), game(&[(name, early)])];
            let found = sorted(order, &games);
            assert_eq!(found[0], 2, "{order} {name}");
            let games = [game(&[(name, early)]), game(&[(name, late)])];
            let reversed = order.split(',').map(|key| format!("-{key}"));
            let reversed = reversed.collect::<Vec<_>>().join(",");
            let unknown = !late.contains(|c: char| c.is_ascii_digit());
            assert_eq!(
                sorted(&reversed, &games)[0],
                usize::from(!unknown),
                "{order} {name}"
            );
        }
        // Local time is preferred to UTC, since the date is local.
        let games = [
            game(&[("Time", "20:00"), ("UTCTime", "02:00:00")]),
            game(&[("Time", "19:00"), ("UTCTime", "03:00:00")]),
        ];
        assert_eq!(sorted("time", &games), [1, 0]);
        assert_eq!(sorted("utctime", &games), [0, 1]);
    }

    #[test]
    fn ratings_and_tags_sort_by_number() {
        let game = |white: u16, black: u16, board: &str| {
            let game = Game::builder().elo(Color::White, white).tag("Board", board);
            game.elo(Color::Black, black).build()
        };
        let games = [
            game(2500, 2700, "10"),
            game(2800, 0, ""),
            game(2600, 2300, "9"),
            game(2400, 2400, "1.2"),
        ];
        for (order, expected) in [
            ("elodiff", [0, 3, 2, 1]),
            ("-elodiff", [2, 3, 0, 1]),
            ("whiteelo", [3, 0, 2, 1]),
            ("-BlackElo", [0, 3, 2, 1]),
            ("tag:Board", [3, 2, 0, 1]),
            ("-tag:board", [0, 2, 3, 1]),
        ] {
            assert_eq!(sorted(order, &games), expected, "{order}");
        }
    }

    #[test]
    fn first_games_equal_a_full_sort() {
        let mut state = 1_u32;
        let mut random = |below: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) % below
        };
        for order in ["year", "-year,round", "round,-year", "event"] {
            let order: Order = order.parse().unwrap();
            let games: Vec<Game> = (0..200)
                .map(|_| {
                    let (year, round) = (random(5) + 1990, random(4));
                    game("?", &round.to_string(), &format!("{year}.??.??"))
                })
                .collect();
            let mut all: Vec<usize> = (0..games.len()).collect();
            let key = |n: usize| order.key(&games[n]);
            all.sort_by(|a, b| order.compare(&key(*a), &key(*b)));
            for limit in [0, 1, 2, 7, 100, 199, 200, 500] {
                let mut first = TopGames::new(&order, Some(limit));
                for n in 0..games.len() {
                    first.add(key(n), n);
                    assert!(first.games.len() <= 2 * limit as usize);
                }
                let expected = &all[..all.len().min(limit as usize)];
                assert_eq!(first.into_sorted(), expected, "{order:?} {limit}");
            }
            let mut whole = TopGames::new(&order, None);
            (0..games.len()).for_each(|n| whole.add(key(n), n));
            assert_eq!(whole.into_sorted(), all);
        }
    }

    #[test]
    fn unknown_sort_key_is_reported() {
        let error = "date,name".parse::<Order>().unwrap_err();
        assert_eq!(error.span(), 5..9);
        assert!("".parse::<Order>().is_err());
    }
}
