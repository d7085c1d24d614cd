//! The record of a game in .dcg: length, FEN marker, FEN, body (docs/formats/dcx.md, section 5).

pub use chessdb_core::raw::RecordFault;
use chessdb_core::raw::{Parsed, Stop};
use nom::Parser as _;
use nom::bytes::complete::take;
use nom::error::context;
use nom::number::complete::u8 as byte;

use super::length::{Length, length};
use super::tokens::Tokens;

/// The marker of a game from the standard start position.
const STANDARD: u8 = 0;
/// The marker of a game with its own start position.
const FEN: u8 = 1;

/// The start position field of a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StartField<'a> {
    /// Absent: a record of length 0.
    Missing,
    /// 00: the standard start position.
    Standard,
    /// 01: a FEN follows.
    Fen {
        /// The length of the FEN.
        length: Length,
        /// The text of the FEN.
        text: &'a [u8],
    },
    /// A marker without meaning; what follows is treated as the body.
    Other(u8),
}

/// A game as stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Record<'a> {
    /// The length of everything after it.
    pub length: Length,
    /// The start position.
    pub start: StartField<'a>,
    /// Moves and annotations.
    pub body: &'a [u8],
}

impl<'a> Record<'a> {
    /// The marker that a change in place gives to a record that no game uses any longer
    /// (section 16).
    pub const REPLACED: u8 = 0xFF;

    /// Returns whether this marker states a start position.
    pub(crate) const fn is_start(marker: u8) -> bool {
        matches!(marker, STANDARD | FEN)
    }

    /// Reads the record at the start of `stretch`, which extends at least to the next record.
    ///
    /// A record may be followed by bytes that belong to no record. In databases of the oldest
    /// layout (`old`) the bytes of the length may be reversed; they are if only then the record
    /// fills the stretch.
    ///
    /// # Errors
    ///
    /// Returns [`RecordFault`] if the length cannot be read or is too large, or if the FEN does not
    /// fit into the record.
    pub fn parse(stretch: &'a [u8], old: bool) -> Result<Record<'a>, RecordFault> {
        if !old && let Some(record) = Record::parse_standard(stretch) {
            return Ok(record);
        }
        let forward = Length::parse(stretch);
        if old
            && forward.is_none_or(|(length, rest)| length.value as usize != rest.len())
            && let Some((length, content)) = Length::parse_reversed(stretch)
        {
            return Record::parse_content(length, content);
        }
        Record::parse_any(stretch)
    }

    /// Reads a record by the grammar.
    fn parse_any(stretch: &'a [u8]) -> Result<Record<'a>, RecordFault> {
        match frame(stretch) {
            Ok((_, (length, content))) => Record::parse_content(length, content),
            Err(error) => Err(Stop::from_nom(error).in_record(stretch.len())),
        }
    }

    /// Reads almost any record, faster than [`Record::parse_any`]: one from the standard start
    /// position with a valid length, in any layout except the oldest. Returns `None` for any other.
    #[inline(always)]
    pub(crate) fn parse_standard(stretch: &'a [u8]) -> Option<Record<'a>> {
        let (length, rest) = Length::parse(stretch)?;
        let [STANDARD, body @ ..] = rest.get(..length.value as usize)? else {
            return None;
        };
        let start = StartField::Standard;
        Some(Record {
            length,
            start,
            body,
        })
    }

    /// Reads the content of a record after its length.
    pub(crate) fn parse_content(
        length: Length,
        content: &'a [u8],
    ) -> Result<Record<'a>, RecordFault> {
        match start_field(content) {
            Ok((body, start)) => Ok(Record {
                length,
                start,
                body,
            }),
            Err(error) => {
                let mut fault = Stop::from_nom(error).in_record(content.len());
                // `content` begins after the length.
                fault.offset = fault.offset.saturating_add(length.size() as u32);
                Err(fault)
            }
        }
    }

    /// Returns the offset of the body in the record.
    pub fn body_offset(&self) -> usize {
        let start = match self.start {
            StartField::Missing => 0,
            StartField::Standard | StartField::Other(_) => 1,
            StartField::Fen { length, text } => 1 + length.size() + text.len(),
        };
        self.length.size() + start
    }

    /// Returns the size in bytes of the whole record.
    pub fn size(&self) -> usize {
        self.body_offset() + self.body.len()
    }

    /// Returns the moves and annotations one by one.
    pub fn tokens(&self) -> Tokens<'a> {
        Tokens::new(self.body)
    }

    /// Creates a record with this start and body and a length in standard form, or returns `None`
    /// if it is too long.
    pub fn new(start: StartField<'a>, body: &'a [u8]) -> Option<Record<'a>> {
        let mut record = Record {
            length: Length::new(0),
            start,
            body,
        };
        let content = record.body_offset() - record.length.size() + body.len();
        record.length = Length::new(u32::try_from(content).ok()?);
        Some(record)
    }

    /// Appends the bytes of the record.
    pub fn write(&self, out: &mut Vec<u8>) {
        self.length.write(out);
        match self.start {
            StartField::Missing => {}
            StartField::Standard => out.push(STANDARD),
            StartField::Fen { length, text } => {
                out.push(FEN);
                length.write(out);
                out.extend_from_slice(text);
            }
            StartField::Other(marker) => out.push(marker),
        }
        out.extend_from_slice(self.body);
    }
}

/// Reads a length and that many bytes.
fn frame(input: &[u8]) -> Parsed<'_, (Length, &[u8])> {
    let (rest, length) = context("the length of a game", length).parse(input)?;
    let (rest, content) = context("a game", take(length.value)).parse(rest)?;
    Ok((rest, (length, content)))
}

fn start_field(input: &[u8]) -> Parsed<'_, StartField<'_>> {
    if input.is_empty() {
        return Ok((input, StartField::Missing));
    }
    let (rest, marker) = context("the FEN marker", byte).parse(input)?;
    match marker {
        STANDARD => Ok((rest, StartField::Standard)),
        FEN => {
            let (rest, length) = context("the length of a FEN", length).parse(rest)?;
            let (rest, text) = context("a FEN", take(length.value)).parse(rest)?;
            Ok((rest, StartField::Fen { length, text }))
        }
        other => Ok((rest, StartField::Other(other))),
    }
}

#[cfg(test)]
mod tests {
    use hex_literal::hex;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_worked_example_is_read() {
        let bytes = hex!("09 00 03 9e 0d 24 03 55 0e df");
        let record = Record::parse(&bytes, false).unwrap();
        assert_eq!(record.start, StartField::Standard);
        assert_eq!(record.body, &bytes[2..]);
        assert_eq!(record.body_offset(), 2);
        assert_eq!(Record::new(StartField::Standard, record.body), Some(record));
    }

    #[test]
    fn faults_name_their_place() {
        let fault = |bytes: &[u8]| Record::parse(bytes, false).unwrap_err();
        assert_eq!(fault(&hex!("80 00")).offset, 0);
        assert_eq!(fault(&hex!("05 00 03 1c")).offset, 1);
        let fen = fault(&hex!("05 01 20 61 62 63"));
        assert_eq!((fen.offset, fen.what), (3, "a FEN"));
    }

    #[test]
    fn old_lengths_are_read_backwards_only_where_they_fit() {
        let mut stretch = hex!("85 81").to_vec();
        stretch.resize(2 + 133, 0);
        let record = Record::parse(&stretch, true).unwrap();
        assert_eq!(record.length.value, 133);
        let mut out = Vec::new();
        record.write(&mut out);
        assert_eq!(out, stretch);
        assert!(Record::parse(&stretch, false).is_err());
        let forward = hex!("03 00 03 1c");
        assert_eq!(
            Record::parse(&forward, true).unwrap(),
            Record::parse(&forward, false).unwrap()
        );
    }

    proptest! {
        #[test]
        fn every_record_comes_back(bytes in prop::collection::vec(any::<u8>(), 0..60),
                                   old in any::<bool>(), short in any::<bool>()) {
            let mut bytes = bytes;
            if short && let Some(first) = bytes.first_mut() {
                *first %= 60;
            }
            if let Ok(record) = Record::parse(&bytes, old) {
                let mut out = Vec::new();
                record.write(&mut out);
                prop_assert_eq!(out.len(), record.body_offset() + record.body.len());
                prop_assert_eq!(&out, &bytes[..out.len()]);
            }
        }

        /// The fast parser returns what the grammar defines, or nothing.
        #[test]
        fn the_short_way_is_the_long_one(length in 0..20u8, marker in 0..2u8,
                                         bytes in prop::collection::vec(any::<u8>(), 0..24)) {
            let framed = [&[length, marker], &bytes[..]].concat();
            for stretch in [&bytes, &framed] {
                let long = Record::parse_any(stretch).ok();
                let standard = long.filter(|record| record.start == StartField::Standard);
                prop_assert_eq!(Record::parse_standard(stretch), standard);
            }
        }
    }
}
