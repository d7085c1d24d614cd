//! The values of terms: numbers, dates, codes, texts.

use std::cmp::Ordering;
use std::ops::{BitOr, Range, RangeInclusive};

use chessdb_core::Date;
use chessdb_core::model::{Eco, EcoSub};
use chessdb_core::search::HeaderColumns;
use memchr::memmem::Finder;

use super::QueryError;
use super::lexer::{Form, Item, Sign};
use crate::fold::{contains_merged, fold, has_umlaut, merge_umlauts, spell};
use crate::regular_expression::Regex;

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
    pub(crate) fn of(self, text: &str) -> QueryError {
        let within = self.within.unwrap_or(0..text.len());
        QueryError::new(text, within, self.message)
    }

    pub(crate) fn span(within: Range<usize>, message: impl Into<String>) -> Fault {
        Fault {
            within: Some(within),
            ..Fault::from(message)
        }
    }
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

    /// Returns whether a range contains numbers greater than `most`.
    pub(crate) fn reach_beyond(&self, most: i32) -> bool {
        self.0.iter().any(|range| *range.end() > most)
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

    /// Reads `5`, `5..9`, `..9`, `5..` and lists of these. Open ranges begin at `lowest`.
    pub(crate) fn read(
        items: &[Item],
        sign: Sign,
        lowest: i32,
    ) -> Result<NumberRanges, (usize, Fault)> {
        let range = |item: &Item| {
            let bad = || Fault::from("expected a number or a range such as 20..40");
            let number = |text: &str| text.parse::<i32>().map_err(|_| bad());
            let (first, last) = bounds(&item.text, sign)?;
            // `>` and `<` exclude the number itself.
            let (after, before) = (
                i32::from(sign == Sign::Above),
                i32::from(sign == Sign::Below),
            );
            let first = first.map_or(Ok(lowest), number)?.saturating_add(after);
            let last = last.map_or(Ok(i32::MAX), number)?.saturating_sub(before);
            match item.form == Form::Plain && first <= last {
                true => Ok(first..=last),
                false => Err(bad()),
            }
        };
        each(items, range).map(NumberRanges)
    }
}

/// The ends of a range. One of them may be open.
type Bounds<'t> = (Option<&'t str>, Option<&'t str>);

fn bounds(text: &str, sign: Sign) -> Result<Bounds<'_>, Fault> {
    let range = text.split_once("..");
    Ok(match (sign, range) {
        (Sign::Is, None) => (Some(text), Some(text)),
        (Sign::Is, Some((first, last))) => {
            if first.is_empty() && last.is_empty() {
                return Err(Fault::from("a range needs a beginning or an end"));
            }
            let end = |text| Some(text).filter(|text: &&str| !text.is_empty());
            (end(first), end(last))
        }
        (_, Some(_)) => return Err(Fault::from("a range cannot have a comparison sign")),
        (Sign::AtLeast | Sign::Above, None) => (Some(text), None),
        (Sign::AtMost | Sign::Below, None) => (None, Some(text)),
    })
}

/// Reads each value. An error comes with the index of its item.
pub(crate) fn each<T>(
    items: &[Item],
    mut read: impl FnMut(&Item) -> Result<T, Fault>,
) -> Result<Vec<T>, (usize, Fault)> {
    let items = items.iter().enumerate();
    items
        .map(|(at, item)| read(item).map_err(|fault| (at, fault)))
        .collect()
}

/// A day, month or year, with the number of parts that were given.
#[derive(Clone, Copy, PartialEq, Debug)]
struct PartialDate {
    date: Date,
    parts: usize,
}

impl PartialDate {
    fn read(text: &str) -> Result<PartialDate, Fault> {
        let bad = || Fault::from("expected a date or a range such as 1959.09..1959.10.29");
        let mut numbers = [0_u16; 3];
        let mut parts = 0;
        for part in text.split(['.', '-', '/']) {
            let number = numbers.get_mut(parts).ok_or_else(bad)?;
            *number = part.parse().ok().filter(|&n| n > 0).ok_or_else(bad)?;
            parts += 1;
        }
        let [year, month, day] = numbers;
        let small = |part: u16| u8::try_from(part).map_err(|_| bad());
        let date = Date::new(year, small(month)?, small(day)?);
        Ok(PartialDate { date, parts })
    }

    /// Compares a date with this one, as far as both are known. `None` if that is undecidable.
    fn compare(self, date: Date) -> Option<Ordering> {
        let parts = |date: Date| [date.year, date.month.into(), date.day.into()];
        for (part, bound) in parts(date)
            .into_iter()
            .zip(parts(self.date))
            .take(self.parts)
        {
            match part.cmp(&bound) {
                _ if part == 0 => return None,
                Ordering::Equal => {}
                unequal => return Some(unequal),
            }
        }
        Some(Ordering::Equal)
    }
}

/// Ranges of dates.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct DateRanges(Vec<(Option<PartialDate>, Option<PartialDate>, Sign)>);

impl DateRanges {
    /// Returns whether the date is certainly within a range.
    pub(crate) fn has(&self, date: Date) -> bool {
        self.0.iter().any(|&(first, last, sign)| {
            let is = |day: Option<PartialDate>, wanted: fn(Ordering) -> bool| match day {
                Some(day) => day.compare(date).is_some_and(wanted),
                None => date.year != 0,
            };
            match sign {
                Sign::Above => is(first, Ordering::is_gt),
                Sign::Below => is(last, Ordering::is_lt),
                _ => is(first, Ordering::is_ge) && is(last, Ordering::is_le),
            }
        })
    }

    /// Like [`DateRanges::has`], for a date known only by its year. The year is 0 if it is unknown
    /// or after [`HeaderColumns::MOST_YEAR`]. `None` if that is undecidable.
    #[inline]
    pub(crate) fn has_year(&self, year: u16) -> Option<bool> {
        let mut any = Some(false);
        for &(first, last, sign) in &self.0 {
            match DateRanges::year_is(first, last, sign, year) {
                Some(true) => return Some(true),
                Some(false) => {}
                None => any = None,
            }
        }
        any
    }

    /// Returns whether a year is within a range.
    #[inline]
    fn year_is(
        first: Option<PartialDate>,
        last: Option<PartialDate>,
        sign: Sign,
        year: u16,
    ) -> Option<bool> {
        if year == 0 {
            let is_bounded = last.is_some_and(|last| last.date.year <= HeaderColumns::MOST_YEAR);
            return is_bounded.then_some(false);
        }
        let is = |day: Option<PartialDate>, wanted: fn(Ordering) -> bool| match day {
            Some(day) => match year.cmp(&day.date.year) {
                Ordering::Equal if day.parts > 1 => None,
                order => Some(wanted(order)),
            },
            None => Some(true),
        };
        match sign {
            Sign::Above => is(first, Ordering::is_gt),
            Sign::Below => is(last, Ordering::is_lt),
            _ => match (is(first, Ordering::is_ge), is(last, Ordering::is_le)) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (first, last) => first.and(last),
            },
        }
    }

    pub(crate) fn read(items: &[Item], sign: Sign) -> Result<DateRanges, (usize, Fault)> {
        let range = |item: &Item| {
            let (first, last) = bounds(&item.text, sign)?;
            let day = |text: Option<&str>| text.map(PartialDate::read).transpose();
            Ok((day(first)?, day(last)?, sign))
        };
        each(items, range).map(DateRanges)
    }
}

/// ECO codes: ranges, or one code with its sub-code.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct EcoRanges(Vec<(RangeInclusive<u16>, Option<String>)>);

impl EcoRanges {
    pub(crate) fn has(&self, eco: Option<Eco>) -> bool {
        let Some(eco) = eco else { return false };
        self.0.iter().any(|(range, sub)| {
            let with_sub = |sub: &String| eco.to_string().starts_with(sub.as_str());
            range.contains(&eco.code) && sub.as_ref().is_none_or(with_sub)
        })
    }

    /// Reads `B90`, `B9`, `B`, `B90-B99`, `B90..B99`, `B07a`.
    pub(crate) fn read(items: &[Item]) -> Result<EcoRanges, (usize, Fault)> {
        each(items, |item| eco(&item.text)).map(EcoRanges)
    }
}

fn eco(text: &str) -> Result<(RangeInclusive<u16>, Option<String>), Fault> {
    let bad = || Fault::from("expected an ECO code or a range such as B90 or B90-B99");
    let ends = text.split_once("..").or_else(|| text.split_once('-'));
    if let Some((first, last)) = ends {
        let (first, last) = (codes(first).ok_or_else(bad)?, codes(last).ok_or_else(bad)?);
        let range = *first.start()..=*last.end();
        return if range.is_empty() {
            Err(bad())
        } else {
            Ok((range, None))
        };
    }
    if let Some(range) = codes(text) {
        return Ok((range, None));
    }
    let mut text = text.to_owned();
    if let Some(letter) = text.get_mut(..1) {
        letter.make_ascii_uppercase();
    }
    let eco = Eco::from_ascii(text.as_bytes()).ok_or_else(bad)?;
    debug_assert!(eco.sub != EcoSub::None);
    Ok((eco.code..=eco.code, Some(text)))
}

/// Returns the codes with this prefix of a letter and up to two digits.
fn codes(text: &str) -> Option<RangeInclusive<u16>> {
    let (&letter, digits) = text.as_bytes().split_first()?;
    let letter = letter.to_ascii_uppercase();
    if !(b'A'..=b'F').contains(&letter) || digits.len() > 2 {
        return None;
    }
    let start = digits.iter().try_fold(0, |sum: u16, digit| {
        digit
            .is_ascii_digit()
            .then(|| sum * 10 + u16::from(digit - b'0'))
    })?;
    let unit = match digits.len() {
        0 => 100,
        1 => 10,
        _ => 1,
    };
    let start = u16::from(letter - b'A') * 100 + start * unit;
    Some(start..=start + unit - 1)
}

/// A condition on a text.
#[derive(Clone, Debug)]
pub(crate) enum TextTest {
    /// The text contains these folded letters.
    Part(Box<TextPart>),
    /// The transliterated text matches, ignoring case.
    Regex(Regex),
}

/// Folded letters to find, with all spellings of each umlaut.
#[derive(Clone, Debug)]
pub(crate) struct TextPart {
    letters: Finder<'static>,
    /// The letters with umlauts merged, and whether there was an umlaut to merge.
    merged: Box<str>,
    has_umlaut: bool,
}

impl TextPart {
    fn new(folded: &str) -> TextPart {
        let mut merged = String::new();
        merge_umlauts(folded, &mut merged);
        TextPart {
            letters: Finder::new(folded).into_owned(),
            merged: merged.into_boxed_str(),
            has_umlaut: has_umlaut(folded),
        }
    }

    fn is_in(&self, folded: &str) -> bool {
        self.letters.find(folded.as_bytes()).is_some()
            || (self.has_umlaut || has_umlaut(folded)) && contains_merged(folded, &self.merged)
    }
}

impl TextTest {
    pub(crate) fn read(item: &Item) -> Result<TextTest, Fault> {
        let mut folded = String::new();
        if item.form == Form::Regex {
            spell(&item.text, &mut folded);
            let words =
                |reason: String| Fault::from(format!("invalid regular expression: {reason}"));
            return Regex::new(&folded).map(TextTest::Regex).map_err(words);
        }
        fold(item.text.trim(), &mut folded);
        match folded.is_empty() {
            true => Err(Fault::from("expected text")),
            false => Ok(TextTest::Part(Box::new(TextPart::new(&folded)))),
        }
    }

    /// Returns whether a folded text matches.
    pub(crate) fn fits(&self, folded: &str) -> bool {
        match self {
            TextTest::Part(part) => part.is_in(folded),
            TextTest::Regex(regex) => regex.is_match(folded),
        }
    }
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
    let bits = eights.iter().zip((0..).step_by(8));
    bits.fold(0, |all, (eight, at)| all | of_eight(eight) << at)
}
