//! The fast path for movetext in standard form: number, blank, move, read directly from the bytes.

use chessdb_core::board::Side;

use super::MoveDecoder;
use crate::raw::is_blank;

impl MoveDecoder<'_> {
    /// Takes moves and their numbers from `offset` on, as long as they are in standard form. Returns
    /// where something else begins, which is left to the lexer and [`MoveDecoder::take`]. These
    /// would have read the same bytes in the same way: nothing is guessed or reported here.
    #[inline]
    pub(crate) fn take_plain(&mut self, bytes: &[u8], mut offset: usize) -> usize {
        if self.careful || self.is_skipping() {
            return offset;
        }
        // Fewer than eight bytes at the end are left to the lexer.
        while let Some(eight) = bytes.get(offset..).and_then(|rest| rest.first_chunk()) {
            let word = u64::from_le_bytes(*eight);
            match word as u8 {
                b'a'..=b'z' | b'A'..=b'N' | b'P'..=b'Z' => match self.take_word(word) {
                    Some(length) => offset += length,
                    None => return offset,
                },
                b'O' => match self.take_castling(word) {
                    Some(length) => offset += length,
                    None => return offset,
                },
                blank if is_blank(blank) => offset += 1,
                b'$' => match nag(word) {
                    Some((nag, length)) if self.tape.nag(nag).is_ok() => offset += length,
                    _ => return offset,
                },
                b'1'..=b'9' => match number(word) {
                    // The number 1 may begin another game.
                    Some((number @ 2.., length))
                        if number == self.boards.board().fullmove_number() =>
                    {
                        self.numbering = Some(0);
                        offset += length;
                    }
                    _ => return offset,
                },
                _ => return offset,
            }
        }
        offset
    }

    /// Plays the castling move that these bytes begin with. Returns its length, including the blank
    /// after it.
    #[cold]
    fn take_castling(&mut self, word: u64) -> Option<usize> {
        let (side, length) = castling(word)?;
        let mv = self.boards.find_castling(side)?;
        self.tape.check_room().ok()?;
        let facts = self.boards.play_legal(mv);
        self.tape.known(mv, facts).ok()?;
        Some(length)
    }

    /// Plays the move that these bytes begin with. Returns its length, including the blank after
    /// it.
    #[inline(always)]
    fn take_word(&mut self, word: u64) -> Option<usize> {
        let (length, taken) = word_length(word)?;
        let plain = self.boards.read_plain_move(word, length)?;
        self.tape.check_room().ok()?;
        let facts = self.boards.play_plain(plain);
        self.tape.known(plain.mv(), facts).ok()?;
        Some(taken)
    }
}

/// Returns the castling side if these bytes begin with a castling move and nothing that follows can
/// belong to it, and its length with check sign and blank.
fn castling(word: u64) -> Option<(Side, usize)> {
    let text = word.to_le_bytes();
    let (side, length) = match text {
        [b'O', b'-', b'O', b'-', b'O', ..] => (Side::Long, 5),
        [b'O', b'-', b'O', ..] => (Side::Short, 3),
        _ => return None,
    };
    let sign = usize::from(matches!(text.get(length)?, b'+' | b'#'));
    let length = length + sign;
    (is_blank(*text.get(length)?) && text.get(length + 1)?.is_ascii_alphanumeric())
        .then_some((side, length + 1))
}

/// Returns the length of the word of up to six letters and digits that these bytes begin with, and
/// the length including a check sign and a blank after it. `None` if what follows may belong to the
/// word.
#[inline(always)]
fn word_length(word: u64) -> Option<(usize, usize)> {
    const ONES: u64 = 0x0101_0101_0101_0101;
    // The lowest byte below `0` is the first one that borrows.
    let below = word.wrapping_sub(ONES * 0x30) & !word & (ONES << 7);
    let length = (below.trailing_zeros() / 8) as usize;
    let byte = |index: usize| (word >> ((index * 8) & 63)) as u8;
    // The length of the blank that ends the word; 0 if another sign ends it.
    let end = |byte: u8| match byte {
        byte if is_blank(byte) => Some(1),
        b')' | b'!' | b'$' => Some(0),
        _ => None,
    };
    // Of a longer word, `word` does not show the end.
    if length > 6 {
        return None;
    }
    let sign = usize::from(matches!(byte(length), b'+' | b'#'));
    Some((length, length + sign + end(byte(length + sign))?))
}

/// Returns the number of a NAG of one to three digits, and its length including the `$`.
fn nag(word: u64) -> Option<(u16, usize)> {
    let digit = |index: usize| u16::from((word >> (index * 8)) as u8).wrapping_sub(u16::from(b'0'));
    let mut number = 0;
    for index in 1..=4 {
        match digit(index) {
            digit @ 0..10 => number = number * 10 + digit,
            _ if index == 1 => return None,
            _ => return Some((number, index)),
        }
    }
    None
}

/// Returns a move number with one to three dots, and the length of both.
#[inline(always)]
fn number(word: u64) -> Option<(u16, usize)> {
    let byte = |index: usize| (word >> (index * 8)) as u8;
    let digit = |index: usize| u16::from(byte(index).wrapping_sub(b'0'));
    // Most numbers have up to two digits and a dot, followed by a letter or a blank.
    let plain = |index: usize| {
        byte(index) == b'.' && (byte(index + 1).is_ascii() && byte(index + 1) != b'.')
    };
    if digit(0) < 10 && plain(1) {
        return Some((digit(0), 2));
    }
    if digit(0) < 10 && digit(1) < 10 && plain(2) {
        return Some((10 * digit(0) + digit(1), 3));
    }
    any_number(word)
}

/// Like [`number`], for any number of digits and dots.
fn any_number(word: u64) -> Option<(u16, usize)> {
    let mut rest = word;
    let mut number = 0;
    let mut length = 0;
    while (rest as u8).is_ascii_digit() && length < 3 {
        number = number * 10 + u16::from(rest as u8 - b'0');
        rest >>= 8;
        length += 1;
    }
    let digits = length;
    while rest as u8 == b'.' && length < digits + 3 {
        rest >>= 8;
        length += 1;
    }
    (length > digits && (rest as u8).is_ascii() && rest as u8 != b'.').then_some((number, length))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(text: &[u8; 8]) -> u64 {
        u64::from_le_bytes(*text)
    }

    #[test]
    fn words_end_where_the_lexer_ends_them() {
        for (text, found) in [
            (b"Nf3 Nc6 ", Some((3, 4))),
            (b"e4\nNc6 d", Some((2, 3))),
            (b"Qxf7# 1-", Some((4, 6))),
            (b"Nbxd7+) ", Some((5, 6))),
            (b"Nf3!? d5", Some((3, 3))),
            (b"Nf3$1 d5", Some((3, 3))),
            (b"Nf3+!? d", Some((3, 4))),
            (b"Rf1xf8+ ", Some((6, 8))),
            (b"Rf1xf8++", None),
            (b"Nf3+- d5", None),
            (b"e8(Q) d5", None),
            (b"O-O Nc6 ", None),
            (b"Nf3\x01Nc6 ", None),
            (b"Nf3-g5 x", None),
            (b"Nf3\xC2\xA0Nc6", None),
            (b"Nf3.Nc6 ", None),
            (b"abcdefg ", None),
        ] {
            assert_eq!(word_length(word(text)), found, "{text:?}");
        }
    }

    #[test]
    fn castling_ends_before_a_word() {
        for (text, found) in [
            (b"O-O Nc6 ", Some((Side::Short, 4))),
            (b"O-O+\n12.", Some((Side::Short, 5))),
            (b"O-O-O a6", Some((Side::Long, 6))),
            (b"O-O-O# 1", Some((Side::Long, 7))),
            (b"O-O -O 1", None),
            (b"O-O  Nc6", None),
            (b"O-O! Nc6", None),
            (b"O-O-a Nc", None),
            (b"O-O-O {x", None),
            (b"OO Nc6 1", None),
        ] {
            assert_eq!(castling(word(text)), found, "{text:?}");
        }
    }

    #[test]
    fn short_numbers_are_read_like_others() {
        for text in 0..=u32::from(u16::MAX) {
            let mut bytes = *b"0000f3 N";
            for (n, byte) in bytes.iter_mut().take(4).enumerate() {
                *byte = b".0157 e\xE2\n9-.x3Nf"[text as usize >> (4 * n) & 15];
            }
            let word = u64::from_le_bytes(bytes);
            assert_eq!(number(word), any_number(word), "{bytes:?}");
        }
    }

    #[test]
    fn nags_have_up_to_three_digits() {
        for (text, found) in [
            (b"$1 Nf3 N", Some((1, 2))),
            (b"$14) Nf3", Some((14, 3))),
            (b"$139$140", Some((139, 4))),
            (b"$007 Nf3", Some((7, 4))),
            (b"$1000 e4", None),
            (b"$ 1 Nf3 ", None),
            (b"$\xB1 Nf3 N", None),
        ] {
            assert_eq!(nag(word(text)), found, "{text:?}");
        }
    }

    #[test]
    fn numbers_have_dots() {
        for (text, found) in [
            (b"12.Nf3 N", Some((12, 3))),
            (b"7. Nf3 N", Some((7, 2))),
            (b"103... N", Some((103, 6))),
            (b"5..Nf3 N", Some((5, 3))),
            (b"5....Nf3", None),
            (b"5.\xE2\x80\xA6Nf3", None),
            (b"5 Nf3 N ", None),
            (b"1-0 Nf3 ", None),
            (b"1234.Nf3", None),
        ] {
            assert_eq!(number(word(text)), found, "{text:?}");
        }
    }
}
