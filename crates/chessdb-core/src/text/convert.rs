//! Piecewise decoding and encoding, without temporary buffers on the heap.

use std::fmt;

use super::charset::{Charset, Coding};
use super::tables::{self, Table};
use super::{cesu8, mixed, utf8_twice};

/// The characters that a charset could not encode.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unmappable {
    /// The number of characters, at least 1.
    pub count: usize,
    /// The first of them.
    pub first: char,
}

impl fmt::Display for Unmappable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let code = u32::from(self.first);
        match self.count {
            1 => write!(
                f,
                "the encoding has no code for {:?} (U+{code:04X})",
                self.first
            ),
            n => write!(
                f,
                "the encoding has no code for {n} characters, the first is {:?} (U+{code:04X})",
                self.first
            ),
        }
    }
}

impl std::error::Error for Unmappable {}

impl Charset {
    /// Appends a text in this charset, or nothing if a character cannot be encoded.
    ///
    /// # Errors
    ///
    /// Returns [`Unmappable`] with the number of characters that this charset lacks and the first
    /// of them.
    pub fn encode_strict(self, text: &str, out: &mut Vec<u8>) -> Result<(), Unmappable> {
        let start = out.len();
        match self.encode(text, out) {
            None => Ok(()),
            Some(unmappable) => {
                out.truncate(start);
                Err(unmappable)
            }
        }
    }

    /// Appends a text in this charset, with a similar character (`'` for `’`) or `?` for each
    /// character that it lacks. Returns the number of these characters.
    pub fn encode_lossy(self, text: &str, out: &mut Vec<u8>) -> usize {
        self.encode(text, out).map_or(0, |lost| lost.count)
    }

    fn encode(self, text: &str, out: &mut Vec<u8>) -> Option<Unmappable> {
        if text.is_ascii() {
            out.extend_from_slice(text.as_bytes());
            return None;
        }
        match self.coding() {
            Coding::Utf8 | Coding::Utf8Twice => out.extend_from_slice(text.as_bytes()),
            Coding::Cesu8 => cesu8::encode(text, out),
            Coding::Table(table) => return encode_by_table(table, text, out),
            Coding::PageCodec(page) => return page.encode(text, out),
        }
        None
    }
}

/// Returns the largest length up to `limit` that does not split a UTF-8 character. Bytes that are
/// not UTF-8 are cut anywhere.
pub fn whole_characters(bytes: &[u8], limit: usize) -> usize {
    if bytes.len() <= limit {
        return bytes.len();
    }
    let mut start = 0;
    for chunk in bytes.utf8_chunks() {
        let valid = chunk.valid();
        if start + valid.len() > limit {
            return start + valid.floor_char_boundary(limit - start);
        }
        start += valid.len() + chunk.invalid().len();
        if start >= limit {
            break;
        }
    }
    limit
}

/// Replaces each NUL, which would end a stored text, with a blank. Returns whether there was one.
pub fn blank_nuls(stored: &mut [u8]) -> bool {
    let mut has_nul = false;
    for byte in stored.iter_mut().filter(|byte| **byte == 0) {
        *byte = b' ';
        has_nul = true;
    }
    has_nul
}

/// Counts one more character that cannot be encoded, and writes a similar character or `?` for it.
pub(super) fn substitute(lost: &mut Option<Unmappable>, c: char, out: &mut Vec<u8>) {
    out.extend_from_slice(substitute_of(c).unwrap_or("?").as_bytes());
    match lost {
        Some(lost) => lost.count += 1,
        None => *lost = Some(Unmappable { count: 1, first: c }),
    }
}

/// Returns the common substitute for a character that a code page lacks.
fn substitute_of(c: char) -> Option<&'static str> {
    Some(match c {
        '’' | '‘' | '‚' | '‛' | '′' | '´' => "'",
        '“' | '”' | '„' | '‟' | '″' | '«' | '»' => "\"",
        '‐' | '‑' | '‒' | '–' | '—' | '―' | '−' => "-",
        '…' => "...",
        '\u{A0}' | '\u{2002}'..='\u{200A}' | '\u{202F}' => " ",
        _ => return None,
    })
}

pub(super) fn encode_by_table(table: &Table, text: &str, out: &mut Vec<u8>) -> Option<Unmappable> {
    let mut lost = None;
    out.reserve(text.len());
    let mut rest = text;
    loop {
        let ascii = rest.bytes().position(|byte| !byte.is_ascii());
        let (run, later) = rest.split_at(ascii.unwrap_or(rest.len()));
        out.extend_from_slice(run.as_bytes());
        let mut later = later.chars();
        match later.next().map(|c| (c, tables::byte_for(table, c))) {
            None => return lost,
            Some((_, Some(byte))) => out.push(byte),
            Some((c, None)) => substitute(&mut lost, c, out),
        }
        rest = later.as_str();
    }
}

/// The replacement of a malformed sequence.
pub(super) const REPLACEMENT: &str = "\u{FFFD}";

/// Passes the decoded characters piece by piece to `sink`, with U+FFFD for each malformed sequence.
/// Returns the number of malformed sequences.
pub(super) fn decode_pieces(bytes: &[u8], charset: Charset, sink: &mut impl FnMut(&str)) -> usize {
    if charset.is_mixed() {
        return mixed::decode(bytes, charset.page(), sink);
    }
    match charset.coding() {
        Coding::Utf8 => decode_utf8(bytes, sink),
        Coding::Utf8Twice => utf8_twice::decode(bytes, sink),
        Coding::Cesu8 => cesu8::decode(bytes, sink),
        Coding::Table(table) => decode_by_table(table, bytes, sink),
        Coding::PageCodec(page) => page.decode(bytes, sink),
    }
}

/// Returns the character of one byte of a code page; U+FFFD if it is unassigned.
pub(super) fn decode_byte(byte: u8, page: Charset) -> char {
    let mut decoded = char::REPLACEMENT_CHARACTER;
    decode_pieces(&[byte], page, &mut |piece| {
        decoded = piece.chars().next().unwrap_or(decoded);
    });
    decoded
}

fn decode_utf8(bytes: &[u8], sink: &mut impl FnMut(&str)) -> usize {
    let mut malformed = 0;
    for chunk in bytes.utf8_chunks() {
        if !chunk.valid().is_empty() {
            sink(chunk.valid());
        }
        if !chunk.invalid().is_empty() {
            malformed += 1;
            sink(REPLACEMENT);
        }
    }
    malformed
}

pub(super) fn decode_by_table(table: &Table, bytes: &[u8], sink: &mut impl FnMut(&str)) -> usize {
    let mut malformed = 0;
    let mut rest = bytes;
    // A piece in UTF-8; no character needs more than four bytes.
    let mut piece = [0; 256];
    while !rest.is_empty() {
        let (now, later) = rest.split_at(rest.len().min(piece.len() / 4));
        rest = later;
        let mut length = 0;
        for chunk in now.chunks(8) {
            if chunk.is_ascii()
                && let Some(target) = piece.get_mut(length..length + chunk.len())
            {
                target.copy_from_slice(chunk);
                length += chunk.len();
                continue;
            }
            for &byte in chunk {
                let c = tables::char_for(table, byte);
                malformed += usize::from(c == char::REPLACEMENT_CHARACTER);
                if let Some(target) = piece.get_mut(length..) {
                    length += c.encode_utf8(target).len();
                }
            }
        }
        let written = piece.get(..length).map(std::str::from_utf8);
        sink(written.and_then(Result::ok).unwrap_or_default());
    }
    malformed
}
