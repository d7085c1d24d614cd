//! Non-ASCII signs in moves.

/// The maximum length of a move in ASCII (`Qa1xb2=(Q)` with check signs), plus a reserve.
pub(super) const LONGEST: usize = 24;

/// Decodes the non-ASCII sign of a move at the start of `bytes`. Returns the equivalent ASCII
/// character and the length of the sign in bytes.
///
/// These are figurines of either colour (`♘`, with or without a variation selector), for `K Q R B N
/// P`; dashes of all widths, `-`; the multiplication sign, `x`; the daggers for check and mate, `+`
/// and `#`. The bytes are UTF-8, or windows-1252 if they are not valid UTF-8, and must begin with a
/// character.
pub fn move_sign(bytes: &[u8]) -> Option<(u8, usize)> {
    match *bytes {
        [0xE2, 0x99, piece @ 0x94..=0x9F, ref rest @ ..] => {
            // Unicode lists the white pieces, then the black ones, each from king to pawn.
            let letter = match (piece - 0x94) % 6 {
                0 => b'K',
                1 => b'Q',
                2 => b'R',
                3 => b'B',
                4 => b'N',
                _ => b'P',
            };
            let selector = rest.starts_with(b"\xEF\xB8\x8E") || rest.starts_with(b"\xEF\xB8\x8F");
            Some((letter, if selector { 6 } else { 3 }))
        }
        [0xE2, 0x80, 0x90..=0x95, ..] | [0xE2, 0x88, 0x92, ..] => Some((b'-', 3)),
        [0xC3, 0x97, ..] => Some((b'x', 2)),
        [0xE2, 0x80, 0xA0, ..] => Some((b'+', 3)),
        [0xE2, 0x80, 0xA1, ..] => Some((b'#', 3)),
        [0x96 | 0x97, ..] => Some((b'-', 1)),
        [0x86, ..] => Some((b'+', 1)),
        [0x87, ..] => Some((b'#', 1)),
        // A multiplication sign in windows-1252, unless it begins a letter of two bytes.
        [0xD7, next, ..] if !matches!(next, 0x80..=0xBF) => Some((b'x', 1)),
        _ => None,
    }
}

/// Converts a move to ASCII in the buffer and returns its length. `None` if it is already ASCII, or
/// contains unknown signs.
pub(super) fn to_ascii(token: &[u8], room: &mut [u8; LONGEST]) -> Option<usize> {
    if token.is_ascii() {
        return None;
    }
    let mut rest = token;
    let mut length = 0;
    while let [first, tail @ ..] = rest {
        let (sign, bytes) = if first.is_ascii() {
            rest = tail;
            (*first, 0)
        } else {
            move_sign(rest)?
        };
        rest = rest.get(bytes..)?;
        *room.get_mut(length)? = sign;
        length += 1;
    }
    Some(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(token: &[u8]) -> Option<Vec<u8>> {
        let mut room = [0; LONGEST];
        to_ascii(token, &mut room).map(|length| room[..length].to_vec())
    }

    #[test]
    fn signs_of_both_colours_and_of_both_charsets() {
        for (token, expected) in [
            ("♘f3", "Nf3"),
            ("♞\u{FE0E}×f6†", "Nxf6+"),
            ("♔♕♖♗♘♙♚♛♜♝♞♟", "KQRBNPKQRBNP"),
            ("0–0−0", "0-0-0"),
            ("e2‐e4", "e2-e4"),
            ("Qxf7‡", "Qxf7#"),
        ] {
            assert_eq!(plain(token.as_bytes()).unwrap(), expected.as_bytes());
        }
        assert_eq!(plain(b"0\x960").unwrap(), b"0-0");
        assert_eq!(plain(b"N\xD7f7\x86").unwrap(), b"Nxf7+");
        for token in ["Nf3", "Кf3", "Ｎf3", "e4²", "е4"] {
            assert_eq!(plain(token.as_bytes()), None, "{token}");
        }
        assert_eq!(plain("♘".repeat(LONGEST + 1).as_bytes()), None);
    }
}
