//! A game record, identical in all generations: tags, flags byte, FEN, moves, comments
//! (docs/formats/scid.md, section 4).

pub use chessdb_core::raw::RecordFault;
use chessdb_core::raw::{Parsed, Stop};
use nom::Parser as _;
use nom::bytes::complete::take;
use nom::error::context;
use nom::number::complete::u8 as byte;

use super::fields::RecordFlags;
use super::marker::{END, NAG};

/// The names of the tags with the codes 241 to 250 (section 4.1).
pub const TAG_NAMES: [&str; 10] = [
    "WhiteCountry",
    "BlackCountry",
    "Annotator",
    "PlyCount",
    "EventDate",
    "Opening",
    "Variation",
    "Setup",
    "Source",
    "SetUp",
];
/// The code of the first of [`TAG_NAMES`].
const FIRST_CODE: u8 = 241;
/// The code of an event date of three bytes without a length, from Scid 2.
const OLD_EVENT_DATE: u8 = 255;

/// The stored form of a tag name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TagName<'a> {
    /// One of [`TAG_NAMES`] by its code, 241 to 250.
    Common(u8),
    /// A literal name, 1 to 240 bytes.
    Text(&'a [u8]),
    /// 251 to 254, which have no name.
    Nameless(u8),
    /// 255: the value is a date of three bytes ([`super::DateCode`]).
    OldEventDate,
}

impl<'a> TagName<'a> {
    /// Returns the stored form of a name: by code if it has one in exactly this spelling. `None` if
    /// it cannot be stored because it is empty or longer than 240 bytes.
    pub fn from_name(name: &'a [u8]) -> Option<TagName<'a>> {
        let code = TAG_NAMES
            .iter()
            .position(|common| common.as_bytes() == name);
        match code {
            Some(index) => Some(TagName::Common(FIRST_CODE + index as u8)),
            None if (1..usize::from(FIRST_CODE)).contains(&name.len()) => Some(TagName::Text(name)),
            None => None,
        }
    }

    /// Returns the name as text, if it has one.
    pub fn as_bytes(self) -> Option<&'a [u8]> {
        match self {
            TagName::Text(name) => Some(name),
            TagName::Common(code) => {
                let index = usize::from(code.checked_sub(FIRST_CODE)?);
                TAG_NAMES.get(index).map(|name| name.as_bytes())
            }
            TagName::OldEventDate => Some(b"EventDate"),
            TagName::Nameless(_) => None,
        }
    }
}

/// A tag as stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TagRecord<'a> {
    /// Its name.
    pub name: TagName<'a>,
    /// Its value, at most 255 bytes; three for [`TagName::OldEventDate`].
    pub value: &'a [u8],
}

impl TagRecord<'_> {
    /// Appends the tag. Names are cut after 240 bytes, values after 255.
    pub fn write(&self, out: &mut Vec<u8>) {
        let cut = |bytes: &mut &[u8], limit: usize| {
            *bytes = bytes.get(..limit).unwrap_or(bytes);
            bytes.len() as u8
        };
        let mut value = self.value;
        let length = cut(&mut value, 255);
        match self.name {
            TagName::Text(mut name) => {
                out.push(cut(&mut name, usize::from(FIRST_CODE) - 1));
                out.extend_from_slice(name);
                out.push(length);
            }
            TagName::Common(code) | TagName::Nameless(code) => out.extend([code, length]),
            TagName::OldEventDate => out.push(OLD_EVENT_DATE),
        }
        out.extend_from_slice(value);
    }
}

/// Iterator over the tags of a record; [`Tags::rest`] returns the bytes after them.
#[derive(Clone, Debug)]
pub struct Tags<'a> {
    rest: &'a [u8],
    len: usize,
    ended: bool,
}

impl<'a> Tags<'a> {
    /// Creates an iterator over the tags at the start of a record.
    pub fn new(record: &'a [u8]) -> Tags<'a> {
        Tags {
            rest: record,
            len: record.len(),
            ended: false,
        }
    }

    /// Returns the bytes that have not been read. They begin with the flags byte once the iterator
    /// has ended without an error.
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// Returns the number of bytes read.
    pub fn offset(&self) -> u64 {
        (self.len - self.rest.len()) as u64
    }
}

impl<'a> Iterator for Tags<'a> {
    type Item = Result<TagRecord<'a>, RecordFault>;

    #[inline]
    fn next(&mut self) -> Option<Result<TagRecord<'a>, RecordFault>> {
        if self.ended {
            return None;
        }
        if let [0, rest @ ..] = self.rest {
            self.rest = rest;
            self.ended = true;
            return None;
        }
        match tag(self.rest) {
            Ok((rest, tag)) => {
                self.rest = rest;
                Some(Ok(tag))
            }
            Err(error) => {
                self.ended = true;
                Some(Err(Stop::from_nom(error).in_record(self.len)))
            }
        }
    }
}

fn tag(input: &[u8]) -> Parsed<'_, TagRecord<'_>> {
    let (input, code) = context("the end of the tags", byte).parse(input)?;
    let (input, name) = match code {
        OLD_EVENT_DATE => {
            let (input, value) = context("an event date", take(3usize)).parse(input)?;
            return Ok((
                input,
                TagRecord {
                    name: TagName::OldEventDate,
                    value,
                },
            ));
        }
        251.. => (input, TagName::Nameless(code)),
        FIRST_CODE.. => (input, TagName::Common(code)),
        length => {
            let (input, name) = context("the name of a tag", take(length)).parse(input)?;
            (input, TagName::Text(name))
        }
    };
    let (input, length) = context("the length of a tag's value", byte).parse(input)?;
    let (input, value) = context("the value of a tag", take(length)).parse(input)?;
    Ok((input, TagRecord { name, value }))
}

/// Iterator over the comments of a record, without their NULs; [`Comments::rest`] returns the bytes
/// after them.
#[derive(Clone, Debug)]
pub struct Comments<'a> {
    rest: &'a [u8],
}

impl<'a> Comments<'a> {
    /// Creates an iterator over the comments, which are stored after the moves.
    pub fn new(bytes: &'a [u8]) -> Comments<'a> {
        Comments { rest: bytes }
    }

    /// Returns the bytes that have not been read.
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }
}

impl<'a> Iterator for Comments<'a> {
    type Item = &'a [u8];

    #[inline]
    fn next(&mut self) -> Option<&'a [u8]> {
        let nul = self.rest.iter().position(|&b| b == 0)?;
        let (comment, rest) = self.rest.split_at_checked(nul)?;
        self.rest = rest.get(1..).unwrap_or_default();
        Some(comment)
    }
}

/// The parts of a record after its tags, unparsed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RecordParts<'a> {
    /// The flags byte.
    pub flags: RecordFlags,
    /// The FEN without its NUL, if the flags announce one.
    pub fen: Option<&'a [u8]>,
    /// The moves, including the end mark 15 if present.
    pub moves: &'a [u8],
    /// The bytes after the moves.
    pub comments: &'a [u8],
    /// Whether the moves have their end mark.
    pub ended: bool,
}

impl<'a> RecordParts<'a> {
    /// Splits the bytes after the tags. `len` is the size of the record, for the offset in errors.
    ///
    /// # Errors
    ///
    /// Returns an error if the record ends before its flags byte or within its FEN.
    pub fn parse(after_tags: &'a [u8], len: usize) -> Result<RecordParts<'a>, RecordFault> {
        let stop = |rest, what| Stop::new(rest, what).in_record(len);
        let (&flags, mut rest) = after_tags
            .split_first()
            .ok_or_else(|| stop(after_tags, "the flags byte"))?;
        let flags = RecordFlags::from_bits_retain(flags);
        let mut fen = None;
        if flags.contains(RecordFlags::FEN) {
            let mut text = Comments::new(rest);
            fen = Some(text.next().ok_or_else(|| stop(&[], "the end of the FEN"))?);
            rest = text.rest();
        }
        let end = end_of_moves(rest);
        let ended = end.is_some();
        let (moves, comments) = end
            .and_then(|end| rest.split_at_checked(end))
            .unwrap_or((rest, &[]));
        Ok(RecordParts {
            flags,
            fen,
            moves,
            comments,
            ended,
        })
    }
}

/// Returns the offset after the end mark 15 of the moves. A 15 in the number of a NAG does not
/// count. The second byte of a move is 64 or more, so no board is needed.
fn end_of_moves(bytes: &[u8]) -> Option<usize> {
    let mut from = 0;
    loop {
        let rest = bytes.get(from..)?;
        let offset = rest.iter().position(|&b| b == END || b == NAG)?;
        from += offset + 1;
        match rest.get(offset) {
            Some(&END) => return Some(from),
            _ => from += 1,
        }
    }
}

/// A whole game record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record<'a> {
    /// The tags.
    pub tags: Vec<TagRecord<'a>>,
    /// The flags byte.
    pub flags: RecordFlags,
    /// The FEN, if the flags announce one.
    pub fen: Option<&'a [u8]>,
    /// The moves, including their end mark.
    pub moves: &'a [u8],
    /// The comments.
    pub comments: Vec<&'a [u8]>,
    /// The bytes after the last NUL.
    pub tail: &'a [u8],
}

impl<'a> Record<'a> {
    /// Reads a record. A missing end mark is not an error.
    ///
    /// # Errors
    ///
    /// Returns an error if the record ends too early.
    pub fn parse(bytes: &'a [u8]) -> Result<Record<'a>, RecordFault> {
        let mut tags = Tags::new(bytes);
        let list = tags.by_ref().collect::<Result<_, _>>()?;
        let parts = RecordParts::parse(tags.rest(), bytes.len())?;
        let mut comments = Comments::new(parts.comments);
        Ok(Record {
            tags: list,
            flags: parts.flags,
            fen: parts.fen,
            moves: parts.moves,
            comments: comments.by_ref().collect(),
            tail: comments.rest(),
        })
    }

    /// Returns the bytes of the record.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.tags.iter().for_each(|tag| tag.write(&mut out));
        out.extend([0, self.flags.bits()]);
        if let Some(fen) = self.fen {
            out.extend_from_slice(fen);
            out.push(0);
        }
        out.extend_from_slice(self.moves);
        for comment in &self.comments {
            out.extend_from_slice(comment);
            out.push(0);
        }
        out.extend_from_slice(self.tail);
        out
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Small values make tags, markers and NULs likely.
        #[test]
        fn every_record_comes_back(bytes in prop::collection::vec(
            prop_oneof![0u8..17, 238u8..=255, any::<u8>()], 0..200)) {
            match Record::parse(&bytes) {
                Ok(record) => prop_assert_eq!(record.to_bytes(), bytes),
                Err(fault) => prop_assert!(fault.offset as usize <= bytes.len()),
            }
        }
    }

    #[test]
    fn names_have_their_codes() {
        for (at, name) in TAG_NAMES.iter().enumerate() {
            let stored = TagName::from_name(name.as_bytes()).unwrap();
            assert_eq!(stored, TagName::Common(241 + at as u8));
            assert_eq!(stored.as_bytes(), Some(name.as_bytes()));
        }
        assert_eq!(
            TagName::from_name(b"source"),
            Some(TagName::Text(b"source"))
        );
        assert_eq!(TagName::from_name(b""), None);
        assert!(TagName::from_name(&[b'x'; 240]).is_some());
        assert_eq!(TagName::from_name(&[b'x'; 241]), None);
    }

    #[test]
    fn a_nag_may_look_like_an_end() {
        assert_eq!(end_of_moves(&[0xCF, 11, 15, 0xCF, 15, 99]), Some(5));
        assert_eq!(end_of_moves(&[0xCF, 11, 11, 15]), Some(4));
        assert_eq!(end_of_moves(&[0xCF, 11, 15]), None);
        assert_eq!(end_of_moves(&[]), None);
    }
}
