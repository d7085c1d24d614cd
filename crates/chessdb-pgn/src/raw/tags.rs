//! Tag pairs: `[Name "value"]`.

use chessdb_core::text::Texts;

use super::plain;
use super::quotes;
use super::scan::{self, InValue, TagHead};

/// A tag as stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TagPair<'a> {
    /// The name.
    pub name: &'a [u8],
    /// The value between its quotes, including escapes.
    pub value: &'a [u8],
    /// The syntax error in the tag, if any.
    pub fault: Option<&'static str>,
    /// Whether the value contains a backslash.
    pub(super) has_backslash: bool,
}

/// Returns whether a name is read again as a tag name when written.
pub fn is_tag_name(name: &[u8]) -> bool {
    (1..=scan::LONGEST_NAME).contains(&name.len()) && name.iter().all(|&b| scan::is_name_byte(b))
}

/// Appends a name as one that a reader accepts: without characters that PGN does not allow in
/// names, or `Unnamed`. A name that must be changed is cut to 60 characters.
pub fn append_tag_name(name: &[u8], out: &mut Vec<u8>) {
    const LONGEST_CHANGED: usize = 60;
    if is_tag_name(name) {
        return out.extend_from_slice(name);
    }
    let start = out.len();
    let allowed = name.iter().filter(|byte| byte.is_ascii_alphanumeric());
    out.extend(allowed.take(LONGEST_CHANGED));
    if !out.get(start..).is_some_and(is_tag_name) {
        out.truncate(start);
        out.extend_from_slice(b"Unnamed");
    }
}

/// Returns the length of the tags with which a game begins; 0 if it has none.
pub fn tag_section(game: &[u8]) -> usize {
    // Most texts without tags begin with the number of the first move.
    if game.first().is_some_and(u8::is_ascii_digit) {
        return 0;
    }
    let tokens = super::Lexer::new(game).take_while(|token| {
        use super::TokenKind as Kind;
        matches!(token.kind, Kind::Bom | Kind::Space | Kind::Tag)
    });
    tokens
        .filter(|token| token.kind == super::TokenKind::Tag)
        .last()
        .map_or(0, |tag| tag.end)
}

impl<'a> TagPair<'a> {
    /// Creates a tag from its parts. `fault` is the syntax error, if any.
    pub(crate) fn new(name: &'a [u8], value: &'a [u8], fault: Option<&'static str>) -> TagPair<'a> {
        TagPair {
            name,
            value,
            fault,
            has_backslash: memchr::memchr(b'\\', value).is_some(),
        }
    }

    /// Reads the tag with its `[` at the start of these bytes. Bytes after it are ignored. `None`
    /// if name or opening quote is missing.
    pub fn parse(bytes: &'a [u8]) -> Option<TagPair<'a>> {
        let Some(TagHead {
            name_start,
            name_end,
            value,
        }) = scan::tag_head(bytes, 0)
        else {
            return quotes::QuotedTag::at(bytes, 0)
                .map(|tag| TagPair::new(tag.name, tag.value, Some(quotes::OTHER_QUOTES)));
        };
        let name = bytes.get(name_start..name_end)?;
        let mut fault = None;
        let mut offset = value;
        let end = loop {
            offset = scan::next_in_value(bytes, offset);
            if offset >= bytes.len() {
                break repaired_end(bytes, value, bytes.len(), &mut fault);
            }
            match scan::in_value(bytes, offset) {
                InValue::Closed { quote, .. } => break quote,
                InValue::Broken => break repaired_end(bytes, value, offset, &mut fault),
                InValue::Continues(next) => {
                    // This quote does not close the value, so it should have been escaped.
                    if scan::byte(bytes, offset) == b'"' {
                        fault = Some("a backslash before a quote within a tag");
                    }
                    offset = next;
                }
            }
        };
        Some(TagPair::new(name, bytes.get(value..end)?, fault))
    }

    /// Puts the value without its escapes into the arena's text under construction.
    #[inline]
    pub fn unescape_into(&self, texts: &mut Texts) {
        if self.has_backslash {
            self.replace_escapes(texts)
        } else {
            texts.extend(self.value)
        }
    }

    fn replace_escapes(&self, texts: &mut Texts) {
        let mut rest = self.value;
        while let Some(n) = memchr::memchr(b'\\', rest) {
            let (before, after) = rest.split_at_checked(n).unwrap_or((rest, &[]));
            texts.extend(before);
            match after {
                [_, escaped @ (b'"' | b'\\'), tail @ ..] => {
                    texts.push_byte(*escaped);
                    rest = tail;
                }
                // A backslash that escapes nothing is kept.
                [backslash, tail @ ..] => {
                    texts.push_byte(*backslash);
                    rest = tail;
                }
                [] => rest = &[],
            }
        }
        texts.extend(rest);
    }
}

/// Returns the end of a value if its tag was not closed before `line_end`: its last quote, or the
/// end of the line without blanks and `]`.
fn repaired_end(
    bytes: &[u8],
    value: usize,
    line_end: usize,
    fault: &mut Option<&'static str>,
) -> usize {
    let rest = bytes.get(value..line_end).unwrap_or_default();
    if let Some(quote) = memchr::memrchr(b'"', rest) {
        *fault = Some("\"] at the end of a tag");
        return value + quote;
    }
    *fault = Some("a quote at the end of a tag");
    let mut rest = rest.trim_ascii_end();
    if let [before @ .., b']'] = rest {
        rest = before.trim_ascii_end();
        rest = quotes::without_closing(rest);
    }
    value + rest.len()
}

/// Returns whether a value needs no escapes: no quotes, backslashes and control characters.
fn is_plain(value: &[u8]) -> bool {
    let Some(end) = value.last_chunk::<8>() else {
        return value.iter().all(|&b| plain::is_plain(b));
    };
    // The last eight bytes may overlap the preceding ones.
    let (words, _) = value.as_chunks::<8>();
    words.iter().all(|word| plain::special_bytes(*word) == 0) && plain::special_bytes(*end) == 0
}

/// The kinds of characters in a tag's value that became spaces.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct EscapeChanges {
    /// Control characters other than white space.
    pub text: bool,
    /// Line breaks and tabs.
    pub layout: bool,
}

/// Appends a value with its escapes. Line breaks and other control characters become spaces, since
/// no tag can contain them; returns which of these there were.
pub fn escape_into(value: &[u8], out: &mut Vec<u8>) -> EscapeChanges {
    let mut changes = EscapeChanges::default();
    if is_plain(value) {
        out.extend_from_slice(value);
        return changes;
    }
    for &b in value {
        match b {
            b'"' | b'\\' => out.extend_from_slice(&[b'\\', b]),
            b'\n' | b'\r' | b'\t' => {
                changes.layout = true;
                out.push(b' ');
            }
            0..b' ' | 0x7F => {
                changes.text = true;
                out.push(b' ');
            }
            _ => out.push(b),
        }
    }
    changes
}

#[cfg(test)]
mod tests {
    use chessdb_core::Charset;
    use proptest::prelude::*;

    use super::*;

    fn read(tag: &str) -> (String, String, bool) {
        let pair = TagPair::parse(tag.as_bytes()).unwrap();
        let mut texts = Texts::new();
        texts.begin();
        pair.unescape_into(&mut texts);
        let id = texts.finish(Charset::UTF_8);
        let name = String::from_utf8(pair.name.to_vec()).unwrap();
        (
            name,
            texts.get(id).decode().into_owned(),
            pair.fault.is_some(),
        )
    }

    #[test]
    fn tags_of_all_kinds() {
        for (tag, value, odd) in [
            (r#"[Event "Linares"]"#, "Linares", false),
            (r#"[ Event  "Linares" ] rest"#, "Linares", false),
            (r#"[Event""]"#, "", false),
            (
                r#"[Event "The \"Big\" One \\ 1"]"#,
                r#"The "Big" One \ 1"#,
                false,
            ),
            (r#"[Event "C:\games"]"#, r"C:\games", false),
            (r#"[Event "The "Big" One"]"#, r#"The "Big" One"#, true),
            (r#"[Event "Open"#, "Open", true),
            ("[Event \"Open\"\n[Site \"x\"]", "Open", true),
            ("[Event \"Open]\n[Site \"x\"]", "Open", true),
            (r#"[Event "C:\"]"#, r"C:\", true),
        ] {
            assert_eq!(
                read(tag),
                ("Event".to_owned(), value.to_owned(), odd),
                "{tag}"
            );
        }
        for bad in [
            "[Event]",
            "[\"x\"]",
            "[%clk 1:00]",
            "[White Mr \"X\"]",
            "[",
            "[Event \n\"x\"]",
        ] {
            assert_eq!(TagPair::parse(bad.as_bytes()), None, "{bad}");
        }
    }

    #[test]
    fn start_tags_are_spelled_in_any_case_and_with_a_sign() {
        let by_steps = |name: &[u8]| {
            let name = name.strip_suffix(b":").or(name.strip_suffix(b"="));
            name.is_some_and(|name| name.eq_ignore_ascii_case(b"FEN"))
        };
        for number in 0..10_usize.pow(5) {
            let letters =
                [1, 10, 100, 1000, 10_000].map(|power| b"FENfenx:= "[number / power % 10]);
            for name in [&letters[..], &letters[..4], &letters[..3]] {
                let expected = by_steps(name) || name.eq_ignore_ascii_case(b"FEN");
                assert_eq!(scan::is_start_tag(name), expected, "{name:?}");
            }
        }
        assert!(!scan::is_start_tag(b"FE") && !scan::is_start_tag(b""));
    }

    proptest! {
        #[test]
        fn plain_values_are_known_at_once(value in "[ -~\\x00-\\x7f\u{80}-\u{ff}]{0,3}[a-z \"\\\\\u{7f}\n\u{1f}é]{0,20}") {
            let one_by_one = |&b: &u8| b >= b' ' && b != b'"' && b != b'\\' && b != 0x7F;
            prop_assert_eq!(is_plain(value.as_bytes()), value.as_bytes().iter().all(one_by_one));
        }

        #[test]
        fn any_value_survives(value in proptest::collection::vec(any::<u8>(), 0..40)) {
            let mut tag = b"[N \"".to_vec();
            let changes = escape_into(&value, &mut tag);
            tag.extend_from_slice(b"\"]");
            let pair = TagPair::parse(&tag).unwrap();
            prop_assert_eq!(pair.fault, None);
            let mut texts = Texts::new();
            texts.begin();
            pair.unescape_into(&mut texts);
            let expected: Vec<u8> =
                value.iter().map(|&b| if b < b' ' || b == 0x7F { b' ' } else { b }).collect();
            prop_assert_eq!(texts.pending(), &expected[..]);
            let is_layout = |b: &u8| b"\n\r\t".contains(b);
            let is_control = |b: &u8| (*b < b' ' || *b == 0x7F) && !is_layout(b);
            prop_assert_eq!(changes.layout, value.iter().any(is_layout));
            prop_assert_eq!(changes.text, value.iter().any(is_control));
        }
    }
}
