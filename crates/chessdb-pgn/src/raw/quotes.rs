//! Tags with other quotes than `"`, as written by word processors and web pages: `[Event “Open”]`.

use super::scan::{LOOK_AHEAD, byte, from, is_break};

/// Quotes in UTF-8, HTML and ASCII. If one is a prefix of another, the longer one comes first.
const QUOTES: &[&[u8]] = &[
    "\u{201C}".as_bytes(),
    "\u{201D}".as_bytes(),
    "\u{201E}".as_bytes(),
    "\u{201F}".as_bytes(),
    "\u{2033}".as_bytes(),
    "\u{AB}".as_bytes(),
    "\u{BB}".as_bytes(),
    "\u{2018}".as_bytes(),
    "\u{2019}".as_bytes(),
    "\u{201A}".as_bytes(),
    "\u{2039}".as_bytes(),
    "\u{203A}".as_bytes(),
    "\u{FF02}".as_bytes(),
    b"&quot;",
    b"\\\"",
    b"''",
    b"``",
    b"'",
    b"`",
];

/// The finding about such a tag.
pub(crate) const OTHER_QUOTES: &str = "\" as the quotes of a tag";

/// A tag with other quotes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct QuotedTag<'a> {
    pub(super) name: &'a [u8],
    pub(super) value: &'a [u8],
    /// The offset after the closing bracket.
    pub(super) end: usize,
}

impl<'a> QuotedTag<'a> {
    /// Reads the tag with its `[` at `offset`, if it is closed on its line and not too long.
    #[cold]
    pub(super) fn at(bytes: &'a [u8], offset: usize) -> Option<QuotedTag<'a>> {
        let near = from(bytes, offset);
        let near = near.get(..LOOK_AHEAD).unwrap_or(near);
        let name_start = 1 + blanks(from(near, 1));
        let name = from(near, name_start)
            .iter()
            .take_while(|&&b| b.is_ascii_alphanumeric() || b == b'_');
        let name_end = name_start + name.count();
        let quote = name_end + blanks(from(near, name_end));
        let (start, (length, end)) = openings(from(near, quote)).find_map(|(open, single)| {
            let start = quote + open;
            Some((start, value(from(near, start), single)?))
        })?;
        (name_end > name_start).then_some(QuotedTag {
            name: near.get(name_start..name_end)?,
            value: near.get(start..start + length)?,
            end: offset + start + end,
        })
    }
}

fn blanks(bytes: &[u8]) -> usize {
    // A bound, because this is tried at every bracket.
    bytes
        .iter()
        .take(16)
        .take_while(|b| matches!(b, b' ' | b'\t'))
        .count()
}

/// Returns the lengths of the quotes that these bytes may begin with, and whether each is a single
/// non-ASCII byte, which after ASCII is not part of a UTF-8 character.
fn openings(bytes: &[u8]) -> impl Iterator<Item = (usize, bool)> {
    let quotes = QUOTES.iter().filter(|quote| bytes.starts_with(quote));
    let single = is_single_byte(byte(bytes, 0)).then_some((1, true));
    quotes.map(|quote| (quote.len(), false)).chain(single)
}

/// Returns the length of a value and the end of its tag, if a quote and a bracket close it on this
/// line.
fn value(rest: &[u8], single: bool) -> Option<(usize, usize)> {
    let line = rest.split(|&b| is_break(b)).next()?;
    let mut brackets = memchr::memchr_iter(b']', line);
    brackets.find_map(|bracket| {
        let before = line.get(..bracket)?.trim_ascii_end();
        let close = closing(before, single)?;
        Some((before.len() - close, bracket + 1))
    })
}

/// Returns the length of the quote that these bytes end with. `single` if the opening quote was a
/// single byte of windows-1252 or a similar code page.
fn closing(before: &[u8], single: bool) -> Option<usize> {
    if single {
        return is_single_byte(*before.last()?).then_some(1);
    }
    if let Some(quote) = QUOTES.iter().find(|quote| before.ends_with(quote)) {
        return Some(quote.len());
    }
    before.ends_with(b"\"").then_some(1)
}

/// Returns the value of a tag that begins with `"`, without another kind of quote at its end.
pub(super) fn without_closing(value: &[u8]) -> &[u8] {
    // A single apostrophe may belong to the value.
    let mut quotes = QUOTES.iter().filter(|quote| quote.len() > 1);
    quotes
        .find_map(|quote| value.strip_suffix(*quote))
        .unwrap_or(value)
}

/// Returns whether the byte is a quote in windows-1250 to windows-1258.
const fn is_single_byte(byte: u8) -> bool {
    matches!(
        byte,
        0x82 | 0x84 | 0x8B | 0x91 | 0x92 | 0x93 | 0x94 | 0x9B | 0xAB | 0xB4 | 0xBB
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_of_all_kinds() {
        let pairs: &[(&[u8], &[u8])] = &[
            ("\u{201C}".as_bytes(), "\u{201D}".as_bytes()),
            ("\u{201E}".as_bytes(), "\u{201C}".as_bytes()),
            ("\u{201D}".as_bytes(), "\u{201D}".as_bytes()),
            ("\u{AB}".as_bytes(), "\u{BB}".as_bytes()),
            ("\u{BB}".as_bytes(), "\u{AB}".as_bytes()),
            ("\u{2018}".as_bytes(), "\u{2019}".as_bytes()),
            ("\u{201C}".as_bytes(), b"\""),
            (b"'", b"'"),
            (b"''", b"''"),
            (b"`", b"'"),
            (b"&quot;", b"&quot;"),
            (b"\\\"", b"\\\""),
            (b"\x93", b"\x94"),
            (b"\x84", b"\x93"),
            (b"\xAB", b"\xBB"),
            (b"\x91", b"\x92"),
        ];
        for (open, close) in pairs {
            for value in [&b"Open"[..], b"", b"d'Or [A] (x)", b"J\xFCrgen"] {
                for (before, blank, after) in [("[", " ", "]"), ("[ ", "", " ]"), ("[", "\t", "]x")]
                {
                    let start = [before.as_bytes(), b"Event", blank.as_bytes()].concat();
                    let text = [&start, *open, value, close, after.as_bytes(), b"\n[x"].concat();
                    let shown = String::from_utf8_lossy(&text).into_owned();
                    let tag = QuotedTag::at(&text, 0).expect(&shown);
                    assert_eq!((tag.name, tag.value), (&b"Event"[..], value), "{shown}");
                    assert!(text[..tag.end].ends_with(b"]"), "{shown}");
                }
            }
        }
        for other in [
            &b"[Event Open]"[..],
            b"[Event \"Open\"]",
            b"[Event 'Open\"x]",
            b"[Event 'Open\n']",
            b"['Open']",
            b"[%clk '1']",
            b"[",
            b"[Event '",
            b"[Event \x93\xD0\x94\xE2\x80\x9D]x",
        ] {
            assert_eq!(
                QuotedTag::at(other, 0),
                None,
                "{}",
                String::from_utf8_lossy(other)
            );
        }
    }
}
