//! Texts of jose: CESU-8 in the comments of the byte code, UTF-8 in the other columns (section 5).

use chessdb_core::text::blank_nuls;
use chessdb_core::{Charset, Text};

/// The charset of texts that are neither UTF-8 nor CESU-8, unless the reader chooses another.
pub(crate) const FALLBACK: Charset = Charset::LATIN_1;

/// Returns the charset of a stored text.
pub(crate) fn detect(bytes: &[u8], fallback: Charset) -> Charset {
    if std::str::from_utf8(bytes).is_ok() {
        return Charset::UTF_8;
    }
    // The encodings differ only in surrogates, which begin with this byte.
    if bytes.contains(&0xED) && Text::new(bytes, Charset::CESU_8).decode_strict().is_some() {
        return Charset::CESU_8;
    }
    Charset::detect_utf8_or(bytes, fallback)
}

/// Appends a text in UTF-8 or CESU-8, without NULs. Returns whether characters had to be changed.
/// The output is always well-formed.
pub(crate) fn put(text: Text<'_>, charset: Charset, out: &mut Vec<u8>) -> bool {
    let start = out.len();
    let mut changed = false;
    if text.as_bytes().is_ascii() {
        out.extend_from_slice(text.as_bytes());
        if !text.as_bytes().contains(&0) {
            return false;
        }
    } else {
        match text.decode_strict() {
            Some(text) => changed |= charset.encode_strict(&text, out).is_err(),
            None => {
                changed = true;
                charset.encode_lossy(&text.decode(), out);
            }
        }
    }
    // NUL ends a text in the column Comments (section 5).
    blank_nuls(out.get_mut(start..).unwrap_or_default()) | changed
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stored(bytes: &[u8], charset: Charset) -> (Vec<u8>, bool) {
        let mut out = Vec::new();
        let changed = put(Text::new(bytes, charset), Charset::CESU_8, &mut out);
        (out, changed)
    }

    #[test]
    fn detect_distinguishes_charsets() {
        assert_eq!(detect("für 日本 𝄞".as_bytes(), FALLBACK), Charset::UTF_8);
        assert_eq!(
            detect(b"\xED\xA0\xB4\xED\xB4\x9E", FALLBACK),
            Charset::CESU_8
        );
        assert_eq!(detect(b"f\xFCr", FALLBACK), Charset::LATIN_1);
        // UTF-8 or CESU-8 mixed with bytes of a code page.
        for mixed in [
            &b"M\xC3\xBCller, f\xFCr"[..],
            b"\xED\xA0\xB4\xED\xB4\x9E f\xFCr",
        ] {
            assert_eq!(detect(mixed, FALLBACK), Charset::LATIN_1.beside_utf8());
        }
        assert_eq!(detect(b"\xED\xA0\xB4", FALLBACK), Charset::LATIN_1);
    }

    #[test]
    fn characters_beyond_the_basic_plane_become_surrogates() {
        let expected = (b"\xED\xA0\xB4\xED\xB4\x9E".to_vec(), false);
        assert_eq!(stored("𝄞".as_bytes(), Charset::UTF_8), expected);
        assert_eq!(stored(&expected.0, Charset::CESU_8), expected);
        assert_eq!(stored(b"f\xFCr", Charset::LATIN_1), ("für".into(), false));
        assert_eq!(stored(b"a\0b", Charset::UTF_8), (b"a b".to_vec(), true));
        assert!(stored(b"\xFF", Charset::UTF_8).1);
        assert!(stored(b"\xFF", Charset::CESU_8).1);
    }
}
