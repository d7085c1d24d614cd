//! Texts of a database, which are bytes without a declared charset (docs/formats/scid.md, section
//! 8).

use chessdb_core::loss::TextLoss;
use chessdb_core::text::{EncodingDetector, blank_nuls, whole_characters};
use chessdb_core::{Charset, Text};

/// The charset of texts that are not valid UTF-8, unless the caller chooses another one.
pub(crate) const FALLBACK: Charset = Charset::WINDOWS_1252;

/// The largest size of a name or a tag value, in bytes (sections 3 and 4.1).
pub(crate) const MAX_NAME: usize = 255;

/// Converts texts to the stored bytes.
#[derive(Clone, Default, Debug)]
pub(crate) struct TextEncoder {
    /// The requested charset.
    pub(crate) charset: Option<Charset>,
    /// Without a requested charset: texts keep their bytes if this detector detects their charset
    /// again. All others become UTF-8, which current versions of Scid assume for all texts.
    pub(crate) keep: Option<EncodingDetector>,
}

impl TextEncoder {
    /// Appends the stored form of a text. NULs become spaces, since a NUL ends every text.
    pub(crate) fn put(&self, text: Text<'_>, out: &mut Vec<u8>) -> TextLoss {
        let start = out.len();
        let bytes = text.as_bytes();
        if is_plain(bytes) {
            out.extend_from_slice(bytes);
            return TextLoss::default();
        }
        let lost = match self.target(text) {
            Some(target) => text.convert_into(target, out),
            None => {
                out.extend_from_slice(bytes);
                // Kept as is, but malformed UTF-8 may be read as another charset.
                let utf8 = text.charset() == Charset::UTF_8;
                let fallback = EncodingDetector::new(FALLBACK);
                let detector = self.keep.as_ref().unwrap_or(&fallback);
                usize::from(utf8 && detector.charset(bytes) != Charset::UTF_8)
            }
        };
        let had_nul = blank_nuls(out.get_mut(start..).unwrap_or_default());
        TextLoss {
            replaced: lost > 0 || had_nul,
            cut: false,
        }
    }

    /// Like [`TextEncoder::put`], with a limit in bytes. UTF-8 is cut between characters.
    pub(crate) fn put_cut(&self, text: Text<'_>, limit: usize, out: &mut Vec<u8>) -> TextLoss {
        let start = out.len();
        let mut change = self.put(text, out);
        if out.len() - start > limit {
            change.cut = true;
            let stored = out.get(start..).unwrap_or_default();
            out.truncate(start + whole_characters(stored, limit));
        }
        change
    }

    /// Returns the charset to convert to, or `None` to keep the bytes.
    fn target(&self, text: Text<'_>) -> Option<Charset> {
        let bytes = text.as_bytes();
        if bytes.is_ascii() {
            return None;
        }
        let is_detected = |detector: &EncodingDetector| detector.charset(bytes) == text.charset();
        match (self.charset, text.charset()) {
            (Some(target), charset) => (charset != target).then_some(target),
            (None, Charset::UTF_8) => None,
            (None, _) if self.keep.as_ref().is_some_and(is_detected) => None,
            _ => Some(Charset::UTF_8),
        }
    }
}

/// Returns whether a text is ASCII without NUL, which is stored unchanged in every charset.
fn is_plain(bytes: &[u8]) -> bool {
    const ONES: u64 = u64::MAX / 0xFF;
    // Finds bytes from 0x80 and NULs. A borrow between bytes starts only at one of them.
    let odd = |word: &[u8; 8]| {
        let word = u64::from_ne_bytes(*word);
        (word | word.wrapping_sub(ONES)) & (ONES << 7)
    };
    let Some(last) = bytes.last_chunk::<8>() else {
        return bytes.iter().all(|byte| matches!(byte, 1..0x80));
    };
    // The last bytes may overlap the preceding ones.
    let (words, _) = bytes.as_chunks::<8>();
    words.iter().fold(odd(last), |all, word| all | odd(word)) == 0
}

/// Returns whether a tag's value is meaningless: empty or only question marks and the like.
pub(crate) fn is_meaningless(value: &[u8]) -> bool {
    value.iter().all(|byte| b"?-.0* \t".contains(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(text: &[u8], charset: Charset, target: Option<Charset>) -> (Vec<u8>, TextLoss) {
        let mut out = Vec::new();
        let encoder = TextEncoder {
            charset: target,
            keep: Some(EncodingDetector::new(FALLBACK)),
        };
        let change = encoder.put(Text::new(text, charset), &mut out);
        (out, change)
    }

    /// Tests that texts stored unchanged are read as the same characters.
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
            assert_eq!(change, TextLoss::default());
            let read = Text::new(&stored, Charset::detect_utf8_or(&stored, FALLBACK));
            assert_eq!(
                read.decode(),
                Text::new(bytes, charset).decode(),
                "{charset}"
            );
        }
    }

    #[test]
    fn is_plain_detects_other_bytes_at_any_place() {
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

    /// Old bytes are kept when a database is rewritten, and become UTF-8 in a new one.
    #[test]
    fn keep_detector_retains_old_bytes() {
        let old = Text::new(b"M\xFCller", Charset::WINDOWS_1252);
        assert_eq!(put(old.as_bytes(), old.charset(), None).0, old.as_bytes());
        let mut new = Vec::new();
        TextEncoder::default().put(old, &mut new);
        assert_eq!(new, "Müller".as_bytes());
    }

    #[test]
    fn put_reports_changes() {
        assert!(put(b"a\0b", Charset::UTF_8, None).1.replaced);
        assert_eq!(put(b"a\0b", Charset::UTF_8, None).0, b"a b");
        assert!(put(b"\xFF", Charset::UTF_8, None).1.replaced);
        assert!(
            put("Ж".as_bytes(), Charset::UTF_8, Some(Charset::WINDOWS_1252))
                .1
                .replaced
        );
        assert!(
            !put("ü".as_bytes(), Charset::UTF_8, Some(Charset::WINDOWS_1252))
                .1
                .replaced
        );
    }

    #[test]
    fn cuts_keep_characters_whole() {
        for most in 0..8 {
            let mut out = b"x".to_vec();
            let text = Text::new("aüb漢".as_bytes(), Charset::UTF_8);
            let change = TextEncoder::default().put_cut(text, most, &mut out);
            let stored = std::str::from_utf8(&out[1..]).unwrap();
            assert!("aüb漢".starts_with(stored) && stored.len() <= most);
            assert_eq!(change.cut, most < 7);
        }
    }

    #[test]
    fn placeholders_are_meaningless() {
        for value in ["", "?", "-", "????.??.??", "0000.00.00"] {
            assert!(is_meaningless(value.as_bytes()), "{value}");
        }
        assert!(!is_meaningless(b"B07") && !is_meaningless(b"1985/11"));
    }
}
