//! Results at the end of a game in spellings that are not tokens: `0.5-0.5`, `1 - 0`, `+/-`, `0-0`.
//!
//! Among the moves these characters have other meanings (`0-0` is castling, `+-` is a NAG), so they
//! are a result only as the last word of a game, and most of them only if the result tag agrees.

use chessdb_core::Outcome;
use chessdb_core::model::{Field, Header, NamedResult};
use chessdb_core::text::Texts;
use memchr::{memrchr, memrchr2};

use super::scan::result_at;

/// A result that is not a token.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ending {
    /// Where the result begins.
    pub(crate) start: usize,
    /// Where the result ends; only comments follow.
    pub(crate) end: usize,
    /// The result.
    pub(crate) outcome: Outcome,
    /// Whether PGN has no such result because only one player has half a point.
    pub(crate) is_uneven: bool,
}

/// The largest number of comments after a result that are skipped.
const MOST_COMMENTS: usize = 8;

impl Ending {
    /// Finds such a result at the end of a game with moves that begin at `moves`. `tag` is the
    /// result in the tag, if there is one. A result that PGN does not have counts only if the tag
    /// agrees, or if the game has none (`has_result`) that it would contradict.
    pub(crate) fn find(
        bytes: &[u8],
        moves: usize,
        tag: Option<NamedResult>,
        has_result: bool,
    ) -> Option<Ending> {
        let all = bytes.get(moves..)?;
        let mut text = all.trim_ascii_end();
        for _ in 0..MOST_COMMENTS {
            if !text.ends_with(b"}") {
                break;
            }
            let open = memrchr(b'{', text)?;
            text = text.get(..open)?.trim_ascii_end();
        }
        let last = text.rsplit(u8::is_ascii_whitespace).next()?;
        let is_possible = |byte: &u8| match byte {
            b'0' | b'1' | b'2' | b'5' | b'-' | b'+' | b'=' | b'F' | b'f' => true,
            byte => !byte.is_ascii(),
        };
        // The results of PGN are tokens, which the lexer finds.
        if Outcome::from_pgn(last).is_some() || !last.last().is_some_and(is_possible) {
            return None;
        }
        let named = |text: &[u8]| {
            let result = NamedResult::read_alone(text)?;
            let is_allowed = result.can_end_moves(text) && !(result.is_uneven() && has_result);
            (is_allowed || tag == Some(result)).then_some(result)
        };
        // Uses the longest result of one, two or three words.
        let mut longest = None;
        let mut start = text.len();
        for words in 1..=3 {
            let before = text.get(..start)?.trim_ascii_end();
            let word = before.rsplit(u8::is_ascii_whitespace).next()?;
            start = before.len() - word.len();
            let whole = text.get(start..)?;
            if word.is_empty() || words > 1 && whole.iter().any(u8::is_ascii_alphabetic) {
                break;
            }
            let is_token = words == 1 && result_at(whole, 0).is_some();
            longest = match named(whole) {
                Some(_) if is_token => None,
                Some(named) => Some((start, named)),
                None => longest,
            };
        }
        let (start, named) = longest?;
        let before = text.get(..start)?;
        (!is_in_comment(before)?).then_some(Ending {
            start: moves + start,
            end: moves + text.len(),
            outcome: named.outcome,
            is_uneven: named.is_uneven(),
        })
    }
}

/// Returns whether the position after these bytes is within a comment or an escape line.
fn is_in_comment(before: &[u8]) -> Option<bool> {
    let line = before.rsplit(|&byte| byte == b'\n').next()?;
    let above = before.get(..before.len() - line.len())?;
    let brace = memrchr2(b'{', b'}', above);
    let mut inside = brace.is_some_and(|index| above.get(index) == Some(&b'{'));
    if !inside && line.first() == Some(&b'%') {
        return Some(true);
    }
    for byte in line {
        match byte {
            b'{' => inside = true,
            b'}' => inside = false,
            b';' if !inside => return Some(true),
            _ => {}
        }
    }
    Some(inside)
}

/// Returns the result in the tag of a game, unless it is `*`.
pub(crate) fn tagged_result(header: &Header, texts: &Texts) -> Option<NamedResult> {
    match header.verbatim(Field::Result) {
        Some(text) => NamedResult::read(texts.get(text).as_bytes()),
        None => NamedResult::read(header.outcome.as_pgn().as_bytes()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(moves: &str, tag: &str) -> Option<(String, &'static str)> {
        let tag = NamedResult::read(tag.as_bytes());
        let ending = Ending::find(moves.as_bytes(), 0, tag, tag.is_some())?;
        let text = moves[ending.start..ending.end].to_owned();
        Some((text, ending.outcome.as_pgn()))
    }

    #[test]
    fn signs_and_zeros_need_agreeing_tag() {
        for (tag, results) in [
            ("1-0", "+-|+/-|+:-|+--|+ -|1F-0F"),
            ("0-1", "-+|-/+|-:+|--+|0F-1F"),
            ("1/2-1/2", "=|=/=|½|0.5"),
            ("0-0", "0-0|0 - 0|-:-|-/-|0–0"),
        ] {
            for result in results.split('|') {
                for (before, after) in [
                    ("1. e4 e5 ", "\n"),
                    ("", ""),
                    ("1. e4 {x} ", " {forfeit} {y}\n\n"),
                    ("1. e4\n", ""),
                    ("1. e4 {[%clk 0:01:00]; x\n;} e5 {%;} ", ""),
                ] {
                    let text = format!("{before}{result}{after}");
                    let is = found(&text, tag).map(|(text, _)| text);
                    assert_eq!(is.as_deref(), Some(result), "{text:?} {tag}");
                    let needs_tag = !result.contains('F');
                    assert_eq!(found(&text, "").is_none(), needs_tag, "{text:?}");
                }
            }
        }
        for (moves, tag) in [
            ("1. e4 e5 +- 1-0", "1-0"),
            ("1. e4 e5 += 1-0", "1-0"),
            ("1. e4 {+-", "1-0"),
            ("1. e4 {a +- {b}", "1-0"),
            ("1. e4 ; +-", "1-0"),
            ("1. e4 ; {x} +-", "1-0"),
            ("1. e4\n% +-", "1-0"),
            ("1. e4 {a\nb +-", "1-0"),
            ("1. e4 e5 +-", "0-1"),
            ("1. e4 e5 0-0", "1-0"),
            ("1. e4 e5 0-0-0", "0-0"),
            ("1. e4 (1. d4 =)", "1/2-1/2"),
            ("1. e4 e5 1/2-1/2", "0-0"),
            ("1. e4 e5", "1-0"),
            ("", "1-0"),
        ] {
            assert_eq!(found(moves, tag), None, "{moves:?} {tag}");
        }
    }

    /// Arbiters decide such results; PGN has none for them.
    #[test]
    fn uneven_result_must_not_contradict_tag() {
        for text in [
            "1/2-0", "0-1/2", "½-0", "0-½", "0.5-0", "0 - 0,5", "1/2-1", "1–½",
        ] {
            for (tag, is) in [("", true), (text, true), ("1-0", false), ("0-0", false)] {
                let moves = format!("1. d4 d5 2. c4 {text}\n");
                let expected = is.then(|| (text.to_owned(), "*"));
                assert_eq!(found(&moves, tag), expected, "{text} {tag}");
            }
        }
    }

    #[test]
    fn points_are_a_result_despite_tag() {
        for (text, result) in [
            ("0.5-0.5", "1/2-1/2"),
            ("0,5-0,5", "1/2-1/2"),
            ("0.5 : 0.5", "1/2-1/2"),
            ("1/2 - 1/2", "1/2-1/2"),
            ("½ - ½", "1/2-1/2"),
            ("1 - 0", "1-0"),
            ("0 - 1", "0-1"),
            ("1 : 0", "1-0"),
        ] {
            for tag in ["", "1-0", "0-0"] {
                let moves = format!("1. d4 d5 2. c4 {text}\n");
                assert_eq!(found(&moves, tag), Some((text.to_owned(), result)), "{tag}");
            }
        }
    }
}
