//! Glyphs and words that are used in place of NAGs.

/// Glyphs and their NAGs. If one is a prefix of another, the longer one comes first.
const GLYPHS: &[(&[u8], u16)] = &[
    (b"!!", 3),
    (b"!?", 5),
    (b"!", 1),
    (b"??", 4),
    (b"?!", 6),
    (b"?", 2),
    (b"+--", 20),
    (b"+-", 18),
    (b"+/-", 16),
    (b"+/=", 14),
    (b"+=", 14),
    ("+\u{2212}".as_bytes(), 18),
    ("+\u{2013}".as_bytes(), 18),
    (b"+\x96", 18),
    (b"--+", 21),
    (b"-+", 19),
    (b"-/+", 17),
    ("\u{2212}+".as_bytes(), 19),
    ("\u{2013}+".as_bytes(), 19),
    (b"\x96+", 19),
    (b"=/+", 15),
    (b"=+", 15),
    ("=/\u{221E}".as_bytes(), 44),
    ("=\u{221E}".as_bytes(), 44),
    (b"=", 10),
    (b"~=", 44),
    (b"~", 13),
    (b"/\\", 140),
    (b"/", 150),
    (b"|_", 214),
    ("\u{B1}".as_bytes(), 16),
    (b"\xB1", 16), // Latin-1 and windows-1252; no UTF-8 text starts with this byte.
    ("\u{2213}".as_bytes(), 17),
    ("\u{2A72}".as_bytes(), 14),
    ("\u{2A71}".as_bytes(), 15),
    ("\u{221E}".as_bytes(), 13),
    ("\u{2BF9}".as_bytes(), 44),
    ("\u{25A1}".as_bytes(), 7),
    ("\u{2A00}".as_bytes(), 22),
    ("\u{25CB}".as_bytes(), 26),
    ("\u{27F3}".as_bytes(), 32),
    ("\u{2191}".as_bytes(), 36),
    ("\u{2192}".as_bytes(), 40),
    ("\u{21C6}".as_bytes(), 132),
    ("\u{21C4}".as_bytes(), 132),
    ("\u{2295}".as_bytes(), 138),
    ("\u{2A01}".as_bytes(), 138),
    ("\u{2206}".as_bytes(), 140),
    ("\u{394}".as_bytes(), 140),
    ("\u{2207}".as_bytes(), 141),
    ("\u{2313}".as_bytes(), 142),
];

/// Words for NAGs: those that Scid knows, and `TN`.
const WORDS: &[(&[u8], u16)] = &[
    (b"ZZ", 22),
    (b"zz", 23),
    (b"R", 144),
    (b"RR", 145),
    (b"N", 146),
    (b"TN", 146),
    (b"BB", 151),
    (b"BbN", 153),
    (b"D", 201),
];

/// Returns the NAG of a glyph or word such as `!?`, `+-` or `N`.
pub fn glyph_nag(token: &[u8]) -> Option<u16> {
    let mut entries = GLYPHS.iter().chain(WORDS);
    Some(entries.find(|(text, _)| *text == token)?.1)
}

/// Returns the common glyph for a NAG, if there is one.
pub fn nag_glyph(nag: u16) -> Option<&'static str> {
    let mut entries = GLYPHS.iter().chain(WORDS);
    std::str::from_utf8(entries.find(|&&(_, n)| n == nag)?.0).ok()
}

/// Returns the length of the longest glyph that these bytes begin with, or 0.
pub(super) fn glyph_length(rest: &[u8]) -> usize {
    let mut glyphs = GLYPHS.iter();
    glyphs
        .find(|(text, _)| rest.starts_with(text))
        .map_or(0, |(text, _)| text.len())
}

/// Returns whether a word represents a NAG.
#[inline]
pub(super) fn is_glyph_word(word: &[u8]) -> bool {
    matches!(
        word,
        b"ZZ" | b"zz" | b"R" | b"RR" | b"N" | b"TN" | b"BB" | b"BbN" | b"D"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn longer_glyphs_come_first() {
        for (n, (text, nag)) in GLYPHS.iter().enumerate() {
            assert_eq!(glyph_length(text), text.len(), "{text:?}");
            assert_eq!(glyph_nag(text), Some(*nag));
            for (longer, _) in &GLYPHS[n + 1..] {
                assert!(!longer.starts_with(text), "{text:?} hides {longer:?}");
            }
        }
    }

    #[test]
    fn common_glyphs_have_nags() {
        assert_eq!(nag_glyph(1), Some("!"));
        assert_eq!(nag_glyph(16), Some("+/-"));
        assert_eq!(nag_glyph(146), Some("N"));
        assert_eq!(nag_glyph(9), None);
        for (word, nag) in WORDS {
            assert!(is_glyph_word(word));
            assert_eq!(glyph_nag(word), Some(*nag));
        }
        assert!(!is_glyph_word(b"Q"));
    }
}
