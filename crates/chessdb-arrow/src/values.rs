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
        Column::UtcDate => Date::from_pgn(text)?.days_since_1970(),
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
        Column::UtcDate => match Date::from_days_since_1970(value) {
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

#[cfg(test)]
mod tests {
    use super::*;

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
