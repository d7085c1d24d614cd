//! Differences of two texts in the style of `diff -u`, and games as text with short lines for it.

use std::io::{self, Write};

use chessdb::Game;

/// Changed sections with a larger product of line counts are shown as replaced completely.
const MAX_TABLE: usize = 4 << 20;

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
        let (word, behind) = rest.split_at(length);
        rest = behind;
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
    let edits = edits(old, new);
    let is_change = |edit: &Edit<'_>| edit.sign != ' ';
    let mut at = 0;
    let mut any = false;
    // The lines of each text before the hunk, and the number of edits counted for them.
    let (mut before, mut counted) = ([0, 0], 0);
    while let Some(first) = edits.iter().skip(at).position(is_change).map(|n| at + n) {
        any = true;
        // Up to the last change that is at most twice the context after the previous one.
        let mut last = first;
        for (n, _) in edits
            .iter()
            .enumerate()
            .skip(first)
            .filter(|(_, e)| is_change(e))
        {
            if n - last > context.saturating_mul(2) + 1 {
                break;
            }
            last = n;
        }
        let start = first.saturating_sub(context).max(at);
        let end = (last + 1).saturating_add(context).min(edits.len());
        let hunk = edits.get(start..end).unwrap_or_default();
        let passed = edits.get(counted..start).unwrap_or_default();
        let count = |edits: &[Edit<'_>], other| edits.iter().filter(|e| e.sign != other).count();
        for (lines, other) in before.iter_mut().zip(['+', '-']) {
            *lines += count(passed, other);
        }
        counted = start;
        writeln!(
            out,
            "@@ -{} +{} @@",
            range(before[0], count(hunk, '+')),
            range(before[1], count(hunk, '-'))
        )?;
        for edit in hunk {
            writeln!(out, "{}{}", edit.sign, crate::output::plain(edit.line))?;
        }
        at = end;
    }
    Ok(any)
}

/// Returns the first line and the number of lines in the notation of `diff -u`.
fn range(before: usize, lines: usize) -> String {
    match lines {
        0 => format!("{before},0"),
        1 => (before + 1).to_string(),
        lines => format!("{},{lines}", before + 1),
    }
}

struct Edit<'t> {
    sign: char,
    line: &'t str,
}

/// Returns the lines of both texts, common lines once.
fn edits<'t>(old: &'t [String], new: &'t [String]) -> Vec<Edit<'t>> {
    let common = |pairs: &mut dyn Iterator<Item = (&String, &String)>| {
        pairs.take_while(|(a, b)| a == b).count()
    };
    let start = common(&mut old.iter().zip(new));
    let (old_rest, new_rest) = (
        old.get(start..).unwrap_or_default(),
        new.get(start..).unwrap_or_default(),
    );
    let end = common(&mut old_rest.iter().rev().zip(new_rest.iter().rev()));
    let (old_middle, tail) = old_rest.split_at(old_rest.len() - end);
    let new_middle = new_rest.get(..new_rest.len() - end).unwrap_or_default();
    let mut edits = Vec::new();
    let mut push = |sign, lines: &'t [String]| {
        edits.extend(lines.iter().map(|line| Edit { sign, line }));
    };
    push(' ', old.get(..start).unwrap_or_default());
    if old_middle.len().saturating_mul(new_middle.len()) > MAX_TABLE {
        push('-', old_middle);
        push('+', new_middle);
    } else {
        edits.extend(longest_common(old_middle, new_middle));
    }
    edits.extend(tail.iter().map(|line| Edit { sign: ' ', line }));
    edits
}

/// Returns the fewest deletions and insertions, from a table of the longest common subsequences of
/// the remaining lines.
fn longest_common<'t>(old: &'t [String], new: &'t [String]) -> Vec<Edit<'t>> {
    let width = new.len() + 1;
    let mut table = vec![0_u32; (old.len() + 1) * width];
    let at = |table: &[u32], i: usize, j: usize| table.get(i * width + j).copied().unwrap_or(0);
    for (i, a) in old.iter().enumerate().rev() {
        for (j, b) in new.iter().enumerate().rev() {
            let length = match a == b {
                true => at(&table, i + 1, j + 1) + 1,
                false => at(&table, i + 1, j).max(at(&table, i, j + 1)),
            };
            if let Some(cell) = table.get_mut(i * width + j) {
                *cell = length;
            }
        }
    }
    let mut edits = Vec::new();
    let (mut i, mut j) = (0, 0);
    loop {
        let (sign, line) = match (old.get(i), new.get(j)) {
            (Some(a), Some(b)) if a == b => (' ', a),
            (Some(a), Some(_)) if at(&table, i + 1, j) >= at(&table, i, j + 1) => ('-', a),
            (_, Some(b)) => ('+', b),
            (Some(a), None) => ('-', a),
            (None, None) => return edits,
        };
        i += usize::from(sign != '+');
        j += usize::from(sign != '-');
        edits.push(Edit { sign, line });
    }
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
