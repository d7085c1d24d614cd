//! The coded fields of index entries and game records (docs/formats/scid.md, sections 2.1 to 2.5
//! and 4.2).

use bitflags::bitflags;
use chessdb_core::model::{Eco, EcoSub, GameFlags, Rating, RatingKind};
use chessdb_core::{Date, record};

bitflags! {
    /// The flags of an index entry: 16 bits at offset 7, and the custom flags as bits 16 to 21.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
    pub struct IndexFlags: u32 {
        /// The game does not begin at the standard start position.
        const START = 1 << 0;
        /// The mainline has a promotion.
        const PROMOTION = 1 << 1;
        /// The mainline has a promotion to a piece other than a queen.
        const UNDER_PROMOTION = 1 << 2;
        /// D. The marks of [`GameFlags`] follow from this bit on, in their order.
        const DELETED = 1 << 3;
        const _ = (1 << 22) - 1;
    }

    /// The flags byte of a game record.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
    pub struct RecordFlags: u8 {
        /// A FEN follows.
        const FEN = 1 << 0;
        /// The mainline has a promotion; readers ignore it.
        const PROMOTION = 1 << 1;
        /// The mainline has an under-promotion; readers ignore it.
        const UNDER_PROMOTION = 1 << 2;
        const _ = !0;
    }
}

record!(flags IndexFlags(u32));
record!(field CountCode(u8), field EcoCode(u16), field DateCode(u32), field RatingCode(u16));

impl IndexFlags {
    /// Returns the marks that a person or program put on the game.
    pub fn marks(self) -> GameFlags {
        GameFlags::from_bits_truncate(self.bits() >> 3)
    }

    /// Returns these flags with other marks.
    #[must_use]
    pub fn with_marks(self, marks: GameFlags) -> IndexFlags {
        IndexFlags::from_bits_retain(self.bits() & 7 | marks.bits() << 3)
    }
}

/// The number of occurrences of something in a game, coded in four bits (section 2.2).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct CountCode(pub u8);

/// Returns the code of a count.
pub const fn count_code(count: u32) -> CountCode {
    CountCode(match count {
        0..=10 => count as u8,
        11..=12 => 10,
        13..=17 => 11,
        18..=24 => 12,
        25..=34 => 13,
        35..=44 => 14,
        _ => 15,
    })
}

/// Returns the number that Scid shows for a code.
pub const fn count_shown(code: CountCode) -> u32 {
    match code.0 {
        11 => 15,
        12 => 20,
        13 => 30,
        14 => 40,
        15.. => 50,
        exact => exact as u32,
    }
}

/// An ECO code in 16 bits (section 2.3): 0 none, above 65500 invalid.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct EcoCode(pub u16);

/// The sub-codes per basic code: none, or one of 26 letters alone or with a digit 1 to 4.
const SUB_CODES: u16 = 131;

impl EcoCode {
    /// Returns the ECO code, or `None` if it is 0 or invalid.
    pub const fn to_eco(self) -> Option<Eco> {
        let Some(number) = self.0.checked_sub(1) else {
            return None;
        };
        let code = number / SUB_CODES;
        if code >= 500 {
            return None;
        }
        let sub = match (number % SUB_CODES).checked_sub(1) {
            None => EcoSub::None,
            Some(sub) => EcoSub::Letter {
                letter: (sub / 5) as u8,
                digit: (sub % 5) as u8,
            },
        };
        Some(Eco { code, sub })
    }

    /// Returns the code for `eco`, without a sub-code that SCID lacks. `None` above E99.
    pub const fn from_eco(eco: Eco) -> Option<EcoCode> {
        if eco.code >= 500 {
            return None;
        }
        let sub = match eco.sub {
            EcoSub::Letter { letter, digit } if letter < 26 && digit < 5 => {
                letter as u16 * 5 + digit as u16 + 1
            }
            _ => 0,
        };
        Some(EcoCode(eco.code * SUB_CODES + sub + 1))
    }
}

/// A date in 20 bits: year, month and day, each 0 if unknown (section 2.4).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct DateCode(pub u32);

impl DateCode {
    /// The latest year that fits in eleven bits.
    pub const MAX_YEAR: u16 = 2047;

    /// Returns the date. Months up to 15 and days up to 31 are not corrected.
    pub const fn to_date(self) -> Date {
        Date::new(
            (self.0 >> 9 & 0x7FF) as u16,
            (self.0 >> 5 & 15) as u8,
            (self.0 & 31) as u8,
        )
    }

    /// Returns the code of a date, or `None` if a part does not fit.
    pub const fn from_date(date: Date) -> Option<DateCode> {
        if date.year > DateCode::MAX_YEAR || date.month > 15 || date.day > 31 {
            return None;
        }
        Some(DateCode(
            (date.year as u32) << 9 | (date.month as u32) << 5 | date.day as u32,
        ))
    }

    /// Decodes the twelve bits of an event date: day, month, and year relative to the game's year.
    pub const fn to_event_date(event: u16, game: Date) -> Date {
        let relative = event >> 9 & 7;
        if relative == 0 {
            return Date::UNKNOWN;
        }
        // A year below 0 counts as 0 (section 2.4).
        let year = game.year.saturating_add(relative).saturating_sub(4);
        Date::new(year, (event >> 5 & 15) as u8, (event & 31) as u8)
    }

    /// Returns the twelve bits of an event date. `None` if its year is not within three years of
    /// the game's, or a part does not fit.
    ///
    /// QUIRK: an unknown event date of a game of the years 0 to 3 is within that window too, and is
    /// written with its relative year, as Scid 4.7 does (test `event_dates_have_a_window`).
    pub const fn from_event_date(event: Date, game: Date) -> Option<u16> {
        if event.month > 15 || event.day > 31 {
            return None;
        }
        if event.year.abs_diff(game.year) > 3 {
            return None;
        }
        let relative = event.year + 4 - game.year;
        Some(relative << 9 | (event.month as u16) << 5 | event.day as u16)
    }
}

/// A rating and its type in 16 bits (section 2.5).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct RatingCode(pub u16);

impl RatingCode {
    /// The highest rating that Scid accepts.
    pub const MAX: u16 = 4000;

    /// Returns the rating value; 0 is none.
    pub const fn value(self) -> u16 {
        self.0 & 0xFFF
    }

    /// Returns the type, 0 to 6; 7 to 15 are undefined.
    pub const fn kind(self) -> u8 {
        (self.0 >> 12) as u8
    }

    /// Returns the rating, unless there is none or its type is undefined.
    pub fn to_rating(self) -> Option<Rating> {
        let kind = *RatingKind::ALL.get(usize::from(self.kind()))?;
        (self.value() != 0).then_some(Rating {
            value: self.value(),
            kind,
        })
    }

    /// Returns the code of a rating, or `None` above [`RatingCode::MAX`]. A missing rating is 0.
    pub fn from_rating(rating: Option<Rating>) -> Option<RatingCode> {
        let Some(rating) = rating else {
            return Some(RatingCode(0));
        };
        if rating.value == 0 || rating.value > RatingCode::MAX {
            return None;
        }
        let kind = RatingKind::ALL
            .iter()
            .position(|&kind| kind == rating.kind)?;
        Some(RatingCode((kind as u16) << 12 | rating.value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The step between tested codes: every code, or under Miri one in a thousand.
    const STEP: usize = if cfg!(miri) { 997 } else { 1 };

    #[test]
    fn every_eco_code_comes_back() {
        for code in (1..=65500).step_by(STEP) {
            let eco = EcoCode(code).to_eco().unwrap();
            assert_eq!(EcoCode::from_eco(eco), Some(EcoCode(code)));
        }
        assert_eq!(EcoCode(0).to_eco(), None);
        assert_eq!(EcoCode(65501).to_eco(), None);
        let code = |text: &[u8]| EcoCode::from_eco(Eco::from_ascii(text).unwrap()).unwrap().0;
        let known = [
            (&b"A00"[..], 1),
            (b"A00a", 2),
            (b"A00a1", 3),
            (b"A00b", 7),
            (b"A01", 132),
        ];
        for (text, number) in known
            .into_iter()
            .chain([(&b"C44"[..], 31965), (b"B07a", 14019)])
        {
            assert_eq!(code(text), number);
        }
    }

    #[test]
    fn every_date_comes_back() {
        for code in (0..1 << 20).step_by(STEP) {
            let date = DateCode(code).to_date();
            assert_eq!(DateCode::from_date(date), Some(DateCode(code)));
        }
        assert_eq!(DateCode::from_date(Date::new(2048, 1, 1)), None);
    }

    /// Tests every pair of years near each other, and the quirk of the years 0 to 3.
    #[test]
    fn event_dates_have_a_window() {
        for year in 0..=2047u16 {
            let game = Date::new(year, 1, 1);
            for event_year in year.saturating_sub(5)..=year + 5 {
                let event = Date::new(event_year, 12, 31);
                let code = DateCode::from_event_date(event, game);
                assert_eq!(code.is_some(), event_year.abs_diff(year) <= 3);
                if let Some(code) = code {
                    assert_eq!(DateCode::to_event_date(code, game), event);
                }
            }
            let unknown = DateCode::from_event_date(Date::UNKNOWN, game);
            assert_eq!(unknown, (year <= 3).then(|| (4 - year) << 9));
        }
    }

    #[test]
    fn every_rating_comes_back() {
        for code in (0..=u16::MAX).step_by(STEP) {
            let code = RatingCode(code);
            let Some(rating) = code.to_rating() else {
                assert!(code.value() == 0 || code.kind() > 6);
                continue;
            };
            let back = RatingCode::from_rating(Some(rating));
            assert_eq!(back, (code.value() <= RatingCode::MAX).then_some(code));
        }
    }

    #[test]
    fn a_shown_count_has_its_own_code() {
        for code in 0..16 {
            assert_eq!(count_code(count_shown(CountCode(code))), CountCode(code));
        }
        let known = [
            (11, 10),
            (12, 10),
            (13, 11),
            (17, 11),
            (18, 12),
            (24, 12),
            (25, 13),
            (34, 13),
        ];
        for (count, code) in known
            .into_iter()
            .chain([(35, 14), (44, 14), (45, 15), (u32::MAX, 15)])
        {
            assert_eq!(count_code(count), CountCode(code));
        }
    }
}
