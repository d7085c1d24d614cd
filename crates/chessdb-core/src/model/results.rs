//! Parsing of results as spelled in tags and movetext.

use crate::Text;
use crate::model::{Field, Header, Outcome};
use crate::rules::move_sign;
use crate::text::Texts;

/// The meaning of the text of a result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NamedResult {
    /// The result as PGN can express it.
    pub outcome: Outcome,
    /// Whether both players lost (`0-0`), for which PGN has no result.
    pub double_forfeit: bool,
    points: [Points; 2],
}

/// The points of a player.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Points {
    Win,
    Loss,
    Half,
}

impl NamedResult {
    /// Parses a whole text as a result: `1-0`, `1 : 0`, `0.5-0.5`, `½`, `+/-`, `--+`, `=`, `0-0`,
    /// `1F-0F`, `1-0 ff`. Returns `None` for `*` and for anything that is not a result.
    ///
    /// ```
    /// use chessdb_core::model::NamedResult;
    /// use chessdb_core::Outcome;
    ///
    /// assert_eq!(NamedResult::read(b"0.5-0.5").unwrap().outcome, Outcome::Draw);
    /// assert_eq!(NamedResult::read(b"+/-").unwrap().outcome, Outcome::WhiteWins);
    /// assert!(NamedResult::read(b"0 - 0").unwrap().double_forfeit);
    /// assert_eq!(NamedResult::read(b"1-2"), None);
    /// ```
    pub fn read(text: &[u8]) -> Option<NamedResult> {
        let text = text.trim_ascii();
        NamedResult::in_signs(text).or_else(|| {
            let (named, rest) = NamedResult::in_points(text)?;
            let ends = matches!(
                rest.first(),
                None | Some(b' ' | b'\t' | b'(' | b'{' | b',' | b';')
            );
            ends.then_some(named)
        })
    }

    /// Parses a text as a result with nothing after it, not even `ff`.
    pub fn read_alone(text: &[u8]) -> Option<NamedResult> {
        NamedResult::in_signs(text).or_else(|| {
            let (named, rest) = NamedResult::in_points(text)?;
            rest.is_empty().then_some(named)
        })
    }

    /// Returns whether this text, which has been read as this result, can only be a result at the
    /// end of the moves. `0-0`, `+-`, `=` and `0.5` could also be castling, annotations or numbers.
    pub fn can_end_moves(self, text: &[u8]) -> bool {
        let text = text.trim_ascii();
        let is_one_sided = points_at(text).is_some_and(|(_, rest)| rest.is_empty());
        !self.double_forfeit && !is_one_sided && NamedResult::in_signs(text).is_none()
    }

    fn from_points(white: Points, black: Points) -> Option<NamedResult> {
        let outcome = match (white, black) {
            (Points::Win, Points::Loss) => Outcome::WhiteWins,
            (Points::Loss, Points::Win) => Outcome::BlackWins,
            (Points::Half, Points::Half) => Outcome::Draw,
            (Points::Loss, Points::Loss) => Outcome::Unknown,
            // An arbiter's decision: only one player has half a point.
            (Points::Half, _) | (_, Points::Half) => Outcome::Unknown,
            (Points::Win, Points::Win) => return None,
        };
        Some(NamedResult {
            outcome,
            double_forfeit: (white, black) == (Points::Loss, Points::Loss),
            points: [white, black],
        })
    }

    /// Returns whether exactly one player has half a point (`1/2-0`), for which PGN has no result.
    pub fn is_uneven(self) -> bool {
        let [white, black] = self.points.map(|points| points == Points::Half);
        white != black
    }

    /// Parses `+-`, `+/-`, `-:+`, `--+`, `=`, `=/=`, `-/-`.
    fn in_signs(text: &[u8]) -> Option<NamedResult> {
        let mut signs = [0; 3];
        let mut count = 0;
        let mut rest = text;
        while let Some(&first) = rest.first() {
            let (sign, length) = match first {
                b'+' | b'=' | b'/' | b':' => (first, 1),
                b' ' => (b' ', 1),
                _ => (b'-', dash_length(rest)?),
            };
            if sign != b' ' {
                *signs.get_mut(count)? = sign;
                count += 1;
            }
            rest = rest.get(length..)?;
        }
        let points = |sign: u8| match sign {
            b'+' => Some(Points::Win),
            b'-' => Some(Points::Loss),
            b'=' => Some(Points::Half),
            _ => None,
        };
        let (white, black) = match signs.get(..count)? {
            [b'='] => (b'=', b'='),
            // Two dashes are a null move; three without another sign are just a line.
            [b'-', b'-'] | [b'-', b'-', b'-'] => return None,
            [b'+', b'-'] => (b'+', b'-'),
            [b'-', b'+'] => (b'-', b'+'),
            [white, b'/' | b':' | b'-', black] => (*white, *black),
            _ => return None,
        };
        // `+/=` is an annotation.
        NamedResult::from_points(points(white)?, points(black)?).filter(|named| !named.is_uneven())
    }

    /// Parses the points of both sides, or half a point alone, and returns the text after them.
    fn in_points(text: &[u8]) -> Option<(NamedResult, &[u8])> {
        let (white, rest) = points_at(text)?;
        let rest = rest.trim_ascii_start();
        let separator = match rest.first() {
            Some(b':') => 1,
            Some(_) => dash_length(rest).unwrap_or(0),
            None => 0,
        };
        let (black, rest) = match points_at(rest.get(separator..)?.trim_ascii_start()) {
            Some((black, rest)) if separator > 0 => (black, rest),
            _ if separator == 0 && white == Points::Half => (white, rest),
            _ => return None,
        };
        Some((NamedResult::from_points(white, black)?, rest))
    }
}

/// Parses the points of one side, and returns the text after them.
fn points_at(text: &[u8]) -> Option<(Points, &[u8])> {
    let (points, length) = match text {
        [b'1', b'/', b'2', ..] => (Points::Half, 3),
        [b'0', b'.' | b',', b'5', ..] => (Points::Half, 3),
        [b'.' | b',', b'5', ..] => (Points::Half, 2),
        [0xC2, 0xBD, ..] => (Points::Half, 2),
        [0xBD, ..] => (Points::Half, 1),
        [b'1', ..] => (Points::Win, 1),
        [b'0', ..] => (Points::Loss, 1),
        _ => return None,
    };
    let rest = text.get(length..)?;
    // FIDE marks points without play with F: `1F-0F`.
    Some(match rest {
        [b'F' | b'f', tail @ ..] if !tail.first().is_some_and(u8::is_ascii_alphanumeric) => {
            (points, tail)
        }
        _ => (points, rest),
    })
}

/// Returns the length of the dash at the start of the text.
fn dash_length(text: &[u8]) -> Option<usize> {
    match text.first()? {
        b'-' => Some(1),
        first if first.is_ascii() => None,
        _ => match move_sign(text) {
            Some((b'-', length)) => Some(length),
            _ => None,
        },
    }
}

impl Header {
    /// Returns whether both players lost, according to the text of the source.
    pub fn is_double_forfeit(&self, texts: &Texts) -> bool {
        self.outcome == Outcome::Unknown
            && self
                .verbatim(Field::Result)
                .is_some_and(|text| texts.get(text).names_double_forfeit())
    }
}

impl Text<'_> {
    /// Returns whether both players lost, according to this text of a result.
    pub fn names_double_forfeit(self) -> bool {
        NamedResult::read(self.as_bytes()).is_some_and(|named| named.double_forfeit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_in_all_spellings() {
        let read = |text: &str| {
            let named = NamedResult::read(text.as_bytes())?;
            Some(if named.double_forfeit {
                "0-0"
            } else if named.is_uneven() {
                "uneven"
            } else {
                named.outcome.as_pgn()
            })
        };
        for (result, texts) in [
            (
                "1-0",
                "1-0|1:0|1 - 0|1 : 0|1–0|1−0|+-|+/-|+:-|+--|+ -|+/−|1F-0F|1-0 ff|1-0 (forfeit)|1-0F| 1-0 ",
            ),
            (
                "0-1",
                "0-1|0:1|0 - 1|-+|-/+|-:+|--+|- +|−/+|0F-1F|0-1 ff|0—1",
            ),
            (
                "1/2-1/2",
                "1/2-1/2|1/2|½|½-½|½ - ½|1/2 - 1/2|1/2:1/2|0.5-0.5|0,5-0,5|0.5:0.5|.5-.5|=|=/=|=-=|=:=|0.5|½–½|1/2-0.5",
            ),
            ("0-0", "0-0|0:0|0 - 0|0F-0F|0–0|-/-|-:-|0-0 ff"),
            (
                "uneven",
                "1/2-0|0-1/2|½-0|0-½|1/2:0|0.5-0|0 - 0,5|½-1|1-1/2|1/2F-0F|½–0",
            ),
        ] {
            for text in texts.split('|') {
                assert_eq!(read(text), Some(result), "{text:?}");
            }
        }
        for text in [
            "", "*", "?", "-", "--", "---", "+", "++", "1", "0", "1-1", "2-0", "1-2", "1-", "-0",
            "1/2-", "-1/2", "10-0", "1-00", "1-0-1", "+=", "=+", "-=", "+/=", "==", "0-0-0", "1/3",
            "1-0x", "e4", "Draw",
        ] {
            assert_eq!(read(text), None, "{text:?}");
        }
    }
}
