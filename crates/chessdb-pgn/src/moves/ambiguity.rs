//! Detection of words that may be only a part of a move, because of a blank in the move or an
//! unknown sign after it. Such a move is not played (docs/formats/pgn.md, section 5).

use chessdb_core::board::MoveKind;
use chessdb_core::rules::{SanFault, read_san};
use chessdb_core::{Board, PackedMove};

use crate::raw::{blank_length, dash_length};

/// Returns the bytes after any leading blanks.
pub(super) fn visible(mut rest: &[u8]) -> &[u8] {
    loop {
        match blank_length(rest) {
            0 => return rest,
            length => rest = rest.get(length..).unwrap_or_default(),
        }
    }
}

/// Returns whether castling, a promotion or a null move may be a different move together with the
/// bytes before and after it.
#[cold]
pub(super) fn is_part(mv: PackedMove, text: &[u8], before: &[u8], after: &[u8]) -> bool {
    match mv.kind() {
        MoveKind::CastleShort | MoveKind::CastleLong => {
            let rest = visible(after);
            let dash = dash_length(rest);
            let next = visible(rest.get(dash..).unwrap_or_default());
            dash > 0 && matches!(next.first(), Some(b'O' | b'o' | b'0'))
        }
        MoveKind::Promotion(_) => !names_promotion(text) && may_name_promotion(after),
        MoveKind::Null => {
            let glued = |b: Option<&u8>| b.is_some_and(|b| b.is_ascii_alphanumeric());
            dash_length(text) > 0 && (glued(before.last()) || glued(after.first()))
        }
        _ => false,
    }
}

/// Returns whether a pawn's move to the last rank names the promotion piece.
pub(super) fn names_promotion(mut text: &[u8]) -> bool {
    while let [rest @ .., b'+' | b'#' | 0x86 | 0x87]
    | [rest @ .., 0xE2, 0x80, 0xA0 | 0xA1]
    | [rest @ .., b'c', b'h']
    | [rest @ .., b'm', b'a', b't', b'e'] = text
    {
        text = rest;
    }
    text.last().is_some_and(|b| !b.is_ascii_digit())
}

/// Returns whether a piece may be named after a blank: `a8 = K`, `a8 (N)`, `a8 ♘`.
fn may_name_promotion(after: &[u8]) -> bool {
    let mut rest = visible(after);
    while let [b'+' | b'#' | b'.', tail @ ..] = rest {
        rest = visible(tail);
    }
    match *rest {
        [b'=' | b'/', ..] => true,
        [b'(', ref inner @ ..] => {
            // Longer words in parentheses name no piece.
            let end = inner.iter().take(8).position(|&b| b == b')');
            let word = end.and_then(|end| inner.get(..end)).unwrap_or_default();
            let signs = |b: &u8| b.is_ascii_digit() || b.is_ascii_whitespace();
            !word.is_empty() && !word.iter().any(signs)
        }
        [letter, ref tail @ ..] if letter.is_ascii_alphabetic() => !tail
            .first()
            .is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'-'),
        [first, ..] => !first.is_ascii(),
        [] => false,
    }
}

/// Returns whether a glyph touches moves and may be part of them: the check sign of `Nxf6+-exf6` is
/// not a winning advantage, and the promotion sign of `=R` is not a draw.
pub(super) fn is_glued(glyph: &[u8], before: &[u8], after: &[u8]) -> bool {
    if matches!(glyph.first(), Some(b'!' | b'?')) || glyph.iter().all(u8::is_ascii_alphabetic) {
        return false;
    }
    let word = |b: &u8| b.is_ascii_alphanumeric() || !b.is_ascii();
    let follows = after.first().is_some_and(word) && blank_length(after) == 0;
    follows && (matches!(glyph, b"=" | b"/") || before.last().is_some_and(word))
}

/// Returns whether `exd` may be a different move than the only legal one, since another rank
/// follows after a blank.
pub(super) fn names_other_rank(mv: PackedMove, after: &[u8]) -> bool {
    match *visible(after) {
        [rank @ b'1'..=b'8', ref tail @ ..] => {
            !matches!(tail.first(), Some(b'0'..=b'9' | b'.')) && rank - b'1' != mv.to().rank()
        }
        _ => false,
    }
}

/// Returns whether a single letter and the word after it may be one move: `N f3` is not a novelty
/// followed by a pawn's move.
pub(super) fn may_belong(letter: u8, word: &[u8], board: &Board) -> bool {
    if !matches!(
        word.first(),
        Some(b'a'..=b'h' | b'1'..=b'8' | b'x' | b'X' | b':' | b'-' | 0x80..)
    ) {
        return false;
    }
    // The last square is the target.
    let mut pairs = word.windows(2).rev();
    let Some(&[file, rank]) = pairs.find(|pair| matches!(pair, [b'a'..=b'h', b'1'..=b'8'])) else {
        return false;
    };
    // In other languages `R` is also a king (Roi), `D` a queen (Dame), and the rest are knights.
    let pieces: &[u8] = match letter {
        b'R' => b"RK",
        b'D' => b"Q",
        _ => b"N",
    };
    pieces.iter().any(|&piece| {
        let read = read_san(board, &[piece, file, rank]);
        matches!(read, Ok(_) | Err(SanFault::Ambiguous))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn promotion_piece_after_blank() {
        for after in [
            " =K", " = Q", "\u{A0}/N", " (K) b1", " Q", " + N ", " ♘", "(♘)", " D\n",
        ] {
            assert!(may_name_promotion(after.as_bytes()), "{after:?}");
        }
        for after in [
            "",
            " ",
            " 2. Kd4",
            " Kd4",
            " (1. b7 Kd4)",
            " {x}",
            " $1",
            " O-O",
            " # 1-0",
        ] {
            assert!(!may_name_promotion(after.as_bytes()), "{after:?}");
        }
    }

    #[test]
    fn promotion_piece_within_word() {
        for text in ["a8=Q", "a8Q+", "a8(N)", "a8♕", "a8=R†", "a8=Bmate"] {
            assert!(names_promotion(text.as_bytes()), "{text}");
        }
        for text in ["a8", "a8+", "a8#", "a8†", "bxa8ch", "a8mate"] {
            assert!(!names_promotion(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn letter_before_blank_may_be_a_piece() {
        let board = Board::standard();
        for (letter, word, may) in [
            (b'N', "f3", true),
            (b'N', "xf3", true),
            (b'N', "g1-f3", true),
            (b'N', "f4", false),
            (b'N', "Nf3", false),
            (b'R', "a4", false),
            (b'D', "d4", false),
        ] {
            assert_eq!(may_belong(letter, word.as_bytes(), &board), may, "{word}");
        }
    }
}
