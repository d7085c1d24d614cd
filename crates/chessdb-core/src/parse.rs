//! Parsers for values that people enter, in exactly the form in which each value is displayed.

use std::fmt;
use std::str::FromStr;

use crate::error::ParseError;
use crate::model::{Date, Eco, Outcome};
use crate::{Color, PieceType, Square};

/// Parses PGN's form. Parts may be missing from the end ([`Date::from_pgn`]).
///
/// ```
/// use chessdb_core::Date;
///
/// assert_eq!("1858.??.??".parse(), Ok(Date::new(1858, 0, 0)));
/// let error = "in 1858".parse::<Date>().unwrap_err();
/// assert_eq!(error.to_string(), "expected a date such as 1985.11.09, found \"in 1858\"");
/// ```
impl FromStr for Date {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Date, ParseError> {
        Date::from_pgn(text.as_bytes())
            .ok_or_else(|| ParseError::new("a date such as 1985.11.09", text))
    }
}

/// Parses `1-0`, `0-1`, `1/2-1/2` or `*`.
impl FromStr for Outcome {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Outcome, ParseError> {
        Outcome::from_pgn(text.as_bytes())
            .ok_or_else(|| ParseError::new("1-0, 0-1, 1/2-1/2 or *", text))
    }
}

/// Parses `B50`, `B50/04`, `B07a` or `B07a1`.
impl FromStr for Eco {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Eco, ParseError> {
        Eco::from_ascii(text.as_bytes())
            .ok_or_else(|| ParseError::new("an ECO code such as B50", text))
    }
}

/// Parses a square such as `e4`.
impl FromStr for Square {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Square, ParseError> {
        Square::from_ascii(text.as_bytes())
            .ok_or_else(|| ParseError::new("a square such as e4", text))
    }
}

/// Parses `White` or `Black`, or the first letter, in any case.
impl FromStr for Color {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Color, ParseError> {
        let names = [("w", "white", Color::White), ("b", "black", Color::Black)];
        let is = |name: &str| text.eq_ignore_ascii_case(name);
        names
            .iter()
            .find(|(short, long, _)| is(short) || is(long))
            .map(|&(_, _, color)| color)
            .ok_or_else(|| ParseError::new("white or black", text))
    }
}

/// Formats as `White` or `Black`.
impl fmt::Display for Color {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.pick("White", "Black"))
    }
}

/// Parses a SAN piece letter such as `N`; `P` is a pawn.
impl FromStr for PieceType {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<PieceType, ParseError> {
        let kind = match text.as_bytes() {
            [letter] => PieceType::from_letter(*letter),
            _ => None,
        };
        kind.ok_or_else(|| ParseError::new("a piece's letter, one of PNBRQK", text))
    }
}

/// Formats as the capital SAN letter; `P` for a pawn.
impl fmt::Display for PieceType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", char::from(self.letter()))
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::{Debug, Display};

    use super::*;
    use crate::{Board, Setup};

    fn both_ways<T: FromStr + Display + PartialEq>(values: impl IntoIterator<Item = T>)
    where
        T::Err: Debug,
    {
        for value in values {
            assert!(value.to_string().parse::<T>().unwrap() == value);
        }
    }

    #[test]
    fn displayed_values_parse_back() {
        both_ways([Date::UNKNOWN, Date::new(1985, 11, 9), Date::new(0, 12, 0)]);
        both_ways(Outcome::ALL);
        both_ways(["B50", "B50/04", "B07a1"].map(|eco| eco.parse::<Eco>().unwrap()));
        both_ways(Square::all());
        both_ways(Color::ALL);
        both_ways(PieceType::ALL);
        both_ways([Setup::standard()]);
        both_ways([Board::standard(), Board::empty()]);
    }

    #[test]
    fn errors_name_expected_value() {
        let error = "e9".parse::<Square>().unwrap_err();
        assert_eq!(error.expected(), "a square such as e4");
        assert_eq!(
            error.to_string(),
            "expected a square such as e4, found \"e9\""
        );
        for (failed, what) in [
            ("2-0".parse::<Outcome>().err(), "1/2-1/2"),
            ("Z1".parse::<Eco>().err(), "ECO"),
            ("w ".parse::<Color>().err(), "white"),
            ("".parse::<PieceType>().err(), "PNBRQK"),
            ("today".parse::<Date>().err(), "date"),
        ] {
            assert!(failed.unwrap().to_string().contains(what));
        }
        assert_eq!("B".parse(), Ok(Color::Black));
        assert_eq!("n".parse(), Ok(PieceType::Knight));
    }
}
