//! Texts: names in UTF-8, and comments, which may have languages and markup (docs/formats/scidb.md,
//! section 9).

use chessdb_core::text::{blank_nuls, whole_characters};
use chessdb_core::{Charset, LossKind, Text};

/// The largest name in bytes.
pub(crate) const MOST_NAME: usize = 255;

/// Appends a text in UTF-8, without NULs. Returns whether characters were replaced.
pub(crate) fn put(text: Text<'_>, out: &mut Vec<u8>) -> bool {
    let start = out.len();
    let lost = text.convert_into(Charset::UTF_8, out);
    blank_nuls(out.get_mut(start..).unwrap_or_default()) | (lost > 0)
}

/// Appends a name of at most 255 bytes. Returns the loss.
pub(crate) fn put_name(text: Text<'_>, out: &mut Vec<u8>) -> Option<LossKind> {
    let start = out.len();
    let is_changed = put(text, out);
    let stored = out.get(start..).unwrap_or_default();
    if stored.len() <= MOST_NAME {
        return is_changed.then_some(LossKind::NameText);
    }
    let length = whole_characters(stored, MOST_NAME);
    out.truncate(start + length);
    Some(LossKind::NameCut)
}

/// The start and the end of a comment with languages or markup.
const START: &[u8] = b"<xml>";
const END: &[u8] = b"</xml>";
const ENTITIES: [(u8, &[u8]); 5] = [
    (b'\'', b"&apos;"),
    (b'"', b"&quot;"),
    (b'&', b"&amp;"),
    (b'<', b"&lt;"),
    (b'>', b"&gt;"),
];
/// The elements, each with the letter that represents its start in [`Style::markup`]; the capital
/// letter represents its end.
const ELEMENTS: [(&[u8], u8); 5] = [
    (b"b", b'b'),
    (b"i", b'i'),
    (b"u", b'u'),
    (b"nag", b'n'),
    (b"sym", b's'),
];
/// The characters that Scidb stores as `<sym>` and a letter.
const FIGURINES: [(char, u8); 6] = [
    ('\u{2654}', b'K'),
    ('\u{2655}', b'Q'),
    ('\u{2656}', b'R'),
    ('\u{2657}', b'B'),
    ('\u{2658}', b'N'),
    ('\u{2659}', b'P'),
];
const SYMBOL_START: &[u8] = b"<sym>";
const SYMBOL_END: &[u8] = b"</sym>";
/// The sign before the number of a NAG in the text of a comment.
const NAG_SIGN: u8 = b'$';

/// The language and the markup of a comment.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Style {
    /// Whether the comment is a further language of the comment before.
    pub(crate) continues: bool,
    /// The language, such as `en`; empty for none.
    pub(crate) language: Vec<u8>,
    /// The elements: the offset in the text where each starts or ends, and its letter.
    pub(crate) markup: Vec<(u32, u8)>,
}

impl Style {
    /// Returns whether there is nothing to keep.
    pub(crate) fn is_plain(&self) -> bool {
        *self == Style::default()
    }

    /// Returns the bytes of the extra.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut out = vec![self.continues.into(), self.language.len() as u8];
        out.extend(&self.language);
        for (offset, letter) in &self.markup {
            out.extend(offset.to_be_bytes());
            out.push(*letter);
        }
        out
    }

    /// Reads the bytes of an extra.
    pub(crate) fn parse(bytes: &[u8]) -> Option<Style> {
        let [continues, length, rest @ ..] = bytes else {
            return None;
        };
        let (language, markup) = rest.split_at_checked((*length).into())?;
        let (markup, tail) = markup.as_chunks::<5>();
        let language_fits = language.iter().all(u8::is_ascii_alphanumeric);
        (tail.is_empty() && language_fits && *continues < 2).then(|| Style {
            continues: *continues == 1,
            language: language.to_vec(),
            markup: markup
                .iter()
                .map(|&[a, b, c, d, letter]| (u32::from_be_bytes([a, b, c, d]), letter))
                .collect(),
        })
    }

    /// Returns the bits for the languages of a text before a move.
    fn language_bits(&self) -> u8 {
        use crate::raw::mark::{ENGLISH, OTHER};
        match &*self.language {
            b"" => 0,
            b"en" => ENGLISH,
            _ => OTHER,
        }
    }
}

/// Returns whether a comment may have languages or markup; otherwise it is plain text.
pub(crate) fn may_have_parts(comment: &[u8]) -> bool {
    comment.starts_with(START)
}

/// Returns the parts of a comment in their order, each with its text. A comment of another form is
/// plain text.
pub(crate) fn read(comment: &[u8]) -> Vec<(Vec<u8>, Style)> {
    let parts = may_have_parts(comment).then(|| read_parts(comment));
    match parts.flatten() {
        Some(parts) if !parts.is_empty() => parts,
        _ => vec![(comment.to_vec(), Style::default())],
    }
}

fn read_parts(comment: &[u8]) -> Option<Vec<(Vec<u8>, Style)>> {
    let mut rest = comment.strip_prefix(START)?.strip_suffix(END)?;
    let mut parts = Vec::new();
    while !rest.is_empty() {
        let (tag, after) = element(rest)?;
        let language = tag.strip_prefix(b":")?;
        // Anything longer is no language, and the comment is plain text.
        if language.len() > 8 || !language.iter().all(u8::is_ascii_alphanumeric) {
            return None;
        }
        let mut style = Style {
            continues: !parts.is_empty(),
            language: language.to_vec(),
            markup: Vec::new(),
        };
        let mut text = Vec::new();
        rest = after;
        loop {
            let (&byte, after) = rest.split_first()?;
            match byte {
                b'<' => {
                    if let Some((figurine, after)) = symbol(rest) {
                        text.extend(figurine.encode_utf8(&mut [0; 4]).as_bytes());
                        rest = after;
                        continue;
                    }
                    let (tag, after) = element(rest)?;
                    rest = after;
                    if tag.strip_prefix(b"/:") == Some(language) {
                        break;
                    }
                    let (name, is_end) = match tag.strip_prefix(b"/") {
                        Some(name) => (name, true),
                        None => (tag, false),
                    };
                    let &(_, letter) = ELEMENTS.iter().find(|(own, _)| *own == name)?;
                    let offset = u32::try_from(text.len()).ok()?;
                    let end = letter.to_ascii_uppercase();
                    style
                        .markup
                        .push((offset, if is_end { end } else { letter }));
                    // Scidb stores the number alone; the sign makes it readable elsewhere.
                    if letter == b'n' && !is_end {
                        text.push(NAG_SIGN);
                    }
                }
                b'&' => {
                    let (byte, entity) = ENTITIES
                        .iter()
                        .find(|(_, entity)| rest.starts_with(entity))?;
                    text.push(*byte);
                    rest = rest.get(entity.len()..)?;
                }
                _ => {
                    text.push(byte);
                    rest = after;
                }
            }
        }
        parts.push((text, style));
    }
    Some(parts)
}

/// Returns the content between `<` and `>` at the start, and the bytes after it.
fn element(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let inner = bytes.strip_prefix(b"<")?;
    // No element is longer, so a lone `<` does not cause a search of the whole text.
    let end = inner.iter().take(16).position(|&byte| byte == b'>')?;
    Some((inner.get(..end)?, inner.get(end + 1..)?))
}

/// Returns the figurine whose element is at the start, and the bytes after it.
fn symbol(bytes: &[u8]) -> Option<(char, &[u8])> {
    let (letter, rest) = bytes.strip_prefix(SYMBOL_START)?.split_first()?;
    let (figurine, _) = FIGURINES.iter().find(|(_, own)| own == letter)?;
    Some((*figurine, rest.strip_prefix(SYMBOL_END)?))
}

/// Returns the letter of the figurine at the start of a text.
fn figurine(text: &[u8]) -> Option<u8> {
    // All of them have three bytes, of which the first two are the same.
    let [0xE2, 0x99, last, ..] = *text else {
        return None;
    };
    // The last byte in UTF-8 has the lowest six bits of the character.
    let (_, letter) = FIGURINES
        .iter()
        .find(|(c, _)| (*c as u32 & 0x3F | 0x80) == last.into())?;
    Some(*letter)
}

/// Returns whether there is a figurine in a text.
fn has_figurine(text: &[u8]) -> bool {
    // Nearly no text has the first byte of these characters.
    text.contains(&0xE2) && text.windows(3).any(|part| figurine(part).is_some())
}

/// A stored comment under construction.
#[derive(Clone, Default, Debug)]
pub(crate) struct StoredComment {
    /// The bytes without NUL.
    pub(crate) bytes: Vec<u8>,
    /// The bits for its languages, as for a text before a move.
    pub(crate) languages: u8,
    has_elements: bool,
}

impl StoredComment {
    /// Creates a comment with these languages.
    pub(crate) fn new(parts: &[(Vec<u8>, Style)]) -> StoredComment {
        let mut comment = StoredComment::default();
        for (text, style) in parts {
            comment.add(text, style);
        }
        comment
    }

    /// Adds a text in the first or in a further language.
    fn add(&mut self, text: &[u8], style: &Style) {
        self.languages |= style.language_bits();
        if !style.continues {
            // Plain text that looks like markup would be read as such.
            self.has_elements = !style.language.is_empty()
                || !style.markup.is_empty()
                || has_figurine(text)
                || read_parts(text).is_some();
            if !self.has_elements {
                return self.bytes.extend(text);
            }
            self.bytes.extend(START);
        } else if self.has_elements {
            self.bytes.truncate(self.bytes.len() - END.len());
        } else {
            let text = std::mem::take(&mut self.bytes);
            self.bytes.extend(START);
            write_part(&text, &Style::default(), &mut self.bytes);
            self.has_elements = true;
        }
        write_part(text, style, &mut self.bytes);
        self.bytes.extend(END);
    }
}

/// Appends a byte of a text, as an entity where needed.
fn put_escaped(byte: u8, out: &mut Vec<u8>) {
    match ENTITIES.iter().find(|(plain, _)| *plain == byte) {
        Some((_, entity)) => out.extend(*entity),
        None => out.push(byte),
    }
}

fn end_part(language: &[u8], out: &mut Vec<u8>) {
    out.extend(b"</:");
    out.extend(language);
    out.push(b'>');
}

fn write_part(text: &[u8], style: &Style, out: &mut Vec<u8>) {
    out.extend(b"<:");
    out.extend(&style.language);
    out.push(b'>');
    let mut markup = style.markup.iter().peekable();
    let mut figurine_end = 0;
    let mut is_symbol = false;
    for position in 0..=text.len() {
        // The reader adds the sign of a NAG, so it is not stored.
        let mut hides_sign = false;
        while let Some((_, letter)) = markup.next_if(|(offset, _)| *offset as usize <= position) {
            let element = ELEMENTS
                .iter()
                .find(|(_, own)| *own == letter.to_ascii_lowercase());
            let Some((name, own)) = element else { continue };
            out.extend(if own == letter { &b"<"[..] } else { &b"</"[..] });
            out.extend(*name);
            out.push(b'>');
            hides_sign |= *letter == b'n';
            match letter {
                b's' => is_symbol = true,
                b'S' => is_symbol = false,
                _ => {}
            }
        }
        let rest = text.get(position..).unwrap_or_default();
        if !is_symbol && let Some(letter) = figurine(rest) {
            out.extend([SYMBOL_START, &[letter], SYMBOL_END].concat());
            // The element replaces all three bytes of the figurine.
            figurine_end = position + 3;
        }
        match text.get(position) {
            Some(_) if position < figurine_end => {}
            Some(&NAG_SIGN) if hides_sign => {}
            Some(&byte) => put_escaped(byte, out),
            None => break,
        }
    }
    end_part(&style.language, out);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn comments_come_back() {
        for comment in [
            "plain & <b>simple</b>",
            "<xml><:>1 &lt; 2 &amp; 3</:></xml>",
            "<xml><:en>a <b>bold <i>word</i></b></:en><:de>&quot;W\u{f6}rter&quot;</:de></xml>",
            "<xml><:>see <nag>14</nag> and <sym>N</sym>f3</:></xml>",
            "<xml>not closed",
            "<xml><:>odd <x>tag</x></:></xml>",
        ] {
            let parts = read(comment.as_bytes());
            let stored = StoredComment::new(&parts);
            let expected = if parts.len() == 1 && comment.starts_with("<xml><:>1") {
                // Without language and markup, plain text is enough.
                "1 < 2 & 3"
            } else {
                comment
            };
            assert_eq!(String::from_utf8_lossy(&stored.bytes), expected);
        }
        let parts = read(b"<xml><:en>a <b>c</b></:en><:de>d</:de></xml>");
        let texts: Vec<_> = parts.iter().map(|(text, _)| &text[..]).collect();
        assert_eq!(texts, [&b"a c"[..], b"d"]);
        assert!(parts[1].1.continues && !parts[0].1.continues);
    }

    proptest! {
        #[test]
        fn any_text_comes_back(text in "(<xml>)?[<>/:bn&;a]{0,12}(</xml>)?", bold: bool) {
            let mut style = Style::default();
            if bold {
                style.markup.extend([(0, b'b'), (text.len() as u32, b'B')]);
            }
            let stored = StoredComment::new(&[(text.as_bytes().to_vec(), style)]);
            let parts = read(&stored.bytes);
            prop_assert_eq!(&parts[0].0, text.as_bytes());
            prop_assert_eq!(parts.len(), 1);
        }

        #[test]
        fn styles_come_back(bytes in prop::collection::vec(any::<u8>(), 0..30)) {
            if let Some(style) = Style::parse(&bytes) {
                prop_assert_eq!(style.to_bytes(), bytes);
            }
        }
    }

    #[test]
    fn names_are_cut_between_characters() {
        let name = format!("{}\u{e4}", "x".repeat(254));
        let mut out = Vec::new();
        let cut = put_name(Text::new(name.as_bytes(), Charset::UTF_8), &mut out);
        assert_eq!((cut, out.len()), (Some(LossKind::NameCut), 254));
    }
}
