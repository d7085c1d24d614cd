//! Decoder of UTF-16 input. Text formats are read as UTF-8, so a file in UTF-16 is converted before
//! any other code reads it; offsets then count bytes of the UTF-8 text.

use std::borrow::Cow;
use std::io::{self, ErrorKind as IoErrorKind, Read};

use crate::error::Location;
use crate::files::Role;
use crate::{Diagnostic, ErrorKind, Result, Severity};

/// Number of bytes that [`Utf16::detect`] examines.
const DETECTION_BYTES: usize = 8;

/// Number of bytes decoded at once.
const CHUNK_BYTES: usize = 32 << 10;

/// An incremental converter from UTF-16 to UTF-8.
#[derive(Clone, Debug)]
pub struct Utf16 {
    big_endian: bool,
    /// The first byte of an incomplete code unit.
    half: Option<u8>,
    /// A high surrogate that waits for its low surrogate.
    high: Option<u16>,
    /// Number of UTF-8 bytes produced so far.
    written: u64,
    /// The number of invalid characters, and the offset of the first in the UTF-8 text.
    replaced: u64,
    first: u64,
}

impl Utf16 {
    /// Detects UTF-16 by the first 8 bytes of a text: a byte order mark, or at least two ASCII
    /// characters that alternate with NULs.
    pub fn detect(start: &[u8]) -> Option<Utf16> {
        let start = start.get(..DETECTION_BYTES).unwrap_or(start);
        let pairs = start.as_chunks::<2>().0;
        let ascii = |byte: u8| matches!(byte, b'\t'..=b'\r' | b' '..=b'~');
        let big_endian = match pairs {
            [[0xFF, 0xFE], ..] => false,
            [[0xFE, 0xFF], ..] => true,
            // Without a mark, only characters of ASCII are evidence, and more than one of them.
            [[0, _], _, ..] if pairs.iter().all(|&[high, low]| high == 0 && ascii(low)) => true,
            [[_, 0], _, ..] if pairs.iter().all(|&[low, high]| high == 0 && ascii(low)) => false,
            _ => return None,
        };
        Some(Utf16 {
            big_endian,
            half: None,
            high: None,
            written: 0,
            replaced: 0,
            first: 0,
        })
    }

    /// Appends the next bytes as UTF-8. A byte order mark is kept.
    pub fn decode(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        out.reserve(bytes.len());
        let unit = if self.big_endian { u16::from_be_bytes } else { u16::from_le_bytes };
        let mut units = Vec::from_iter(self.high);
        let mut bytes = bytes;
        if let (Some(first), [second, rest @ ..]) = (self.half, bytes) {
            self.half = None;
            units.push(unit([first, *second]));
            bytes = rest;
        }
        let (pairs, rest) = bytes.as_chunks::<2>();
        units.extend(pairs.iter().map(|&pair| unit(pair)));
        self.half = self.half.or(rest.first().copied());
        // A high surrogate waits for its other half in the next bytes.
        self.high = units.pop_if(|unit| matches!(unit, 0xD800..0xDC00));
        for character in char::decode_utf16(units) {
            self.push(character.ok(), out);
        }
    }

    /// Ends the text; an incomplete character at the end is replaced.
    pub fn finish(&mut self, out: &mut Vec<u8>) {
        // Both must be taken, so no `||`.
        if self.half.take().is_some() | self.high.take().is_some() {
            self.push(None, out);
        }
    }

    /// Appends a character, or the replacement of an invalid one.
    fn push(&mut self, character: Option<char>, out: &mut Vec<u8>) {
        if character.is_none() {
            if self.replaced == 0 {
                self.first = self.written;
            }
            self.replaced += 1;
        }
        let character = character.unwrap_or(char::REPLACEMENT_CHARACTER);
        let mut buffer = [0; 4];
        let text = character.encode_utf8(&mut buffer);
        out.extend_from_slice(text.as_bytes());
        self.written += text.len() as u64;
    }

    /// Returns whether every character was valid, so that the text can be encoded to the same bytes.
    pub fn is_exact(&self) -> bool {
        self.replaced == 0
    }

    /// Returns a text in UTF-8 in the encoding of the input.
    ///
    /// # Errors
    ///
    /// Returns an error if the text is not in UTF-8.
    pub fn encode(&self, text: &[u8]) -> Result<Vec<u8>> {
        let text = str::from_utf8(text)
            .map_err(|_| ErrorKind::Structure("the text for a file in UTF-16 is not in UTF-8"))?;
        let units = text.encode_utf16();
        Ok(if self.big_endian {
            units.flat_map(u16::to_be_bytes).collect()
        } else {
            units.flat_map(u16::to_le_bytes).collect()
        })
    }

    /// Returns the diagnostics at the end of the text: that it was in UTF-16, and the number of
    /// invalid characters.
    pub fn diagnostics(&self, file: Role) -> impl Iterator<Item = Diagnostic> + use<> {
        let order = if self.big_endian { "big" } else { "little" };
        let note = Diagnostic {
            severity: Severity::Note,
            kind: ErrorKind::Other(
                format!(
                    "the text is in UTF-16, {order}-endian; byte offsets refer to the text in UTF-8"
                )
                .into(),
            ),
            at: Location::file(file),
        };
        let lost = (self.replaced > 0).then(|| Diagnostic {
            severity: Severity::Lost,
            kind: ErrorKind::Other(match self.replaced {
                1 => "an incomplete character in the UTF-16 text was read as U+FFFD".into(),
                n => format!("{n} incomplete characters in the UTF-16 text were read as U+FFFD")
                    .into(),
            }),
            at: Location::byte(file, self.first),
        });
        std::iter::once(note).chain(lost)
    }
}

/// Returns a text as UTF-8 if it is in UTF-16, otherwise its bytes unchanged.
pub fn utf_8(bytes: &[u8]) -> (Cow<'_, [u8]>, Option<Utf16>) {
    let Some(mut decoder) = Utf16::detect(bytes) else {
        return (Cow::Borrowed(bytes), None);
    };
    let mut text = Vec::new();
    for chunk in bytes.chunks(CHUNK_BYTES) {
        decoder.decode(chunk, &mut text);
    }
    decoder.finish(&mut text);
    (Cow::Owned(text), Some(decoder))
}

/// A reader that converts UTF-16 input to UTF-8 and passes any other input through.
#[derive(Debug)]
pub struct Utf8Reader<R> {
    inner: R,
    state: State,
    /// Decoded bytes; those from `next` on have not been returned yet.
    ready: Vec<u8>,
    next: usize,
}

#[derive(Debug)]
enum State {
    /// Nothing was read yet.
    Start,
    Plain,
    Utf16(Utf16, Vec<u8>),
    /// The last UTF-16 was decoded.
    End(Utf16),
}

impl<R: Read> Utf8Reader<R> {
    /// Creates a reader that begins at the current position of `inner`.
    pub fn new(inner: R) -> Utf8Reader<R> {
        Utf8Reader {
            inner,
            state: State::Start,
            ready: Vec::new(),
            next: 0,
        }
    }

    /// Returns the decoder if the input is UTF-16.
    pub fn utf_16(&self) -> Option<&Utf16> {
        match &self.state {
            State::Utf16(decoder, _) | State::End(decoder) => Some(decoder),
            State::Start | State::Plain => None,
        }
    }

    /// Reads as many bytes as are needed to detect the encoding.
    fn begin(&mut self) -> io::Result<()> {
        while self.ready.len() < DETECTION_BYTES {
            let mut buffer = [0; DETECTION_BYTES];
            let missing = DETECTION_BYTES - self.ready.len();
            match self
                .inner
                .read(buffer.get_mut(..missing).unwrap_or_default())
            {
                Ok(0) => break,
                Ok(n) => self
                    .ready
                    .extend_from_slice(buffer.get(..n).unwrap_or_default()),
                Err(error) if error.kind() == IoErrorKind::Interrupted => {}
                Err(error) if self.ready.is_empty() => return Err(error),
                // The error occurs again after these bytes were returned.
                Err(_) => break,
            }
        }
        self.state = match Utf16::detect(&self.ready) {
            None => State::Plain,
            Some(mut decoder) => {
                let start = std::mem::take(&mut self.ready);
                decoder.decode(&start, &mut self.ready);
                State::Utf16(decoder, vec![0; CHUNK_BYTES])
            }
        };
        Ok(())
    }
}

impl<R: Read> Read for Utf8Reader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if matches!(self.state, State::Start) {
            self.begin()?;
        }
        loop {
            if let Some(ready) = self.ready.get(self.next..).filter(|rest| !rest.is_empty()) {
                let count = ready.len().min(buffer.len());
                let (from, to) = (ready.get(..count), buffer.get_mut(..count));
                to.unwrap_or_default()
                    .copy_from_slice(from.unwrap_or_default());
                self.next += count;
                return Ok(count);
            }
            self.ready.clear();
            self.next = 0;
            let State::Utf16(decoder, raw) = &mut self.state else {
                return match self.state {
                    State::End(_) => Ok(0),
                    _ => self.inner.read(buffer),
                };
            };
            match self.inner.read(raw)? {
                0 => {
                    decoder.finish(&mut self.ready);
                    self.state = State::End(decoder.clone());
                }
                n => decoder.decode(raw.get(..n).unwrap_or_default(), &mut self.ready),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn utf_16(text: &str, big_endian: bool) -> Vec<u8> {
        let bytes = |unit: u16| {
            if big_endian { unit.to_be_bytes() } else { unit.to_le_bytes() }
        };
        text.encode_utf16().flat_map(bytes).collect()
    }

    /// A reader that returns a few bytes at a time.
    struct SmallReads<'a>(&'a [u8], usize);

    impl Read for SmallReads<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let count = self.1.min(buffer.len()).min(self.0.len());
            let (now, later) = self.0.split_at(count);
            buffer[..count].copy_from_slice(now);
            self.0 = later;
            Ok(count)
        }
    }

    fn streamed(bytes: &[u8], portion: usize) -> (Vec<u8>, u64) {
        let mut reader = Utf8Reader::new(SmallReads(bytes, portion));
        let mut out = Vec::new();
        reader.read_to_end(&mut out).unwrap();
        let replaced = reader.utf_16().map_or(0, |decoder| decoder.replaced);
        (out, replaced)
    }

    #[test]
    fn detects_utf_16() {
        for (bytes, is) in [
            (&b"\xFF\xFE"[..], true),
            (b"\xFE\xFF\x04\x10", true),
            (b"[\0E\0", true),
            (b"\0[\0E", true),
            (b"\n\0\r\0\n\0[\0", true),
            (b"[\0", false),
            (b"*\0", false),
            (b"[E\0v", false),
            (b"\0\0[\0", false),
            (b"[\0\0E", false),
            (b"[\0\x01\0", false),
            (b"\xEF\xBB\xBF[", false),
            (b"", false),
        ] {
            assert_eq!(Utf16::detect(bytes).is_some(), is, "{bytes:?}");
        }
    }

    #[test]
    fn halves_of_characters_are_replaced_and_counted() {
        for (units, text, replaced, first) in [
            (&[0x61, 0xD83D, 0xDE00][..], "a\u{1F600}", 0, 0),
            (&[0x61, 0xD83D, 0x62], "a\u{FFFD}b", 1, 1),
            (&[0x61, 0xDE00, 0x62], "a\u{FFFD}b", 1, 1),
            (&[0x62, 0xD83D, 0xD83D, 0xDE00], "b\u{FFFD}\u{1F600}", 1, 1),
            (&[0xE9, 0x61, 0xD83D], "éa\u{FFFD}", 1, 3),
            (
                &[0x61, 0xD83D, 0xD83D, 0xD83D],
                "a\u{FFFD}\u{FFFD}\u{FFFD}",
                3,
                1,
            ),
        ] {
            let mut bytes = b"\xFF\xFE".to_vec();
            bytes.extend(units.iter().flat_map(|unit: &u16| unit.to_le_bytes()));
            let (out, decoder) = utf_8(&bytes);
            let decoder = decoder.unwrap();
            assert_eq!(out, format!("\u{FEFF}{text}").as_bytes());
            assert_eq!(decoder.replaced, replaced, "{text}");
            let expected = if replaced > 0 { first + 3 } else { 0 };
            assert_eq!(decoder.first, expected, "{text}");
            assert_eq!(
                decoder.diagnostics(Role("pgn")).count(),
                1 + usize::from(replaced > 0)
            );
        }
        let (out, decoder) = utf_8(b"a\0b\0c");
        assert_eq!(out, "ab\u{FFFD}".as_bytes());
        assert_eq!(decoder.unwrap().replaced, 1);
    }

    proptest! {
        #[test]
        fn any_text_round_trips(text in any::<String>(), big in any::<bool>(), portion in 1usize..20) {
            let bytes = utf_16(&format!("\u{FEFF}{text}"), big);
            let (whole, _) = utf_8(&bytes);
            prop_assert_eq!(&whole[3..], text.as_bytes());
            prop_assert_eq!(streamed(&bytes, portion), (whole.into_owned(), 0));
        }

        #[test]
        fn any_bytes_in_any_portions(bytes in prop::collection::vec(any::<u8>(), 0..60), mark in any::<bool>(), portion in 1usize..20) {
            let mut bytes = bytes;
            if mark {
                bytes.splice(0..0, *b"\xFF\xFE");
            }
            let (whole, decoder) = utf_8(&bytes);
            let replaced = decoder.map_or(0, |decoder| decoder.replaced);
            prop_assert_eq!(streamed(&bytes, portion), (whole.into_owned(), replaced));
        }
    }

    #[test]
    fn incomplete_characters_are_counted_in_words() {
        for (end, message) in [
            (
                &b"\0"[..],
                "an incomplete character in the UTF-16 text was read as U+FFFD",
            ),
            (
                b"\0\xD8\0\xD8",
                "2 incomplete characters in the UTF-16 text were read as U+FFFD",
            ),
        ] {
            let text = [b"\xFF\xFEa\0b\0c\0", end].concat();
            let (_, decoder) = utf_8(&text);
            let lost = decoder.unwrap().diagnostics(Role("pgn")).nth(1).unwrap();
            assert_eq!(lost.kind.to_string(), message);
        }
    }
}
