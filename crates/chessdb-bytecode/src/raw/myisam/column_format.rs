//! The columns of a row, packed or not (section 8).

use chessdb_core::Date;

use crate::raw::Cell;
use crate::raw::frm::FrmField;

/// The packing of a column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Packing {
    /// Stored unchanged, without a bit.
    Plain,
    /// Omitted if it is zero.
    Zeros,
    /// Without trailing blanks.
    EndBlanks,
    /// Without leading blanks.
    StartBlanks,
    /// A length and that many bytes, without a bit.
    VarChar,
    /// A length field of this size and the bytes; omitted if empty.
    Blob(u8),
}

/// The interpretation of a column's bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ColumnKind {
    Int,
    Date,
    /// Digits of a decimal number.
    DateTime,
    /// Packed, most significant byte first.
    DateTime2,
    Seconds,
    Char,
    VarChar,
    Blob,
    Unknown,
}

/// A column.
#[derive(Clone, Debug)]
pub(super) struct ColumnFormat {
    pub(super) packing: Packing,
    pub(super) meaning: ColumnKind,
    /// Size in bytes if it is not packed.
    pub(super) length: usize,
    /// Offset if it is not packed.
    pub(super) position: usize,
    /// Its index among the NULL bits.
    pub(super) null: Option<usize>,
}

impl ColumnFormat {
    pub(super) fn new(field: &FrmField, null: Option<usize>) -> ColumnFormat {
        // MySQL's numbers of types. Where the type determines the size in a row, the description
        // may state the width of a display instead.
        let (meaning, length) = match field.kind {
            1 => (ColumnKind::Int, 1),
            2 => (ColumnKind::Int, 2),
            9 => (ColumnKind::Int, 3),
            3 => (ColumnKind::Int, 4),
            8 => (ColumnKind::Int, 8),
            13 => (ColumnKind::Int, 1),
            14 => (ColumnKind::Date, 3),
            12 => (ColumnKind::DateTime, 8),
            18 => (ColumnKind::DateTime2, 5),
            7 | 17 => (ColumnKind::Seconds, 4),
            4 => (ColumnKind::Unknown, 4),
            5 => (ColumnKind::Unknown, 8),
            10 | 11 => (ColumnKind::Unknown, 3),
            254 => (ColumnKind::Char, field.length.into()),
            15 => {
                let prefix = if field.length < 256 { 1 } else { 2 };
                (ColumnKind::VarChar, usize::from(field.length) + prefix)
            }
            // The row holds only a length and an eight-byte pointer of a blob.
            249 => (ColumnKind::Blob, 9),
            252 => (ColumnKind::Blob, 10),
            250 => (ColumnKind::Blob, 11),
            251 => (ColumnKind::Blob, 12),
            _ => (ColumnKind::Unknown, field.length.into()),
        };
        let packing = match (field.kind, meaning) {
            (249..=252, _) => Packing::Blob(length.saturating_sub(8) as u8),
            (_, ColumnKind::VarChar) => Packing::VarChar,
            // Numbers, dates and times, but not timestamps.
            (1..=5 | 8..=14, _) | (18, _) => Packing::Zeros,
            _ if length <= 3 => Packing::Plain,
            (254, _) => Packing::EndBlanks,
            _ => Packing::StartBlanks,
        };
        ColumnFormat {
            packing,
            meaning,
            length,
            position: field.position as usize,
            null,
        }
    }

    /// Returns whether the column has a bit that states whether it is packed.
    pub(super) fn has_bit(&self) -> bool {
        !matches!(self.packing, Packing::Plain | Packing::VarChar)
    }

    /// Reads the column from the beginning of a packed row.
    pub(super) fn unpack<'a>(&self, row: &mut &'a [u8], bit: bool) -> Option<Cell<'a>> {
        let bytes = match self.packing {
            Packing::Zeros if bit => return Some(self.zero()),
            Packing::Blob(_) if bit => return Some(Cell::bytes(&[])),
            Packing::Plain | Packing::Zeros => take(row, self.length)?,
            Packing::EndBlanks | Packing::StartBlanks if bit => {
                let length = self.short_length(row)?;
                // The leading blanks are not restored: columns of these types are never used, and
                // their rows could require any number of blanks.
                self.length.checked_sub(length)?;
                take(row, length)?
            }
            Packing::EndBlanks | Packing::StartBlanks => take(row, self.length)?,
            Packing::VarChar => {
                let length = match take(row, 1)? {
                    // Long columns have three-byte lengths, the columns of 2005 one-byte lengths.
                    [255] if self.length > 257 => {
                        let &[high, low] = take(row, 2)?.first_chunk()?;
                        u16::from_be_bytes([high, low]).into()
                    }
                    [length] => usize::from(*length),
                    _ => return None,
                };
                take(row, length)?
            }
            Packing::Blob(prefix) => {
                let length = little_endian(take(row, prefix.into())?) as usize;
                take(row, length)?
            }
        };
        self.cell(bytes)
    }

    /// Reads the length of a text without its blanks: one byte, or two if the column is long.
    fn short_length(&self, row: &mut &[u8]) -> Option<usize> {
        let &[first] = take(row, 1)?.first_chunk()?;
        if self.length <= 255 || first < 128 {
            return Some(first.into());
        }
        let &[second] = take(row, 1)?.first_chunk()?;
        Some(usize::from(first & 127) | usize::from(second) << 7)
    }

    /// Returns the column of a row that is not packed.
    pub(super) fn of_fixed<'a>(&self, row: &'a [u8]) -> Option<Cell<'a>> {
        let end = self.position.checked_add(self.length)?;
        let bytes = row.get(self.position..end)?;
        match self.meaning {
            ColumnKind::VarChar => {
                let (length, rest) = if self.length <= 256 {
                    let (&length, rest) = bytes.split_first()?;
                    (usize::from(length), rest)
                } else {
                    let (&length, rest) = bytes.split_first_chunk()?;
                    (usize::from(u16::from_le_bytes(length)), rest)
                };
                Some(Cell::bytes(rest.get(..length)?))
            }
            // Blobs exist only in packed rows.
            ColumnKind::Blob => None,
            _ => self.cell(bytes),
        }
    }

    fn zero(&self) -> Cell<'static> {
        match self.meaning {
            ColumnKind::Int | ColumnKind::Seconds => Cell::Int(0),
            ColumnKind::Date => Cell::Date(Date::UNKNOWN),
            ColumnKind::DateTime => Cell::bytes(b"0000-00-00 00:00:00"),
            _ => Cell::Null,
        }
    }

    fn cell<'a>(&self, bytes: &'a [u8]) -> Option<Cell<'a>> {
        Some(match self.meaning {
            ColumnKind::Int => {
                // Including the sign.
                let negative = bytes.last().is_some_and(|byte| byte & 0x80 != 0);
                let start = if negative { -1 } else { 0 };
                Cell::Int(
                    bytes
                        .iter()
                        .rev()
                        .fold(start, |n: i64, &b| n << 8 | i64::from(b)),
                )
            }
            ColumnKind::Date => {
                let bits = little_endian(bytes);
                let year = (bits >> 9) as u16;
                Cell::Date(Date::new(year, (bits >> 5 & 15) as u8, (bits & 31) as u8))
            }
            ColumnKind::DateTime => {
                let digits = little_endian(bytes);
                let (day, time) = (digits / 1_000_000, digits % 1_000_000);
                let day = [day / 10_000, day / 100 % 100, day % 100];
                date_time(day, [time / 10_000, time / 100 % 100, time % 100])
            }
            ColumnKind::DateTime2 => {
                let stored = bytes.iter().fold(0u64, |n, &b| n << 8 | u64::from(b));
                // MySQL adds 2^39, so that the bytes compare like the dates (section 8).
                let bits = stored.wrapping_sub(1 << 39) & ((1 << 40) - 1);
                let (day, time) = (bits >> 17, bits & 0x1_FFFF);
                // A year has thirteen months here, because 0 is one of them.
                let month = day >> 5;
                let day = [month / 13, month % 13, day & 31];
                date_time(day, [time >> 12, time >> 6 & 63, time & 63])
            }
            ColumnKind::Seconds => {
                // The old and new byte order cannot be distinguished here, and the value is not
                // used.
                Cell::Null
            }
            ColumnKind::Char => Cell::bytes(without_blanks(bytes)),
            ColumnKind::VarChar | ColumnKind::Blob => Cell::bytes(bytes),
            ColumnKind::Unknown => Cell::Null,
        })
    }
}

/// Returns the unsigned number that is stored with its lowest byte first.
fn little_endian(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |n, &b| n << 8 | u64::from(b))
}

/// Removes the blanks that pad a text of fixed width.
fn without_blanks(text: &[u8]) -> &[u8] {
    let end = text.iter().rposition(|&byte| byte != b' ');
    text.get(..end.map_or(0, |last| last + 1))
        .unwrap_or_default()
}

fn date_time([year, month, day]: [u64; 3], [hour, minute, second]: [u64; 3]) -> Cell<'static> {
    let text = format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}");
    Cell::Bytes(text.into_bytes().into())
}

fn take<'a>(row: &mut &'a [u8], count: usize) -> Option<&'a [u8]> {
    let (taken, rest) = row.split_at_checked(count)?;
    *row = rest;
    Some(taken)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a cell as text, stored in a row that is not packed.
    fn read(kind: u8, bytes: &[u8]) -> String {
        // Texts of varying length begin with one byte that the length of the column does not count.
        let prefix = usize::from(kind == 15);
        let field = FrmField {
            name: String::new(),
            kind,
            length: (bytes.len() - prefix) as u16,
            position: 0,
            null: false,
            charset: 0,
        };
        let cell = ColumnFormat::new(&field, None).of_fixed(bytes).unwrap();
        let text = cell.as_bytes().unwrap();
        String::from_utf8(text.into_owned()).unwrap()
    }

    /// Numbers have the least significant byte first, and the new date and time the most.
    #[test]
    fn numbers_and_dates_have_their_digits() {
        let digits = 20_011_231_235_958u64.to_le_bytes();
        let packed: u64 = (2001 * 13 + 12) << 22 | 31 << 17 | 23 << 12 | 59 << 6 | 58 | 1 << 39;
        let date: u32 = 2001 << 9 | 12 << 5 | 31;
        for (kind, bytes, text) in [
            (1, &[0xFE][..], "-2"),
            (2, &[1, 2], "513"),
            (9, &[1, 2, 3], "197121"),
            (3, &[0xFE, 0xFF, 0xFF, 0xFF], "-2"),
            (8, &[1, 2, 0, 0, 0, 0, 0, 0], "513"),
            (14, &date.to_le_bytes()[..3], "2001-12-31"),
            (12, &digits, "2001-12-31 23:59:58"),
            (18, &packed.to_be_bytes()[3..], "2001-12-31 23:59:58"),
            (254, b"B07  ", "B07"),
            (15, b"\x02ab   ", "ab"),
        ] {
            assert_eq!(read(kind, bytes), text, "type {kind}");
        }
    }
}
