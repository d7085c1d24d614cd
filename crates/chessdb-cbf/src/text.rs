//! The texts of a database: bytes in a DOS code page that the files do not declare
//! (docs/formats/cbf.md, sections 6 and 8.3).

use chessdb_core::text::{EncodingDetector, Texts};
use chessdb_core::{Charset, Text};

use crate::raw::{END, LINE_BREAK};

/// The code page assumed unless the caller sets another one.
pub(crate) const DEFAULT: Charset = Charset::CHESSBASE;

/// The figurines in comments, from [`FIRST_FIGURINE`]: king, queen, knight, bishop, rook, pawn.
const FIGURINES: [char; 6] = ['♔', '♕', '♘', '♗', '♖', '♙'];
const FIRST_FIGURINE: u8 = 0xB1;
const LAST_FIGURINE: u8 = 0xB6;

const fn is_figurine(byte: u8) -> bool {
    FIRST_FIGURINE <= byte && byte <= LAST_FIGURINE
}

/// Returns true if the figurine bytes are not characters of the code page. In [`DEFAULT`] they are,
/// and in Unicode these bytes have another meaning.
fn has_own_figurines(charset: Charset) -> bool {
    charset != DEFAULT && !charset.is_unicode()
}

/// Starts a text in the arena with the text of a comment and returns its charset. Line breaks and
/// figurines are the same in every code page.
pub(crate) fn read_comment_text(bytes: &[u8], charset: Charset, texts: &mut Texts) -> Charset {
    texts.begin();
    // ChessBase's own charset has line breaks and figurines among its characters.
    if charset == DEFAULT {
        texts.extend(bytes);
        return charset;
    }
    if has_own_figurines(charset) && bytes.iter().any(|byte| is_figurine(*byte)) {
        for run in bytes.chunk_by(|a, b| !is_special(*a) && !is_special(*b)) {
            match run {
                [LINE_BREAK] => texts.push_byte(b'\n'),
                [byte] if is_figurine(*byte) => {
                    let figurine = FIGURINES.get(usize::from(byte - FIRST_FIGURINE));
                    let mut utf8 = [0; 4];
                    texts.extend(figurine.unwrap_or(&' ').encode_utf8(&mut utf8).as_bytes());
                }
                run => {
                    texts.extend_converted(Text::new(run, charset), Charset::UTF_8);
                }
            }
        }
        return Charset::UTF_8;
    }
    for run in bytes.chunk_by(|a, b| *a != LINE_BREAK && *b != LINE_BREAK) {
        match run {
            [LINE_BREAK] => texts.push_byte(b'\n'),
            run => texts.extend(run),
        }
    }
    charset
}

const fn is_special(byte: u8) -> bool {
    byte == LINE_BREAK || is_figurine(byte)
}

/// An encoder of texts to the stored bytes.
#[derive(Clone, Default, Debug)]
pub struct TextEncoder {
    /// The requested charset. If there is none, texts in a DOS code page keep their bytes, and all
    /// others are written in [`DEFAULT`].
    pub(crate) charset: Option<Charset>,
    /// The charset detection of the database that is being rewritten: its texts keep their bytes.
    pub(crate) detector: Option<EncodingDetector>,
}

impl TextEncoder {
    /// Returns the charset in which a text is written.
    pub(crate) fn target(&self, text: Text<'_>) -> Charset {
        let detector = self.detector.as_ref();
        match (self.charset, text.charset()) {
            (Some(charset), _) => charset,
            // A comment with figurines was converted to UTF-8 on reading.
            (None, Charset::UTF_8) if detector.is_some() => {
                detector.map_or(DEFAULT, EncodingDetector::page)
            }
            (None, page)
                if detector.is_some_and(|detector| detector.page_of(text.as_bytes()) == page) =>
            {
                page
            }
            (None, page @ (Charset::CP437 | Charset::CP850 | Charset::IBM866)) => page,
            (None, _) => DEFAULT,
        }
    }

    /// Appends a name. Returns true if characters had to be changed.
    pub(crate) fn put_name(&self, text: Text<'_>, out: &mut Vec<u8>) -> bool {
        text.convert_into(self.target(text), out) > 0
    }

    /// Appends the text of a comment. Returns what had to be changed.
    pub(crate) fn put_comment(&self, text: Text<'_>, out: &mut Vec<u8>) -> CommentChanges {
        let target = self.target(text);
        let bytes = text.as_bytes();
        let mut changed = CommentChanges::default();
        if text.charset() == DEFAULT && target == DEFAULT {
            // The text comes from a database of this format, including its line breaks.
            let start = out.len();
            out.extend(bytes.iter().map(|&byte| match byte {
                END => replace(b' ', &mut changed),
                byte => byte,
            }));
            // The reader skips zeros at the start of a text (section 8.1).
            if let Some(first) = out.get_mut(start).filter(|first| **first == 0) {
                *first = replace(b' ', &mut changed);
            }
            return changed;
        }
        if text.charset() == target || bytes.is_ascii() {
            let page = has_own_figurines(target) && !bytes.is_ascii();
            out.extend(bytes.iter().map(|&byte| match byte {
                b'\n' => LINE_BREAK,
                // In code pages other than the default one these bytes would be read as something
                // else.
                LINE_BREAK => replace(b'?', &mut changed),
                byte if page && is_figurine(byte) => replace(b'?', &mut changed),
                byte => allowed(byte, &mut changed),
            }));
            return changed;
        }
        let decoded = text.decode();
        changed.text = text.decode_strict().is_none();
        let mut stored = Vec::with_capacity(4);
        for letter in decoded.chars() {
            if letter == '\n' {
                out.push(LINE_BREAK);
                continue;
            }
            let figurine = FIGURINES.iter().position(|figurine| *figurine == letter);
            if let Some(index) = figurine.filter(|_| has_own_figurines(target)) {
                out.push(FIRST_FIGURINE + index as u8);
                continue;
            }
            stored.clear();
            changed.text |= target.encode_lossy(letter.encode_utf8(&mut [0; 4]), &mut stored) > 0;
            let own = has_own_figurines(target);
            out.extend(stored.iter().map(|&byte| match byte {
                LINE_BREAK => replace(b'?', &mut changed),
                byte if own && is_figurine(byte) => replace(b'?', &mut changed),
                byte => allowed(byte, &mut changed),
            }));
        }
        changed
    }
}

/// The changes to a comment when it was stored.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct CommentChanges {
    /// Whether characters had to be replaced.
    pub(crate) text: bool,
    /// Whether carriage returns became spaces.
    pub(crate) layout: bool,
}

/// Returns the byte, or a blank for bytes that would end the comment or be skipped.
fn allowed(byte: u8, changed: &mut CommentChanges) -> u8 {
    match byte {
        0 | END => replace(b' ', changed),
        b'\r' => {
            changed.layout = true;
            b' '
        }
        byte => byte,
    }
}

fn replace(by: u8, changed: &mut CommentChanges) -> u8 {
    changed.text = true;
    by
}

/// Returns the largest length up to `limit` that does not split a UTF-8 character.
pub(crate) fn whole_characters(bytes: &[u8], limit: usize) -> usize {
    // Every other charset has one byte for each character.
    let any = || bytes.len().min(limit);
    std::str::from_utf8(bytes).map_or_else(|_| any(), |text| text.floor_char_boundary(limit))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn stored(text: &[u8], charset: Charset, target: Option<Charset>) -> (Vec<u8>, bool) {
        let mut out = Vec::new();
        let encoder = TextEncoder {
            charset: target,
            detector: None,
        };
        let changed = encoder.put_comment(Text::new(text, charset), &mut out);
        (out, changed.text || changed.layout)
    }

    fn read(bytes: &[u8], charset: Charset) -> (String, Charset) {
        let mut texts = Texts::new();
        let charset = read_comment_text(bytes, charset, &mut texts);
        let id = texts.finish(charset);
        (texts.get(id).decode().into_owned(), charset)
    }

    #[test]
    fn comments_are_read_in_any_page() {
        let bytes = b"\xB3f3\xFE\x9B \xE1";
        assert_eq!(read(bytes, DEFAULT), ("♘f3\n¢ ß".into(), DEFAULT));
        assert_eq!(
            read(bytes, Charset::CP850),
            ("♘f3\nø ß".into(), Charset::UTF_8)
        );
        let figurines = b"\xB1\xB2\xB3\xB4\xB5\xB6";
        assert_eq!(read(figurines, Charset::CP850).0, "♔♕♘♗♖♙");
        assert_eq!(
            read(b"a\xFE\xFEb", Charset::CP850),
            ("a\n\nb".into(), Charset::CP850)
        );
        let utf8 = "\u{71}ö\u{131}".as_bytes();
        assert_eq!(read(utf8, Charset::UTF_8), ("qöı".into(), Charset::UTF_8));
    }

    #[test]
    fn comments_are_written_in_any_page() {
        let text = "♘f3\nß ø".as_bytes();
        assert_eq!(
            stored(text, Charset::UTF_8, None),
            (b"\xB3f3\xFE\xE1 ?".to_vec(), true)
        );
        let dos = stored(text, Charset::UTF_8, Some(Charset::CP850));
        assert_eq!(dos, (b"\xB3f3\xFE\xE1 \x9B".to_vec(), false));
        // Bytes that would be read as something else.
        assert_eq!(
            stored("■▓".as_bytes(), Charset::UTF_8, Some(Charset::CP437)).0,
            b"??"
        );
        assert_eq!(
            stored(b"\xB2\xFE", Charset::CP437, None),
            (b"??".to_vec(), true)
        );
        assert_eq!(stored(b"\0b\xFF", DEFAULT, None), (b" b ".to_vec(), true));
        assert_eq!(
            stored(b"a\xFEb\nc", DEFAULT, None),
            (b"a\xFEb\nc".to_vec(), false)
        );
        assert_eq!(
            stored(b"a\0b\nc", Charset::UTF_8, None),
            (b"a b\xFEc".to_vec(), true)
        );
        assert_eq!(
            stored("♘".as_bytes(), Charset::UTF_8, Some(Charset::UTF_8)).0,
            "♘".as_bytes()
        );
        let foreign = stored(b"H\xFCbner", Charset::WINDOWS_1252, None);
        assert_eq!(foreign, (b"H\x81bner".to_vec(), false));
    }

    #[test]
    fn line_breaks_are_another_change_than_characters() {
        let encoder = TextEncoder {
            charset: None,
            detector: None,
        };
        for (text, is_text, layout) in [
            ("a\nb", false, false),
            ("a\r\nb", false, true),
            ("a\0b", true, false),
            ("Ж\r", true, true),
        ] {
            let text = Text::new(text.as_bytes(), Charset::UTF_8);
            let changed = encoder.put_comment(text, &mut Vec::new());
            assert_eq!((changed.text, changed.layout), (is_text, layout));
        }
    }

    /// All charsets except the code pages that have figurines, or letters at the bytes of
    /// figurines: MIK and the page of ChessBase's later databases.
    fn any_charset() -> impl Strategy<Value = Charset> {
        let others = [Charset::MIK, Charset::CHESSBASE_WINDOWS];
        let all = Charset::all().filter(|charset| !others.contains(charset));
        prop::sample::select(all.collect::<Vec<_>>())
    }

    proptest! {
        /// The comments of a database are restored byte for byte, regardless of the code page used
        /// to read them.
        #[test]
        fn stored_comments_come_back(bytes in prop::collection::vec(1u8..255, 0..40), charset in any_charset()) {
            let own = charset == DEFAULT;
            let bytes: Vec<u8> =
                bytes.into_iter().filter(|b| own || !matches!(b, b'\n' | b'\r')).collect();
            let (text, found) = read(&bytes, charset);
            let malformed = text.contains('\u{FFFD}');
            let mut texts = Texts::new();
            read_comment_text(&bytes, charset, &mut texts);
            let raw = texts.pending().to_vec();
            let (back, changed) = stored(&raw, found, Some(charset));
            if !malformed {
                prop_assert_eq!(back, bytes);
                prop_assert!(!changed);
            }
        }

        /// Text that is written without a change is read back as the same characters.
        #[test]
        fn unchanged_texts_are_read_again(text in "[a-zäøß♘▓■Ж\n\u{A0}]{0,20}", charset in any_charset(),
                                          target in prop::option::of(any_charset())) {
            let mut source = Vec::new();
            charset.encode_lossy(&text, &mut source);
            let text = Text::new(&source, charset).decode().into_owned();
            let (bytes, changed) = stored(&source, charset, target);
            let target = TextEncoder { charset: target, detector: None }.target(Text::new(&source, charset));
            if !changed {
                prop_assert_eq!(read(&bytes, target).0, text);
            }
        }
    }
}
