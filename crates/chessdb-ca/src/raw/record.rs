//! The record of a game: its length, then codes (docs/formats/chess-assistant.md, sections 7, 9 and
//! 11).

use super::code;
use super::comment::{Comment, Envelope};
use super::scattered::ScatteredRecord;
use super::start::StartPosition;

/// The reading of lengths of 16384 or more (section 7; guess 6 of the format page).
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum LongLengths {
    /// Two bytes at most, as in the published description.
    #[default]
    TwoBytes,
    /// LEB128: seven bits per byte, as many bytes as needed.
    Leb128,
}

/// The stored form of a length.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum LengthForm {
    /// One byte, below 128.
    One,
    /// Two bytes, even if one would be enough.
    Two,
}

/// The location of a record's bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RecordBytes<'a> {
    /// Offset of the first code.
    pub start: usize,
    /// Length as declared.
    pub declared: usize,
    /// The codes, as far as the file contains them.
    pub body: &'a [u8],
}

impl<'a> RecordBytes<'a> {
    /// The greatest length that two bytes can express.
    pub const MAX_LENGTH: usize = 32_767;
    /// The greatest length for which both readings agree.
    pub const UNDISPUTED_LENGTH: usize = 16_383;

    /// Returns the record at `offset`, or `None` if its length field extends beyond the end of the
    /// file.
    pub fn find(file: &'a [u8], offset: u32, lengths: LongLengths) -> Option<RecordBytes<'a>> {
        let begin = offset as usize;
        let (declared, used) = match lengths {
            LongLengths::TwoBytes => {
                let bytes = file.get(begin..)?;
                match *bytes {
                    [length @ 0..128, ..] => (usize::from(length), 1),
                    [low, high, ..] => (usize::from(low & 127) + usize::from(high) * 128, 2),
                    _ => return None,
                }
            }
            LongLengths::Leb128 => leb128(file.get(begin..)?)?,
        };
        let start = begin + used;
        let rest = file.get(start..)?;
        let body = rest.get(..declared).unwrap_or(rest);
        Some(RecordBytes {
            start,
            declared,
            body,
        })
    }

    /// Appends the length of a record. Returns false if it cannot be expressed.
    pub fn put_length(length: usize, lengths: LongLengths, out: &mut Vec<u8>) -> bool {
        match (length, lengths) {
            (0..128, _) => out.push(length as u8),
            (128..=RecordBytes::MAX_LENGTH, LongLengths::TwoBytes) => {
                // The low seven bits with the mark of a second byte, then the upper eight.
                out.extend([length as u8 | 128, (length >> 7) as u8]);
            }
            (_, LongLengths::TwoBytes) => return false,
            (_, LongLengths::Leb128) => {
                let mut rest = length;
                while rest >= 128 {
                    out.push(rest as u8 | 128);
                    rest >>= 7;
                }
                out.push(rest as u8);
            }
        }
        true
    }
}

/// Reads a LEB128 number of at most four bytes. Returns the number and its size.
fn leb128(bytes: &[u8]) -> Option<(usize, usize)> {
    let mut value = 0;
    // Four bytes reach 256 MiB, far beyond any game.
    for (n, &byte) in bytes.iter().take(4).enumerate() {
        value |= usize::from(byte & 127) << (7 * n);
        if byte < 128 {
            return Some((value, n + 1));
        }
    }
    None
}

/// One code with its operands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Item<'a> {
    /// A move of one byte, including castling and the null move: 0..=208 and 211.
    Move(u8),
    /// 209: a promotion with the pawn's code and the piece.
    Promotion(u8, u8),
    /// 210.
    EnPassantMark,
    /// 212..=219: a move with its shift.
    Extended(u8, u8),
    /// 230.
    Start(Box<StartPosition>),
    /// 231.
    Open,
    /// 232.
    Close,
    /// 233 with the byte after it.
    Unknown(u8),
    /// 234, 235 and 236.
    Comment(Comment<'a>),
    /// An unassigned code. What follows cannot be read either.
    Unassigned(u8),
}

/// The error that the bytes of a code extend beyond the end of the record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ItemFault {
    /// Bytes that it needs, including the code.
    pub needed: u64,
    /// Bytes that are left.
    pub had: u64,
}

impl<'a> Item<'a> {
    /// Returns the size in bytes of the first item without examining its content, or `None` for an
    /// unassigned code.
    ///
    /// # Errors
    ///
    /// Returns [`ItemFault`] if the item extends beyond the end.
    #[inline]
    pub fn size(bytes: &[u8]) -> Result<Option<usize>, ItemFault> {
        let Some(&first) = bytes.first() else {
            return Err(ItemFault { needed: 1, had: 0 });
        };
        let needed: u64 = match first {
            0..=208 | 210 | 211 | code::OPEN | code::CLOSE => 1,
            209 => 3,
            212..=219 | code::UNKNOWN => 2,
            code::START => 1 + StartPosition::SIZE as u64,
            code::SYMBOL => 3,
            code::SHORT_COMMENT => match bytes.get(1) {
                Some(&length) => 2 + u64::from(length),
                None => 2,
            },
            code::LONG_COMMENT => match bytes.get(1..).and_then(<[u8]>::first_chunk::<4>) {
                Some(&length) => 5 + u64::from(u32::from_le_bytes(length)),
                None => 5,
            },
            220..=229 | 237..=255 => return Ok(None),
        };
        let present = bytes.len() as u64;
        if needed > present {
            return Err(ItemFault {
                needed,
                had: present,
            });
        }
        Ok(Some(needed as usize))
    }

    /// Reads the first item and returns it with its size in bytes.
    ///
    /// # Errors
    ///
    /// Returns [`ItemFault`] if the item extends beyond the end.
    pub fn parse(bytes: &'a [u8]) -> Result<(Item<'a>, usize), ItemFault> {
        let size = Item::size(bytes)?.unwrap_or(1);
        let whole = bytes.get(..size).unwrap_or_default();
        let comment = |envelope, from| {
            let content = whole.get(from..).unwrap_or_default();
            Item::Comment(Comment { envelope, content })
        };
        let item = match *whole {
            [code::OPEN] => Item::Open,
            [code::CLOSE] => Item::Close,
            [210] => Item::EnPassantMark,
            [code @ (0..=208 | 211)] => Item::Move(code),
            [209, pawn, piece] => Item::Promotion(pawn, piece),
            [code @ 212..=219, shift] => Item::Extended(code - 212, shift),
            [code::UNKNOWN, byte] => Item::Unknown(byte),
            [code::SYMBOL, ..] => comment(Envelope::Symbol, 1),
            [code::SHORT_COMMENT, ..] => comment(Envelope::Short, 2),
            [code::LONG_COMMENT, ..] => comment(Envelope::Long, 5),
            [code::START, ref rest @ ..] => match rest.first_chunk() {
                Some(bytes) => Item::Start(Box::new(StartPosition::parse(bytes))),
                None => Item::Unassigned(code::START),
            },
            [code, ..] => Item::Unassigned(code),
            [] => return Err(ItemFault { needed: 1, had: 0 }),
        };
        Ok((item, size))
    }

    /// Appends the bytes of the item.
    pub fn write(&self, out: &mut Vec<u8>) {
        match self {
            Item::Move(code) | Item::Unassigned(code) => out.push(*code),
            Item::Promotion(pawn, piece) => out.extend([209, *pawn, *piece]),
            Item::EnPassantMark => out.push(210),
            Item::Extended(pawn, shift) => out.extend([212 + (pawn & 7), *shift]),
            Item::Start(start) => {
                out.push(code::START);
                out.extend(start.to_bytes());
            }
            Item::Open => out.push(code::OPEN),
            Item::Close => out.push(code::CLOSE),
            Item::Unknown(byte) => out.extend([code::UNKNOWN, *byte]),
            Item::Comment(comment) => {
                let length = comment.content.len();
                match comment.envelope {
                    Envelope::Symbol => out.push(code::SYMBOL),
                    Envelope::Short => out.extend([code::SHORT_COMMENT, length as u8]),
                    Envelope::Long => {
                        out.push(code::LONG_COMMENT);
                        out.extend((length as u32).to_le_bytes());
                    }
                }
                out.extend_from_slice(comment.content);
            }
        }
    }
}

/// An iterator over the items of a record with their offsets. It ends before unreadable bytes and
/// after an unassigned code.
#[derive(Clone, Debug)]
pub struct Items<'a> {
    body: &'a [u8],
    at: usize,
    ended: bool,
}

impl<'a> Items<'a> {
    /// Starts at the first code.
    pub fn new(body: &'a [u8]) -> Items<'a> {
        Items {
            body,
            at: 0,
            ended: false,
        }
    }

    /// Returns the offset of the next item.
    pub fn offset(&self) -> usize {
        self.at
    }

    /// Returns the bytes not read yet; after the last item, the unreadable ones.
    pub fn rest(&self) -> &'a [u8] {
        self.body.get(self.at..).unwrap_or_default()
    }
}

impl<'a> Iterator for Items<'a> {
    type Item = (usize, Item<'a>);

    fn next(&mut self) -> Option<(usize, Item<'a>)> {
        if self.ended {
            return None;
        }
        let Ok((item, size)) = Item::parse(self.rest()) else {
            self.ended = true;
            return None;
        };
        let offset = self.at;
        self.at += size;
        self.ended = matches!(item, Item::Unassigned(_));
        Some((offset, item))
    }
}

/// A record as stored in `d02`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GameRecord<'a> {
    /// The stored form of its length.
    pub form: LengthForm,
    /// The declared length.
    pub declared: u16,
    /// The codes, as far as the file contains them.
    pub body: &'a [u8],
}

impl<'a> GameRecord<'a> {
    /// Returns the size in bytes of length and codes, as far as the file contains them.
    pub fn size(&self) -> usize {
        let length = match self.form {
            LengthForm::One => 1,
            LengthForm::Two => 2,
        };
        length + self.body.len()
    }

    /// Returns the items of the record.
    pub fn items(&self) -> Items<'a> {
        Items::new(self.body)
    }
}

impl<'a> ScatteredRecord<'a> for GameRecord<'a> {
    fn parse(bytes: &'a [u8]) -> Option<GameRecord<'a>> {
        let record = RecordBytes::find(bytes, 0, LongLengths::TwoBytes)?;
        let form = if record.start == 1 { LengthForm::One } else { LengthForm::Two };
        let declared = record.declared as u16;
        Some(GameRecord {
            form,
            declared,
            body: record.body,
        })
    }

    fn size(&self) -> usize {
        GameRecord::size(self)
    }

    fn write(&self, out: &mut Vec<u8>) {
        match self.form {
            LengthForm::One => out.push(self.declared as u8),
            LengthForm::Two => out.extend([self.declared as u8 | 128, (self.declared >> 7) as u8]),
        }
        let mut items = self.items();
        for (_, item) in items.by_ref() {
            item.write(out);
        }
        out.extend_from_slice(items.rest());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hex_literal::hex;
    use proptest::prelude::*;

    /// Section 15 I.
    #[test]
    fn lengths_of_the_page() {
        for (length, expected) in [
            (0, &hex!("00")[..]),
            (127, &hex!("7F")),
            (128, &hex!("8001")),
            (200, &hex!("C801")),
            (308, &hex!("B402")),
            (16383, &hex!("FF7F")),
            (32767, &hex!("FFFF")),
        ] {
            let mut out = Vec::new();
            assert!(RecordBytes::put_length(
                length,
                LongLengths::TwoBytes,
                &mut out
            ));
            assert_eq!(out, expected);
            out.extend_from_slice(&[0; 40_000]);
            let found = RecordBytes::find(&out, 0, LongLengths::TwoBytes).unwrap();
            assert_eq!((found.declared, found.body.len()), (length, length));
            if length <= RecordBytes::UNDISPUTED_LENGTH {
                assert_eq!(RecordBytes::find(&out, 0, LongLengths::Leb128), Some(found));
            }
        }
        let mut out = Vec::new();
        assert!(!RecordBytes::put_length(
            32768,
            LongLengths::TwoBytes,
            &mut out
        ));
        assert!(RecordBytes::put_length(
            32768,
            LongLengths::Leb128,
            &mut out
        ));
        assert_eq!(out, hex!("808002"));
        assert!(RecordBytes::find(&hex!("80"), 0, LongLengths::TwoBytes).is_none());
        assert!(RecordBytes::find(&[], 7, LongLengths::TwoBytes).is_none());
    }

    proptest! {
        #[test]
        fn every_record_comes_back(body in prop::collection::vec(prop_oneof![3 => 0u8..=40, 1 => 200u8..=240, 1 => any::<u8>()], 0..200)) {
            if let Some(record) = GameRecord::parse(&body) {
                let mut out = Vec::new();
                record.write(&mut out);
                prop_assert_eq!(&out[..], &body[..out.len()]);
                prop_assert_eq!(record.size(), out.len());
            }
            let record = GameRecord { form: LengthForm::Two, declared: 9, body: &body };
            let mut out = Vec::new();
            record.write(&mut out);
            prop_assert_eq!(&out[2..], &body[..]);
        }

        /// The size computed without parsing equals the size of the parsed item.
        #[test]
        fn sizes_agree(bytes in prop::collection::vec(any::<u8>(), 0..90)) {
            match (Item::size(&bytes), Item::parse(&bytes)) {
                (Ok(Some(size)), Ok((item, used))) => {
                    prop_assert_eq!(size, used);
                    prop_assert!(!matches!(item, Item::Unassigned(_)));
                }
                (Ok(None), Ok((item, 1))) => prop_assert!(matches!(item, Item::Unassigned(_))),
                (size, item) => prop_assert_eq!(size.err(), item.err()),
            }
        }
    }
}
