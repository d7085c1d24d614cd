//! The data of marks in the moves: drawings, times and evaluations (docs/formats/scidb.md, sections
//! 7 and 8).

use super::bytes::ByteReader;

/// A time or an evaluation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimeItem {
    /// What the value means, 1 to 8.
    pub kind: u8,
    /// Four bits: the number of an engine, or the highest bits of the value.
    pub low: u8,
    /// The bytes after the first one, as a number.
    pub value: u32,
}

impl TimeItem {
    /// An engine's evaluation.
    pub const EVALUATION: u8 = 1;
    /// The player's clock.
    pub const CLOCK: u8 = 2;
    /// The time spent on the move, in seconds.
    pub const ELAPSED: u8 = 4;
    /// The time spent on the move, in milliseconds.
    pub const ELAPSED_MS: u8 = 5;

    /// Returns the number of bytes after the first one.
    const fn length(kind: u8) -> usize {
        match kind {
            2 | 3 | 4 | 6 => 2,
            7 => 4,
            _ => 3,
        }
    }

    /// Reads an item, whose first byte is at least 0x80. `None` if it is cut or no item.
    pub fn parse(bytes: &mut ByteReader<'_>) -> Option<TimeItem> {
        let first = bytes.byte().filter(|&byte| byte >= 0x80)?;
        let kind = (first >> 4 & 7) + 1;
        Some(TimeItem {
            kind,
            low: first & 15,
            value: bytes.number(TimeItem::length(kind))?,
        })
    }

    /// Appends the bytes that were parsed.
    pub fn write(self, out: &mut Vec<u8>) {
        out.push(0x80 | self.kind.wrapping_sub(1) << 4 | self.low & 15);
        let bytes = self.value.to_be_bytes();
        let from = bytes.len() - TimeItem::length(self.kind);
        out.extend(bytes.get(from..).unwrap_or_default());
    }
}

/// The data of a mark.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mark<'a> {
    /// A mark without a meaning.
    Nothing,
    /// A coloured square, an arrow, or another drawing.
    Drawing {
        /// The square, a1 = 0, b1 = 1.
        square: u8,
        /// The type, or from 0x20 a letter that is drawn.
        shape: u8,
        /// The square where an arrow ends.
        target: Option<u8>,
        /// The colour.
        color: u8,
    },
    /// A diagram with this caption.
    Diagram(&'a [u8]),
    /// A time or an evaluation.
    Time(TimeItem),
}

impl<'a> Mark<'a> {
    /// Reads a mark. `None` if it is cut or of an unknown kind.
    pub fn parse(bytes: &mut ByteReader<'a>) -> Option<Mark<'a>> {
        Some(match *bytes.rest().first()? {
            0x80.. => Mark::Time(TimeItem::parse(bytes)?),
            0 => {
                bytes.byte()?;
                Mark::Nothing
            }
            1 => {
                bytes.byte()?;
                let (square, shape, last) = (bytes.byte()?, bytes.byte()?, bytes.byte()?);
                // The highest bit distinguishes a target from a colour.
                let (target, color) = match last {
                    0x80.. => (Some(last & 0x7F), bytes.byte()?),
                    color => (None, color),
                };
                Mark::Drawing {
                    square,
                    shape,
                    target,
                    color,
                }
            }
            2 => {
                bytes.byte()?;
                Mark::Diagram(bytes.text()?)
            }
            _ => return None,
        })
    }

    /// Appends the bytes that were parsed.
    pub fn write(self, out: &mut Vec<u8>) {
        match self {
            Mark::Nothing => out.push(0),
            Mark::Drawing {
                square,
                shape,
                target,
                color,
            } => {
                out.extend([1, square, shape]);
                out.extend(target.map(|target| target | 0x80));
                out.push(color);
            }
            Mark::Diagram(caption) => {
                out.push(2);
                out.extend(caption);
                out.push(0);
            }
            Mark::Time(item) => item.write(out),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn marks_come_back(first in prop_oneof![0u8..4, 0x80u8..], rest: [u8; 6]) {
            let bytes = [&[first][..], &rest].concat();
            let mut reader = ByteReader::new(&bytes);
            if let Some(mark) = Mark::parse(&mut reader) {
                let mut again = Vec::new();
                mark.write(&mut again);
                prop_assert_eq!(&again, &bytes[..reader.offset()]);
            }
        }
    }
}
