//! Lists of moves that follow one another without a separator, except that numbering restarts.

use super::scan::{LOOK_AHEAD, at_line_start, byte, from, is_blank, is_delimiter, result_at};
use super::start::starts_moves;

/// Whether the moves of the current game are a list that another one may follow.
#[derive(Clone, Copy, Debug)]
pub(super) struct MoveList {
    /// Whether the game has its own start position. Its numbers may restart with another solution,
    /// and another game could not know this position.
    setup: bool,
    /// Whether the game began with a move or a number, not with prose.
    moves: bool,
}

impl MoveList {
    pub(super) const NEW: MoveList = MoveList {
        setup: false,
        moves: false,
    };

    /// Registers a tag: `setup` if it sets the start position, `first` if it begins a game.
    pub(super) fn tag(&mut self, setup: bool, first: bool) {
        self.setup = setup || self.setup && !first;
    }

    /// Registers the start of moves; `bare` if no tag precedes them.
    pub(super) fn begin(&mut self, bytes: &[u8], offset: usize, bare: bool) {
        self.setup &= !bare;
        // A NAG before the first move does not count as a move.
        let moves = begins_list(bytes, offset) || starts_moves(bytes, offset);
        self.moves = moves && byte(bytes, offset) != b'$';
    }

    /// Returns whether the list ends before this position, outside variations, because another one
    /// begins.
    #[inline]
    pub(super) fn ends(&mut self, bytes: &[u8], offset: usize) -> bool {
        if self.setup || byte(bytes, offset) != b'1' || !begins_list(bytes, offset) {
            return false;
        }
        // After prose it is the first list.
        std::mem::replace(&mut self.moves, true)
    }
}

/// Returns whether a list of moves begins here: at the start of a line, with the number 1, a move
/// that is legal at the start, and no number after it that does not continue (`1. Nf3 Nc6 12. Be2`
/// is a typo for 11).
fn begins_list(bytes: &[u8], offset: usize) -> bool {
    let rest = from(bytes, offset);
    let rest = rest.get(..LOOK_AHEAD / 2).unwrap_or(rest);
    let Some(rest) = rest.strip_prefix(b"1") else {
        return false;
    };
    if !matches!(rest, [b'.' | b' ' | b'\t', next, ..] if *next != b'.')
        || !at_line_start(bytes, offset)
    {
        return false;
    }
    let rest = skip_blanks(rest.strip_prefix(b".").unwrap_or(rest));
    let (first, rest) = word(rest);
    if !is_first_move(first) {
        return false;
    }
    let (second, after) = word(rest);
    let next = match second {
        [b'0'..=b'9', ..] => second,
        _ => word(after).0,
    };
    let digits = next.iter().take_while(|b| b.is_ascii_digit()).count();
    matches!(next.get(..digits), None | Some([] | [b'1' | b'2'])) || result_at(next, 0).is_some()
}

fn skip_blanks(mut rest: &[u8]) -> &[u8] {
    while let [first, tail @ ..] = rest
        && is_blank(*first)
    {
        rest = tail;
    }
    rest
}

/// Splits off the first word and the blanks after it.
fn word(rest: &[u8]) -> (&[u8], &[u8]) {
    let length = rest.iter().take_while(|&&b| !is_delimiter(b)).count();
    let (word, rest) = rest.split_at_checked(length).unwrap_or((rest, &[]));
    (word, skip_blanks(rest))
}

/// Returns whether this is one of White's twenty first moves, with any letter for the knight.
fn is_first_move(mut word: &[u8]) -> bool {
    while let [rest @ .., b'+' | b'#' | b'!' | b'?'] = word {
        word = rest;
    }
    let [before @ .., file @ b'a'..=b'h', rank @ b'3'..=b'4'] = word else {
        return false;
    };
    let before = before.strip_suffix(b"-").unwrap_or(before);
    let from: &[u8] = match (*file, *rank) {
        _ if before.is_empty() || *before == [*file, b'2'] => return true,
        (b'a' | b'c', b'3') => b"b1",
        (b'f' | b'h', b'3') => b"g1",
        _ => return false,
    };
    match before.strip_suffix(from).unwrap_or(before) {
        [] => true,
        // The letter of another English piece.
        [b'K' | b'Q' | b'R' | b'B' | b'P'] => false,
        [b'A'..=b'Z'] => true,
        sign => {
            sign.len() <= 4
                && std::str::from_utf8(sign).is_ok_and(|sign| {
                    let mut letters = sign.chars();
                    letters.next().is_some_and(|letter| !letter.is_ascii())
                        && letters.next().is_none()
                })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_twenty_first_moves_are_recognised() {
        for word in [
            "e4",
            "a3",
            "h3!",
            "e2e4",
            "d2-d4",
            "Nf3",
            "Sf3",
            "Cc3",
            "\u{2658}f3",
            "\u{41A}f3",
            "Ng1-f3",
            "g1f3",
            "Na3??",
        ] {
            assert!(is_first_move(word.as_bytes()), "{word}");
        }
        for word in [
            "e5",
            "e3e4",
            "Bf3",
            "Nd3",
            "Nf4",
            "Ng1-c3",
            "Nbc3",
            "cf3",
            "f3g1",
            "",
            "4",
            "O-O",
            "\u{2658}\u{2658}f3",
        ] {
            assert!(!is_first_move(word.as_bytes()), "{word}");
        }
    }

    #[test]
    fn list_begins_with_number_1_at_line_start() {
        for (text, begins) in [
            ("1. e4 e5 2. Nf3", true),
            ("1.e4", true),
            ("1 e4 e5 2 Nf3", true),
            ("\n  1. d4 d5\n2. c4", true),
            ("1. e4 e5\n\n1. d4", true),
            ("1. e4 {best} 1... e5", true),
            ("1. e4 1-0", true),
            ("1. e4 c5 1/2-1/2", true),
            ("1. Nf3 Nc6 12. Be2", false),
            ("1. Nf3 12. Be2", false),
            ("1... e5", false),
            ("1. ... e5", false),
            ("11. e4", false),
            ("1. e5", false),
            ("x 1. e4", false),
            ("1-0", false),
        ] {
            let at = text.find('1').unwrap();
            assert_eq!(begins_list(text.as_bytes(), at), begins, "{text:?}");
        }
    }
}
