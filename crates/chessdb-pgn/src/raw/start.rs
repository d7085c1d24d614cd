//! Detection of moves that begin without preceding tags.

use chessdb_core::rules::move_sign;

use super::scan::{
    LOOK_AHEAD, at_line_start, byte, bytes_before, from, is_blank, is_break, result_at, word_length,
};
use super::signs::{blank_length, char_length, dashes, dots};

/// The largest length of a word that may look like a move.
const LONGEST_MOVE: usize = 13;

/// Returns a word with its non-ASCII signs replaced by ASCII, or unchanged if that is impossible.
fn in_ascii<'w>(word: &'w [u8], room: &'w mut [u8; LONGEST_MOVE]) -> &'w [u8] {
    let mut rest = word;
    let mut length = 0;
    while let [first, ..] = *rest {
        let sign = if first.is_ascii() { Some((first, 1)) } else { move_sign(rest) };
        let (Some((sign, bytes)), Some(place)) = (sign, room.get_mut(length)) else {
            return word;
        };
        *place = sign;
        length += 1;
        rest = from(rest, bytes);
    }
    room.get(..length).unwrap_or_default()
}

/// Returns whether a word looks like a move in some notation, regardless of the position.
fn looks_like_move(word: &[u8]) -> bool {
    let mut room = [0; LONGEST_MOVE];
    let mut word = in_ascii(word, &mut room);
    while let [rest @ .., b'+' | b'#'] = word {
        word = rest;
    }
    match word {
        b"Z0" | b"z0" | b"null" | b"NULL" | b"Null" | b"0000" | b"@@@@" => return true,
        [b'O' | b'o' | b'0', b'-', b'O' | b'o' | b'0', ..] | b"OO" | b"OOO" => return true,
        _ => {}
    }
    let may_occur = |&b: &u8| {
        matches!(b, b'a'..=b'h' | b'1'..=b'8' | b'x' | b'X' | b'-' | b':' | b'=' | b'/' | b'(' | b')' | b'.')
            || matches!(
                b.to_ascii_uppercase(),
                b'K' | b'Q' | b'R' | b'B' | b'N' | b'P'
            )
    };
    (2..=12).contains(&word.len())
        && word.iter().all(may_occur)
        && word
            .windows(2)
            .any(|pair| matches!(pair, [b'a'..=b'h', b'1'..=b'8']))
}

/// Returns whether moves seem to begin here. Used where no tag announces a game, so prose must not
/// pass: a move number requires a move after it, and a word must look like a move.
pub(super) fn starts_moves(bytes: &[u8], offset: usize) -> bool {
    let mut rest = from(bytes, offset);
    rest = rest.get(..LOOK_AHEAD / 2).unwrap_or(rest);
    while let [b'(' | b' ' | b'\t', tail @ ..] = rest {
        rest = tail;
    }
    if let Some((length, _)) = result_at(rest, 0) {
        return begins_alone(bytes, offset) && ends_alone(from(rest, length));
    }
    if matches!(rest, [b'$', b'0'..=b'9', ..]) {
        return true;
    }
    if let (2 | 3, null) = dashes(rest) {
        // On its own line it is the rule before a signature.
        rest = from(rest, null);
        rest = from(
            rest,
            rest.iter()
                .take_while(|b| matches!(b, b' ' | b'\t'))
                .count(),
        );
    }
    let word = |rest: &[u8]| looks_like_move(rest.get(..word_length(rest)).unwrap_or_default());
    let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
    // No game has so many moves.
    if digits == 0 || digits > 4 {
        return word(rest);
    }
    let after = from(rest, digits);
    let dotted = dots(after) > 0;
    let mut next = after;
    loop {
        match dots(next).max(blank_length(next)) {
            0 => break,
            skipped => next = from(next, skipped),
        }
    }
    word(rest)
        || word(next)
        || matches!(dashes(next).0, 2 | 3)
        || result_at(next, 0).is_some()
        || dotted
            && (matches!(byte(next, 0), 0 | b'{' | b'(' | b'$' | b';')
                || word(without_letters(next)))
}

/// Returns the length of a result at the end of a word of this length, after a move: 3 in `Qh51-0`.
#[inline]
pub(super) fn glued_result(rest: &[u8], length: usize) -> usize {
    match rest.get(..length) {
        Some(word @ [_, _, .., b'0'..=b'2']) => cold_glued_result(rest, word),
        _ => 0,
    }
}

#[cold]
fn cold_glued_result(rest: &[u8], word: &[u8]) -> usize {
    let result = match *word {
        [.., b'1', b'/', b'2', b'-', b'1', b'/', b'2'] => 7,
        [.., b'0' | b'1', 0xE2, _, _, b'0' | b'1'] => 5,
        [.., b'0' | b'1', b'-' | b':', b'0' | b'1'] | [.., b'1', b'/', b'2'] => 3,
        _ => return 0,
    };
    let (mv, _) = word
        .split_at_checked(word.len() - result)
        .unwrap_or_default();
    let ends = matches!(
        mv,
        [
            ..,
            b'1'..=b'8' | b'+' | b'#' | b'O' | b'o' | b'Q' | b'R' | b'B' | b'N'
        ]
    );
    let token = result_at(rest, mv.len());
    if ends && looks_like_move(mv) && token.is_some_and(|(length, _)| length == result) {
        result
    } else {
        0
    }
}

/// Returns whether the parenthesis at `offset` opens a variation: moves follow, not prose.
pub(super) fn is_variation(bytes: &[u8], offset: usize) -> bool {
    let rest = from(bytes, offset);
    let mut rest = rest.get(..LOOK_AHEAD / 2).unwrap_or(rest);
    while let [b'(' | b' ' | b'\t' | b'\n' | b'\r', tail @ ..] = rest {
        rest = tail;
    }
    result_at(rest, 0).is_none() && starts_moves(rest, 0)
}

/// Returns whether moves with a number greater than 1 begin at `offset`.
pub(super) fn counts_on(bytes: &[u8], offset: usize) -> bool {
    let rest = from(bytes, offset);
    let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
    let is_number = match rest {
        [b'1', ..] => digits > 1,
        _ => digits > 0,
    };
    is_number && result_at(rest, 0).is_none() && starts_moves(bytes, offset)
}

/// Returns whether only comments and tags precede this position on its line.
fn begins_alone(bytes: &[u8], offset: usize) -> bool {
    at_line_start(bytes, offset)
        || bytes_before(bytes, offset)
            .find(|&b| !is_blank(b))
            .is_some_and(|b| matches!(b, b'}' | b']'))
}

/// Returns whether only comments and tags are in the rest of the line.
fn ends_alone(rest: &[u8]) -> bool {
    rest.iter()
        .find(|b| !matches!(b, b' ' | b'\t'))
        .is_none_or(|&b| is_break(b) || matches!(b, 0 | b'{' | b'[' | b';' | b'$'))
}

/// Skips a piece letter of any language: one capital, or two non-ASCII letters.
fn without_letters(rest: &[u8]) -> &[u8] {
    match *rest {
        [b'A'..=b'Z', ref tail @ ..] => tail,
        [first, ..] if !first.is_ascii() => {
            let tail = from(rest, char_length(rest));
            match byte(tail, 0) {
                second if second.is_ascii() => tail,
                _ => from(tail, char_length(tail)),
            }
        }
        _ => rest,
    }
}
