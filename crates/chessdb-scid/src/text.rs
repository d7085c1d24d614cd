//! Texts of a base: bytes that nobody declares a charset for (docs/formats/scid.md, section 8).

use chessdb_core::text::Judge;
use chessdb_core::{Charset, Text};

/// What texts are taken for that are not valid UTF-8, unless the reader says otherwise.
pub(crate) const FALLBACK: Charset = Charset::WINDOWS_1252;

/// The most bytes of a name, of the value of a tag (sections 3 and 4.1).
pub(crate) const MAX_NAME: usize = 255;

/// What happened to a text on its way into the base.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Change {
    /// Characters had to be replaced.
    pub(crate) text: bool,
    /// It was cut.
    pub(crate) cut: bool,
}

/// Turns texts into the bytes that are stored.
#[derive(Clone, Default, Debug)]
pub(crate) struct Encoder {
    /// The charset asked for.
    pub(crate) charset: Option<Charset>,
    /// Without one: by what texts keep their bytes where judging them finds their charset again.
    /// Everything else becomes UTF-8, which is what Scid takes all texts for today.
    pub(crate) keep: Option<Judge>,
}

impl Encoder {
    /// Appends the stored form of a text. NULs, which end every text, become spaces.
    pub(crate) fn put(&self, text: Text<'_>, out: &mut Vec<u8>) -> Change {
        let start = out.len();
        let bytes = text.as_bytes();
        if is_plain(bytes) {
            out.extend_from_slice(bytes);
            return Change::default();
        }
        let lost = match self.target(text) {
            Some(target) => text.convert_into(target, out),
            None => {
                out.extend_from_slice(bytes);
                // Kept as it is, but perhaps read as another charset, as malformed UTF-8 is.
                let utf8 = text.charset() == Charset::UTF_8;
                let usual = Judge::new(FALLBACK);
                let judge = self.keep.as_ref().unwrap_or(&usual);
                usize::from(utf8 && judge.charset(bytes) != Charset::UTF_8)
            }
        };
        let mut change = Change {
            text: lost > 0,
            cut: false,
        };
        let stored = out.get_mut(start..).unwrap_or_default();
        if stored.contains(&0) {
            let zeros = stored.iter_mut().filter(|byte| **byte == 0);
            zeros.for_each(|byte| *byte = b' ');
            change.text = true;
        }
        change
    }

    /// The same with a limit of bytes; UTF-8 is cut between characters.
    pub(crate) fn put_cut(&self, text: Text<'_>, most: usize, out: &mut Vec<u8>) -> Change {
        let start = out.len();
        let mut change = self.put(text, out);
        if out.len() - start > most {
            change.cut = true;
            let stored = out.get(start..).unwrap_or_default();
            out.truncate(start + whole_characters(stored, most));
        }
        change
    }

    /// The charset to convert to, or none to keep the bytes.
    fn target(&self, text: Text<'_>) -> Option<Charset> {
        let bytes = text.as_bytes();
        if bytes.is_ascii() {
            return None;
        }
        let is_found = |judge: &Judge| judge.charset(bytes) == text.charset();
        match (self.charset, text.charset()) {
            (Some(target), charset) => (charset != target).then_some(target),
            (None, Charset::UTF_8) => None,
            (None, _) if self.keep.as_ref().is_some_and(is_found) => None,
            _ => Some(Charset::UTF_8),
        }
    }
}

/// Whether a text is ASCII without a NUL, which is stored as it is whatever the charset.
fn is_plain(bytes: &[u8]) -> bool {
    const ONES: u64 = u64::MAX / 0xFF;
    // The high bits of bytes from 80, and of those below 1; a borrow begins at none but these.
    let odd = |word: &[u8; 8]| {
        let word = u64::from_ne_bytes(*word);
        (word | word.wrapping_sub(ONES)) & (ONES << 7)
    };
    let Some(last) = bytes.last_chunk::<8>() else {
        return bytes.iter().all(|byte| matches!(byte, 1..0x80));
    };
    // The last bytes may overlap with those before them.
    let (words, _) = bytes.as_chunks::<8>();
    words.iter().fold(odd(last), |all, word| all | odd(word)) == 0
}

/// At most so many bytes, without the beginning of a UTF-8 character at the end. Bytes that are no
/// UTF-8 are cut anywhere.
fn whole_characters(bytes: &[u8], most: usize) -> usize {
    let mut start = 0;
    for chunk in bytes.utf8_chunks() {
        let valid = chunk.valid();
        if start + valid.len() > most {
            return start + valid.floor_char_boundary(most - start);
        }
        start += valid.len() + chunk.invalid().len();
        if start >= most {
            break;
        }
    }
    most
}

/// Whether a tag's value says nothing to a reader: it is empty or all question marks and the like.
pub(crate) fn says_nothing(value: &[u8]) -> bool {
    value.iter().all(|byte| b"?-.0* \t".contains(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(text: &[u8], charset: Charset, target: Option<Charset>) -> (Vec<u8>, Change) {
        let mut out = Vec::new();
        let encoder = Encoder {
            charset: target,
            keep: Some(Judge::new(FALLBACK)),
        };
        let change = encoder.put(Text::new(text, charset), &mut out);
        (out, change)
    }

    /// What is stored without a change is read as the same characters.
    #[test]
    fn stored_texts_are_read_as_the_same_characters() {
        let texts: [(&[u8], Charset); 7] = [
            (b"plain", Charset::KOI8_R),
            ("Müller".as_bytes(), Charset::UTF_8),
            (b"M\xFCller", Charset::WINDOWS_1252),
            (b"M\xFCller", Charset::LATIN_1),
            (b"\xC3\xBC", Charset::WINDOWS_1252),
            (b"\xC3\xBC", Charset::WINDOWS_1251),
            (b"\x9A", Charset::CP437),
        ];
        for (bytes, charset) in texts {
            let (stored, change) = put(bytes, charset, None);
            assert_eq!(change, Change::default());
            let read = Text::new(&stored, Charset::detect_utf8_or(&stored, FALLBACK));
            assert_eq!(
                read.decode(),
                Text::new(bytes, charset).decode(),
                "{charset}"
            );
        }
    }

    #[test]
    fn plain_texts_are_known_wherever_another_byte_stands() {
        for length in 0..40 {
            assert!(is_plain(&vec![0x7F; length]) && is_plain(&vec![1; length]));
            for at in 0..length {
                for byte in 0..=u8::MAX {
                    let mut text = vec![b'a'; length];
                    text[at] = byte;
                    assert_eq!(
                        is_plain(&text),
                        byte.is_ascii() && byte != 0,
                        "{byte} at {at}"
                    );
                }
            }
        }
    }

    /// Old bytes stay in a base that is rewritten, and become UTF-8 in a new one.
    #[test]
    fn old_bytes_are_kept_where_asked() {
        let old = Text::new(b"M\xFCller", Charset::WINDOWS_1252);
        assert_eq!(put(old.as_bytes(), old.charset(), None).0, old.as_bytes());
        let mut new = Vec::new();
        Encoder::default().put(old, &mut new);
        assert_eq!(new, "Müller".as_bytes());
    }

    #[test]
    fn changes_are_told() {
        assert!(put(b"a\0b", Charset::UTF_8, None).1.text);
        assert_eq!(put(b"a\0b", Charset::UTF_8, None).0, b"a b");
        assert!(put(b"\xFF", Charset::UTF_8, None).1.text);
        assert!(
            put("Ж".as_bytes(), Charset::UTF_8, Some(Charset::WINDOWS_1252))
                .1
                .text
        );
        assert!(
            !put("ü".as_bytes(), Charset::UTF_8, Some(Charset::WINDOWS_1252))
                .1
                .text
        );
    }

    #[test]
    fn cuts_keep_characters_whole() {
        for most in 0..8 {
            let mut out = b"x".to_vec();
            let text = Text::new("aüb漢".as_bytes(), Charset::UTF_8);
            let change = Encoder::default().put_cut(text, most, &mut out);
            let stored = std::str::from_utf8(&out[1..]).unwrap();
            assert!("aüb漢".starts_with(stored) && stored.len() <= most);
            assert_eq!(change.cut, most < 7);
        }
    }

    #[test]
    fn some_values_say_nothing() {
        for value in ["", "?", "-", "????.??.??", "0000.00.00"] {
            assert!(says_nothing(value.as_bytes()), "{value}");
        }
        assert!(!says_nothing(b"B07") && !says_nothing(b"1985/11"));
    }
}
