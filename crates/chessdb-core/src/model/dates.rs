//! Dates in the spellings that tags use.

use crate::model::Date;

/// The reason why a date was not read completely, or only with an assumption.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DateDoubt {
    /// Day and month might be swapped. The order that is customary with this separator is assumed
    /// (`01.05.2020`), or the only possible one (`12/25/2020`).
    Order,
    /// Day and month might be swapped, and only the year is certain (`1/5/2020`).
    Ambiguous,
    /// A month above 12 or a day above 31, which is left out (`2020.25.12`).
    Impossible,
    /// The text is not a date (`yesterday`).
    Unreadable,
}

impl DateDoubt {
    /// Returns a description of the doubt for a diagnostic.
    pub const fn as_str(self) -> &'static str {
        match self {
            DateDoubt::Order => {
                "the date ends with the year; the order of day and month is assumed"
            }
            DateDoubt::Ambiguous => {
                "the order of day and month in the date is ambiguous; only the year was read"
            }
            DateDoubt::Impossible => "the date has a month above 12 or a day above 31",
            DateDoubt::Unreadable => "the date cannot be read",
        }
    }
}

/// A part of a date.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum DatePart {
    Number {
        value: u16,
        digits: usize,
    },
    /// `?`, `??` or `????`.
    Unknown,
    /// The name of a month.
    Month(u8),
}

/// The months by the first three letters of their English names.
const MONTHS: [&[u8; 3]; 12] = [
    b"jan", b"feb", b"mar", b"apr", b"may", b"jun", b"jul", b"aug", b"sep", b"oct", b"nov", b"dec",
];

impl Date {
    /// Returns whether the month is at most 12 and the day at most 31.
    pub const fn is_possible(self) -> bool {
        self.month <= 12 && self.day <= 31
    }

    /// Parses the text of a tag: `2020.05.01` or with other separators, `20200501`, `May 1, 2020`,
    /// `01.05.2020`, `5.2020`. Parts that are impossible or ambiguous are unknown, and the doubt
    /// gives the reason.
    ///
    /// ```
    /// use chessdb_core::Date;
    /// use chessdb_core::model::DateDoubt;
    ///
    /// assert_eq!(Date::read(b"2020-05-01"), (Date::new(2020, 5, 1), None));
    /// let ambiguous = (Date::new(2020, 0, 0), Some(DateDoubt::Ambiguous));
    /// assert_eq!(Date::read(b"1/5/2020"), ambiguous);
    /// ```
    pub fn read(text: &[u8]) -> (Date, Option<DateDoubt>) {
        match Date::from_pgn(text) {
            Some(date) if date.is_possible() => (date, None),
            _ => read_lenient(text),
        }
    }
}

#[cold]
fn read_lenient(text: &[u8]) -> (Date, Option<DateDoubt>) {
    let text = text.trim_ascii();
    if text.iter().all(|byte| b"?-./*0 \t".contains(byte)) {
        return (Date::UNKNOWN, None);
    }
    let Some((parts, separator)) = parts(text) else {
        return (Date::UNKNOWN, Some(DateDoubt::Unreadable));
    };
    let [first, second, third] = parts;
    let year_of = |part: Option<DatePart>| match part {
        Some(DatePart::Number { value, digits: 4 }) => Some(value),
        _ => None,
    };
    match (first, second, third) {
        (Some(DatePart::Number { digits: 8, .. }), None, None) => {
            // The value does not fit into 16 bits, but its parts do.
            let number = |first: usize, count: usize| {
                let digits = text.iter().filter(|byte| byte.is_ascii_digit());
                digits
                    .skip(first)
                    .take(count)
                    .fold(0, |sum, digit| sum * 10 + u16::from(digit - b'0'))
            };
            valid_date(number(0, 4), Some(number(4, 2)), Some(number(6, 2)))
        }
        (Some(DatePart::Month(month)), day, Some(_)) | (day, Some(DatePart::Month(month)), _)
            if year_of(third).is_some() =>
        {
            date_from_parts(year_of(third).unwrap_or(0), Some(month.into()), day)
        }
        (Some(DatePart::Month(month)), year, None) if year_of(year).is_some() => {
            date_from_parts(year_of(year).unwrap_or(0), Some(month.into()), None)
        }
        (year, Some(DatePart::Month(month)), day) if year_of(year).is_some() => {
            date_from_parts(year_of(year).unwrap_or(0), Some(month.into()), day)
        }
        (
            Some(DatePart::Unknown),
            Some(DatePart::Number {
                value,
                digits: 1 | 2,
            }),
            day,
        ) if year_of(day).is_none() => date_from_parts(0, Some(value), day),
        (year, month, day) if year_of(year).is_some() => {
            let year = year_of(year).unwrap_or(0);
            match month {
                Some(DatePart::Number {
                    value,
                    digits: 1 | 2,
                }) => date_from_parts(year, Some(value), day),
                Some(DatePart::Number { .. }) => {
                    (Date::new(year, 0, 0), Some(DateDoubt::Impossible))
                }
                _ => (Date::new(year, 0, 0), None),
            }
        }
        (Some(month), year, None) if year_of(year).is_some() => {
            date_from_parts(year_of(year).unwrap_or(0), number(month), None)
        }
        (Some(a), Some(b), year) if year_of(year).is_some() => {
            year_last(a, b, year_of(year).unwrap_or(0), separator)
        }
        _ => (Date::UNKNOWN, Some(DateDoubt::Unreadable)),
    }
}

/// Determines the order of day and month before a year.
fn year_last(a: DatePart, b: DatePart, year: u16, separator: u8) -> (Date, Option<DateDoubt>) {
    let only_year = |doubt| (Date::new(year, 0, 0), doubt);
    let (day, month) = match (number(a), number(b)) {
        (None, None) => return only_year(None),
        (Some(day), Some(month)) => (day, month),
        // With dots, the month is always the second number.
        (None, Some(month @ 1..=12)) if separator == b'.' => {
            return valid_date(year, Some(month), None);
        }
        _ => return only_year(Some(DateDoubt::Ambiguous)),
    };
    let fits = |day: u16, month: u16| (1..=31).contains(&day) && (1..=12).contains(&month);
    let order = Some(DateDoubt::Order);
    match (fits(day, month), fits(month, day)) {
        (true, true) if day == month => valid_date(year, Some(month), Some(day)),
        (true, true) if separator == b'.' => (valid_date(year, Some(month), Some(day)).0, order),
        (true, true) => only_year(Some(DateDoubt::Ambiguous)),
        (true, false) => (valid_date(year, Some(month), Some(day)).0, order),
        (false, true) => (valid_date(year, Some(day), Some(month)).0, order),
        (false, false) => only_year(Some(DateDoubt::Impossible)),
    }
}

fn number(part: DatePart) -> Option<u16> {
    match part {
        DatePart::Number {
            value,
            digits: 1 | 2,
        } => Some(value),
        _ => None,
    }
}

fn date_from_parts(
    year: u16,
    month: Option<u16>,
    day: Option<DatePart>,
) -> (Date, Option<DateDoubt>) {
    valid_date(year, month, day.and_then(number))
}

/// Returns a date of these parts, without the impossible ones.
fn valid_date(year: u16, month: Option<u16>, day: Option<u16>) -> (Date, Option<DateDoubt>) {
    let within = |value: Option<u16>, limit: u8| {
        let value = u8::try_from(value.unwrap_or(0)).ok()?;
        (value <= limit).then_some(value)
    };
    match (within(month, 12), within(day, 31)) {
        (Some(month), Some(day)) => (Date::new(year, month, day), None),
        (Some(month), None) => (Date::new(year, month, 0), Some(DateDoubt::Impossible)),
        (None, _) => (Date::new(year, 0, 0), Some(DateDoubt::Impossible)),
    }
}

/// Parses up to three parts of the text, and the separator after the first. Returns `None` if
/// anything else precedes them.
fn parts(text: &[u8]) -> Option<([Option<DatePart>; 3], u8)> {
    let mut parts = [None; 3];
    let mut separator = 0;
    let mut rest = text;
    for slot in &mut parts {
        let gap = rest
            .iter()
            .take_while(|byte| matches!(byte, b'.' | b'-' | b'/' | b',' | b' ' | b'\t'))
            .count();
        if separator == 0 && rest.len() < text.len() {
            separator = rest.first().copied().unwrap_or(0);
        }
        rest = rest.get(gap..)?;
        let run = |is_in: fn(&u8) -> bool| rest.iter().take_while(|byte| is_in(byte)).count();
        let (part, length) = match rest.first() {
            None => break,
            Some(b'?') => (DatePart::Unknown, run(|byte| *byte == b'?')),
            Some(b'0'..=b'9') => {
                let digits = run(u8::is_ascii_digit);
                let value = rest.iter().take(digits).fold(0u16, |sum, byte| {
                    sum.saturating_mul(10)
                        .saturating_add(u16::from(byte - b'0'))
                });
                (DatePart::Number { value, digits }, digits)
            }
            Some(byte) if byte.is_ascii_alphabetic() => {
                let length = run(u8::is_ascii_alphabetic);
                let name = rest.get(..3).map(<[u8]>::to_ascii_lowercase);
                let is_name = |month: &&[u8; 3]| name.as_deref() == Some(&month[..]);
                match MONTHS.iter().position(is_name) {
                    Some(index) => (DatePart::Month(index as u8 + 1), length),
                    // Text after a date, such as a time or a weekday, is ignored.
                    None if rest.len() < text.len() => break,
                    None => return None,
                }
            }
            Some(_) => break,
        };
        *slot = Some(part);
        rest = rest.get(length..)?;
    }
    parts.first()?.map(|_| (parts, separator))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read_or_doubted() {
        use DateDoubt::{Ambiguous, Impossible, Order, Unreadable};
        for (text, date, doubt) in [
            ("2020.05.01", (2020, 5, 1), None),
            ("2020.??.??", (2020, 0, 0), None),
            ("????.12.25", (0, 12, 25), None),
            ("2020", (2020, 0, 0), None),
            ("2020.05", (2020, 5, 0), None),
            ("?", (0, 0, 0), None),
            ("", (0, 0, 0), None),
            ("????-??-??", (0, 0, 0), None),
            ("0000.00.00", (0, 0, 0), None),
            ("2020-05-01", (2020, 5, 1), None),
            ("2020/05/01", (2020, 5, 1), None),
            ("2020/5/1", (2020, 5, 1), None),
            ("2020 05 01", (2020, 5, 1), None),
            ("20200501", (2020, 5, 1), None),
            ("2020-05-01T10:20:30Z", (2020, 5, 1), None),
            ("2020.05.01 10:20", (2020, 5, 1), None),
            ("2020.06.31", (2020, 6, 31), None),
            ("May 1, 2020", (2020, 5, 1), None),
            ("1 May 2020", (2020, 5, 1), None),
            ("1-Sept-2020", (2020, 9, 1), None),
            ("2020 May 1", (2020, 5, 1), None),
            ("May 2020", (2020, 5, 0), None),
            ("5.2020", (2020, 5, 0), None),
            ("05/2020", (2020, 5, 0), None),
            ("5/5/2020", (2020, 5, 5), None),
            ("??.05.2020", (2020, 5, 0), None),
            ("??/??/2020", (2020, 0, 0), None),
            ("01.05.2020", (2020, 5, 1), Some(Order)),
            ("25.12.2020", (2020, 12, 25), Some(Order)),
            ("12.25.2020", (2020, 12, 25), Some(Order)),
            ("12/25/2020", (2020, 12, 25), Some(Order)),
            ("25/12/2020", (2020, 12, 25), Some(Order)),
            ("25-12-2020", (2020, 12, 25), Some(Order)),
            ("1/5/2020", (2020, 0, 0), Some(Ambiguous)),
            ("01-05-2020", (2020, 0, 0), Some(Ambiguous)),
            ("??/05/2020", (2020, 0, 0), Some(Ambiguous)),
            ("2020.13.01", (2020, 0, 0), Some(Impossible)),
            ("2020.25.12", (2020, 0, 0), Some(Impossible)),
            ("2020.12.32", (2020, 12, 0), Some(Impossible)),
            ("1987-88", (1987, 0, 0), Some(Impossible)),
            ("1987.88.??", (1987, 0, 0), Some(Impossible)),
            ("1987/1988", (1987, 0, 0), Some(Impossible)),
            ("20201301", (2020, 0, 0), Some(Impossible)),
            ("13/13/2020", (2020, 0, 0), Some(Impossible)),
            ("99/2020", (2020, 0, 0), Some(Impossible)),
            ("May 32, 2020", (2020, 5, 0), Some(Impossible)),
            ("????.13.01", (0, 0, 0), Some(Impossible)),
            ("01.05.20", (0, 0, 0), Some(Unreadable)),
            ("200?", (0, 0, 0), Some(Unreadable)),
            ("yesterday", (0, 0, 0), Some(Unreadable)),
            ("99999999999.1.1", (0, 0, 0), Some(Unreadable)),
        ] {
            let (year, month, day) = date;
            let read = Date::read(text.as_bytes());
            assert_eq!(read, (Date::new(year, month, day), doubt), "{text:?}");
            assert!(read.0.is_possible());
        }
    }
}
