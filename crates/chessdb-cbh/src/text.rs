//! The texts of a database, which do not declare their charset (docs/formats/cbh.md, section 2).

use chessdb_core::loss::TextLoss;
use chessdb_core::text::{EncodingDetector, TextId, Texts, blank_nuls, whole_characters};
use chessdb_core::{Charset, ReadOptions, Text};

use crate::raw::cut;

/// The charsets of names and comments that are not UTF-8.
#[derive(Clone, Debug)]
pub(crate) struct TextCharsets {
    names: EncodingDetector,
    comments: EncodingDetector,
}

impl TextCharsets {
    /// Uses the code page set by the caller or detected, or else the western one. In western
    /// comments some letters are symbols.
    pub(crate) fn new(options: &ReadOptions) -> TextCharsets {
        TextCharsets::from_detector(options.detector(Charset::WINDOWS_1252))
    }

    /// Uses a detected or selected code page for names.
    fn from_detector(names: EncodingDetector) -> TextCharsets {
        // The symbols of section 8.4 clash with the letters of every other code page.
        let comments = match names.page() {
            Charset::WINDOWS_1252 => EncodingDetector::new(Charset::CHESSBASE_WINDOWS),
            _ => names.clone(),
        };
        TextCharsets { names, comments }
    }

    /// Returns the charset of a name. A name that fills its field may end within a UTF-8 character.
    pub(crate) fn of_name(&self, name: &[u8]) -> Charset {
        if name.is_ascii() {
            return Charset::UTF_8;
        }
        match std::str::from_utf8(name) {
            Err(fault) if fault.error_len().is_none() && fault.valid_up_to() > 0 => {
                let whole = name.get(..fault.valid_up_to()).unwrap_or_default();
                // The cut character alone does not show that the name is UTF-8.
                if whole.is_ascii() {
                    self.names.charset(name)
                } else {
                    self.names.charset(whole)
                }
            }
            _ => self.names.charset(name),
        }
    }

    /// Adds a name. An empty name gives `TextId::NONE`.
    pub(crate) fn push_name(&self, name: &[u8], texts: &mut Texts) -> TextId {
        if name.is_empty() {
            TextId::NONE
        } else {
            texts.push(name, self.of_name(name))
        }
    }

    /// Adds a player's name in the form `Last, First`.
    pub(crate) fn push_player(&self, last: &[u8], first: &[u8], texts: &mut Texts) -> TextId {
        if first.is_empty() {
            return self.push_name(last, texts);
        }
        texts.begin();
        texts.extend(last);
        texts.extend(b", ");
        texts.extend(first);
        let charset = self.of_name(texts.pending());
        texts.finish(charset)
    }

    /// Returns the charset of a comment.
    pub(crate) fn of_comment(&self, text: &[u8]) -> Charset {
        if text.is_ascii() { Charset::UTF_8 } else { self.comments.charset(text) }
    }
}

/// An encoder of texts to the stored bytes.
///
/// A text in a code page keeps its bytes if they will be read back in the same code page. All other
/// texts are written in the code page of the database, or in UTF-8 if that page lacks a character
/// or its bytes would be read differently.
#[derive(Clone, Debug)]
pub struct TextEncoder {
    charsets: TextCharsets,
    /// True if UTF-8 texts keep their bytes as well, as when a database is rewritten.
    keeps_utf8: bool,
}

impl TextEncoder {
    /// Creates an encoder for the requested code page, or else for that of the database being
    /// rewritten, or else for the western one.
    pub(crate) fn new(named: Option<Charset>, detector: Option<EncodingDetector>) -> TextEncoder {
        let asked = ReadOptions::default().with_charset(named);
        let charsets = match (named, detector.clone()) {
            (None, Some(detector)) => TextCharsets::from_detector(detector),
            _ => TextCharsets::new(&asked),
        };
        TextEncoder {
            charsets,
            keeps_utf8: named.is_none() && detector.is_some(),
        }
    }

    /// Creates an encoder for changed games. Unchanged names keep their bytes anyway, so a text that is
    /// encoded here is new, and UTF-8 only if most texts of the database are.
    pub(crate) fn for_changes(
        named: Option<Charset>,
        detector: Option<EncodingDetector>,
    ) -> TextEncoder {
        let is_utf8 = detector.as_ref().is_some_and(EncodingDetector::is_utf8);
        let encoder = TextEncoder::new(named, detector);
        TextEncoder {
            keeps_utf8: encoder.keeps_utf8 && is_utf8,
            ..encoder
        }
    }

    /// Returns a name in UTF-8 if it is in a code page, and otherwise in the code page of the
    /// database. `None` if it has only one form.
    pub(crate) fn in_other_encoding(&self, name: &[u8]) -> Option<Vec<u8>> {
        if name.is_ascii() {
            return None;
        }
        let charset = self.charsets.of_name(name);
        let text = Text::new(name, charset).decode_strict()?;
        let mut other = Vec::new();
        let target = match charset {
            Charset::UTF_8 => self.charsets.names.page(),
            _ => Charset::UTF_8,
        };
        target.encode_strict(&text, &mut other).ok()?;
        (other != name).then_some(other)
    }

    /// Appends a name. Returns true if characters had to be changed. A zero, which would end the
    /// name, is replaced with a blank.
    pub(crate) fn put_name(&self, text: Text<'_>, out: &mut Vec<u8>) -> bool {
        let start = out.len();
        let charsets = &self.charsets;
        let read = |name: &[u8]| charsets.of_name(name);
        let changed = self.encode(text, charsets.names.page(), read, out);
        blank_nuls(out.get_mut(start..).unwrap_or_default()) | changed
    }

    /// Writes a text to a fixed string. The last byte stays zero.
    pub(crate) fn put_field(&self, text: Text<'_>, field: &mut [u8]) -> TextLoss {
        let limit = field.len().saturating_sub(1);
        self.put_whole(text, field.get_mut(..limit).unwrap_or_default())
    }

    /// Writes a text to a fixed string and uses all of its bytes.
    pub(crate) fn put_whole(&self, text: Text<'_>, field: &mut [u8]) -> TextLoss {
        let mut name = Vec::with_capacity(64);
        let mut change = TextLoss {
            replaced: self.put_name(text, &mut name),
            cut: false,
        };
        let whole = name.len();
        change.cut = self.fill(&name, field);
        if change.cut && !change.replaced {
            // The remaining part may be detected as another charset than the whole.
            let retained = cut(field);
            let read = |bytes| Text::new(bytes, self.charsets.of_name(bytes)).decode();
            change.replaced =
                retained.len() < whole && !text.decode().starts_with(&*read(retained));
        }
        change
    }

    /// Copies as much of a name to a field as fits. Returns true if the name was cut.
    pub(crate) fn fill(&self, name: &[u8], field: &mut [u8]) -> bool {
        let limit = field.len();
        let is_utf8 = matches!(self.charsets.of_name(name), Charset::UTF_8);
        let length = if is_utf8 { whole_characters(name, limit) } else { name.len().min(limit) };
        for (place, byte) in field.iter_mut().zip(name.iter().take(length)) {
            *place = *byte;
        }
        length < name.len()
    }

    /// Appends the text of a comment. Returns true if characters had to be changed.
    pub(crate) fn put_comment(&self, text: Text<'_>, out: &mut Vec<u8>) -> bool {
        let charsets = &self.charsets;
        let read = |text: &[u8]| charsets.of_comment(text);
        self.encode(text, charsets.comments.page(), read, out)
    }

    /// Appends a text as bytes that are read back as the same text. Returns true if that is
    /// impossible.
    fn encode(
        &self,
        text: Text<'_>,
        page: Charset,
        read: impl Fn(&[u8]) -> Charset,
        out: &mut Vec<u8>,
    ) -> bool {
        let bytes = text.as_bytes();
        // More programs read the code page than UTF-8, so it is preferred where it has all
        // characters.
        let is_utf8 = || text.charset() == Charset::UTF_8 && text.decode_strict().is_some();
        let is_kept = || {
            if self.keeps_utf8 {
                read(bytes) == text.charset()
            } else {
                !is_utf8() && read(bytes) == text.charset() && !looks_utf8(bytes)
            }
        };
        if bytes.is_ascii() || is_kept() {
            out.extend_from_slice(bytes);
            return false;
        }
        let decoded = text.decode();
        let start = out.len();
        let is_read = |out: &[u8]| {
            let stored = out.get(start..).unwrap_or_default();
            Text::new(stored, read(stored)).decode() == decoded
        };
        // Other programs assume UTF-8 wherever it is valid, so the code page is the last choice for
        // such bytes.
        for (charset, anyhow) in [(page, false), (Charset::UTF_8, true), (page, true)] {
            let is_put = charset.encode_strict(&decoded, out).is_ok();
            let clear = anyhow || !looks_utf8(out.get(start..).unwrap_or_default());
            if is_put && clear && is_read(out) {
                // Bytes that are invalid in the text's own charset became replacement characters.
                return text.decode_strict().is_none();
            }
            out.truncate(start);
        }
        page.encode_lossy(&decoded, out);
        true
    }
}

/// Returns true if the bytes are valid UTF-8 but not ASCII.
fn looks_utf8(bytes: &[u8]) -> bool {
    !bytes.is_ascii() && std::str::from_utf8(bytes).is_ok()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use chessdb_core::text::{CharsetPrior, Evidence};

    use super::*;

    #[test]
    fn texts_decode_in_the_selected_code_page() {
        let western = TextCharsets::new(&ReadOptions::default());
        let read = |bytes, charset| Text::new(bytes, charset).decode().into_owned();
        let name = |charsets: &TextCharsets, bytes| read(bytes, charsets.of_name(bytes));
        let comment = |charsets: &TextCharsets, bytes| read(bytes, charsets.of_comment(bytes));
        assert_eq!(name(&western, b"H\xFCbner \x92"), "Hübner \u{2019}");
        assert_eq!(comment(&western, b"\xA4f3 \xB1 \xBD \xFC"), "♘f3 ± ½ ü");
        assert_eq!(name(&western, "Ünlü".as_bytes()), "Ünlü");
        assert_eq!(name(&western, b"\xC3\x9Cnl\xC3"), "Ünl\u{FFFD}");
        let cyrillic = ReadOptions::default().with_charset(Charset::WINDOWS_1251);
        let cyrillic = TextCharsets::new(&cyrillic);
        assert_eq!(name(&cyrillic, b"\xD2\xE0\xEB\xFC"), "Таль");
        assert_eq!(comment(&cyrillic, b"\xF7\xFE"), "чю");
    }
    #[test]
    fn encoded_comments_keep_their_text() {
        let encoder = TextEncoder::new(None, None);
        let put = |text: Text<'_>| {
            let mut out = Vec::new();
            let changed = encoder.put_comment(text, &mut out);
            (out, changed)
        };
        let utf8 = |text: &'static str| Text::new(text.as_bytes(), Charset::UTF_8);
        assert_eq!(put(utf8("♘f3 ± ü")), (b"\xA4f3 \xB1 \xFC".to_vec(), false));
        // Texts that the code page lacks, or that it would read differently.
        for text in ["Таль", "£", "Ã¼", "Weiß–Schwarz"] {
            let (bytes, changed) = put(utf8(text));
            assert_eq!(
                (bytes, changed),
                (text.as_bytes().to_vec(), false),
                "{text}"
            );
        }
        // Other programs would read these bytes of the code page as UTF-8.
        let western = Text::new(b"Wei\xDF\x96Schwarz", Charset::CHESSBASE_WINDOWS);
        assert_eq!(put(western), ("Weiß–Schwarz".as_bytes().to_vec(), false));
        // Text from a ChessBase database is not changed.
        let own = Text::new(b"\x89\x9E", Charset::CHESSBASE_WINDOWS);
        assert_eq!(put(own), (b"\x89\x9E".to_vec(), false));
        // Neither is text of a database that is rewritten.
        let detector = EncodingDetector::new(Charset::WINDOWS_1252);
        let mut out = Vec::new();
        assert!(!TextEncoder::new(None, Some(detector)).put_comment(utf8("ü"), &mut out));
        assert_eq!(out, "ü".as_bytes());
        let cyrillic = TextEncoder::new(Some(Charset::WINDOWS_1251), None);
        let mut out = Vec::new();
        assert!(!cyrillic.put_name(utf8("Таль"), &mut out));
        assert_eq!(out, b"\xD2\xE0\xEB\xFC");
    }

    /// As in a new database, except where the texts that are already stored are UTF-8.
    #[test]
    fn changed_names_are_utf_8_in_a_utf_8_database_only() {
        let of_texts = |texts: &[&[u8]]| {
            let mut evidence = Evidence::new();
            texts.iter().for_each(|text| evidence.add(text));
            let guess = evidence.guess(CharsetPrior::ChessBaseWindows);
            let options = ReadOptions::default().with_guess(guess.map(Arc::new));
            options.detector(Charset::WINDOWS_1252)
        };
        let western = [&b"M\xFCnchen"[..], b"Stra\xDFe", b"K\xF6ln", b"J\xE4ger"];
        let utf8 = ["München", "Straße", "Köln", "Jäger"].map(str::as_bytes);
        for (texts, is_utf8) in [(&[][..], false), (&western, false), (&utf8, true)] {
            let encoder = TextEncoder::for_changes(None, Some(of_texts(texts)));
            for (name, in_page) in [
                ("Müller", Some(&b"M\xFCller"[..])),
                ("Łódź", None),
                ("Tal", Some(b"Tal")),
            ] {
                let mut out = Vec::new();
                let changed =
                    encoder.put_name(Text::new(name.as_bytes(), Charset::UTF_8), &mut out);
                let expected = in_page.filter(|_| !is_utf8).unwrap_or(name.as_bytes());
                assert_eq!((changed, &*out), (false, expected), "{name} {is_utf8}");
            }
        }
    }

    #[test]
    fn a_field_ends_with_a_zero() {
        let encoder = TextEncoder::new(None, None);
        let put = |text: &'static str| {
            let mut field = [0xEE; 6];
            field.fill(0);
            let change = encoder.put_field(Text::new(text.as_bytes(), Charset::UTF_8), &mut field);
            (field, change)
        };
        let change = |replaced, cut| TextLoss { replaced, cut };
        assert_eq!(put("Hübn"), (*b"H\xFCbn\0\0", change(false, false)));
        assert_eq!(put("Hübner"), (*b"H\xFCbne\0", change(false, true)));
        assert_eq!(put("Т\u{430}ль").1, change(false, true));
        assert_eq!(put("a\0b"), (*b"a b\0\0\0", change(true, false)));
    }
}
