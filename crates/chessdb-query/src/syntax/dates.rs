//! Values that are dates.

use std::cmp::Ordering;

use chessdb_core::Date;

use super::lexer::{Item, Sign};
use super::values::{Bounds, Fault, each};
use crate::natural::is_number;

/// A day, month or year, with the number of parts that were given.
#[derive(Clone, Copy, PartialEq, Debug)]
struct PartialDate {
    date: Date,
    parts: usize,
}

impl PartialDate {
    /// Reads `1959`, `1959.09`, `1959-9-7`, `1959/09/07`, `19590907`. Unknown parts at the end may
    /// be `??`.
    fn read(text: &str) -> Result<PartialDate, Fault> {
        let bad = || Fault::from("expected a date or a range such as 1959.09..1959.10.29");
        let is_compact = text.len() == 8 && is_number(text);
        let mut words: Vec<&str> = if is_compact {
            [0..4, 4..6, 6..8]
                .into_iter()
                .filter_map(|range| text.get(range))
                .collect()
        } else {
            text.split(['.', '-', '/']).collect()
        };
        while words.len() > 1 && words.last().is_some_and(|word| is_unknown(word)) {
            words.pop();
        }
        let (Some(&year), true) = (words.first(), words.len() <= 3) else {
            return Err(bad());
        };
        let number = |word: &str| {
            if is_number(word) {
                word.parse::<u16>().map_err(|_| bad())
            } else {
                Err(bad())
            }
        };
        let mut numbers = [0_u16; 3];
        for (slot, word) in numbers.iter_mut().zip(&words) {
            *slot = number(word)?;
        }
        let [first, second, third] = numbers;
        if year.len() != 4 || first == 0 {
            return Err(match words.as_slice() {
                [_, _, last] if last.len() == 4 && first.max(second) <= 31 => {
                    // A part above 12 can only be the day; otherwise the day comes first.
                    let (month, day) = if second > 12 { (first, second) } else { (second, first) };
                    Fault::from(format!("write the year first: {third}.{month:02}.{day:02}"))
                }
                [_, last] if last.len() == 4 => {
                    Fault::from(format!("write the year first: {second}.{first:02}"))
                }
                _ => Fault::from("a year has four digits, such as 1959").in_part(text, year),
            });
        }
        if let Some(word) = words.get(1)
            && !(1..=12).contains(&second)
        {
            return Err(Fault::from("months are 1 to 12").in_part(text, word));
        }
        let days = days_of(first, second);
        if let Some(word) = words.get(2)
            && !(1..=days).contains(&third)
        {
            let message = format!("{first}.{second:02} has {days} days");
            return Err(Fault::from(message).in_part(text, word));
        }
        let small = |part: u16| u8::try_from(part).map_err(|_| bad());
        Ok(PartialDate {
            date: Date::new(first, small(second)?, small(third)?),
            parts: words.len(),
        })
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
        // A range does not include unknown dates, even if its end is open.
        date.year != 0
            && self.0.iter().any(|&(first, last, sign)| {
                let is = |day: Option<PartialDate>, wanted: fn(Ordering) -> bool| {
                    day.is_none_or(|day| day.compare(date).is_some_and(wanted))
                };
                match sign {
                    Sign::Above => is(first, Ordering::is_gt),
                    Sign::Below => is(last, Ordering::is_lt),
                    _ => is(first, Ordering::is_ge) && is(last, Ordering::is_le),
                }
            })
    }

    /// Like [`DateRanges::has`], for a date known only by its year. The year is 0 if the
    /// date is unknown to the index. `None` if that is undecidable.
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
            return None;
        }
        let is = |day: Option<PartialDate>, wanted: fn(Ordering) -> bool| match day {
            Some(day) => match year.cmp(&day.date.year) {
                // Within the year of the bound, month and day decide.
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
            let ends = Bounds::read(&item.text, sign, is_hyphen_between_dates)?;
            let day = |end: Option<&str>| {
                end.map(|end| {
                    PartialDate::read(end).map_err(|fault| fault.in_part(&item.text, end))
                })
                .transpose()
            };
            let (first, last) = (day(ends.first)?, day(ends.last)?);
            if let (Some(first), Some(last)) = (first, last)
                && last.compare(first.date) == Some(Ordering::Greater)
            {
                return Err(ends
                    .reversed()
                    .unwrap_or_else(|| Fault::from("empty range")));
            }
            Ok((first, last, ends.sign))
        };
        each(items, range).map(DateRanges)
    }
}

/// Returns whether a part of a date is PGN's spelling of an unknown one.
fn is_unknown(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte == b'?')
}

/// Returns whether the hyphen between two texts separates dates and not parts of a date.
fn is_hyphen_between_dates(first: &str, last: &str) -> bool {
    let begins_with_year = |text: &str| {
        let year = text.split(['.', '-', '/']).next().unwrap_or_default();
        year.len() == 4 && is_number(year)
    };
    begins_with_year(first) && begins_with_year(last)
}

/// Returns the number of days of a month; 31 for an invalid one.
fn days_of(year: u16, month: u16) -> u16 {
    let is_leap = year.is_multiple_of(4) && !year.is_multiple_of(100) || year.is_multiple_of(400);
    match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}
