//! Dates, ratings, ECO codes, results, flags.

use std::fmt;

use bitflags::bitflags;

/// A date with parts that may be unknown (0). Never validated: 31 June is kept.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Date {
    /// 1..=9999; 0 unknown.
    pub year: u16,
    /// 1..=12, or more in damaged databases; 0 unknown.
    pub month: u8,
    /// 1..=31; 0 unknown.
    pub day: u8,
}

impl Date {
    /// The date without known parts.
    pub const UNKNOWN: Date = Date {
        year: 0,
        month: 0,
        day: 0,
    };

    /// Creates a date from its parts.
    pub const fn new(year: u16, month: u8, day: u8) -> Date {
        Date { year, month, day }
    }

    /// Returns whether no part is known.
    pub fn is_unknown(self) -> bool {
        self == Date::UNKNOWN
    }

    /// Returns the date with the parts unknown that no calendar has: a year above 9999, a month
    /// above 12, a day above 31.
    #[must_use]
    pub const fn within_calendar(self) -> Date {
        Date {
            year: if self.year > 9999 { 0 } else { self.year },
            month: if self.month > 12 { 0 } else { self.month },
            day: if self.day > 31 { 0 } else { self.day },
        }
    }

    /// Parses PGN's `1985.11.09`, `1985.??.??`, `????.12.25`; parts may be missing at the end.
    /// Returns `None` for any other text.
    pub fn from_pgn(text: &[u8]) -> Option<Date> {
        let mut parts = text.split(|&b| b == b'.');
        let year = part(parts.next()?, 4)?;
        let month = parts.next().map_or(Some(0), |p| part(p, 2))?;
        let day = parts.next().map_or(Some(0), |p| part(p, 2))?;
        if parts.next().is_some() {
            return None;
        }
        Some(Date {
            year,
            month: month as u8,
            day: day as u8,
        })
    }

    /// Appends `YYYY.MM.DD` with question marks for unknown parts.
    pub fn write_pgn(self, out: &mut Vec<u8>) {
        let digit = |value: u16, unit: u16| b'0' + (value / unit % 10) as u8;
        if self.year == 0 {
            out.extend_from_slice(b"????");
        } else {
            let y = self.year;
            out.extend_from_slice(&[digit(y, 1000), digit(y, 100), digit(y, 10), digit(y, 1)]);
        }
        for part in [self.month, self.day] {
            out.push(b'.');
            if part == 0 {
                out.extend_from_slice(b"??");
            } else {
                out.extend_from_slice(&[digit(part.into(), 10), digit(part.into(), 1)]);
            }
        }
    }
}

/// Parses a part of a PGN date: question marks or `width` digits.
fn part(text: &[u8], width: usize) -> Option<u16> {
    if text.len() != width {
        return None;
    }
    if text.iter().all(|&b| b == b'?') {
        return Some(0);
    }
    text.iter().try_fold(0u16, |value, &b| {
        b.is_ascii_digit().then(|| value * 10 + u16::from(b - b'0'))
    })
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = Vec::with_capacity(10);
        self.write_pgn(&mut text);
        f.write_str(&String::from_utf8_lossy(&text))
    }
}

/// The rating system; the names come from SCID (docs/formats/scid.md, 2.5).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub enum RatingKind {
    /// Elo of FIDE or of a federation.
    #[default]
    Elo,
    /// "Rating", of an unnamed kind.
    Rating,
    /// Rapid chess.
    Rapid,
    /// International Correspondence Chess Federation.
    Iccf,
    /// United States Chess Federation.
    Uscf,
    /// Deutsche Wertungszahl.
    Dwz,
    /// English Chess Federation.
    Ecf,
}

impl RatingKind {
    /// All kinds, in the order of SCID's numbers 0..=6.
    pub const ALL: [RatingKind; 7] = [
        RatingKind::Elo,
        RatingKind::Rating,
        RatingKind::Rapid,
        RatingKind::Iccf,
        RatingKind::Uscf,
        RatingKind::Dwz,
        RatingKind::Ecf,
    ];

    /// Returns the part of the PGN tag name after "White" or "Black".
    pub const fn name(self) -> &'static str {
        match self {
            RatingKind::Elo => "Elo",
            RatingKind::Rating => "Rating",
            RatingKind::Rapid => "Rapid",
            RatingKind::Iccf => "ICCF",
            RatingKind::Uscf => "USCF",
            RatingKind::Dwz => "DWZ",
            RatingKind::Ecf => "ECF",
        }
    }
}

/// A rating.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Rating {
    /// Points, from 1.
    pub value: u16,
    /// The rating system.
    pub kind: RatingKind,
}

/// An ECO code with the sub-code of its format, if any.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Eco {
    /// 0 = A00 … 499 = E99; ChessBase's field reaches 510 (F10).
    pub code: u16,
    /// The sub-code after the code.
    pub sub: EcoSub,
}

/// The sub-code after the three characters of an ECO code.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub enum EcoSub {
    /// No sub-code.
    #[default]
    None,
    /// ChessBase: `B50/04`.
    Number(u8),
    /// SCID: `B07a` (digit 0) or `B07a1` … `B07a4`; letter 0 = a … 25 = z.
    Letter {
        /// 0 = a … 25 = z.
        letter: u8,
        /// 0 none, else 1..=4.
        digit: u8,
    },
}

impl Eco {
    /// Creates a code without sub-code; 0 = A00.
    pub const fn new(code: u16) -> Eco {
        Eco {
            code,
            sub: EcoSub::None,
        }
    }

    /// Parses `B50`, `B50/04`, `B07a`, `B07a1`. Returns `None` for any other text.
    pub fn from_ascii(text: &[u8]) -> Option<Eco> {
        let (letter @ b'A'..=b'F', tens @ b'0'..=b'9', ones @ b'0'..=b'9', rest) = (match text {
            [a, b, c, rest @ ..] => (*a, *b, *c, rest),
            _ => return None,
        }) else {
            return None;
        };
        let code =
            u16::from(letter - b'A') * 100 + u16::from(tens - b'0') * 10 + u16::from(ones - b'0');
        let sub = match rest {
            [] => EcoSub::None,
            [b'/', a @ b'0'..=b'9', b @ b'0'..=b'9'] => {
                EcoSub::Number((a - b'0') * 10 + (b - b'0'))
            }
            [l @ b'a'..=b'z'] => EcoSub::Letter {
                letter: l - b'a',
                digit: 0,
            },
            [l @ b'a'..=b'z', d @ b'1'..=b'4'] => EcoSub::Letter {
                letter: l - b'a',
                digit: d - b'0',
            },
            _ => return None,
        };
        Some(Eco { code, sub })
    }

    /// Parses a code that is not in canonical form: small letter, one digit, or text after it.
    pub fn from_lenient_ascii(text: &[u8]) -> Option<Eco> {
        let [letter, rest @ ..] = text.trim_ascii() else {
            return None;
        };
        let letter = letter.to_ascii_uppercase();
        let length = rest
            .iter()
            .take(2)
            .take_while(|b| b.is_ascii_digit())
            .count();
        if !(b'A'..=b'E').contains(&letter) || length == 0 {
            return None;
        }
        let digit = |n: usize| rest.get(n).filter(|_| n < length).map_or(b'0', |&b| b);
        let code = [letter, digit(0), digit(1)];
        let mut eco = Eco::from_ascii(&code)?;
        let sub = rest.get(length..).unwrap_or_default();
        if let [letter, tail @ ..] = sub
            && letter.is_ascii_alphabetic()
            && length == 2
        {
            let digit = match tail {
                [digit @ b'1'..=b'4', ..] => digit - b'0',
                _ => 0,
            };
            eco.sub = EcoSub::Letter {
                letter: letter.to_ascii_lowercase() - b'a',
                digit,
            };
        }
        Some(eco)
    }

    /// Appends the code in the form that [`Eco::from_ascii`] reads.
    pub fn write_ascii(self, out: &mut Vec<u8>) {
        out.push(b'A' + (self.code / 100).min(25) as u8);
        out.push(b'0' + (self.code / 10 % 10) as u8);
        out.push(b'0' + (self.code % 10) as u8);
        match self.sub {
            EcoSub::None => {}
            EcoSub::Number(n) => out.extend_from_slice(&[b'/', b'0' + n / 10 % 10, b'0' + n % 10]),
            EcoSub::Letter { letter, digit } => {
                out.push(b'a' + letter.min(25));
                if digit != 0 {
                    out.push(b'0' + digit.min(9));
                }
            }
        }
    }
}

impl fmt::Display for Eco {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = Vec::with_capacity(6);
        self.write_ascii(&mut text);
        f.write_str(&String::from_utf8_lossy(&text))
    }
}

/// The result of a game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub enum Outcome {
    /// `*`: unknown, unfinished, or a result that only its own format can express.
    #[default]
    Unknown,
    /// `1-0`
    WhiteWins,
    /// `0-1`
    BlackWins,
    /// `1/2-1/2`
    Draw,
}

impl Outcome {
    /// The four outcomes of PGN, unknown first.
    pub const ALL: [Outcome; 4] = [
        Outcome::Unknown,
        Outcome::WhiteWins,
        Outcome::BlackWins,
        Outcome::Draw,
    ];

    /// Returns PGN's token.
    pub const fn as_pgn(self) -> &'static str {
        match self {
            Outcome::Unknown => "*",
            Outcome::WhiteWins => "1-0",
            Outcome::BlackWins => "0-1",
            Outcome::Draw => "1/2-1/2",
        }
    }

    /// Parses exactly PGN's token.
    pub fn from_pgn(text: &[u8]) -> Option<Outcome> {
        Outcome::ALL
            .into_iter()
            .find(|outcome| outcome.as_pgn().as_bytes() == text)
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_pgn())
    }
}

bitflags! {
    /// Marks that a person or program has put on a game. The letters come from SCID's `ScidFlags`
    /// tag (docs/formats/scid.md, 2.1).
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
    pub struct GameFlags: u32 {
        /// D: deleted, but still stored.
        const DELETED = 1 << 0;
        /// W: white opening.
        const WHITE_OPENING = 1 << 1;
        /// B: black opening.
        const BLACK_OPENING = 1 << 2;
        /// M: middlegame.
        const MIDDLEGAME = 1 << 3;
        /// E: endgame.
        const ENDGAME = 1 << 4;
        /// N: novelty.
        const NOVELTY = 1 << 5;
        /// P: pawn structure.
        const PAWN_STRUCTURE = 1 << 6;
        /// T: tactics.
        const TACTICS = 1 << 7;
        /// K: kingside play.
        const KINGSIDE = 1 << 8;
        /// Q: queenside play.
        const QUEENSIDE = 1 << 9;
        /// !: brilliancy.
        const BRILLIANCY = 1 << 10;
        /// ?: blunder.
        const BLUNDER = 1 << 11;
        /// U: marked by the user; also ChessBase's mark.
        const USER = 1 << 12;
        /// 1: the database's custom flag 1.
        const CUSTOM_1 = 1 << 13;
        /// 2: the database's custom flag 2.
        const CUSTOM_2 = 1 << 14;
        /// 3: the database's custom flag 3.
        const CUSTOM_3 = 1 << 15;
        /// 4: the database's custom flag 4.
        const CUSTOM_4 = 1 << 16;
        /// 5: the database's custom flag 5.
        const CUSTOM_5 = 1 << 17;
        /// 6: the database's custom flag 6.
        const CUSTOM_6 = 1 << 18;
    }
}

impl GameFlags {
    /// The letters of `ScidFlags`, in bit order from [`GameFlags::DELETED`].
    pub const LETTERS: &'static [u8; 19] = b"DWBMENPTKQ!?U123456";

    /// Returns the flags for these letters; `None` if a letter is unknown or repeated.
    pub fn from_letters(letters: &[u8]) -> Option<GameFlags> {
        letters
            .iter()
            .try_fold(GameFlags::empty(), |flags, letter| {
                let bit = GameFlags::LETTERS
                    .iter()
                    .position(|entry| entry == letter)?;
                let flag = GameFlags::from_bits(1 << bit)?;
                (!flags.contains(flag)).then_some(flags | flag)
            })
    }

    /// Appends the letters in bit order.
    pub fn write_letters(self, out: &mut Vec<u8>) {
        let letters = GameFlags::LETTERS.iter().enumerate();
        out.extend(
            letters
                .filter(|(bit, _)| self.bits() >> bit & 1 != 0)
                .map(|(_, letter)| letter),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(write: impl FnOnce(&mut Vec<u8>)) -> String {
        let mut out = Vec::new();
        write(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn dates_round_trip() {
        for text in [
            "1985.11.09",
            "1985.??.??",
            "????.12.25",
            "????.??.??",
            "2001.15.31",
        ] {
            let date = Date::from_pgn(text.as_bytes()).unwrap();
            assert_eq!(date.to_string(), text);
        }
        assert_eq!(Date::from_pgn(b"1985"), Some(Date::new(1985, 0, 0)));
        for bad in [
            "",
            "85.1.1",
            "1985.1.1",
            "1985.01.01.01",
            "today",
            "19a5.01.01",
        ] {
            assert_eq!(Date::from_pgn(bad.as_bytes()), None, "{bad}");
        }
    }

    #[test]
    fn eco_codes_round_trip() {
        for text in ["A00", "E99", "F10", "B50/04", "B07a", "B07z4"] {
            let eco = Eco::from_ascii(text.as_bytes()).unwrap();
            assert_eq!(written(|out| eco.write_ascii(out)), text);
        }
        for bad in [
            "", "B5", "G00", "b50", "B500", "B50/4", "B07a5", "B07a0", "?",
        ] {
            assert_eq!(Eco::from_ascii(bad.as_bytes()), None, "{bad}");
        }
        for (odd, meant) in [
            ("b50", "B50"),
            (" B5", "B50"),
            ("B07A4", "B07a4"),
            ("c42 old", "C42"),
            ("B500", "B50"),
        ] {
            let eco = Eco::from_lenient_ascii(odd.as_bytes()).unwrap();
            assert_eq!(written(|out| eco.write_ascii(out)), meant, "{odd}");
        }
        for bad in ["", "?", "F10", "x50"] {
            assert_eq!(Eco::from_lenient_ascii(bad.as_bytes()), None, "{bad}");
        }
    }

    #[test]
    fn every_flag_has_its_letter() {
        assert_eq!(
            GameFlags::all().bits().count_ones() as usize,
            GameFlags::LETTERS.len()
        );
        for flag in GameFlags::all().iter() {
            let letters = written(|out| flag.write_letters(out));
            assert_eq!(GameFlags::from_letters(letters.as_bytes()), Some(flag));
        }
        assert_eq!(GameFlags::from_letters(b"DD"), None);
        assert_eq!(GameFlags::from_letters(b"x"), None);
    }
}
