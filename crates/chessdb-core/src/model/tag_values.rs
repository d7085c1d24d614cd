//! The forms that the values of tags have, for programs that let a user set them.

use crate::model::{Date, Eco, Field, GameFlags, Outcome};

/// The maximum rating that a player can have.
pub const MAX_RATING: u32 = 4000;

/// The maximum number of bytes of a value.
const MAX_VALUE: usize = 32 << 10;

/// Dates and times that the header has no field for, and the date of the event.
const DATES: [&str; 2] = ["UTCDate", "EventDate"];
const TIMES: [&str; 3] = ["UTCTime", "Time", "StartTime"];

/// The form that a value should have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TagForm {
    /// A short constant name, such as `date`.
    pub code: &'static str,
    /// A description with an example.
    pub expected: &'static str,
}

impl TagForm {
    const fn new(code: &'static str, expected: &'static str) -> TagForm {
        TagForm { code, expected }
    }

    /// Returns the form that a new value of this tag should have, if it has another one. Values of
    /// `FEN` are not checked: a start position belongs to the moves.
    ///
    /// ```
    /// use chessdb_core::model::TagForm;
    ///
    /// assert_eq!(TagForm::missed("Date", "2020.02.??"), None);
    /// assert_eq!(TagForm::missed("Date", "2020.02.31").unwrap().code, "date");
    /// assert_eq!(TagForm::missed("WhiteElo", "28505").unwrap().code, "rating");
    /// assert_eq!(TagForm::missed("Event ", "Bled").unwrap().code, "name");
    /// ```
    pub fn missed(name: &str, value: &str) -> Option<TagForm> {
        let bytes = value.as_bytes();
        let number = || {
            value
                .parse::<u32>()
                .ok()
                .filter(|_| !value.starts_with('+'))
        };
        let unless = |fits: bool, form: TagForm| (!fits).then_some(form);
        if let Some(form) = missed_name(name) {
            return Some(form);
        }
        if value.len() > MAX_VALUE {
            return Some(TagForm::new("length", "at most 32 KiB"));
        }
        if value.chars().any(char::is_control) {
            return Some(TagForm::new("text", "one line without control characters"));
        }
        if value.trim() != value {
            return Some(TagForm::new("blanks", "no blanks at the ends"));
        }
        let rating = TagForm::new("rating", "a number from 1 to 4000");
        let digits = TagForm::new("number", "a number");
        match Field::of_tag(name.as_bytes()) {
            _ if DATES.contains(&name) || name == Field::Date.tag() => unless(
                is_full_date(bytes),
                TagForm::new("date", "a date such as 1999.12.31 or 1999.??.??"),
            ),
            Some((Field::Result, _)) => unless(
                Outcome::from_pgn(bytes).is_some(),
                TagForm::new("result", "1-0, 0-1, 1/2-1/2 or *"),
            ),
            Some((Field::WhiteRating | Field::BlackRating, _)) => unless(
                matches!(value, "-" | "?") || number().is_some_and(is_rating),
                rating,
            ),
            Some((Field::WhiteFideId | Field::BlackFideId, _)) => {
                unless(number().is_some_and(|number| number > 0), digits)
            }
            Some((Field::Eco, _)) => unless(
                value == "?"
                    || matches!(bytes, [b'A'..=b'E', ..]) && Eco::from_ascii(bytes).is_some(),
                TagForm::new("eco", "a code from A00 to E99"),
            ),
            Some((Field::Flags, _)) => unless(
                GameFlags::from_letters(bytes).is_some(),
                TagForm::new("flags", "letters such as D or WB"),
            ),
            _ if name == "PlyCount" => unless(number().is_some(), digits),
            _ if TIMES.contains(&name) => unless(
                is_time(bytes),
                TagForm::new("time", "a time such as 18:30:00"),
            ),
            _ => None,
        }
    }
}

/// Returns whether a player can have this rating.
pub fn is_rating(number: u32) -> bool {
    (1..=MAX_RATING).contains(&number)
}

fn missed_name(name: &str) -> Option<TagForm> {
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    if name.is_empty() || name.len() > 255 || !name.bytes().all(is_name) {
        return Some(TagForm::new("name", "a name of letters, digits and _"));
    }
    None
}

/// Returns whether a text is a day of the calendar in PGN's form; unknown parts are question marks,
/// not zeros.
fn is_full_date(text: &[u8]) -> bool {
    let mut parts = text.split(|&byte| byte == b'.');
    text.len() == "1999.12.31".len()
        && !parts.any(|part| part.iter().all(|&byte| byte == b'0'))
        && Date::from_pgn(text).is_some_and(Date::is_in_calendar)
}

/// Returns whether a text is a time of the day; question marks are unknown digits.
fn is_time(text: &[u8]) -> bool {
    let mut parts = text.split(|&byte| byte == b':');
    let mut part = |max: u8| {
        parts.next().is_some_and(|part| match part {
            b"??" => true,
            [tens @ b'0'..=b'9', ones @ b'0'..=b'9'] => (tens - b'0') * 10 + (ones - b'0') <= max,
            _ => false,
        })
    };
    part(23) && part(59) && part(59) && parts.next().is_none()
}

impl Date {
    /// Returns whether the calendar has this day; unknown parts are possible.
    ///
    /// ```
    /// use chessdb_core::Date;
    ///
    /// assert!(Date::new(2020, 2, 29).is_in_calendar());
    /// assert!(!Date::new(2019, 2, 29).is_in_calendar());
    /// ```
    pub const fn is_in_calendar(self) -> bool {
        let leap = self.year.is_multiple_of(4)
            && (!self.year.is_multiple_of(100) || self.year.is_multiple_of(400));
        let days = match self.month {
            2 if self.year == 0 || leap => 29,
            2 => 28,
            4 | 6 | 9 | 11 => 30,
            _ => 31,
        };
        self.month <= 12 && self.day <= days
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_the_form_of_their_tag() {
        for (name, value, code) in [
            ("Result", "1/2-1/2", None),
            ("Result", "*", None),
            ("Result", "2-0", Some("result")),
            ("Result", "1-0 ", Some("blanks")),
            ("Result", "½-½", Some("result")),
            ("Result", "", Some("result")),
            ("WhiteElo", "2450", None),
            ("WhiteElo", "-", None),
            ("WhiteElo", "abc", Some("rating")),
            ("BlackElo", "0", Some("rating")),
            ("BlackElo", "28505", Some("rating")),
            ("BlackElo", "2 450", Some("rating")),
            ("BlackElo", "+2450", Some("rating")),
            ("BlackElo", "-5", Some("rating")),
            ("BlackElo", "", Some("rating")),
            ("WhiteFideId", "4100018", None),
            ("WhiteFideId", "x", Some("number")),
            ("Date", "2020.02.29", None),
            ("Date", "????.??.??", None),
            ("Date", "2020.??.??", None),
            ("Date", "2020.02.31", Some("date")),
            ("Date", "2019.02.29", Some("date")),
            ("Date", "1900.02.29", Some("date")),
            ("Date", "2020.13.01", Some("date")),
            ("Date", "2020.04.31", Some("date")),
            ("Date", "2020-04-30", Some("date")),
            ("Date", "2020.00.01", Some("date")),
            ("Date", "2020.05.00", Some("date")),
            ("Date", "2020", Some("date")),
            ("Date", "30.04.2020", Some("date")),
            ("Date", "yesterday", Some("date")),
            ("EventDate", "2021.06.31", Some("date")),
            ("UTCDate", "2021.06.31", Some("date")),
            ("UTCTime", "18:30:59", None),
            ("UTCTime", "24:00:00", Some("time")),
            ("Time", "18:30", Some("time")),
            ("ECO", "B90", None),
            ("ECO", "Z99", Some("eco")),
            ("ECO", "B9", Some("eco")),
            ("PlyCount", "80", None),
            ("PlyCount", "many", Some("number")),
            ("Round", "3.1", None),
            ("Round", "?", None),
            ("Round?", "1", Some("name")),
            ("White Elo", "1", Some("name")),
            ("", "1", Some("name")),
            ("Event", "Tata Steel", None),
            ("Event", " Tata Steel", Some("blanks")),
            ("Event", "Tata\nSteel", Some("text")),
            ("Event", "Tata\u{7}Steel", Some("text")),
        ] {
            let missed = TagForm::missed(name, value).map(|form| form.code);
            assert_eq!(missed, code, "{name}={value:?}");
        }
    }
}
