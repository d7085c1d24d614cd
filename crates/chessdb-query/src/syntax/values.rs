//! Errors in values, ranges, and values that are numbers.

use std::ops::{BitOr, Range, RangeInclusive};

use chessdb_core::search::HeaderColumns;

use super::QueryError;
use super::lexer::{Form, Item, Sign};
use crate::natural::is_number;
use crate::person::edit_distance;

/// An error in a value.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Fault {
    pub(crate) message: String,
    /// The part of the value that caused it, if not the whole.
    pub(crate) within: Option<Range<usize>>,
}

impl<T: Into<String>> From<T> for Fault {
    fn from(message: T) -> Fault {
        Fault {
            message: message.into(),
            within: None,
        }
    }
}

impl Fault {
    /// Creates an error about the character at `offset`.
    pub(crate) fn at(offset: usize, message: impl Into<String>) -> Fault {
        Fault::span(offset..offset + 1, message)
    }

    /// Converts to an error of a query that consists of this value only.
    pub(crate) fn into_error(self, text: &str) -> QueryError {
        let within = self.within.unwrap_or(0..text.len());
        QueryError::new(text, within, self.message)
    }

    pub(crate) fn span(within: Range<usize>, message: impl Into<String>) -> Fault {
        Fault {
            within: Some(within),
            ..Fault::from(message)
        }
    }

    /// Converts an error about `part` of `whole` to one about `whole`.
    pub(super) fn in_part(self, whole: &str, part: &str) -> Fault {
        let start = (part.as_ptr() as usize).saturating_sub(whole.as_ptr() as usize);
        let within = self.within.unwrap_or(0..part.len());
        Fault::span(start + within.start..start + within.end, self.message)
    }

    /// Creates an error about a word that is none of `words`, with the nearest of these.
    pub(crate) fn unknown<'k>(
        word: &str,
        expected: &str,
        words: impl IntoIterator<Item = &'k str>,
    ) -> Fault {
        Fault::from(match nearest(word, words) {
            Some(near) => format!("expected {expected}; did you mean {near}?"),
            None => format!("expected {expected}"),
        })
    }
}

/// Returns the word that differs from `word` in the fewest letters, at most in three.
pub(crate) fn nearest<'k>(word: &str, words: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let word = word.to_lowercase();
    let limit = match word.len() {
        0..4 => 1,
        4..9 => 2,
        _ => 3,
    };
    let distance = |other: &&'k str| edit_distance(&word, other, limit);
    let (_, nearest) = words
        .into_iter()
        .filter_map(|other| Some((distance(&other)?, other)))
        .min_by_key(|(distance, _)| *distance)?;
    // One letter is near to every other one.
    (word.len() > 1).then_some(nearest)
}

/// The keys with numbers or dates, whose values can be compared with `<` and `>`.
const COMPARABLE: [&str; 11] = [
    "elo", "whiteelo", "blackelo", "minelo", "elodiff", "year", "date", "moves", "plies",
    "balance", "round",
];

/// Returns whether the values of a key can be compared.
pub(crate) fn is_comparable(key: &str) -> bool {
    COMPARABLE.contains(&key)
}

/// A list of ranges. At least one must contain the number.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct NumberRanges(Vec<RangeInclusive<i32>>);

impl NumberRanges {
    pub(crate) fn has(&self, number: i32) -> bool {
        self.0.iter().any(|range| range.contains(&number))
    }

    /// Returns the mask of numbers that are contained; the lowest bit is the first number.
    #[inline]
    pub(crate) fn have(&self, numbers: &[i32; 64]) -> u64 {
        let within =
            |range: &RangeInclusive<i32>| bits(&numbers.map(|number| range.contains(&number)));
        self.0.iter().map(within).fold(0, BitOr::bitor)
    }

    /// Returns whether a text is a number or a range of numbers from 0 on.
    pub(crate) fn is_range(text: &str) -> bool {
        let item = Item {
            name: None,
            text: text.to_owned(),
            form: Form::Plain,
            span: 0..0,
        };
        NumberRanges::read(&[item], Sign::Is, 0).is_ok()
    }

    pub(crate) fn one(range: RangeInclusive<i32>) -> NumberRanges {
        NumberRanges(vec![range])
    }

    /// Returns the range, if there is exactly one.
    pub(crate) fn range(&self) -> Option<&RangeInclusive<i32>> {
        match self.0.as_slice() {
            [range] => Some(range),
            _ => None,
        }
    }

    /// Reads `5`, `5..9`, `5-9`, `..9`, `5..`, `5+` and lists of these. Open ranges begin at
    /// `lowest`, which no number may be below.
    pub(crate) fn read(
        items: &[Item],
        sign: Sign,
        lowest: i32,
    ) -> Result<NumberRanges, (usize, Fault)> {
        let range = |item: &Item| {
            let bad = || Fault::from("expected a number or a range such as 20..40");
            let number = |text: &str| {
                let number: i32 = text.trim().parse().map_err(|_| bad())?;
                if number < lowest.min(0) {
                    Err(Fault::from("the number cannot be negative"))
                } else {
                    Ok(number)
                }
            };
            let ends = Bounds::read(&item.text, sign, is_hyphen_between_digits)?;
            // `>` and `<` exclude the number itself.
            let (after, before) = (
                i32::from(ends.sign == Sign::Above),
                i32::from(ends.sign == Sign::Below),
            );
            let first = ends.first.map_or(Ok(lowest), number)?.saturating_add(after);
            let last = ends
                .last
                .map_or(Ok(i32::MAX), number)?
                .saturating_sub(before);
            if item.form != Form::Regex && first <= last {
                Ok(first..=last)
            } else {
                Err(ends.reversed().unwrap_or_else(bad))
            }
        };
        each(items, range).map(NumberRanges)
    }
}

/// The ends of a range. One of them may be open.
pub(crate) struct Bounds<'t> {
    pub(crate) first: Option<&'t str>,
    pub(crate) last: Option<&'t str>,
    pub(crate) sign: Sign,
}

impl<'t> Bounds<'t> {
    /// Splits a range at dots, or at the hyphen for which `is_separator` is true of the text before
    /// and after it. A sign may be before the value, as in `>2600`.
    pub(crate) fn read(
        text: &'t str,
        sign: Sign,
        is_separator: fn(&str, &str) -> bool,
    ) -> Result<Bounds<'t>, Fault> {
        let (sign, text) = match sign {
            Sign::Is => SIGNS
                .iter()
                .filter(|(_, sign)| !matches!(sign, Sign::Is | Sign::IsNot))
                .find_map(|&(word, sign)| Some((sign, text.strip_prefix(word)?.trim_start())))
                .unwrap_or((sign, text)),
            sign => (sign, text),
        };
        let dots = text
            .split_once("..")
            .map(|(first, last)| (first, last.trim_start_matches('.')))
            .or_else(|| text.split_once('\u{2026}'))
            .or_else(|| Some((text.strip_suffix('+')?, "")));
        let hyphens = ['-', '\u{2013}', '\u{2014}'];
        let hyphen = text
            .match_indices(hyphens)
            .filter_map(|(start, hyphen)| {
                Some((text.get(..start)?, text.get(start + hyphen.len()..)?))
            })
            .find(|(first, last)| is_separator(first.trim(), last.trim()));
        let (first, last) = match (sign, dots.or(hyphen)) {
            (Sign::AtLeast | Sign::Above | Sign::AtMost | Sign::Below, Some(_)) => {
                return Err(Fault::from("a range cannot have a comparison sign"));
            }
            (Sign::AtLeast | Sign::Above, None) => (Some(text), None),
            (Sign::AtMost | Sign::Below, None) => (None, Some(text)),
            (Sign::Is | Sign::IsNot, None) => (Some(text), Some(text)),
            (Sign::Is | Sign::IsNot, Some((first, last))) => {
                let end = |text: &'t str| Some(text.trim()).filter(|text| !text.is_empty());
                (end(first), end(last))
            }
        };
        if first.is_none() && last.is_none() {
            return Err(Fault::from("a range needs a beginning or an end"));
        }
        Ok(Bounds { first, last, sign })
    }

    /// Returns the error about a range with two ends in the wrong order.
    pub(crate) fn reversed(&self) -> Option<Fault> {
        let (first, last) = (self.first?, self.last?);
        (first != last)
            .then(|| Fault::from(format!("this range is reversed; write {last}..{first}")))
    }
}

/// The signs between a key and its value. The signs of comparisons may also begin a value.
pub(super) const SIGNS: [(&str, Sign); 12] = [
    (">=", Sign::AtLeast),
    ("=>", Sign::AtLeast),
    ("<=", Sign::AtMost),
    ("=<", Sign::AtMost),
    ("\u{2265}", Sign::AtLeast),
    ("\u{2264}", Sign::AtMost),
    (">", Sign::Above),
    ("<", Sign::Below),
    ("!=", Sign::IsNot),
    ("\u{2260}", Sign::IsNot),
    (":", Sign::Is),
    ("=", Sign::Is),
];

/// Returns the first sign of a text: its start, its end, and its meaning.
pub(crate) fn sign_at(text: &str) -> Option<(usize, usize, Sign)> {
    let start = text.find(['<', '>', '=', '!', ':', '\u{2260}', '\u{2264}', '\u{2265}'])?;
    let rest = text.get(start..)?;
    let (word, sign) = SIGNS.iter().find(|(word, _)| rest.starts_with(word))?;
    Some((start, start + word.len(), *sign))
}

/// Returns whether a text is a number: digits, with a sign and a decimal point if need be.
pub(crate) fn is_decimal(text: &str) -> bool {
    let text = text.trim();
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (whole, part) = digits.split_once('.').unwrap_or((digits, "0"));
    is_number(whole) && is_number(part)
}

fn is_hyphen_between_digits(first: &str, last: &str) -> bool {
    is_number(first) && is_number(last)
}

/// Reads each value. An error comes with the index of its item.
pub(crate) fn each<T>(
    items: &[Item],
    mut read: impl FnMut(&Item) -> Result<T, Fault>,
) -> Result<Vec<T>, (usize, Fault)> {
    items
        .iter()
        .enumerate()
        .map(|(index, item)| read(item).map_err(|fault| (index, fault)))
        .collect()
}

/// Returns a mask with a bit for each game, the lowest for the first. Eight bytes are combined by a
/// multiplication without carries.
#[inline]
pub(crate) fn bits(games: &[bool; HeaderColumns::GAMES]) -> u64 {
    let (eights, _) = games.as_chunks::<8>();
    let of_eight = |eight: &[bool; 8]| {
        let bytes = u64::from_le_bytes(eight.map(u8::from));
        bytes.wrapping_mul(0x0102_0408_1020_4080) >> 56
    };
    eights
        .iter()
        .zip((0..).step_by(8))
        .fold(0, |all, (eight, shift)| all | of_eight(eight) << shift)
}
