//! The raw header of a game (docs/formats/chess-assistant.md, sections 5 and 6).

use chessdb_core::Date;

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

/// A 38-byte record of the file `d00`. Three-byte numbers are below 2^24.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct RawHeader {
    /// Number of White in the player list.
    pub white: u32,
    /// Number of Black in the player list.
    pub black: u32,
    /// Rating of White; 0 if none.
    pub white_elo: u16,
    /// Rating of Black; 0 if none.
    pub black_elo: u16,
    /// 1 draw, 2 White won, 3 Black won, 4 unknown, 5..=16 a verdict.
    pub outcome: u8,
    /// The date.
    pub date: DateCode,
    /// Number in the event list.
    pub event: u32,
    /// Number in the place list.
    pub place: u32,
    /// Type of the game; the format page lists 1..=30.
    pub game_type: u32,
    /// Number in the address table `a02`.
    pub game: u32,
    /// Not described.
    pub unknown: u8,
    /// The round, times two.
    pub round: u8,
    /// ECO code: letter times hundred plus number.
    pub eco: u16,
    /// Number of the annotator in the player list.
    pub annotator: u32,
    /// Number in the source list.
    pub source: u32,
}

impl RawHeader {
    /// Size of a header in bytes.
    pub const SIZE: usize = 38;

    /// Reads a header.
    #[inline]
    pub fn parse(bytes: &[u8; RawHeader::SIZE]) -> RawHeader {
        let &[
            w0,
            w1,
            w2,
            b0,
            b1,
            b2,
            we0,
            we1,
            be0,
            be1,
            outcome,
            d0,
            d1,
            d2,
            e0,
            e1,
            e2,
            p0,
            p1,
            p2,
            t0,
            t1,
            t2,
            t3,
            g0,
            g1,
            g2,
            g3,
            unknown,
            round,
            c0,
            c1,
            a0,
            a1,
            a2,
            s0,
            s1,
            s2,
        ] = bytes;
        let u24 = |a, b, c| u32::from_le_bytes([a, b, c, 0]);
        RawHeader {
            white: u24(w0, w1, w2),
            black: u24(b0, b1, b2),
            white_elo: u16::from_le_bytes([we0, we1]),
            black_elo: u16::from_le_bytes([be0, be1]),
            outcome,
            date: DateCode(u24(d0, d1, d2)),
            event: u24(e0, e1, e2),
            place: u24(p0, p1, p2),
            game_type: u32::from_le_bytes([t0, t1, t2, t3]),
            game: u32::from_le_bytes([g0, g1, g2, g3]),
            unknown,
            round,
            eco: u16::from_le_bytes([c0, c1]),
            annotator: u24(a0, a1, a2),
            source: u24(s0, s1, s2),
        }
    }

    /// Returns the bytes of the header; three-byte numbers keep their lower 24 bits.
    pub fn to_bytes(&self) -> [u8; RawHeader::SIZE] {
        let [w0, w1, w2, _] = self.white.to_le_bytes();
        let [b0, b1, b2, _] = self.black.to_le_bytes();
        let [we0, we1] = self.white_elo.to_le_bytes();
        let [be0, be1] = self.black_elo.to_le_bytes();
        let [d0, d1, d2, _] = self.date.0.to_le_bytes();
        let [e0, e1, e2, _] = self.event.to_le_bytes();
        let [p0, p1, p2, _] = self.place.to_le_bytes();
        let [t0, t1, t2, t3] = self.game_type.to_le_bytes();
        let [g0, g1, g2, g3] = self.game.to_le_bytes();
        let [c0, c1] = self.eco.to_le_bytes();
        let [a0, a1, a2, _] = self.annotator.to_le_bytes();
        let [s0, s1, s2, _] = self.source.to_le_bytes();
        [
            w0,
            w1,
            w2,
            b0,
            b1,
            b2,
            we0,
            we1,
            be0,
            be1,
            self.outcome,
            d0,
            d1,
            d2,
            e0,
            e1,
            e2,
            p0,
            p1,
            p2,
            t0,
            t1,
            t2,
            t3,
            g0,
            g1,
            g2,
            g3,
            self.unknown,
            self.round,
            c0,
            c1,
            a0,
            a1,
            a2,
            s0,
            s1,
            s2,
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
