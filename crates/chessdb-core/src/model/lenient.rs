//! Lenient parsing of values that are not in canonical form.
//!
//! A header that takes such a value also keeps its text as
//! [`Tag::Verbatim`]. All readers of tags use the functions of this
//! module, so they interpret a text in the same way.

use crate::Text;
use crate::model::{Date, GameFlags, Header, Tag};
use crate::text::Texts;

impl Date {
    /// Parses a date: in PGN's form, with other separators, with parts of one digit, or with the
    /// day first. Parts that cannot be read are unknown.
    pub fn from_lenient_ascii(text: &[u8]) -> Date {
        if let Some(date) = Date::from_pgn(text) {
            return date;
        }
        let text = text.trim_ascii();
        let mut parts = text.splitn(3, |b| matches!(b, b'.' | b'-' | b'/'));
        let mut part = || {
            let digits = parts.next().unwrap_or_default();
            let length = digits.iter().take_while(|b| b.is_ascii_digit()).count();
            let digits = digits.get(..length).unwrap_or_default();
            let value = digits.iter().fold(0u16, |sum, b| {
                sum.saturating_mul(10).saturating_add(u16::from(b - b'0'))
            });
            (value, length)
        };
        let (first, second, third) = (part(), part(), part());
        let small = |(value, length): (u16, usize)| match length {
            1 | 2 => u8::try_from(value).unwrap_or(0),
            _ => 0,
        };
        // Only a year has four digits, so its place shows the order.
        match (first, third) {
            ((year, 4), _) => Date::new(year, small(second), small(third)),
            ((_, 1 | 2), (year, 4)) => Date::new(year, small(second), small(first)),
            _ => Date::UNKNOWN,
        }
    }
}

impl GameFlags {
    /// Returns the flags of these letters, in either case and any order. Other characters are
    /// ignored.
    pub fn from_lenient_letters(text: &[u8]) -> GameFlags {
        let one = |letter: &u8| GameFlags::from_letters(&[letter.to_ascii_uppercase()]);
        text.iter().filter_map(one).collect()
    }
}

/// Parses the number at the start of a text, from 1: `2450`, or in groups `2 450`, `2,450`. Also
/// returns whether the text consists exactly of its digits, without leading zeros. A number that
/// seems to be cut by a sign, such as `2 45`, is unknown.
pub fn read_number(text: &[u8]) -> (Option<u32>, bool) {
    let blanks = text
        .iter()
        .take_while(|b| matches!(b, b' ' | 0x09..=0x0D))
        .count();
    let digits = text.get(blanks..).unwrap_or_default();
    let length = digits.iter().take_while(|b| b.is_ascii_digit()).count();
    let add = |sum: u32, digit: &u8| sum.checked_mul(10)?.checked_add(u32::from(digit - b'0'));
    let mut number = digits.iter().take(length).try_fold(0u32, add);
    // The first group of a number in groups has at most three digits.
    if length < 4 && length < digits.len() {
        number = groups(digits.get(length..).unwrap_or_default(), number, add);
    }
    match number {
        Some(number) if number > 0 => {
            let exact = length == text.len() && digits.first() != Some(&b'0');
            (Some(number), exact)
        }
        _ => (None, false),
    }
}

/// Continues a number with the groups of three digits after its first one.
#[cold]
fn groups(
    mut rest: &[u8],
    mut number: Option<u32>,
    add: impl Fn(u32, &u8) -> Option<u32>,
) -> Option<u32> {
    const SEPARATORS: [&[u8]; 8] = [
        b" ",
        b",",
        b".",
        b"'",
        // No-break and thin spaces: in a code page, then in UTF-8.
        b"\xA0",
        "\u{A0}".as_bytes(),
        "\u{2009}".as_bytes(),
        "\u{202F}".as_bytes(),
    ];
    loop {
        let mut tails = SEPARATORS
            .iter()
            .filter_map(|sign| rest.strip_prefix(*sign));
        let Some(digits) = tails.find(|tail| tail.first().is_some_and(u8::is_ascii_digit)) else {
            return number;
        };
        let length = digits
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        let (group, tail) = digits.split_at_checked(length)?;
        number = group.iter().try_fold(number?, &add).filter(|_| length == 3);
        rest = tail;
    }
}

impl Header {
    /// Returns whether a tag `Variant` declares the game to be Chess960. A start position without
    /// castling rights, or with the rights of standard chess, does not show this.
    pub fn names_chess960(&self, texts: &Texts) -> bool {
        self.tags.iter().any(|tag| match *tag {
            Tag::Other { name, value } => {
                texts.get(name).as_bytes() == b"Variant" && texts.get(value).names_chess960()
            }
            _ => false,
        })
    }
}

impl Text<'_> {
    /// Returns whether the name of a variant is one of Chess960: it contains `960` or `fischer`.
    pub fn names_chess960(self) -> bool {
        let contains = |what: &[u8]| {
            self.as_bytes()
                .windows(what.len())
                .any(|window| window.eq_ignore_ascii_case(what))
        };
        contains(b"960") || contains(b"fischer")
    }

    /// Returns whether the value of a tag contains no information: it is empty or consists of
    /// question marks and similar characters.
    pub fn says_nothing(self) -> bool {
        let signs = |byte: &u8| b"?-.0* \t".contains(byte);
        self.as_bytes().iter().all(signs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_in_all_spellings() {
        for (text, date) in [
            ("1985.11.09", Date::new(1985, 11, 9)),
            ("????.12.25", Date::new(0, 12, 25)),
            ("1985", Date::new(1985, 0, 0)),
            ("1985/11", Date::new(1985, 11, 0)),
            ("1985-11-09", Date::new(1985, 11, 9)),
            (" 2000.5.7 ", Date::new(2000, 5, 7)),
            ("17.05.2000", Date::new(2000, 5, 17)),
            ("2000.05.17 x", Date::new(2000, 5, 17)),
            ("?", Date::UNKNOWN),
            ("", Date::UNKNOWN),
            ("200?", Date::UNKNOWN),
            ("May 2000", Date::UNKNOWN),
            ("99999999999.1.1", Date::UNKNOWN),
        ] {
            assert_eq!(Date::from_lenient_ascii(text.as_bytes()), date, "{text}");
        }
    }

    #[test]
    fn read_number_reports_whether_all_is_read() {
        for (text, expected) in [
            ("2500", (Some(2500), true)),
            ("2500x", (Some(2500), false)),
            ("2,500", (Some(2500), false)),
            ("2,50", (None, false)),
            (" 2500", (Some(2500), false)),
            ("02500", (Some(2500), false)),
            ("0", (None, false)),
            ("?", (None, false)),
            ("", (None, false)),
            ("99999999999", (None, false)),
        ] {
            assert_eq!(read_number(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn unusual_flags_are_read() {
        let flags = GameFlags::DELETED | GameFlags::CUSTOM_1;
        assert_eq!(GameFlags::from_lenient_letters(b"dx1"), flags);
    }

    #[test]
    fn numbers_in_groups_are_read_and_cut_ones_are_unknown() {
        for (text, number) in [
            ("2450", Some(2450)),
            ("2 450", Some(2450)),
            ("2,450", Some(2450)),
            ("2.450", Some(2450)),
            ("2'450", Some(2450)),
            ("2\u{A0}450", Some(2450)),
            ("2\u{202F}450", Some(2450)),
            ("1 234 567", Some(1_234_567)),
            (" 2450 FIDE", Some(2450)),
            ("2450 2400", Some(2450)),
            ("950 est.", Some(950)),
            ("24 50", None),
            ("2 4500", None),
            ("2 450 1", None),
            ("12.5", None),
            ("0", None),
            ("abc", None),
            ("", None),
        ] {
            let (read, exact) = read_number(text.as_bytes());
            assert_eq!(read, number, "{text:?}");
            assert_eq!(exact, text == "2450", "{text:?}");
        }
    }
}
