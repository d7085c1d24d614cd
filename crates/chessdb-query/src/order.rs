//! Orders in which games are put.

use std::cmp::Ordering;
use std::str::FromStr;

use chessdb_core::{Color, Game, Outcome};

use crate::QueryError;
use crate::fold::fold;

/// What games are ordered by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum By {
    Date,
    Year,
    EventDate,
    Event,
    Site,
    Round,
    White,
    Black,
    Eco,
    Result,
    Elo,
    Plies,
}

/// The names of the keys, for help texts and messages.
pub const ORDER_KEYS: [&str; 12] = [
    "date",
    "year",
    "eventdate",
    "event",
    "site",
    "round",
    "white",
    "black",
    "eco",
    "result",
    "elo",
    "plies",
];

const KEYS: [By; 12] = [
    By::Date,
    By::Year,
    By::EventDate,
    By::Event,
    By::Site,
    By::Round,
    By::White,
    By::Black,
    By::Eco,
    By::Result,
    By::Elo,
    By::Plies,
];

/// An order of games: by one key, among equals by the next, and so on. What is unknown comes last.
///
/// ```
/// use chessdb_core::Game;
/// use chessdb_query::Order;
///
/// let order: Order = "-date,white".parse()?;
/// let old = Game::builder().white("Tal").date("1959.09.07").build();
/// let new = Game::builder().white("Carlsen").date("2013.11.09").build();
/// assert!(order.compare(&order.key(&new), &order.key(&old)).is_lt());
/// # Ok::<(), chessdb_query::QueryError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Order {
    /// Each with whether it is reversed.
    keys: Vec<(By, bool)>,
}

/// What an order looks at of one game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OrderKey(Vec<Option<Part>>);

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Part {
    Number(u32),
    Text(Box<str>),
    /// A text whose numbers count as such: round 2 comes before round 10.
    Natural(Vec<Piece>),
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Piece {
    Number(u64),
    Text(Box<str>),
}

impl FromStr for Order {
    type Err = QueryError;

    /// Keys with commas between them, each with a `-` in front if it goes from great to small.
    fn from_str(text: &str) -> Result<Order, QueryError> {
        let mut keys = Vec::new();
        let mut at = 0;
        for word in text.split(',') {
            let span = at..at + word.len();
            at = span.end + 1;
            let (name, reversed) = match word.trim().strip_prefix('-') {
                Some(name) => (name, true),
                None => (word.trim(), false),
            };
            let known = ORDER_KEYS.iter().zip(KEYS);
            let Some((_, key)) = known.into_iter().find(|(known, _)| **known == name) else {
                let message = format!("games are ordered by {}", ORDER_KEYS.join(", "));
                return Err(QueryError::new(text, span, message));
            };
            keys.push((key, reversed));
        }
        Ok(Order { keys })
    }
}

impl Order {
    /// Whether the moves of a game are looked at, not its head alone.
    pub fn needs_moves(&self) -> bool {
        self.keys.iter().any(|(key, _)| *key == By::Plies)
    }

    /// What this order looks at of a game.
    pub fn key(&self, game: &Game) -> OrderKey {
        OrderKey(self.keys.iter().map(|(by, _)| by.part(game)).collect())
    }

    /// Which of two games comes first; games that are equal keep the order that they had.
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

impl By {
    /// Nothing if it is unknown.
    fn part(self, game: &Game) -> Option<Part> {
        let number = |number: u32| (number > 0).then_some(Part::Number(number));
        let folded = |text: &str| {
            let mut out = String::new();
            fold(text.trim(), &mut out);
            (!out.is_empty() && out != "?").then_some(out)
        };
        let text = |text: &str| folded(text).map(|text| Part::Text(text.into()));
        let date = |date: chessdb_core::Date| {
            number(u32::from(date.year) << 16 | u32::from(date.month) << 8 | u32::from(date.day))
        };
        match self {
            By::Date => date(game.date()),
            By::Year => number(game.date().year.into()),
            By::EventDate => date(game.event_date()),
            By::Event => text(&game.event()),
            By::Site => text(&game.site()),
            By::Round => folded(&game.round())
                .filter(|round| round != "-")
                .map(|round| Part::Natural(pieces(&round))),
            By::White => text(&game.white()),
            By::Black => text(&game.black()),
            By::Eco => game.eco().map(|eco| {
                let mut code = String::new();
                fold(&eco.to_string(), &mut code);
                Part::Text(code.into())
            }),
            By::Result => {
                let known = game.result() != Outcome::Unknown;
                let place = Outcome::ALL.iter().position(|one| *one == game.result());
                known.then(|| Part::Number(place.unwrap_or_default() as u32))
            }
            By::Elo => {
                let elos = Color::ALL.map(|color| game.elo(color).unwrap_or_default());
                number(elos.map(u32::from).iter().sum())
            }
            By::Plies => Some(Part::Number(game.plies())),
        }
    }
}

/// Cuts a text into numbers and what stands between them.
fn pieces(text: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let digit = first.is_ascii_digit();
        let end = rest.find(|c: char| c.is_ascii_digit() != digit);
        let (piece, behind) = rest.split_at(end.unwrap_or(rest.len()));
        rest = behind;
        pieces.push(match piece.parse() {
            Ok(number) if digit => Piece::Number(number),
            _ => Piece::Text(piece.into()),
        });
    }
    pieces
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
    fn numbers_in_rounds_count_and_what_is_unknown_comes_last() {
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
    fn what_is_no_key_is_named() {
        let error = "date,name".parse::<Order>().unwrap_err();
        assert_eq!(error.span(), 5..9);
        assert!("".parse::<Order>().is_err());
    }
}
