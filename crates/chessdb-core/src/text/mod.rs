//! Texts of old databases: bytes in some charset, decoded only when someone asks.
//!
//! A text keeps the bytes of its source and the [`Charset`] they are believed to be in. It is
//! decoded late, and never encoded again while it stays in the same charset, so bytes that mean
//! nothing in their charset survive a rewrite. [`Texts`] holds all texts of one game.
//!
//! Where nothing says what the bytes are in, [`Judge`] judges text by text:
//! UTF-8, a page, or UTF-8 beside stray bytes of a page ([`Charset::beside_utf8`]).
//!
//! `encoding_rs` knows most code pages and is used in this module only. Four of its habits are
//! avoided on purpose: it takes ISO-8859-1 for windows-1252, it sniffs byte order marks, it has no
//! DOS pages but 866, and it writes HTML entities for characters that a page lacks. Tables stand for
//! it on the web and with the feature `own-pages`.

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
mod pages;
mod signs;
mod tables;

use std::borrow::Cow;
use std::fmt;

pub use arena::{TextId, Texts};
pub use charset::Charset;
pub use convert::Unmappable;
pub use guess::{CharsetGuess, Evidence, KnownTokens, Origin};
pub use mixed::Judge;
pub use overwritten::{is_overwritten, is_printable};

#[cfg(not(any(target_family = "wasm", feature = "own-pages")))]
use library::Foreign;
#[cfg(any(target_family = "wasm", feature = "own-pages"))]
use pages::Foreign;

/// A text as its source has it: bytes and their charset.
///
/// Two texts are equal when bytes and charset are; [`Text::decode`] first to compare meanings.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Text<'g> {
    bytes: &'g [u8],
    charset: Charset,
}

impl<'g> Text<'g> {
    /// No bytes at all.
    pub const EMPTY: Text<'static> = Text::new(&[], Charset::UTF_8);

    /// A text over these bytes; nothing is checked, since wrong bytes are kept too.
    pub const fn new(bytes: &'g [u8], charset: Charset) -> Text<'g> {
        Text { bytes, charset }
    }

    /// The bytes as the source has them.
    pub const fn as_bytes(self) -> &'g [u8] {
        self.bytes
    }

    /// What the bytes are believed to be.
    pub const fn charset(self) -> Charset {
        self.charset
    }

    /// Whether there is not a single byte.
    pub const fn is_empty(self) -> bool {
        self.bytes.is_empty()
    }

    /// The characters of this text. It never fails: what means nothing in the charset becomes
    /// U+FFFD. A byte order mark is a character like any other. ASCII and valid UTF-8 are
    /// borrowed.
    pub fn decode(self) -> Cow<'g, str> {
        self.decode_counting().0
    }

    /// The characters of this text, or none if some bytes mean nothing in its charset.
    pub fn decode_strict(self) -> Option<Cow<'g, str>> {
        match self.decode_counting() {
            (text, 0) => Some(text),
            _ => None,
        }
    }

    /// Appends this text in another charset and returns how many characters were lost.
    ///
    /// In the same charset, and if all bytes are ASCII, the bytes are copied as they are, malformed
    /// ones included, and nothing is lost. Otherwise a malformed sequence counts as one lost
    /// character: it is written as U+FFFD where the target has that, else as `?`, like every
    /// character that the target lacks.
    pub fn convert_into(self, target: Charset, out: &mut Vec<u8>) -> usize {
        if self.charset == target || self.bytes.is_ascii() {
            out.extend_from_slice(self.bytes);
            return 0;
        }
        let mut unmappable = 0;
        let malformed = convert::decode_pieces(self.bytes, self.charset, &mut |piece| {
            unmappable += target.encode_lossy(piece, out);
        });
        // A page without U+FFFD has counted the malformed sequences as unmappable already.
        if target.is_unicode() {
            malformed
        } else {
            unmappable
        }
    }

    /// The characters, and how many malformed sequences became U+FFFD.
    fn decode_counting(self) -> (Cow<'g, str>, usize) {
        let may_be_borrowed = self.charset.is_unicode() && !self.charset.is_mixed();
        if (may_be_borrowed || self.bytes.is_ascii())
            && let Ok(text) = std::str::from_utf8(self.bytes)
        {
            return (Cow::Borrowed(text), 0);
        }
        // Most pages need two bytes for an upper character, of which most texts have few.
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

/// The decimal digits of a number, at the end of the room for them.
#[inline]
fn digits(number: u32, room: &mut [u8; 10]) -> &[u8] {
    let mut rest = number;
    let mut length = 0;
    for digit in room.iter_mut().rev() {
        *digit = b'0' + (rest % 10) as u8;
        rest /= 10;
        length += 1;
        if rest == 0 {
            break;
        }
    }
    room.get(10 - length..).unwrap_or_default()
}

/// The characters, as [`Text::decode`] gives them.
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
