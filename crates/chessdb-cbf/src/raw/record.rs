//! The record of a game (docs/formats/cbf.md, section 3).

use chessdb_core::ErrorKind;
use chessdb_core::raw::{Parsed, Stop, array};
use nom::Parser as _;
use nom::bytes::complete::take;
use nom::combinator::cond;
use nom::error::context;

use super::cipher;
use super::position::Position;
use super::raw_header::{RawHeader, RecordFlags};

/// The parts of a record. Players, source and moves are still enciphered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RecordParts<'a> {
    /// The header.
    pub raw_header: RawHeader,
    /// Players and source.
    pub text: &'a [u8],
    /// The moves.
    pub moves: &'a [u8],
    /// The comment area, which is not enciphered.
    pub comments: &'a [u8],
    /// The start position, which is not enciphered.
    pub position: Option<&'a [u8; Position::SIZE]>,
}

/// The error for a record that ends within one of its parts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RecordFault {
    /// The part.
    pub what: &'static str,
    /// The offset of the part from the start of the record.
    pub offset: usize,
    /// The number of bytes that the record needs, as far as known.
    pub needed: usize,
    /// The number of bytes available.
    pub had: usize,
}

impl RecordFault {
    /// Converts the fault to an error kind.
    pub fn into_kind(self) -> ErrorKind {
        ErrorKind::truncated(self.what, self.needed as u64, self.had as u64)
    }
}

impl<'a> RecordParts<'a> {
    /// Divides the record at the start of `bytes`, which may be followed by other bytes.
    ///
    /// # Errors
    ///
    /// Returns an error with the part in which the bytes end.
    pub fn parse(bytes: &'a [u8]) -> Result<RecordParts<'a>, RecordFault> {
        match parts(bytes) {
            Ok((_, parts)) => Ok(parts),
            Err(error) => {
                let Stop { remaining, what } = Stop::from_nom(error);
                let needed = match bytes.first_chunk() {
                    Some(raw_header) => RawHeader::parse(raw_header).record_len(),
                    None => RawHeader::SIZE,
                };
                let offset = bytes.len().saturating_sub(remaining);
                Err(RecordFault {
                    what,
                    offset,
                    needed,
                    had: bytes.len(),
                })
            }
        }
    }

    /// Returns the offset of the moves from the start of the record.
    pub const fn moves_offset(&self) -> usize {
        RawHeader::SIZE + self.text.len()
    }

    /// Returns the offset of the comments from the start of the record.
    pub const fn comments_offset(&self) -> usize {
        self.moves_offset() + self.moves.len()
    }

    /// Returns the offset of the start position, if any, from the start of the record.
    pub const fn position_offset(&self) -> usize {
        self.comments_offset() + self.comments.len()
    }
}

fn parts(input: &[u8]) -> Parsed<'_, RecordParts<'_>> {
    let (input, raw_header) = context("the header of the game", array::<14>).parse(input)?;
    let raw_header = RawHeader::parse(&raw_header);
    let text = raw_header.players_len() + raw_header.source_len();
    let (input, text) = context("the names of the game", take(text)).parse(input)?;
    let (input, moves) =
        context("the moves of the game", take(raw_header.moves_len())).parse(input)?;
    let (input, comments) =
        context("the comments of the game", take(raw_header.comments)).parse(input)?;
    let position = context("the start position of the game", take(Position::SIZE));
    let (input, bytes) = cond(raw_header.has_setup(), position).parse(input)?;
    let position = bytes.and_then(|bytes: &[u8]| bytes.first_chunk());
    Ok((
        input,
        RecordParts {
            raw_header,
            text,
            moves,
            comments,
            position,
        },
    ))
}

/// A record with all parts deciphered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    /// The header. Its lengths must match the other fields ([`Record::set_lengths`]).
    pub raw_header: RawHeader,
    /// Players, then source.
    pub text: Vec<u8>,
    /// The moves: numbers, [`super::marker`]s, and bit 7 for a comment.
    pub moves: Vec<u8>,
    /// The comment area ([`super::Comments`]).
    pub comments: Vec<u8>,
    /// The start position.
    pub position: Option<Position>,
}

impl Record {
    /// Parses the record at the start of `bytes`, which may be followed by other bytes.
    ///
    /// # Errors
    ///
    /// Returns an error with the part in which the bytes end.
    pub fn parse(bytes: &[u8]) -> Result<Record, RecordFault> {
        let parts = RecordParts::parse(bytes)?;
        let mut text = parts.text.to_vec();
        cipher::text(&mut text);
        let mut moves = parts.moves.to_vec();
        cipher::moves(&mut moves);
        Ok(Record {
            raw_header: parts.raw_header,
            text,
            moves,
            comments: parts.comments.to_vec(),
            position: parts.position.map(Position::parse),
        })
    }

    /// Returns the bytes of the record. The lengths in the header are written unchanged.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.raw_header.record_len());
        out.extend_from_slice(&self.raw_header.to_bytes());
        let start = out.len();
        out.extend_from_slice(&self.text);
        cipher::text(out.get_mut(start..).unwrap_or_default());
        let start = out.len();
        out.extend_from_slice(&self.moves);
        cipher::moves(out.get_mut(start..).unwrap_or_default());
        out.extend_from_slice(&self.comments);
        out.extend(self.position.iter().flat_map(Position::to_bytes));
        out
    }

    /// Updates the lengths in the header. `players` is the length of the first part of the text.
    /// The check byte, which depends on the lengths, is not updated. Returns false and changes
    /// nothing if a field is too long.
    pub fn set_lengths(&mut self, players: usize) -> bool {
        let Some(source) = self.text.len().checked_sub(players) else {
            return false;
        };
        let fits = players <= RawHeader::MAX_TEXT
            && source <= RawHeader::MAX_TEXT
            && self.moves.len() <= RawHeader::MAX_MOVES
            && self.comments.len() <= RawHeader::MAX_COMMENTS;
        if fits {
            let raw_header = &mut self.raw_header;
            raw_header.players = raw_header.players & 0xC0 | players as u8;
            raw_header.source = raw_header.source & 0xC0 | source as u8;
            raw_header.move_word = self.moves.len() as u16 + 1;
            raw_header.comments = self.comments.len() as u16;
            let has_setup = self.position.is_some();
            raw_header.flags.set(RecordFlags::SETUP, has_setup);
        }
        fits
    }

    /// Returns the two texts: players and source.
    pub fn texts(&self) -> (&[u8], &[u8]) {
        let split = self.text.split_at_checked(self.raw_header.players_len());
        split.unwrap_or((&self.text, &[]))
    }
}

#[cfg(test)]
mod tests {
    use hex_literal::hex;
    use proptest::prelude::*;

    use super::*;

    /// Section 13, example 2.
    #[test]
    fn the_page_agrees() {
        let raw_header = hex!("40 06 07 AB 89 81 D7 9D DF F5 AE 91 2C 3A");
        let text = hex!("C9 AA 3F 0A 03 53 6F 76 7A 2C");
        let moves = hex!("0C EB 42 03 2E");
        let position = hex!(
            "00 00 10 05 00 00 00 06 00 00 00 00 00 00 00 00 00 0E 60 00 00 00 00 00 60 00 00 0E 00 00 90 00 27"
        );
        let bytes = [&raw_header[..], &text, &moves, &position].concat();
        let mut record = Record::parse(&bytes).unwrap();
        assert_eq!(record.texts(), (&b"Study-"[..], &b"Ex 2"[..]));
        assert_eq!(record.moves, hex!("0C 01 04 09 08"));
        assert_eq!(record.position.as_ref().unwrap().moves_before, 39);
        assert_eq!(record.to_bytes(), bytes);
        let raw_header = record.raw_header;
        assert!(record.set_lengths(6));
        assert_eq!(record.raw_header, raw_header);
        for length in 0..bytes.len() {
            let fault = Record::parse(&bytes[..length]).unwrap_err();
            assert!(fault.offset <= length && fault.had == length, "{fault:?}");
            assert!(fault.needed > length);
        }
    }

    proptest! {
        #[test]
        fn every_record_comes_back(bytes in prop::collection::vec(any::<u8>(), 0..40),
                                   lengths in any::<(u8, u8, u8, u8)>(), setup in any::<bool>()) {
            let mut raw_header = [0; RawHeader::SIZE];
            let fields = [lengths.0, 0, 0, lengths.1 & 63, lengths.2 & 7, lengths.3 & 7];
            raw_header[..6].copy_from_slice(&fields);
            raw_header[10] = u8::from(setup);
            raw_header[12..].copy_from_slice(&[lengths.1, lengths.2]);
            cipher::encode_raw_header(&mut raw_header);
            let all = [&raw_header[..], &bytes].concat();
            match Record::parse(&all) {
                Ok(record) => {
                    let stored = record.to_bytes();
                    prop_assert_eq!(record.raw_header.record_len(), stored.len());
                    prop_assert!(all.starts_with(&stored));
                }
                Err(fault) => prop_assert!(fault.needed > all.len()),
            }
        }
    }
}
