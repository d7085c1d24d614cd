//! Differences of two texts in the style of `diff -u`, and games as text with short lines for it.

use std::io::{self, Write};
use std::time::Duration;

use chessdb::Game;
use similar::TextDiff;

/// After this time, which only huge games need, the search for the fewest changed lines ends and the
/// rest is shown as replaced.
const TIMEOUT: Duration = Duration::from_secs(1);

/// Returns a game as PGN with one line for every tag, white move, comment and variation.
pub(crate) fn pgn_lines(game: &Game) -> Vec<String> {
    let pgn = game.to_pgn();
    let tags = pgn.lines().take_while(|line| line.starts_with('['));
    let mut lines: Vec<String> = tags.map(str::to_owned).collect();
    lines.push(String::new());
    let mut line = String::new();
    let mut end_line = |line: &mut String| {
        let text = line.trim();
        if !text.is_empty() {
            lines.push(text.to_owned());
        }
        line.clear();
    };
    // Without the line breaks of PGN, after which one changed move would change all lines.
    let movetext = game.movetext();
    let mut rest = movetext.as_str();
    while let Some(first) = rest.chars().next() {
        // A word, or a complete comment.
        let length = match first {
            '{' => rest.find('}').map_or(rest.len(), |end| end + 1),
            '(' | ')' => 1,
            _ if first.is_whitespace() => first.len_utf8(),
            _ => rest
                .find(|c: char| c.is_whitespace() || "{()".contains(c))
                .unwrap_or(rest.len()),
        };
        let (word, remaining) = rest.split_at(length);
        rest = remaining;
        if matches!(first, '{' | '(') || is_number(word) {
            end_line(&mut line);
        }
        line.push_str(word);
        if matches!(first, '}' | ')') || first == '{' {
            end_line(&mut line);
        }
    }
    end_line(&mut line);
    lines
}

/// Returns whether a word is the number of a white move.
fn is_number(word: &str) -> bool {
    let digits = word.strip_suffix('.');
    digits.is_some_and(|digits| digits.bytes().all(|b| b.is_ascii_digit()))
}

/// Prints the hunks that turn one text into the other, with `context` lines of context. Returns
/// whether there are any.
pub(crate) fn hunks(
    old: &[String],
    new: &[String],
    context: usize,
    out: &mut dyn Write,
) -> io::Result<bool> {
    let [old, new] = [old, new].map(|text| text.iter().map(String::as_str).collect::<Vec<_>>());
    // The library computes with twice this number.
    let context = context.min(old.len());
    let diff = TextDiff::configure()
        .timeout(TIMEOUT)
        .diff_slices(&old, &new);
    let mut any = false;
    for hunk in diff.unified_diff().context_radius(context).iter_hunks() {
        any = true;
        writeln!(out, "{}", hunk.header())?;
        for change in hunk.iter_changes() {
            let line = crate::output::plain(change.value());
            writeln!(out, "{}{line}", change.tag())?;
        }
    }
    Ok(any)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(old: &str, new: &str, context: usize) -> String {
        let lines = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let mut out = Vec::new();
        hunks(&lines(old), &lines(new), context, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn hunks_are_those_of_diff() {
        assert_eq!(shown("a b c", "a b c", 3), "");
        assert_eq!(
            shown("a b c d e", "a b x d e", 1),
            "@@ -2,3 +2,3 @@\n b\n-c\n+x\n d\n"
        );
        // Two close changes form one hunk, two distant ones form two.
        assert_eq!(
            shown("a b c d e f", "x b c d y f", 1),
            "@@ -1,2 +1,2 @@\n-a\n+x\n b\n@@ -4,3 +4,3 @@\n d\n-e\n+y\n f\n"
        );
        assert_eq!(
            shown("a b c d e", "x b c y e", 1),
            "@@ -1,5 +1,5 @@\n-a\n+x\n b\n c\n-d\n+y\n e\n"
        );
        assert_eq!(shown("a b", "a x b", 0), "@@ -1,0 +2 @@\n+x\n");
        assert_eq!(
            shown("a b", "a c", usize::MAX),
            "@@ -1,2 +1,2 @@\n a\n-b\n+c\n"
        );
    }

    #[test]
    fn a_game_has_a_line_for_every_move_comment_and_variation() {
        let pgn =
            "[White \"Tal (1)\"]\n\n{a 1. (b)} 1. e4 e5 $1 {c} (1... c5 2. Nf3 (2. c3)) 2. d4 *";
        let lines = pgn_lines(&Game::from_pgn(pgn).unwrap());
        let moves: Vec<_> = lines
            .iter()
            .skip_while(|line| !line.is_empty())
            .skip(1)
            .collect();
        assert_eq!(
            moves,
            [
                "{a 1. (b)}",
                "1. e4 e5 $1",
                "{c}",
                "(1... c5",
                "2. Nf3",
                "(",
                "2. c3)",
                ")",
                "2. d4 *"
            ]
        );
    }
}
