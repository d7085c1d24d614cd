//! Text that was converted to UTF-8 twice: a program took UTF-8 for windows-1252 and converted it
//! again, so that `ä` (C3 A4) became `Ã¤` (C3 83 C2 A4).

use super::convert::REPLACEMENT;

/// The number of bytes that are searched at once for a letter.
const BLOCK: usize = 64;

/// Passes decoded pieces to `sink` and returns the number of malformed sequences, each decoded as
/// U+FFFD. Characters that were converted once are passed on as they are.
pub(super) fn decode(bytes: &[u8], sink: &mut impl FnMut(&str)) -> usize {
    let mut malformed = 0;
    for chunk in bytes.utf8_chunks() {
        let mut rest = chunk.valid();
        while !rest.is_empty() {
            let ascii = rest
                .bytes()
                .position(|byte| !byte.is_ascii())
                .unwrap_or(rest.len());
            let (plain, after) = rest.split_at(ascii);
            if !plain.is_empty() {
                sink(plain);
            }
            let Some(first) = after.chars().next() else {
                break;
            };
            let (c, length) = original(after).unwrap_or((first, first.len_utf8()));
            sink(c.encode_utf8(&mut [0; 4]));
            rest = after.get(length..).unwrap_or_default();
        }
        if !chunk.invalid().is_empty() {
            malformed += 1;
            sink(REPLACEMENT);
        }
    }
    malformed
}

/// Returns whether a text contains a character that was converted twice. Other text hardly ever
/// does: it would need `Ã` or a similar letter before a sign such as `¤`.
pub fn is_utf8_twice(bytes: &[u8]) -> bool {
    // The first byte of such a character is C2 to F4, which became the letters Â to ô.
    const LETTER: u8 = 0xC3;
    // The compiler turns this loop over a block into a few comparisons of many bytes each.
    let has_letter = |block: &[u8]| {
        block
            .iter()
            .map(|&byte| byte == LETTER)
            .fold(false, |any, is_letter| any | is_letter)
    };
    for (start, block) in (0..).step_by(BLOCK).zip(bytes.chunks(BLOCK)) {
        if !has_letter(block) {
            continue;
        }
        for (offset, _) in (start..).zip(block).filter(|(_, byte)| **byte == LETTER) {
            let rest = bytes.get(offset..).unwrap_or_default();
            // Most letters stand before a letter of ASCII, which ends the matter.
            if rest.get(2).is_none_or(u8::is_ascii) {
                continue;
            }
            // A character of four bytes may become characters of at most three bytes each.
            let window = rest.get(..12).unwrap_or(rest);
            let mut chunks = window.utf8_chunks();
            if chunks.next().and_then(|chunk| original(chunk.valid())).is_some() {
                return true;
            }
        }
    }
    false
}

/// Returns the character that became the first characters of a text, and the length of these.
fn original(text: &str) -> Option<(char, usize)> {
    let mut bytes = [0; 4];
    let mut characters = text.chars();
    let first = windows_1252(characters.next()?)?;
    let count = match first {
        0xC2..=0xDF => 2,
        0xE0..=0xEF => 3,
        0xF0..=0xF4 => 4,
        _ => return None,
    };
    let (start, others) = bytes.get_mut(..count)?.split_first_mut()?;
    *start = first;
    for byte in others {
        *byte = windows_1252(characters.next()?)?;
    }
    let c = std::str::from_utf8(bytes.get(..count)?)
        .ok()?
        .chars()
        .next()?;
    Some((c, text.len() - characters.as_str().len()))
}

/// Returns the byte of a character beyond ASCII in windows-1252. Bytes without a character there
/// are control characters, as in most programs.
fn windows_1252(c: char) -> Option<u8> {
    const SIGNS: [char; 32] = [
        '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8D}', 'Ž',
        '\u{8F}', '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9D}',
        'ž', 'Ÿ',
    ];
    match c {
        '\u{80}'..='\u{FF}' => u8::try_from(u32::from(c)).ok(),
        _ => {
            let number = SIGNS.iter().position(|&sign| sign == c)?;
            u8::try_from(0x80 + number).ok()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Charset, Text};
    use super::*;

    #[test]
    fn doubled_text_is_read_and_other_text_is_kept() {
        for text in ["Städtekampf", "Peña", "Жуков", "“Ω€”", "🙂", "Dvořák, Ä"] {
            let once = Text::new(text.as_bytes(), Charset::WINDOWS_1252)
                .decode()
                .into_owned();
            // Bytes without a character in windows-1252 are control characters.
            if once.contains(char::REPLACEMENT_CHARACTER) {
                continue;
            }
            let twice = once;
            assert!(is_utf8_twice(twice.as_bytes()), "{twice}");
            assert!(!is_utf8_twice(text.as_bytes()), "{text}");
            // At any place of a block, and across two.
            for before in 0..2 * BLOCK {
                let long = format!("{}{twice}", "x".repeat(before));
                assert!(is_utf8_twice(long.as_bytes()), "{before} {twice}");
            }
            for bytes in [twice.as_bytes(), text.as_bytes()] {
                let decoded = Text::new(bytes, Charset::UTF_8_TWICE).decode();
                assert_eq!(decoded, text);
            }
        }
        for text in ["SÃO PAULO", "« Ça »", "Ãx", "plain", "Â", "Ñandú"] {
            assert!(!is_utf8_twice(text.as_bytes()), "{text}");
        }
    }
}
