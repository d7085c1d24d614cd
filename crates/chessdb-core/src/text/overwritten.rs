//! Checks for bytes in place of a text that never were a text, and for texts that need no further
//! checks.

use super::Text;

/// Returns whether this text was overwritten by other data: it contains a NUL, many control
/// characters, or a long run of FF. No program writes these in a text, and no charset has letters
/// for them; but a reader cannot distinguish them from a text.
///
/// ```
/// use chessdb_core::text::is_overwritten;
///
/// assert!(!is_overwritten("eine schöne Idee\r\n\tvon Лядов".as_bytes()));
/// assert!(is_overwritten(b"a fine id\0\0\0\0\0"));
/// ```
pub fn is_overwritten(text: &[u8]) -> bool {
    let (words, rest) = text.as_chunks::<8>();
    let mut seen = Counters::default();
    for word in words {
        // Most words have letters only and are skipped at once.
        if !has_control_or_ff(u64::from_ne_bytes(*word)) {
            // Such a word ends a run of FF.
            seen.filled = 0;
        } else if seen.add(word) {
            return true;
        }
    }
    // The rest is checked together with bytes before it, since names have little else.
    match text.last_chunk::<8>() {
        Some(word) if !has_control_or_ff(u64::from_ne_bytes(*word)) => false,
        _ => seen.add(rest),
    }
}

/// Returns whether any of eight bytes is a control character or FF.
const fn has_control_or_ff(word: u64) -> bool {
    const ONES: u64 = u64::MAX / 0xFF;
    let control = word.wrapping_sub(ONES * 0x20) & !word;
    let filled = (!word).wrapping_sub(ONES) & word;
    (control | filled) & (ONES * 0x80) != 0
}

/// Returns whether a text consists of printable ASCII, like most names. Such a text is the same in
/// every charset, was not overwritten, and contains no terminal control sequence.
///
/// ```
/// use chessdb_core::text::is_printable;
///
/// assert!(is_printable(b"Tal, Mihail") && is_printable(b""));
/// assert!(!is_printable("Élan".as_bytes()) && !is_printable(b"a\tb"));
/// ```
#[inline]
pub fn is_printable(text: &[u8]) -> bool {
    let (words, _) = text.as_chunks::<8>();
    match text.last_chunk::<8>() {
        Some(last) => words
            .iter()
            .chain([last])
            .all(|word| are_printable(u64::from_ne_bytes(*word))),
        None => text.iter().all(|byte| matches!(byte, b' '..=b'~')),
    }
}

/// Replaces every control character by a space, so that no file can move the cursor of a terminal,
/// and a line remains a line.
pub fn plain(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect()
}

/// Appends a text as [`plain`] returns it.
pub fn push_plain(text: Text<'_>, out: &mut Vec<u8>) {
    if is_printable(text.as_bytes()) {
        out.extend_from_slice(text.as_bytes())
    } else {
        out.extend_from_slice(plain(&text.decode()).as_bytes())
    }
}

/// Returns whether each of eight bytes is between the space and the tilde.
const fn are_printable(word: u64) -> bool {
    const ONES: u64 = u64::MAX / 0xFF;
    // Without bytes from 0x80 nothing carries over from one byte to the next, and without bytes
    // below the space nothing is borrowed.
    let odd = word | word.wrapping_add(ONES) | word.wrapping_sub(ONES * 0x20);
    odd & (ONES * 0x80) == 0
}

/// The counters for a text so far.
#[derive(Default)]
struct Counters {
    controls: u32,
    /// Length of the run of FF that ends here.
    filled: u32,
}

impl Counters {
    /// Number of control characters that shows an overwritten text; fewer may be symbols of a font.
    const CONTROLS: u32 = 4;
    /// Length of a run of FF that shows an overwritten text; in windows-1251 FF is a frequent
    /// letter.
    const FILLED: u32 = 12;

    /// Returns whether these bytes, or these and the previous ones, are no text.
    fn add(&mut self, bytes: &[u8]) -> bool {
        for &byte in bytes {
            self.filled = if byte == 0xFF { self.filled + 1 } else { 0 };
            match byte {
                0 => return true,
                b'\n' | b'\r' | b'\t' => {}
                1..0x20 => self.controls += 1,
                _ => {}
            }
            if self.controls >= Counters::CONTROLS || self.filled >= Counters::FILLED {
                return true;
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn detects_overwritten_bytes_at_any_offset() {
        let text = "Здесь лучше было 12. Кf3 \r\n".repeat(9).into_bytes();
        assert!(!is_overwritten(&text) && !is_overwritten(b""));
        // Symbols of a font, and a run of a Russian letter that is FF.
        assert!(!is_overwritten(b"a \x1b sign, \x01 and \x02"));
        assert!(!is_overwritten(&[&[0xFF; 9][..], b" yes"].concat()));
        for text in [&text[..], b"twelve bytes"] {
            for offset in 0..=text.len() {
                let with = |bytes: &[u8]| [&text[..offset], bytes, &text[offset..]].concat();
                assert!(is_overwritten(&with(b"\0")), "{offset}");
                assert!(is_overwritten(&with(&[0xFF; 12])), "{offset}");
                assert!(is_overwritten(&with(&[1, 2, 200, 7, 9, 25])), "{offset}");
            }
        }
    }

    #[test]
    fn word_checks_match_byte_checks() {
        for byte in 0..=u8::MAX {
            for index in 0..8 {
                let mut word = [b'a'; 8];
                word[index] = byte;
                let odd = byte < 0x20 || byte == 0xFF;
                assert_eq!(
                    has_control_or_ff(u64::from_ne_bytes(word)),
                    odd,
                    "{byte:02x} at {index}"
                );
                for filled in [b' ', b'~'] {
                    let mut text = [filled; 19];
                    text[index] = byte;
                    for text in [&text[..8], &text[..index + 1], &text[..]] {
                        let plain = matches!(byte, 0x20..0x7F);
                        assert_eq!(is_printable(text), plain, "{byte:02x} at {index}");
                    }
                }
            }
        }
    }

    #[test]
    fn printable_check_matches_byte_check() {
        proptest::proptest!(|(text: Vec<u8>)| {
            let plain = text.iter().all(|byte| matches!(byte, b' '..=b'~'));
            proptest::prop_assert_eq!(is_printable(&text), plain);
        });
    }
}
