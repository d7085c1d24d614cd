//! Evaluations, depths and times that programs for engine matches write into comments as plain
//! text.
//!
//! | comment | written by |
//! |---|---|
//! | `+0.35/22 1.52s`, `-M5/30 0.8s, White mates` | cutechess, fastchess |
//! | `+0.35/22 15`, `(Nf3) -0.20/18 1:05` | XBoard, Arena and others |
//! | `+1.37 14/20 267 458718` | OpenBench: depth, milliseconds, nodes |
//! | `d=22, sd=30, mt=15000, tl=90000, wv=0.35, …` | TCEC |
//!
//! The score is that of the side that has just moved, except TCEC's `wv`, which is White's. After
//! `M` is the number of half-moves to the mate.

use super::scan::{digits, fraction, number, time};
use super::{Clock, ClockKind, Command, Eval, EvalValue};
use crate::Color;

/// Finds the values of a comment of this kind after a move of `mover`.
pub(super) fn scan_engine(comment: &[u8], mover: Color, sink: &mut impl FnMut(Command<'_>)) {
    let mut comment = comment.trim_ascii();
    // Commands that remain text may come first.
    if comment.starts_with(b"[%") {
        let end = comment.iter().rposition(|byte| *byte == b']');
        let rest = end.and_then(|end| comment.get(end + 1..));
        comment = rest.unwrap_or_default().trim_ascii();
    }
    if let Some(found) = of_tcec(comment).or_else(|| of_move(comment, mover)) {
        found.into_iter().flatten().for_each(sink);
    }
}

/// An evaluation, a time spent and a time left.
type Values = [Option<Command<'static>>; 3];

fn elapsed(milliseconds: u32) -> Command<'static> {
    let kind = ClockKind::Elapsed;
    Command::Clock(Clock { kind, milliseconds })
}

/// Reads a score with a depth, and a time.
fn of_move(comment: &[u8], mover: Color) -> Option<Values> {
    let text = match comment {
        // The expected answer, or the main line.
        [b'(', tail @ ..] => {
            let length = tail.iter().position(|byte| *byte == b')')?;
            tail.get(length + 1..)?.trim_ascii_start()
        }
        text => text,
    };
    // What follows a comma or a second blank is something else: the result, nodes.
    let end = text.iter().position(|byte| *byte == b',');
    let text = text.get(..end.unwrap_or(text.len()))?;
    let mut words = text
        .split(u8::is_ascii_whitespace)
        .filter(|word| !word.is_empty());
    let (first, second) = (words.next()?, words.next());
    let is_signed = matches!(first, [b'+' | b'-', ..]);
    let (value, rest) = score(first, mover)?;
    let (depth, time) = match (rest, second) {
        ([b'/', rest @ ..], second) => {
            let time = match second {
                Some(word) => Some(span(word)?),
                None => None,
            };
            // Without a sign, `0.5/1` may be points of a match. A score of zero has none.
            let is_sure = is_signed || value == EvalValue::Centipawns(0) || time?.1;
            (is_sure.then(|| depth(rest))??, time.map(|(time, _)| time))
        }
        // OpenBench: `14/20 267 458718`.
        ([], Some(second)) if second.contains(&b'/') => {
            let milliseconds = number(words.next()?)?;
            number(words.next()?)?;
            (depth(second)?, Some(milliseconds))
        }
        _ => return None,
    };
    let eval = Eval {
        value,
        depth: Some(depth),
    };
    Some([Some(Command::Eval(eval)), time.map(elapsed), None])
}

/// Reads a time in seconds or with colons, and returns it in milliseconds and whether it has a unit.
fn span(word: &[u8]) -> Option<(u32, bool)> {
    if let Some(milliseconds) = word.strip_suffix(b"ms") {
        return Some((number(milliseconds)?, true));
    }
    match word.strip_suffix(b"s") {
        Some(seconds) => Some((time(seconds)?, true)),
        None => Some((time(word)?, false)),
    }
}

/// Reads a score with two decimals, or a mate in half-moves, from the mover's side; returns it from
/// White's, and the rest of the word.
fn score(word: &[u8], mover: Color) -> Option<(EvalValue, &[u8])> {
    let (negative, rest) = match word {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        rest => (false, rest),
    };
    let sign = if negative == (mover == Color::Black) {
        1
    } else {
        -1
    };
    if let [b'M', rest @ ..] = rest {
        let (plies, rest) = digits(rest);
        let moves = i32::try_from(number(plies)?.div_ceil(2)).ok()?;
        return Some((EvalValue::Mate(sign * moves), rest));
    }
    let (whole, rest) = digits(rest);
    let [b'.', rest @ ..] = rest else {
        return None;
    };
    let (decimals, rest) = digits(rest);
    if decimals.len() != 2 {
        return None;
    }
    let whole = i32::try_from(number(whole)?).ok()?.checked_mul(100)?;
    let hundredths = i32::try_from(fraction(decimals, 2)).ok()?;
    let value = whole.checked_add(hundredths)?;
    Some((EvalValue::Centipawns(sign * value), rest))
}

/// Reads a depth, which a selective depth may follow.
fn depth(text: &[u8]) -> Option<u16> {
    let (depth, rest) = digits(text);
    match rest {
        [] => {}
        [b'/', rest @ ..] => {
            number(rest)?;
        }
        _ => return None,
    }
    u16::try_from(number(depth)?).ok()
}

/// Reads the fields of TCEC, which begin with the depth.
fn of_tcec(comment: &[u8]) -> Option<Values> {
    let depth = comment.strip_prefix(b"d=")?;
    let (depth, _) = digits(depth);
    let depth = u16::try_from(number(depth)?).ok();
    let field = |name: &[u8]| {
        let mut fields = comment.split(|byte| *byte == b',');
        fields.find_map(|field| field.trim_ascii().strip_prefix(name))
    };
    // Milliseconds, or hours, minutes and seconds in games of the first seasons.
    let duration = |text: &[u8]| match text.contains(&b':') {
        true => time(text),
        false => number(text),
    };
    let value = field(b"wv=").and_then(|text| match score(text, Color::White)? {
        (value @ EvalValue::Centipawns(_), []) => Some(value),
        // Not known whether these are moves or half-moves.
        _ => None,
    });
    let left = field(b"tl=").and_then(duration).map(|milliseconds| {
        let kind = ClockKind::Clock;
        Command::Clock(Clock { kind, milliseconds })
    });
    Some([
        value.map(|value| Command::Eval(Eval { value, depth })),
        field(b"mt=").and_then(duration).map(elapsed),
        left,
    ])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::render;

    /// Returns the values as the commands that mean the same.
    fn found(comment: &str, mover: Color) -> String {
        let mut all = Vec::new();
        scan_engine(comment.as_bytes(), mover, &mut |command| {
            let mut text = Vec::new();
            render([command], b"", &mut text);
            all.push(String::from_utf8(text).unwrap());
        });
        all.join(" ")
    }

    #[test]
    fn comments_of_engine_matches() {
        for (comment, white) in [
            ("+0.35/22 1.52s", "[%eval 0.35,22] [%emt 0:00:01.52]"),
            ("-0.35/22 1.5s", "[%eval -0.35,22] [%emt 0:00:01.5]"),
            ("0.00/31 48s", "[%eval 0.00,31] [%emt 0:00:48]"),
            ("0.35/22 1.52s", "[%eval 0.35,22] [%emt 0:00:01.52]"),
            ("+0.20/15 0.073s", "[%eval 0.20,15] [%emt 0:00:00.073]"),
            ("+12.05/9 137s", "[%eval 12.05,9] [%emt 0:02:17]"),
            ("+M5/30 0.8s", "[%eval #3,30] [%emt 0:00:00.8]"),
            ("-M22/31 0.60s", "[%eval #-11,31] [%emt 0:00:00.6]"),
            (
                "+M1/245 0.010s, White mates",
                "[%eval #1,245] [%emt 0:00:00.01]",
            ),
            (
                "-1.00/9 1s, Draw by 3-fold repetition",
                "[%eval -1.00,9] [%emt 0:00:01]",
            ),
            (
                "+0.31/12 0.302s, n=1234, sd=17",
                "[%eval 0.31,12] [%emt 0:00:00.302]",
            ),
            ("+0.35/22", "[%eval 0.35,22]"),
            ("0.00/22", "[%eval 0.00,22]"),
            ("+0.35/22/30 1.5s", "[%eval 0.35,22] [%emt 0:00:01.5]"),
            ("+0.35/22 15", "[%eval 0.35,22] [%emt 0:00:15]"),
            ("+0.35/22 1:05", "[%eval 0.35,22] [%emt 0:01:05]"),
            ("(Nf3) +0.35/22 15", "[%eval 0.35,22] [%emt 0:00:15]"),
            (
                "(e7e5 g1f3) -0.35/22 15s",
                "[%eval -0.35,22] [%emt 0:00:15]",
            ),
            (" +0.35/22  1.52s ", "[%eval 0.35,22] [%emt 0:00:01.52]"),
            ("+0.35/22 1520ms", "[%eval 0.35,22] [%emt 0:00:01.52]"),
            (
                "[%clk 1:23][%x] +0.35/22 1.52s",
                "[%eval 0.35,22] [%emt 0:00:01.52]",
            ),
            ("+0.35/22\n1.52s", "[%eval 0.35,22] [%emt 0:00:01.52]"),
            ("+0.35/22 1.52s 123456", "[%eval 0.35,22] [%emt 0:00:01.52]"),
            (
                "+1.37 14/20 267 458718",
                "[%eval 1.37,14] [%emt 0:00:00.267]",
            ),
            ("-M4 14/0 67 4587", "[%eval #-2,14] [%emt 0:00:00.067]"),
        ] {
            assert_eq!(found(comment, Color::White), white, "{comment}");
            // Black's score has the other sign.
            let black = match white.strip_prefix("[%eval ") {
                Some(rest) if rest.starts_with("0.00") => white.to_owned(),
                _ if white.contains("-") => white.replacen('-', "", 1),
                _ if white.contains('#') => white.replacen('#', "#-", 1),
                _ => white.replacen(' ', " -", 1),
            };
            assert_eq!(found(comment, Color::Black), black, "{comment}");
        }
        let tcec = "d=16, sd=51, mt=161000, tl=7049000, s=219832, pv=Nb3 Be7, wv=-1.08, R50=49,";
        for mover in Color::ALL {
            let values = "[%eval -1.08,16] [%emt 0:02:41] [%clk 1:57:29]";
            assert_eq!(found(tcec, mover), values);
            let old = "d=22, pd=Nf3, mt=00:00:15, tl=01:59:45, wv=0.20";
            let values = "[%eval 0.20,22] [%emt 0:00:15] [%clk 1:59:45]";
            assert_eq!(found(old, mover), values);
            assert_eq!(found("d=22, wv=M12, mt=5", mover), "[%emt 0:00:00.005]");
        }
    }

    #[test]
    fn other_comments() {
        for comment in [
            "",
            "book",
            "a +0.35/22 1.52s",
            "+0.35",
            "+0.35 1.52s",
            "0.50/1",
            "0.35/22 15",
            "+0.5/22 1s",
            "+1/2 1s",
            "1/2-1/2",
            "+0.35/x 1.52s",
            "+0.35/22 soon",
            "[%clk 1:23",
            "[%clk 1:23]",
            "+0.35/22 ms",
            "+0.35/22 s",
            "+0.35/22x",
            "+0.35/ 1s",
            "+M/3 1s",
            "+.35/22 1s",
            "(+0.35/22 1.52s",
            "(x)",
            "+99999999999.00/22 1s",
            "+0.35/99999 1s",
            "+M4294967296/1 1s",
            "+0.35/22 99999999999s",
            "+1.37 14/20 267",
            "+1.37 14/20 a b",
            "+1.37 14 267 3",
            "d=",
            "d=x, mt=5",
            "d=5, mt=x, tl=, wv=",
            "2.50/3 points, 1s",
        ] {
            assert_eq!(found(comment, Color::White), "", "{comment}");
        }
    }
}
