//! Evaluations, depths and times that programs for engine matches write into comments as plain
//! text.
//!
//! | comment | written by |
//! |---|---|
//! | `+0.35/22 1.52s`, `-M5/30 0.8s, White mates` | cutechess, fastchess |
//! | `-0.73/16, 0.391s`, `-M5/30, 0.8s, White mates` | fastchess of 2024 |
//! | `+0.35/22 15`, `(Nf3) -0.20/18 1:05` | XBoard, Arena and others |
//! | `+1.37 14/20 267 458718` | OpenBench: depth, milliseconds, nodes |
//! | `d=22, sd=30, mt=15000, tl=90000, wv=0.35, …` | TCEC |
//!
//! The score is that of the side that has just moved, except TCEC's `wv`, which is White's. After
//! `M` is the number of half-moves to the mate.

use super::scan::{digits, fraction, number, scan, time};
use super::strip::StrippedKinds;
use super::{Clock, ClockKind, Command, Eval, EvalValue, render_command};
use crate::Color;

/// Finds the values of a comment of this kind after a move of `mover`.
pub(super) fn scan_engine(comment: &[u8], mover: Color, sink: &mut impl FnMut(Command<'_>)) {
    let (_, text) = split_commands(comment);
    if let Some(parsed) = EngineComment::read(text, mover) {
        parsed.values.into_iter().flatten().for_each(sink);
    }
}

/// Removes the values of these kinds from a comment after a move of `mover`. The other values become
/// commands. `None` if there are none.
pub(super) fn without_engine_values(
    comment: &[u8],
    kinds: StrippedKinds,
    mover: Color,
) -> Option<Vec<u8>> {
    if !kinds.intersects(StrippedKinds::all() - StrippedKinds::SHAPES) {
        return None;
    }
    let (commands, mut text) = split_commands(comment);
    // A value of a command counts before one of a program, so it takes the place of that.
    let mut known_kinds = StrippedKinds::empty();
    scan(comment, None, &mut |command| {
        known_kinds |= StrippedKinds::of_command(&command)
    });
    let mut rest = commands.to_vec();
    let mut words: Vec<&[u8]> = Vec::new();
    // The remaining text may be such a comment again.
    while let Some(parsed) = EngineComment::read(text, mover) {
        let mut values = parsed.values.iter().flatten();
        if !values.any(|command| kinds.contains(StrippedKinds::of_command(command))) {
            break;
        }
        for command in parsed.values.iter().flatten() {
            let kind = StrippedKinds::of_command(command);
            if !(kinds | known_kinds).contains(kind) {
                push_blank(&mut rest);
                render_command(command, &mut rest);
            }
        }
        words.push(parsed.before);
        match parsed.after {
            EngineTail::Text(after) => text = after,
            EngineTail::Fields(fields) => {
                words.extend(other_tcec_fields(fields));
                text = b"";
            }
        }
    }
    if words.is_empty() {
        return None;
    }
    for words in [text].into_iter().chain(words) {
        if !words.is_empty() {
            push_blank(&mut rest);
            rest.extend_from_slice(words);
        }
    }
    Some(rest)
}

fn push_blank(text: &mut Vec<u8>) {
    if text.last().is_some_and(|byte| !byte.is_ascii_whitespace()) {
        text.push(b' ');
    }
}

/// Splits off the commands that remain text at the start of a comment.
fn split_commands(comment: &[u8]) -> (&[u8], &[u8]) {
    let comment = comment.trim_ascii();
    if !comment.starts_with(b"[%") {
        return (b"", comment);
    }
    let end = comment.iter().rposition(|byte| *byte == b']');
    let length = end.map_or(comment.len(), |end| end + 1);
    let (commands, text) = comment.split_at_checked(length).unwrap_or_default();
    (commands, text.trim_ascii())
}

/// An evaluation, a time spent and a time left.
type Values = [Option<Command<'static>>; 3];

/// The values of a comment, and the text around them.
struct EngineComment<'c> {
    values: Values,
    /// The expected answer, or the main line.
    before: &'c [u8],
    after: EngineTail<'c>,
}

enum EngineTail<'c> {
    /// What follows the values.
    Text(&'c [u8]),
    /// All fields of TCEC.
    Fields(&'c [u8]),
}

fn elapsed(milliseconds: u32) -> Command<'static> {
    let kind = ClockKind::Elapsed;
    Command::Clock(Clock { kind, milliseconds })
}

impl EngineComment<'_> {
    fn read(text: &[u8], mover: Color) -> Option<EngineComment<'_>> {
        match text.strip_prefix(b"d=") {
            Some(depth) => parse_tcec(text, depth),
            None => parse_move_comment(text, mover),
        }
    }
}

/// Splits off a word, which a blank or a comma ends. Returns it, whether a comma follows, and the
/// rest.
fn split_word(text: &[u8]) -> (&[u8], bool, &[u8]) {
    let text = text.trim_ascii_start();
    let is_end = |byte: &u8| byte.is_ascii_whitespace() || *byte == b',';
    let length = text.iter().position(is_end).unwrap_or(text.len());
    let (word, rest) = text.split_at_checked(length).unwrap_or_default();
    match rest.trim_ascii_start() {
        [b',', rest @ ..] => (word, true, rest.trim_ascii_start()),
        rest => (word, false, rest),
    }
}

/// Reads a score with a depth, and a time.
fn parse_move_comment(comment: &[u8], mover: Color) -> Option<EngineComment<'_>> {
    let (before, text) = match comment {
        [b'(', tail @ ..] => {
            let length = tail.iter().position(|byte| *byte == b')')?;
            // With both brackets.
            comment.split_at_checked(length + 2)?
        }
        text => (&b""[..], text),
    };
    let (first, has_comma, mut after) = split_word(text);
    let is_signed = matches!(first, [b'+' | b'-', ..]);
    let (value, rest) = score(first, mover)?;
    let (second, second_has_comma, after_second) = split_word(after);
    let (depth, time) = match rest {
        [b'/', rest @ ..] => {
            // Newer versions of fastchess write a comma before the time, others before words.
            let time = match span(second) {
                time @ Some((_, has_unit)) if has_unit || !has_comma => time,
                None if !has_comma && !second.is_empty() => return None,
                _ => None,
            };
            // Without a sign, `0.5/1` may be points of a match. A score of zero has none.
            let is_sure = is_signed
                || value == EvalValue::Centipawns(0)
                || time.is_some_and(|(_, has_unit)| has_unit);
            let depth = is_sure.then(|| depth(rest))??;
            if time.is_some() {
                after = after_second;
            }
            if time.is_some() && !second_has_comma || time.is_none() && !has_comma {
                after = without_numbers(after);
            }
            (depth, time.map(|(time, _)| time))
        }
        // OpenBench: `14/20 267 458718`.
        [] if !has_comma && second.contains(&b'/') => {
            let (third, _, rest) = split_word(after_second);
            let (fourth, _, rest) = split_word(rest);
            let milliseconds = number(third)?;
            number(fourth)?;
            after = rest;
            (depth(second)?, Some(milliseconds))
        }
        _ => return None,
    };
    let eval = Eval {
        value,
        depth: Some(depth),
    };
    Some(EngineComment {
        values: [Some(Command::Eval(eval)), time.map(elapsed), None],
        before,
        after: EngineTail::Text(after),
    })
}

/// Removes the numbers up to a comma, such as the number of nodes.
fn without_numbers(mut text: &[u8]) -> &[u8] {
    loop {
        let (word, has_comma, rest) = split_word(text);
        if number(word).is_none() {
            return text;
        }
        text = rest;
        if has_comma {
            return text;
        }
    }
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
    // Engines score for the side that moves, commands for White.
    let sign = if negative == (mover == Color::Black) { 1 } else { -1 };
    if let [b'M', rest @ ..] = rest {
        let (plies, rest) = digits(rest);
        let moves = i32::try_from(number(plies)?.div_ceil(2)).ok()?;
        return Some((EvalValue::Mate(sign * moves), rest));
    }
    let (whole, rest) = digits(rest);
    let [b'.', rest @ ..] = rest else { return None };
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
fn parse_tcec<'c>(comment: &'c [u8], depth: &[u8]) -> Option<EngineComment<'c>> {
    let (depth, _) = digits(depth);
    let depth = u16::try_from(number(depth)?).ok();
    let field = |name: &[u8]| {
        comment
            .split(|byte| *byte == b',')
            .find_map(|field| field.trim_ascii().strip_prefix(name))
    };
    // Milliseconds, or hours, minutes and seconds in games of the first seasons.
    let duration = |text: &[u8]| {
        if text.contains(&b':') { time(text) } else { number(text) }
    };
    let value = field(b"wv=").and_then(|text| match score(text, Color::White)? {
        (value @ EvalValue::Centipawns(_), []) => Some(value),
        // Not known whether these are moves or half-moves.
        _ => None,
    });
    let remaining = field(b"tl=").and_then(duration).map(|milliseconds| {
        let kind = ClockKind::Clock;
        Command::Clock(Clock { kind, milliseconds })
    });
    Some(EngineComment {
        values: [
            value.map(|value| Command::Eval(Eval { value, depth })),
            field(b"mt=").and_then(duration).map(elapsed),
            remaining,
        ],
        before: b"",
        after: EngineTail::Fields(comment),
    })
}

/// Returns TCEC's fields except times, evaluation and depth, each with its comma.
fn other_tcec_fields(fields: &[u8]) -> impl Iterator<Item = &[u8]> {
    let fields = fields.split_inclusive(|byte| *byte == b',');
    fields.map(|field| field.trim_ascii()).filter(|field| {
        let is_value = |name: &&[u8]| field.starts_with(name);
        let names: [&[u8]; 4] = [b"d=", b"mt=", b"tl=", b"wv="];
        !names.iter().any(is_value)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::render;

    /// Returns the values as the commands that mean the same.
    fn scanned(comment: &str, mover: Color) -> String {
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
            ("-0.73/16, 0.391s", "[%eval -0.73,16] [%emt 0:00:00.391]"),
            ("-0.73/16,0.391s", "[%eval -0.73,16] [%emt 0:00:00.391]"),
            ("+0.22/17 , 455ms", "[%eval 0.22,17] [%emt 0:00:00.455]"),
            (
                "+M1/9, 0.010s, White mates",
                "[%eval #1,9] [%emt 0:00:00.01]",
            ),
            ("+0.35/22, White mates", "[%eval 0.35,22]"),
            ("+0.35/22, 15", "[%eval 0.35,22]"),
            ("0.35/22, 1.5s", "[%eval 0.35,22] [%emt 0:00:01.5]"),
        ] {
            assert_eq!(scanned(comment, Color::White), white, "{comment}");
            // Black's score has the other sign.
            let black = match white.strip_prefix("[%eval ") {
                Some(rest) if rest.starts_with("0.00") => white.to_owned(),
                _ if white.contains("-") => white.replacen('-', "", 1),
                _ if white.contains('#') => white.replacen('#', "#-", 1),
                _ => white.replacen(' ', " -", 1),
            };
            assert_eq!(scanned(comment, Color::Black), black, "{comment}");
        }
        let tcec = "d=16, sd=51, mt=161000, tl=7049000, s=219832, pv=Nb3 Be7, wv=-1.08, R50=49,";
        for mover in Color::ALL {
            let values = "[%eval -1.08,16] [%emt 0:02:41] [%clk 1:57:29]";
            assert_eq!(scanned(tcec, mover), values);
            let old = "d=22, pd=Nf3, mt=00:00:15, tl=01:59:45, wv=0.20";
            let values = "[%eval 0.20,22] [%emt 0:00:15] [%clk 1:59:45]";
            assert_eq!(scanned(old, mover), values);
            assert_eq!(scanned("d=22, wv=M12, mt=5", mover), "[%emt 0:00:00.005]");
        }
    }

    #[test]
    fn values_are_removed_and_other_words_stay() {
        for (comment, without, without_evals) in [
            ("+0.35/22 1.52s", "", "[%emt 0:00:01.52]"),
            ("-0.73/16, 0.391s", "", "[%emt 0:00:00.391]"),
            (
                "-M1/9, 0.010s, White mates",
                "White mates",
                "[%emt 0:00:00.01] White mates",
            ),
            ("(Nf3) +0.35/22 15", "(Nf3)", "[%emt 0:00:15] (Nf3)"),
            ("+0.35/22 1.52s 123456", "", "[%emt 0:00:01.52]"),
            ("+1.37 14/20 267 458718", "", "[%emt 0:00:00.267]"),
            ("+0.35/22, book", "book", "book"),
            (
                "[%x] +0.35/22 1s, +0.20/3 2s, n=5",
                "[%x] n=5",
                "[%x] [%emt 0:00:01] [%emt 0:00:02] n=5",
            ),
            (
                "d=16, sd=51, mt=5, tl=7, s=2, pv=Nb3 Be7, wv=-1.08, R50=49,",
                "sd=51, s=2, pv=Nb3 Be7, R50=49,",
                "[%emt 0:00:00.005] [%clk 0:00:00.007] sd=51, s=2, pv=Nb3 Be7, R50=49,",
            ),
        ] {
            let removed = |kinds| {
                let rest = without_engine_values(comment.as_bytes(), kinds, Color::White).unwrap();
                String::from_utf8(rest).unwrap()
            };
            assert_eq!(removed(StrippedKinds::all()), without, "{comment}");
            assert_eq!(removed(StrippedKinds::EVALS), without_evals, "{comment}");
        }
        let good = without_engine_values(b"good", StrippedKinds::all(), Color::White);
        assert_eq!(good, None);
        let comment = b"+0.35/22 1.52s";
        assert_eq!(
            without_engine_values(comment, StrippedKinds::SHAPES, Color::White),
            None
        );
        let timeless = without_engine_values(comment, StrippedKinds::ELAPSED, Color::Black);
        assert_eq!(timeless.unwrap(), b"[%eval -0.35,22]");
        let left = |comment, kinds| without_engine_values(comment, kinds, Color::White);
        assert_eq!(left(comment, StrippedKinds::CLOCK), None);
        // The command has the evaluation that counts.
        let both = b"+0.35/22 1.52s [%eval 0.40]";
        let rest = left(both, StrippedKinds::ELAPSED).unwrap();
        assert_eq!(rest, b"[%eval 0.40]");
    }

    #[test]
    fn other_comments_are_not_engine_output() {
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
            assert_eq!(scanned(comment, Color::White), "", "{comment}");
        }
    }
}
