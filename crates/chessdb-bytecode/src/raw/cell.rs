//! The values in a row: numbers, bytes, dates.

use std::borrow::Cow;

use bitflags::bitflags;
use chessdb_core::Date;

/// A cell of a row.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Cell<'a> {
    /// SQL's NULL.
    Null,
    /// A number.
    Int(i64),
    /// A text or bytes, as stored.
    Bytes(Cow<'a, [u8]>),
    /// A date, as stored.
    Date(Date),
}

impl<'a> Cell<'a> {
    /// Creates a cell of borrowed bytes.
    pub const fn bytes(bytes: &'a [u8]) -> Cell<'a> {
        Cell::Bytes(Cow::Borrowed(bytes))
    }

    /// Creates a cell of bytes, or NULL.
    pub fn optional(bytes: Option<&'a [u8]>) -> Cell<'a> {
        bytes.map_or(Cell::Null, Cell::bytes)
    }

    /// Creates a cell with a number, or NULL.
    pub fn number(number: Option<i64>) -> Cell<'a> {
        number.map_or(Cell::Null, Cell::Int)
    }

    /// Returns a copy with owned bytes.
    pub fn owned(&self) -> Cell<'static> {
        match self {
            Cell::Null => Cell::Null,
            Cell::Int(number) => Cell::Int(*number),
            Cell::Bytes(bytes) => Cell::Bytes(bytes.to_vec().into()),
            Cell::Date(date) => Cell::Date(*date),
        }
    }

    /// Returns whether the cell is NULL.
    pub fn is_null(&self) -> bool {
        *self == Cell::Null
    }

    /// Returns the number, also one written as digits.
    pub fn as_int(&self) -> Option<i64> {
        match self {
            Cell::Int(number) => Some(*number),
            Cell::Bytes(bytes) => std::str::from_utf8(bytes).ok()?.trim().parse().ok(),
            Cell::Null | Cell::Date(_) => None,
        }
    }

    /// Returns the bytes, or a number or date as text.
    pub fn as_bytes(&self) -> Option<Cow<'_, [u8]>> {
        match self {
            Cell::Null => None,
            Cell::Int(number) => Some(number.to_string().into_bytes().into()),
            Cell::Bytes(bytes) => Some(Cow::Borrowed(bytes)),
            Cell::Date(date) => Some(StoredDate::text(*date).into_bytes().into()),
        }
    }

    /// Returns the date, also one written as `YYYY-MM-DD`; a time of day after it is ignored.
    pub fn as_date(&self) -> Option<Date> {
        match self {
            Cell::Date(date) => Some(*date),
            Cell::Bytes(bytes) => {
                let (&date, rest) = bytes.split_first_chunk::<10>()?;
                let [a, b, c, d, b'-', e, f, b'-', g, h] = date else {
                    return None;
                };
                let digit = |byte: u8| {
                    byte.is_ascii_digit()
                        .then(|| u16::from(byte).wrapping_sub(48))
                };
                let pair = |a, b| Some(digit(a)? * 10 + digit(b)?);
                let year = pair(a, b)? * 100 + pair(c, d)?;
                let date = Date::new(year, pair(e, f)? as u8, pair(g, h)? as u8);
                matches!(rest.first(), None | Some(b' ' | b'T')).then_some(date)
            }
            Cell::Null | Cell::Int(_) => None,
        }
    }
}

bitflags! {
    /// The unknown parts of a date: one byte of the column DateFlags (section 7).
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
    pub struct DateFlags: u8 {
        /// The day.
        const DAY = 0x10;
        /// The month.
        const MONTH = 0x20;
        /// The year.
        const YEAR = 0x40;
    }
}

/// A date in the form of the columns GameDate and EventDate with their byte of DateFlags.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct StoredDate {
    /// The date with unknown parts filled in; `None` if nothing of it is known.
    pub date: Option<Date>,
    /// The parts that are unknown.
    pub unknown: DateFlags,
}

impl StoredDate {
    /// Returns the date that is meant.
    ///
    /// QUIRK: in jose's archives of 2005 a date with unknown parts is one day too early. The last
    /// day of a month is therefore read as the first of the next (section 7).
    pub fn to_date(self) -> Date {
        let Some(mut date) = self.date.filter(|date| *date != Date::UNKNOWN) else {
            return Date::UNKNOWN;
        };
        if self.unknown.contains(DateFlags::DAY) && date.day == last_day(date.year, date.month) {
            date.month += 1;
            if date.month > 12 {
                date = Date::new(date.year + 1, 1, 1);
            }
            date.day = 1;
        }
        if self.unknown.contains(DateFlags::DAY) {
            date.day = 0;
        }
        if self.unknown.contains(DateFlags::MONTH) {
            date.month = 0;
        }
        if self.unknown.contains(DateFlags::YEAR) {
            date.year = 0;
        }
        date
    }

    /// Returns the stored form of a date, and whether it had to be changed: date columns hold years
    /// up to 9999, months up to 12 and days up to 31.
    pub fn from_date(date: Date) -> (StoredDate, bool) {
        let fitting = date.within_calendar();
        let changed = fitting != date;
        if fitting.is_unknown() {
            return (StoredDate::default(), changed);
        }
        let mut unknown = DateFlags::empty();
        unknown.set(DateFlags::DAY, fitting.day == 0);
        unknown.set(DateFlags::MONTH, fitting.month == 0);
        unknown.set(DateFlags::YEAR, fitting.year == 0);
        // jose 1.5 stores the first day of the known part (section 7).
        let date = Date::new(fitting.year, fitting.month.max(1), fitting.day.max(1));
        let stored = StoredDate {
            date: Some(date),
            unknown,
        };
        (stored, changed)
    }

    /// Returns a date as `YYYY-MM-DD`.
    pub fn text(date: Date) -> String {
        let Date { year, month, day } = date;
        if year > 9999 || month > 99 || day > 99 {
            return format!("{year:04}-{month:02}-{day:02}");
        }
        // Every game has dates, and `format!` is slow.
        let mut text = String::with_capacity(10);
        for (number, before) in [
            (year / 100, ""),
            (year % 100, ""),
            (month.into(), "-"),
            (day.into(), "-"),
        ] {
            text.push_str(before);
            text.extend([number / 10, number % 10].map(|digit| char::from(b'0' + digit as u8)));
        }
        text
    }
}

/// Returns the last day of a month, or 0 for an invalid month.
fn last_day(year: u16, month: u8) -> u8 {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, flags: u8) -> String {
        let stored = StoredDate {
            date: Cell::bytes(text.as_bytes()).as_date(),
            unknown: DateFlags::from_bits_truncate(flags),
        };
        stored.to_date().to_string()
    }

    /// Section 7: both ways in which jose has stored dates with unknown parts.
    #[test]
    fn old_and_new_dates_mean_the_same() {
        for (text, flags, meant) in [
            ("2000-12-31", 0x30, "2001.??.??"),
            ("2001-01-01", 0x30, "2001.??.??"),
            ("2002-05-31", 0x10, "2002.06.??"),
            ("2002-06-01", 0x10, "2002.06.??"),
            ("2003-12-31", 0x10, "2004.01.??"),
            ("2000-02-29", 0x10, "2000.03.??"),
            ("1900-02-28", 0x10, "1900.03.??"),
            ("2001-12-31", 0, "2001.12.31"),
            ("0000-12-25", 0x40, "????.12.25"),
            ("2001-02-31", 0, "2001.02.31"),
            ("0000-00-00", 0, "????.??.??"),
            ("2001-01-01 00:00:00", 0, "2001.01.01"),
        ] {
            assert_eq!(read(text, flags), meant, "{text} {flags:#x}");
        }
        for (year, month, day) in [(7, 1, 0), (1985, 11, 99), (65535, 255, 255), (9999, 100, 9)] {
            let text = format!("{year:04}-{month:02}-{day:02}");
            assert_eq!(StoredDate::text(Date::new(year, month, day)), text);
        }
        for invalid in ["", "2001-1-1", "2001-01-01x", "x001-01-01"] {
            assert_eq!(read(invalid, 0), "????.??.??", "{invalid}");
        }
    }

    #[test]
    fn every_date_comes_back() {
        for year in [0, 1, 1899, 2000, 9999] {
            for month in 0..=12 {
                for day in 0..=31 {
                    let date = Date::new(year, month, day);
                    let (stored, changed) = StoredDate::from_date(date);
                    assert!(!changed);
                    assert_eq!(stored.to_date(), date, "{stored:?}");
                }
            }
        }
        let (stored, changed) = StoredDate::from_date(Date::new(2001, 15, 31));
        assert!(changed);
        assert_eq!(stored.to_date(), Date::new(2001, 0, 31));
    }

    #[test]
    fn cells_convert_to_numbers_and_text() {
        assert_eq!(Cell::bytes(b" 12").as_int(), Some(12));
        assert_eq!(Cell::bytes(b"1.5").as_int(), None);
        assert_eq!(Cell::Int(-1).as_bytes().as_deref(), Some(&b"-1"[..]));
        let date = Cell::Date(Date::new(1985, 11, 9));
        assert_eq!(date.as_bytes().as_deref(), Some(&b"1985-11-09"[..]));
        assert!(Cell::optional(None).is_null() && Cell::number(None).is_null());
    }
}
