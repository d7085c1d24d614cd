//! Records: the values of a row.

use std::borrow::Cow;

use super::pages::TextEncoding;

/// A value of a column.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Value<'r> {
    /// No value.
    Null,
    /// An integer.
    Int(i64),
    /// A floating-point number.
    Real(f64),
    /// A text in the encoding of the file.
    Text(&'r [u8]),
    /// Bytes.
    Blob(&'r [u8]),
}

impl<'r> Value<'r> {
    /// Returns the integer, also one that is stored as a number with a fraction of zero or as a text
    /// in UTF-8.
    pub fn as_int(self) -> Option<i64> {
        match self {
            Value::Int(number) => Some(number),
            // Whole numbers are exact up to 2^53, about 9e15.
            Value::Real(number) if number.fract() == 0.0 && number.abs() < 9e15 => {
                Some(number as i64)
            }
            Value::Text(text) => std::str::from_utf8(text).ok()?.parse().ok(),
            _ => None,
        }
    }

    /// Returns the bytes of a text or of a blob.
    pub fn as_bytes(self) -> Option<&'r [u8]> {
        match self {
            Value::Text(bytes) | Value::Blob(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// Returns a text in UTF-8, or a number as SQLite writes it; `None` for no value. The bytes of a
    /// UTF-8 text are not changed, even if they are not valid.
    #[inline]
    pub fn to_text(self, encoding: TextEncoding) -> Option<Cow<'r, [u8]>> {
        // Most columns of a row are empty.
        match self {
            Value::Null => None,
            _ => self.stored_text(encoding),
        }
    }

    fn stored_text(self, encoding: TextEncoding) -> Option<Cow<'r, [u8]>> {
        Some(match (self, encoding) {
            (Value::Null, _) => return None,
            (Value::Int(number), _) => number.to_string().into_bytes().into(),
            (Value::Real(number), _) => real(number).into_bytes().into(),
            (Value::Text(bytes), TextEncoding::Utf16Le) => utf16(bytes, u16::from_le_bytes).into(),
            (Value::Text(bytes), TextEncoding::Utf16Be) => utf16(bytes, u16::from_be_bytes).into(),
            (Value::Text(bytes) | Value::Blob(bytes), _) => bytes.into(),
        })
    }
}

/// Converts UTF-16 to UTF-8. Halves of pairs become U+FFFD.
fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Vec<u8> {
    let pairs = bytes.chunks_exact(2);
    let units = pairs.map(|pair| unit(*pair.first_chunk().unwrap_or(&[0; 2])));
    char::decode_utf16(units)
        .map(|letter| letter.unwrap_or('\u{fffd}'))
        .collect::<String>()
        .into_bytes()
}

/// Writes a number with a point, so that 1.0 stays different from 1.
fn real(number: f64) -> String {
    format!("{number:?}")
}

/// A record: the types of its values, then the values.
#[derive(Clone, Copy, Debug)]
pub struct Record<'r> {
    types: &'r [u8],
    values: &'r [u8],
}

impl<'r> Record<'r> {
    /// Cuts a payload into types and values; `None` if it is too short for its own header.
    pub fn parse(payload: &'r [u8]) -> Option<Record<'r>> {
        let (length, rest) = varint(payload)?;
        let size = usize::try_from(length).ok()?;
        let before = payload.len() - rest.len();
        Some(Record {
            types: rest.get(..size.checked_sub(before)?)?,
            values: payload.get(size..)?,
        })
    }

    /// Returns the values one after another. They end early where the record is cut.
    pub fn values(self) -> impl Iterator<Item = Value<'r>> {
        let Record {
            mut types,
            mut values,
        } = self;
        std::iter::from_fn(move || {
            let (kind, rest) = varint(types)?;
            types = rest;
            let (value, rest) = value(kind, values)?;
            values = rest;
            Some(value)
        })
    }

    /// Fills `row` with the values; columns that the record does not have, because they were added
    /// to the table later, are null.
    ///
    /// Returns whether every value of the record is whole.
    pub fn fill(self, row: &mut [Value<'r>]) -> bool {
        row.fill(Value::Null);
        let mut count = 0;
        for (to, value) in row.iter_mut().zip(self.values()) {
            *to = value;
            count += 1;
        }
        count == row.len() || count == self.declared()
    }

    /// Returns the number of values that the record declares.
    pub fn declared(self) -> usize {
        let mut types = self.types;
        std::iter::from_fn(|| {
            let (_, rest) = varint(types)?;
            types = rest;
            Some(())
        })
        .count()
    }
}

/// Cuts a number of up to nine bytes off, high bits first.
#[inline]
pub(super) fn varint(bytes: &[u8]) -> Option<(u64, &[u8])> {
    match bytes {
        [byte @ ..0x80, rest @ ..] => Some((u64::from(*byte), rest)),
        _ => long_varint(bytes),
    }
}

fn long_varint(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let mut value = 0;
    for (index, &byte) in bytes.iter().enumerate().take(9) {
        // The ninth byte has eight bits of the number.
        if index == 8 {
            return Some((value << 8 | u64::from(byte), bytes.get(9..)?));
        }
        value = value << 7 | u64::from(byte & 0x7f);
        if byte & 0x80 == 0 {
            return Some((value, bytes.get(index + 1..)?));
        }
    }
    None
}

/// Cuts a value of this serial type off.
fn value(kind: u64, bytes: &[u8]) -> Option<(Value<'_>, &[u8])> {
    let size = match kind {
        0 | 8 | 9 => 0,
        1..=4 => kind as usize,
        5 => 6,
        6 | 7 => 8,
        // Reserved for SQLite itself.
        10 | 11 => return None,
        _ => usize::try_from((kind - 12) / 2).ok()?,
    };
    let (own, rest) = bytes.split_at_checked(size)?;
    let value = match kind {
        0 => Value::Null,
        1..=6 => Value::Int(integer(own)),
        7 => Value::Real(f64::from_bits(integer(own) as u64)),
        8 => Value::Int(0),
        9 => Value::Int(1),
        _ if kind.is_multiple_of(2) => Value::Blob(own),
        _ => Value::Text(own),
    };
    Some((value, rest))
}

/// Returns a signed number of up to eight bytes, high byte first.
fn integer(bytes: &[u8]) -> i64 {
    let negative = bytes.first().is_some_and(|byte| byte & 0x80 != 0);
    let start = if negative { -1 } else { 0 };
    bytes
        .iter()
        .fold(start, |value, &byte| value << 8 | i64::from(byte))
}
