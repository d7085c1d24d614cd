//! Non-ASCII blanks, dots and dashes, as used by books and word processors.
//!
//! They are in UTF-8, or in windows-1252 where a byte is not part of a UTF-8 sequence. The
//! functions must be called at the start of a character.

use chessdb_core::rules::move_sign;

use super::scan::is_blank;

/// Returns the length of the blank that these bytes begin with, or 0: ASCII white space, no-break,
/// narrow, thin, wide and zero-width spaces, directional marks, U+FEFF.
pub(crate) fn blank_length(bytes: &[u8]) -> usize {
    match *bytes {
        [first, ..] if first.is_ascii() => usize::from(is_blank(first)),
        _ => wide_blank(bytes),
    }
}

/// Returns the length of the non-ASCII blank that these bytes begin with, or 0.
pub(super) fn wide_blank(bytes: &[u8]) -> usize {
    match *bytes {
        [0xA0, ..] => 1,
        [0xC2, 0xA0, ..] => 2,
        [0xE2, 0x80, 0x80..=0x8F | 0xA8 | 0xA9 | 0xAF, ..]
        | [0xE2, 0x81, 0x9F | 0xA0, ..]
        | [0xE3, 0x80, 0x80, ..]
        | [0xEF, 0xBB, 0xBF, ..] => 3,
        _ => 0,
    }
}

/// Returns the length of `.` or `…`, or 0 for anything else.
pub(super) fn dot_length(bytes: &[u8]) -> usize {
    match *bytes {
        [b'.' | 0x85, ..] => 1,
        [0xE2, 0x80, 0xA6, ..] => 3,
        _ => 0,
    }
}

/// Returns the length of all dots that these bytes begin with.
pub(super) fn dots(bytes: &[u8]) -> usize {
    let mut length = 0;
    loop {
        match dot_length(bytes.get(length..).unwrap_or_default()) {
            0 => return length,
            n => length += n,
        }
    }
}

/// Returns the length of `-` or of any other dash, or 0 for anything else.
pub(crate) fn dash_length(bytes: &[u8]) -> usize {
    match *bytes {
        [b'-', ..] => 1,
        [first, ..] if first.is_ascii() => 0,
        _ => match move_sign(bytes) {
            Some((b'-', length)) => length,
            _ => 0,
        },
    }
}

/// Returns the number of dashes that these bytes begin with, and their length.
pub(super) fn dashes(bytes: &[u8]) -> (u32, usize) {
    let (mut count, mut length) = (0, 0);
    loop {
        match dash_length(bytes.get(length..).unwrap_or_default()) {
            0 => return (count, length),
            n => (count, length) = (count + 1, length + n),
        }
    }
}

/// Returns the length of a rule of three or more `-` or `=`, or 0 for anything else.
pub(super) fn rule_length(bytes: &[u8]) -> usize {
    match *bytes {
        [b'=', b'=', b'=', ..] => bytes.iter().take_while(|b| **b == b'=').count(),
        _ => match dashes(bytes) {
            (3.., length) => length,
            _ => 0,
        },
    }
}

/// Returns the length of the character that these bytes begin with: 1 for an invalid byte, 0 at the
/// end.
pub(super) fn char_length(bytes: &[u8]) -> usize {
    let length = match *bytes {
        [] => return 0,
        [0xC2..=0xDF, ..] => 2,
        [0xE0..=0xEF, ..] => 3,
        [0xF0..=0xF4, ..] => 4,
        _ => return 1,
    };
    // A wrong sequence counts as one byte, so that the lexer always advances.
    match bytes.get(..length) {
        Some(sequence) if std::str::from_utf8(sequence).is_ok() => length,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_dots_and_dashes() {
        for blank in [
            " ", "\n", "\u{A0}", "\u{2009}", "\u{200B}", "\u{202F}", "\u{3000}", "\u{FEFF}",
        ] {
            assert_eq!(blank_length(blank.as_bytes()), blank.len(), "{blank:?}");
        }
        for other in ["", "x", "\u{AD}", "\u{E0}", "…"] {
            assert_eq!(blank_length(other.as_bytes()), 0, "{other:?}");
        }
        assert_eq!(blank_length(b"\xA0e4"), 1);
        assert_eq!(dots("..…\u{2026}.e4".as_bytes()), 9);
        assert_eq!(dots(b"\x85e4"), 1);
        assert_eq!(dash_length("–".as_bytes()), 3);
        assert_eq!(dash_length(b"-"), 1);
        assert_eq!(dash_length("x".as_bytes()), 0);
    }

    #[test]
    fn characters_are_whole_or_single_bytes() {
        for (bytes, length) in [
            (&b""[..], 0),
            (b"a", 1),
            (b"\xC3\xA4", 2),
            (b"\xC3", 1),
            (b"\xC3a", 1),
            (b"\xE2\x99\x98", 3),
            (b"\xE2\x99", 1),
            (b"\xED\xA0\x80", 1),
            (b"\xF0\x9F\x98\x80", 4),
            (b"\xA0", 1),
        ] {
            assert_eq!(char_length(bytes), length, "{bytes:?}");
        }
    }
}
