//! Bytes that stand where a text should, and were never one.

/// Whether something else was written over this text: it has a NUL, many control characters, or a
/// long row of FF. No program writes these, and no charset has letters for them; but where a text is
/// read they pass for some.
///
/// ```
/// use chessdb_core::is_overwritten;
///
/// assert!(!is_overwritten("eine schöne Idee\r\n\tvon Лядов".as_bytes()));
/// assert!(is_overwritten(b"a fine id\0\0\0\0\0"));
/// ```
pub fn is_overwritten(text: &[u8]) -> bool {
    /// So many control characters may be a sign of some font.
    const CONTROLS: u32 = 4;
    /// Of so many bytes in a row; in windows-1251 it is a frequent letter.
    const FILLED: u8 = 12;
    let mut controls = 0;
    let (mut before, mut nuls) = (0, 0);
    for chunk in text.chunks(32) {
        // Sums of bytes, and no way out of the loop: compilers make a few vector instructions of it.
        let (mut control, mut nul, mut filled) = (0u8, 0u8, 0u8);
        for &byte in chunk {
            control += u8::from(byte < 0x20);
            control -= u8::from(byte == b'\n') + u8::from(byte == b'\r') + u8::from(byte == b'\t');
            nul += u8::from(byte == 0);
            filled += u8::from(byte == 0xFF);
        }
        controls += u32::from(control);
        nuls |= nul;
        if nuls > 0 || controls >= CONTROLS || before + filled >= FILLED {
            return true;
        }
        before = filled;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_over_a_text_is_found_wherever_it_lies() {
        let text = "Здесь лучше было 12. Кf3 \r\n".repeat(9).into_bytes();
        assert!(!is_overwritten(&text) && !is_overwritten(b""));
        // A sign of a font of ChessBase's, and a word of a Russian letter that is FF.
        assert!(!is_overwritten(b"a \x1b sign, \x01 and \x02"));
        assert!(!is_overwritten(&[&[0xFF; 9][..], b" yes"].concat()));
        for at in 0..text.len() {
            let with = |bytes: &[u8]| [&text[..at], bytes, &text[at..]].concat();
            assert!(is_overwritten(&with(b"\0")), "{at}");
            assert!(is_overwritten(&with(&[0xFF; 48])), "{at}");
            assert!(is_overwritten(&with(&[1, 2, 200, 7, 9, 25])), "{at}");
        }
    }
}
