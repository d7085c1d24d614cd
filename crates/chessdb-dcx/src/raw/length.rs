//! BER lengths of games, comments, NAG groups and FENs (docs/formats/dcx.md, section 5.1).

use chessdb_core::raw::{Parsed, Stop};

/// A length and its stored form.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Length {
    /// The length itself, in bytes.
    pub value: u32,
    /// Its stored form.
    pub form: LengthForm,
}

/// The stored form of a length. All forms are read; [`Length::new`] chooses the form of the
/// reference writer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LengthForm {
    /// The value in one byte, 00..7F.
    Short,
    /// 80 + n, then n bytes big-endian, n = 1..4.
    Long(u8),
    /// Like [`LengthForm::Long`] with all bytes reversed, as the oldest writers stored the length
    /// of a game (section 9).
    Reversed(u8),
}

impl Length {
    /// Creates a length in the form of the reference writer: never 7F alone, which its own reader
    /// rejects, and one byte more than needed for 255, 65535 and 16777215.
    pub const fn new(value: u32) -> Length {
        let form = match value {
            0..=126 => LengthForm::Short,
            127..=254 => LengthForm::Long(1),
            255..=65_534 => LengthForm::Long(2),
            65_535..=16_777_214 => LengthForm::Long(3),
            _ => LengthForm::Long(4),
        };
        Length { value, form }
    }

    /// Returns the size in bytes of the length field itself.
    pub const fn size(self) -> usize {
        match self.form {
            LengthForm::Short => 1,
            LengthForm::Long(n) | LengthForm::Reversed(n) => 1 + n as usize,
        }
    }

    /// Reads a length and returns it with the bytes that follow. Returns `None` if the input ends
    /// within it or its first byte is 80 or above 84.
    #[inline]
    pub const fn parse(input: &[u8]) -> Option<(Length, &[u8])> {
        let (value, form, rest) = match input {
            [first @ 0..=0x7F, rest @ ..] => (*first as u32, LengthForm::Short, rest),
            [0x81, a, rest @ ..] => (*a as u32, LengthForm::Long(1), rest),
            [0x82, a, b, rest @ ..] => {
                let value = u32::from_be_bytes([0, 0, *a, *b]);
                (value, LengthForm::Long(2), rest)
            }
            [0x83, a, b, c, rest @ ..] => {
                let value = u32::from_be_bytes([0, *a, *b, *c]);
                (value, LengthForm::Long(3), rest)
            }
            [0x84, a, b, c, d, rest @ ..] => {
                let value = u32::from_be_bytes([*a, *b, *c, *d]);
                (value, LengthForm::Long(4), rest)
            }
            _ => return None,
        };
        Some((Length { value, form }, rest))
    }

    /// Reads a reversed length that makes its game fill `stretch` exactly, if there is one.
    pub fn parse_reversed(stretch: &[u8]) -> Option<(Length, &[u8])> {
        (1..=4u8).find_map(|n| {
            let (header, rest) = stretch.split_at_checked(1 + usize::from(n))?;
            let value = u32::try_from(rest.len()).ok()?;
            let form = LengthForm::Reversed(n);
            let length = Length { value, form };
            // The value is known from the stretch, so the bytes only have to spell it.
            let mut spelt = Vec::with_capacity(5);
            length.write(&mut spelt);
            (spelt == header).then_some((length, rest))
        })
    }

    /// Appends the bytes of the length. A value too large for its form keeps its lowest bytes.
    pub fn write(self, out: &mut Vec<u8>) {
        let bytes = self.value.to_be_bytes();
        let low = |n: u8| {
            bytes
                .get(4usize.saturating_sub(n.into())..)
                .unwrap_or(&bytes)
        };
        match self.form {
            LengthForm::Short => out.push(self.value as u8 & 0x7F),
            LengthForm::Long(n) => {
                out.push(0x80 | n);
                out.extend_from_slice(low(n));
            }
            LengthForm::Reversed(n) => {
                out.extend(low(n).iter().rev());
                out.push(0x80 | n);
            }
        }
    }
}

/// Reads a length as a nom parser.
pub(super) fn length(input: &[u8]) -> Parsed<'_, Length> {
    match Length::parse(input) {
        Some((length, rest)) => Ok((rest, length)),
        None => Err(nom::Err::Error(Stop::new(input, "a length"))),
    }
}

#[cfg(test)]
mod tests {
    use hex_literal::hex;
    use proptest::prelude::*;

    use super::*;

    /// The table of section 10.6, and the thresholds of 5.1.
    #[test]
    fn lengths_are_spelt_as_the_reference_writer_spells_them() {
        let cases: [(u32, &[u8]); 14] = [
            (0, &hex!("00")),
            (119, &hex!("77")),
            (126, &hex!("7e")),
            (127, &hex!("81 7f")),
            (128, &hex!("81 80")),
            (254, &hex!("81 fe")),
            (255, &hex!("82 00 ff")),
            (300, &hex!("82 01 2c")),
            (65_534, &hex!("82 ff fe")),
            (65_535, &hex!("83 00 ff ff")),
            (70_000, &hex!("83 01 11 70")),
            (16_777_214, &hex!("83 ff ff fe")),
            (16_777_215, &hex!("84 00 ff ff ff")),
            (u32::MAX, &hex!("84 ff ff ff ff")),
        ];
        for (value, bytes) in cases {
            let mut out = Vec::new();
            Length::new(value).write(&mut out);
            assert_eq!(out, bytes, "{value}");
            let (length, rest) = Length::parse(&out).unwrap();
            assert_eq!((length, rest.len()), (Length::new(value), 0));
            assert_eq!(length.size(), bytes.len());
        }
        for bad in [
            &hex!("80")[..],
            &hex!("85 01"),
            &hex!("ff"),
            &hex!("82 01"),
            &[],
        ] {
            assert_eq!(Length::parse(bad), None);
        }
    }

    /// Section 9: length 133 is stored as `85 81`, length 255 as `ff 00 82`.
    #[test]
    fn reversed_lengths_must_fill_their_stretch() {
        for (header, value) in [(&hex!("85 81")[..], 133), (&hex!("ff 00 82"), 255)] {
            let mut stretch = header.to_vec();
            stretch.resize(header.len() + value, 0);
            let (length, rest) = Length::parse_reversed(&stretch).unwrap();
            assert_eq!((length.value as usize, rest.len()), (value, value));
            let mut out = Vec::new();
            length.write(&mut out);
            assert_eq!(out, header);
            stretch.push(0);
            assert_eq!(Length::parse_reversed(&stretch), None);
        }
    }

    proptest! {
        #[test]
        fn every_spelling_comes_back(bytes in prop::collection::vec(any::<u8>(), 0..8)) {
            if let Some((length, rest)) = Length::parse(&bytes) {
                let mut out = Vec::new();
                length.write(&mut out);
                out.extend_from_slice(rest);
                prop_assert_eq!(out, bytes);
            }
        }
    }
}
