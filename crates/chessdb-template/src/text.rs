//! Escapes of names and comments.

use chessdb_core::{Charset, Text};

/// The characters with an escape, and the letters after the backslash.
const ESCAPES: [(u8, u8); 5] = [
    (b'\t', b't'),
    (b'\n', b'n'),
    (b'\r', b'r'),
    (b' ', b's'),
    (b'\\', b'\\'),
];

/// Appends a text in UTF-8 with escapes, which spaces need only within the moves. Returns the
/// number of characters that were replaced.
pub(crate) fn write(text: Text<'_>, escape_spaces: bool, out: &mut Vec<u8>) -> usize {
    let mut plain = Vec::new();
    let replaced = text.convert_into(Charset::UTF_8, &mut plain);
    for byte in plain {
        let escape = ESCAPES.iter().find(|(known, _)| *known == byte);
        match escape.filter(|_| byte != b' ' || escape_spaces) {
            Some(&(_, letter)) => out.extend([b'\\', letter]),
            None => out.push(byte),
        }
    }
    replaced
}

/// Returns a text without its escapes. A backslash without a known letter stays as it is.
pub(crate) fn read(bytes: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let [byte, after @ ..] = rest {
        rest = after;
        let known = ESCAPES
            .iter()
            .find(|(_, letter)| after.first() == Some(letter));
        match known.filter(|_| *byte == b'\\') {
            Some((character, _)) => {
                text.push(*character);
                rest = after.get(1..).unwrap_or_default();
            }
            None => text.push(*byte),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn texts_come_back(text in "[a\\\\tnrs \t\r\n]{0,20}", spaces: bool) {
            let mut written = Vec::new();
            write(Text::new(text.as_bytes(), Charset::UTF_8), spaces, &mut written);
            prop_assert!(!written.iter().any(|byte| b"\t\r\n".contains(byte)));
            prop_assert_eq!(read(&written), text.as_bytes());
        }
    }
}
