//! Dates as numbers of days.

use super::Date;

/// The days in four hundred years, the period of the calendar.
const ERA: i64 = 146_097;
/// The days from 1 March of the year 0 to 1970-01-01.
const BEFORE_1970: i64 = 719_468;
/// The first day of the year 1 and the last day of 9999, in days since 1970-01-01.
const FIRST: i64 = -719_162;
const LAST: i64 = 2_932_896;

impl Date {
    /// Returns the days since 1970-01-01. `None` if the date is incomplete or does not exist.
    pub fn days_since_1970(self) -> Option<i64> {
        let Date { year, month, day } = self;
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

    /// Returns the date that is `days` days after 1970-01-01. `None` if its year is not 1 to 9999.
    ///
    /// ```
    /// use chessdb_core::Date;
    ///
    /// assert_eq!(Date::from_days_since_1970(-1), Some(Date::new(1969, 12, 31)));
    /// ```
    pub fn from_days_since_1970(days: i64) -> Option<Date> {
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn consecutive_days_have_consecutive_numbers() {
        let mut before = Date::new(1, 1, 1).days_since_1970().unwrap() - 1;
        assert_eq!(before + 1, -719_162);
        for year in 1..=9999 {
            for month in 1..=12 {
                for day in 1..=31 {
                    let given = Date::new(year, month, day);
                    let Some(days) = given.days_since_1970() else {
                        assert!(day > 28);
                        continue;
                    };
                    assert_eq!(days, before + 1, "{given:?}");
                    assert_eq!(Date::from_days_since_1970(days), Some(given));
                    before = days;
                }
            }
        }
        assert_eq!(before, 2_932_896);
        assert_eq!(Date::new(1970, 1, 1).days_since_1970(), Some(0));
        assert_eq!(Date::new(2021, 6, 31).days_since_1970(), None);
        assert_eq!(
            (
                Date::from_days_since_1970(-719_163),
                Date::from_days_since_1970(2_932_897)
            ),
            (None, None)
        );
    }
}
