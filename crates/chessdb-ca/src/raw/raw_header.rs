//! The raw header of a game (docs/formats/chess-assistant.md, sections 5 and 6).

use std::fmt;

use chessdb_core::record::Little;
use chessdb_core::{Date, record};

/// A date in three bytes: year * 416 + month * 32 + day, 0 for each unknown part.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Hash, Debug)]
pub struct DateCode(pub u32);

impl DateCode {
    /// The greatest number of three bytes.
    const MAX: u32 = 0xFF_FFFF;

    /// Returns the parts: year up to 40329, month up to 12, day up to 31.
    pub fn to_date(self) -> Date {
        let day = (self.0 % 32) as u8;
        let month = (self.0 / 32 % 13) as u8;
        Date::new((self.0 / 416) as u16, month, day)
    }

    /// Returns the code of a date, or `None` if a part does not fit.
    pub fn from_date(date: Date) -> Option<DateCode> {
        let (year, month, day) = (
            u32::from(date.year),
            u32::from(date.month),
            u32::from(date.day),
        );
        let code = year * 416 + month * 32 + day;
        (month <= 12 && day <= 31 && code <= DateCode::MAX).then_some(DateCode(code))
    }
}

record!(field DateCode(u32));

impl fmt::Display for DateCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_date().fmt(f)
    }
}

record! {
    /// A 38-byte record of the file `d00` (section 5).
    #[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
    pub struct RawHeader: Little, 38 {
        /// Number of White in the player list.
        0..3 white: u32 = "White, player {white}",
        /// Number of Black in the player list.
        3..6 black: u32 = "Black, player {black}",
        /// Rating of White; 0 if none.
        6..8 white_elo: u16 = "rating of White: {white_elo}",
        /// Rating of Black; 0 if none.
        8..10 black_elo: u16 = "rating of Black: {black_elo}",
        /// 1 draw, 2 White won, 3 Black won, 4 unknown, 5..=16 a verdict.
        10..11 outcome: u8 = "outcome: {outcome}" unknown unless (1..=16).contains(outcome),
        /// The date.
        11..14 date: DateCode = "date: {date}",
        /// Number in the event list.
        14..17 event: u32 = "event {event}",
        /// Number in the place list.
        17..20 place: u32 = "place {place}",
        /// Type of the game; the format page lists 1..=30.
        20..24 game_type: u32 = "type of the game: {game_type}" unknown unless *game_type <= 30,
        /// Number in the address table `a02`.
        24..28 game: u32 = "number of the record: {game}",
        /// Not described.
        28..29 unknown: u8 = "not described: {unknown}" unknown,
        /// The round, times two.
        29..30 round: u8 = "round {}, bit {}" (round >> 1, round & 1),
        /// ECO code: letter times hundred plus number.
        30..32 eco: u16 = "ECO: {eco}" unknown unless *eco < 500,
        /// Number of the annotator in the player list.
        32..35 annotator: u32 = "annotator, player {annotator}",
        /// Number in the source list.
        35..38 source: u32 = "source {source}",
    }
}

impl RawHeader {
    /// Returns the numbers of the names, each with the number of its list.
    pub fn names(&self) -> [(usize, u32); 6] {
        [
            (0, self.white),
            (0, self.black),
            (1, self.event),
            (2, self.place),
            (0, self.annotator),
            (3, self.source),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hex_literal::hex;
    use proptest::prelude::*;

    /// Section 6.
    #[test]
    fn dates_of_the_page() {
        assert_eq!(DateCode(832_655).to_date(), Date::new(2001, 7, 15));
        assert_eq!(
            DateCode::from_date(Date::new(1972, 0, 0)),
            Some(DateCode(820_352))
        );
        assert_eq!(DateCode::from_date(Date::new(2001, 13, 1)), None);
        assert_eq!(
            DateCode::from_date(Date::new(0, 12, 25)).map(DateCode::to_date),
            Some(Date::new(0, 12, 25))
        );
    }

    /// Section 15 J.
    #[test]
    fn the_worked_example() {
        let bytes =
            hex!("01000002000 06A095109028FB40C01000001000000000000000000000006FA00000000000000");
        let raw_header = RawHeader::parse(&bytes);
        let expected = RawHeader {
            white: 1,
            black: 2,
            white_elo: 2410,
            black_elo: 2385,
            outcome: 2,
            date: DateCode::from_date(Date::new(2001, 7, 15)).unwrap(),
            event: 1,
            place: 1,
            round: 6,
            eco: 250,
            ..RawHeader::default()
        };
        assert_eq!(raw_header, expected);
    }

    proptest! {
        #[test]
        fn every_header_comes_back(bytes in any::<[u8; 32]>(), more in any::<[u8; 6]>()) {
            let mut all = [0; 38];
            all[..32].copy_from_slice(&bytes);
            all[32..].copy_from_slice(&more);
            prop_assert_eq!(RawHeader::parse(&all).to_bytes(), all);
        }

        #[test]
        fn every_date_comes_back(code in 0u32..1 << 24) {
            prop_assert_eq!(DateCode::from_date(DateCode(code).to_date()), Some(DateCode(code)));
        }
    }
}
