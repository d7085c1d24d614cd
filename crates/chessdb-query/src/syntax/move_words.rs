//! Moves as people type them without a key: `1.e4 c5`, `1. e4`, `e2e4`.

/// Returns whether a word is written like a move: `e4`, `Nbd7+`, `exd8=Q#`, `O-O`, `e2e4`. No name
/// is written like that.
pub(crate) fn is_move(word: &str) -> bool {
    let word = word
        .trim_end_matches(['!', '?'])
        .trim_end_matches(['+', '#']);
    if matches!(word, "O-O" | "O-O-O" | "0-0" | "0-0-0") {
        return true;
    }
    let is_piece = |c: char| matches!(c, 'K' | 'Q' | 'R' | 'B' | 'N');
    let is_file = |c: char| matches!(c, 'a'..='h');
    let is_rank = |c: char| matches!(c, '1'..='8');
    let squares = word.strip_prefix(is_piece).unwrap_or(word);
    let promoted = squares
        .strip_suffix(|c: char| matches!(c.to_ascii_uppercase(), 'Q' | 'R' | 'B' | 'N'))
        .map(|rest| rest.strip_suffix('=').unwrap_or(rest));
    let target = |squares: &str| -> Option<String> {
        let rest = squares.strip_suffix(is_rank)?;
        Some(rest.strip_suffix(is_file)?.to_owned())
    };
    let origin = target(squares).or_else(|| target(promoted?));
    origin.is_some_and(|origin| {
        let before = origin.strip_suffix(['x', '-']).unwrap_or(&origin);
        let rest = before.strip_prefix(is_file).unwrap_or(before);
        rest.strip_prefix(is_rank).unwrap_or(rest).is_empty()
    })
}

/// Returns the rest of a word after a move number, such as `e4` of `1.e4` and an empty text of
/// `12...`.
fn after_number(word: &str) -> Option<&str> {
    let rest = word.trim_start_matches(|c: char| c.is_ascii_digit());
    let moves = rest.trim_start_matches(['.', '\u{2026}']);
    (rest.len() < word.len() && moves.len() < rest.len()).then_some(moves)
}

/// Returns whether a word may be part of a line of moves: a move, its number, or both.
///
/// ```
/// use chessdb_query::language::continues_line;
///
/// assert!(["1.e4", "c5", "2.", "g1f3"].into_iter().all(continues_line));
/// assert!(!continues_line("Tal") && !continues_line("1990"));
/// ```
pub fn continues_line(word: &str) -> bool {
    is_move(word) || after_number(word).is_some_and(|rest| rest.is_empty() || is_move(rest))
}

/// Returns whether words begin with the first move of a game: `1.e4`, or `1.` and `e4`.
pub(crate) fn begins_line<'w>(mut words: impl Iterator<Item = &'w str>) -> bool {
    let Some(first) = words.next() else {
        return false;
    };
    match after_number(first) {
        Some("") => first.trim_end_matches('.') == "1" && words.next().is_some_and(is_move),
        Some(rest) => first.starts_with("1.") && is_move(rest),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_and_names() {
        for word in [
            "e4", "Nf3", "Nbd7+", "R1e2", "exd5", "Qh4xe1", "e8=Q#", "e8q", "O-O", "0-0-0", "e2e4",
            "e7e8q", "Ng1-f3", "e4!?",
        ] {
            assert!(is_move(word), "{word}");
        }
        for word in [
            "", "Tal", "B90", "E4", "e", "e9", "17", "1-0", "Be", "abc4", "Elo2", "e4e5e6", "Q",
        ] {
            assert!(!is_move(word), "{word}");
        }
        for (words, expected) in [
            ("1.e4", true),
            ("1. e4 c5", true),
            ("1.", false),
            ("1. Tal", false),
            ("2.Nf3", false),
            ("1", false),
            ("1.5", false),
            ("e4", false),
        ] {
            assert_eq!(begins_line(words.split(' ')), expected, "{words}");
        }
        assert!(["2.Nf3", "2...", "2", "Nf3"].map(continues_line) == [true, true, false, true]);
    }
}
