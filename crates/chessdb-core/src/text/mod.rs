//! Texts of old databases: bytes in a charset, decoded only on demand.
//!
//! A text keeps the bytes of its source and their presumed [`Charset`]. It is decoded late, and
//! never encoded again while its charset stays the same, so invalid bytes survive a rewrite.
//! [`Texts`] contains all texts of one game.
//!
//! If the encoding is not declared, [`EncodingDetector`] determines it text by text: UTF-8, a code page, or
//! UTF-8 mixed with stray bytes of a code page ([`Charset::beside_utf8`]).
//!
//! `encoding_rs` provides most code pages and is used in this module only. Four of its properties
//! are avoided on purpose: it treats ISO-8859-1 as windows-1252, it detects byte order marks, it
//! has no DOS code pages except 866, and it writes HTML entities for characters that a code page
//! lacks. Tables replace it on the web and with the feature `own-pages`.

mod arena;
mod cesu8;
mod charset;
mod convert;
mod guess;
#[cfg(not(any(target_family = "wasm", feature = "own-pages")))]
mod library;
mod mixed;
mod overwritten;
#[cfg(any(test, target_family = "wasm", feature = "own-pages"))]
mod page_tables;
mod symbols;
mod tables;
mod unusual;
mod utf8_twice;

use std::borrow::Cow;
use std::fmt;

pub use arena::{TextId, Texts};
pub use charset::Charset;
pub use convert::{Unmappable, blank_nuls, whole_characters};
pub use guess::{CharsetGuess, CharsetPrior, Evidence, KnownTokens};
pub use mixed::EncodingDetector;
pub use overwritten::{is_overwritten, is_printable, plain, push_plain};
pub use utf8_twice::is_utf8_twice;

#[cfg(not(any(target_family = "wasm", feature = "own-pages")))]
use library::PageCodec;
#[cfg(any(target_family = "wasm", feature = "own-pages"))]
use page_tables::PageCodec;

/// A text as stored in its source: bytes and their charset.
///
/// Two texts are equal if their bytes and charsets are; use [`Text::decode`] to compare the
/// characters.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Text<'g> {
    bytes: &'g [u8],
    charset: Charset,
}

impl<'g> Text<'g> {
    /// The empty text.
    pub const EMPTY: Text<'static> = Text::new(&[], Charset::UTF_8);

    /// Creates a text from these bytes without checking them, since invalid bytes are kept too.
    pub const fn new(bytes: &'g [u8], charset: Charset) -> Text<'g> {
        Text { bytes, charset }
    }

    /// Returns the bytes as stored in the source.
    pub const fn as_bytes(self) -> &'g [u8] {
        self.bytes
    }

    /// Returns the presumed charset of the bytes.
    pub const fn charset(self) -> Charset {
        self.charset
    }

    /// Returns whether there are no bytes.
    pub const fn is_empty(self) -> bool {
        self.bytes.is_empty()
    }

    /// Returns the characters of this text. Decoding never fails: invalid bytes become U+FFFD. A
    /// byte order mark is a character like any other. ASCII and valid UTF-8 are borrowed.
    pub fn decode(self) -> Cow<'g, str> {
        self.decode_counting().0
    }

    /// Returns the characters of this text, or `None` if some bytes are invalid in its charset.
    pub fn decode_strict(self) -> Option<Cow<'g, str>> {
        match self.decode_counting() {
            (text, 0) => Some(text),
            _ => None,
        }
    }

    /// Appends this text in another charset and returns the number of lost characters.
    ///
    /// If the charset is the same or all bytes are ASCII, the bytes are copied unchanged, including
    /// malformed ones, and nothing is lost. Otherwise a malformed sequence counts as one lost
    /// character: it is written as U+FFFD if the target has that, else as `?`, like every character
    /// that the target lacks.
    pub fn convert_into(self, target: Charset, out: &mut Vec<u8>) -> usize {
        if self.charset == target || self.bytes.is_ascii() {
            out.extend_from_slice(self.bytes);
            return 0;
        }
        let mut unmappable = 0;
        let malformed = convert::decode_pieces(self.bytes, self.charset, &mut |piece| {
            unmappable += target.encode_lossy(piece, out);
        });
        // A code page without U+FFFD has counted the malformed sequences as unmappable already.
        if target.is_unicode() { malformed } else { unmappable }
    }

    /// Returns the characters, and the number of malformed sequences that became U+FFFD.
    fn decode_counting(self) -> (Cow<'g, str>, usize) {
        let may_be_borrowed = self.charset == Charset::UTF_8 || self.charset == Charset::CESU_8;
        if (may_be_borrowed || self.bytes.is_ascii())
            && let Ok(text) = std::str::from_utf8(self.bytes)
        {
            return (Cow::Borrowed(text), 0);
        }
        // Most non-ASCII characters of code pages need two bytes in UTF-8, and most texts have few.
        let mut text = String::with_capacity(self.bytes.len() + self.bytes.len() / 4);
        let malformed =
            convert::decode_pieces(self.bytes, self.charset, &mut |piece| text.push_str(piece));
        (Cow::Owned(text), malformed)
    }
}

/// Appends a number in decimal digits.
#[inline]
pub fn push_number(number: u32, out: &mut Vec<u8>) {
    out.extend_from_slice(digits(number, &mut [0; 10]));
}

/// Writes the decimal digits of a number at the end of `buffer` and returns them.
#[inline]
fn digits(number: u32, buffer: &mut [u8; 10]) -> &[u8] {
    let mut rest = number;
    let mut length = 0;
    for digit in buffer.iter_mut().rev() {
        *digit = b'0' + (rest % 10) as u8;
        rest /= 10;
        length += 1;
        if rest == 0 {
            break;
        }
    }
    buffer.get(10 - length..).unwrap_or_default()
}

/// Formats the characters as returned by [`Text::decode`].
impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.decode())
    }
}

impl fmt::Debug for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\"{}\"", self.charset, self.bytes.escape_ascii())
    }
}
