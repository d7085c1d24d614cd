//! Conversion of tag values to numbers and days, and back.
//!
//! The conversion need not be exact in both directions: a tag that cannot be restored letter by
//! letter from its number is also kept in the column `tags`.

use chessdb_core::Date;
use chessdb_core::model::read_number;

use crate::Column;

/// Returns the typed value of a tag's text, if it has one. [`write()`] converts it back.
pub(crate) fn read(column: Column, text: &[u8]) -> Option<i64> {
    match column {
        Column::WhiteElo | Column::BlackElo => {
            let number = read_number(text).0?;
            i16::try_from(number).ok().map(i64::from)
        }
        Column::WhiteFideId | Column::BlackFideId => {
            let number = read_number(text).0?;
            i32::try_from(number).ok().map(i64::from)
        }
        Column::WhiteRatingDiff | Column::BlackRatingDiff => {
            let number: i16 = std::str::from_utf8(text).ok()?.trim().parse().ok()?;
            Some(number.into())
        }
        Column::UtcDate => days(Date::from_pgn(text)?),
        Column::UtcTime => {
            let [h1, h2, b':', m1, m2, b':', s1, s2] = *text else {
                return None;
            };
            let two = |tens: u8, ones: u8, below: i64| {
                let digits = tens.is_ascii_digit() && ones.is_ascii_digit();
                // Both are characters: ten times the code of 0, and once more.
                let value = i64::from(tens) * 10 + i64::from(ones) - 11 * i64::from(b'0');
                (digits && value < below).then_some(value)
            };
            let seconds = two(h1, h2, 24)? * 3600 + two(m1, m2, 60)? * 60 + two(s1, s2, 60)?;
            Some(seconds * 1000)
        }
        _ => None,
    }
}

/// Appends a typed value as the text of its tag.
pub(crate) fn write(column: Column, value: i64, out: &mut Vec<u8>) {
    match column {
        Column::WhiteRatingDiff | Column::BlackRatingDiff => {
            out.extend_from_slice(format!("{value:+}").as_bytes());
        }
        Column::UtcDate => match date(value) {
            Some(date) => date.write_pgn(out),
            None => out.extend_from_slice(b"????.??.??"),
        },
        Column::UtcTime => {
            let seconds = value / 1000;
            let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
            let text = format!("{hours:02}:{minutes:02}:{:02}", seconds % 60);
            out.extend_from_slice(text.as_bytes());
        }
        _ => out.extend_from_slice(value.to_string().as_bytes()),
    }
}

/// The days in four hundred years, the period of the calendar.
const ERA: i64 = 146_097;
/// The days from 1 March of the year 0 to 1970-01-01.
const BEFORE_1970: i64 = 719_468;
/// The first day of the year 1 and the last day of 9999, in days since 1970-01-01.
const FIRST: i64 = -719_162;
const LAST: i64 = 2_932_896;

/// Returns the days since 1970-01-01 of a date. `None` if the date is incomplete or does not exist.
pub(crate) fn days(date: Date) -> Option<i64> {
    let Date { year, month, day } = date;
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let length = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        _ => return None,
    };
    if year == 0 || day == 0 || day > length {
        return None;
    }
    // Years begin in March here, so that the leap day is the last day of a year. The months from
    // March on have 31, 30, 31, 30, 31 days, and again: 153 days in five months.
    let shifted = i64::from(year) - i64::from(month <= 2);
    let (era, of_era) = (shifted.div_euclid(400), shifted.rem_euclid(400));
    let from_march = (i64::from(month) + 9) % 12;
    let of_year = (153 * from_march + 2) / 5 + i64::from(day) - 1;
    Some(era * ERA + of_era * 365 + of_era / 4 - of_era / 100 + of_year - BEFORE_1970)
}

/// Returns the date that is `days` days after 1970-01-01. `None` if a tag cannot represent it.
fn date(days: i64) -> Option<Date> {
    if !(FIRST..=LAST).contains(&days) {
        return None;
    }
    let shifted = days + BEFORE_1970;
    let (era, of_era) = (shifted.div_euclid(ERA), shifted.rem_euclid(ERA));
    // Subtracts the leap days: one in 4 years, less one in 100, and one in 400.
    let years = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * years + years / 4 - years / 100);
    let from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    let year = era * 400 + years + i64::from(month <= 2);
    let year = u16::try_from(year).ok()?;
    Some(Date::new(year, month as u8, day as u8))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn consecutive_days_have_consecutive_numbers() {
        let mut before = days(Date::new(1, 1, 1)).unwrap() - 1;
        assert_eq!(before + 1, -719_162);
        for year in 1..=9999 {
            for month in 1..=12 {
                for day in 1..=31 {
                    let given = Date::new(year, month, day);
                    let Some(days) = days(given) else {
                        assert!(day > 28);
                        continue;
                    };
                    assert_eq!(days, before + 1, "{given:?}");
                    assert_eq!(date(days), Some(given));
                    before = days;
                }
            }
        }
        assert_eq!(before, 2_932_896);
        assert_eq!(days(Date::new(1970, 1, 1)), Some(0));
        assert_eq!(days(Date::new(2021, 6, 31)), None);
        assert_eq!((date(-719_163), date(2_932_897)), (None, None));
    }

    #[test]
    fn values_are_written_in_their_standard_spelling() {
        for (column, text, value, back) in [
            (Column::WhiteElo, "2690", Some(2690), "2690"),
            (Column::WhiteElo, "2690:2222", Some(2690), "2690"),
            (Column::WhiteElo, "40000", None, ""),
            (Column::WhiteRatingDiff, "+5", Some(5), "+5"),
            (Column::WhiteRatingDiff, "5", Some(5), "+5"),
            (Column::WhiteRatingDiff, "-12", Some(-12), "-12"),
            (Column::UtcDate, "2020.07.01", Some(18_444), "2020.07.01"),
            (Column::UtcDate, "2020.07.??", None, ""),
            (Column::UtcTime, "23:59:58", Some(86_398_000), "23:59:58"),
            (Column::UtcTime, "25:00:00", None, ""),
            (Column::UtcTime, "2:00:00", None, ""),
        ] {
            assert_eq!(read(column, text.as_bytes()), value, "{text}");
            let mut out = Vec::new();
            if let Some(value) = value {
                write(column, value, &mut out);
            }
            assert_eq!(out, back.as_bytes(), "{text}");
        }
    }
}
