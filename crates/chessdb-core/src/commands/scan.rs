//! Values of commands that remain text because writing them would not give back the same bytes.

use super::engine::scan_engine;
use super::{Clock, ClockKind, Command, Eval, EvalValue, MAX_SHAPES, Shape, ShapeColor};
use crate::{Color, Square};

/// Finds the times, evaluations and shapes anywhere in the text of a comment, in the spellings that
/// programs use: `[%eval 0.0]`, `[%eval +0.5,20]`, `[%eval 12]`, ChessBase's `[%eval 17,13]`
/// (hundredths and depth), `[%clk 1:23]`, `[%emt 5]`, `[%clk 00:03:00]`, `[%csl Gd4, Ra1]`. A
/// command that cannot be read does not hide the next one.
///
/// After a move of `mover`, the whole comment may also be that of a program for engine matches:
/// `+0.35/22 1.52s`, `(Nf3) -M5/30 0.8s, White mates`. Its score is the mover's and its `M` counts
/// half-moves; the sink gets White's score and full moves, as in a command. TCEC's fields
/// (`d=22, mt=15000, wv=0.35, …`) have White's score. Their values come last.
///
/// This is for callers that display values: on the tape such a command is text
/// (docs/decisions/0009). [`MoveValues`](crate::annotation::MoveValues) finds the values of each
/// move of a game.
///
/// ```
/// use chessdb_core::Color;
/// use chessdb_core::commands::{Command, Eval, EvalValue, scan};
///
/// let mut found = Vec::new();
/// let comment = b"[%eval 0.0] [%clk 00:03:00] good";
/// scan(comment, None, &mut |command| found.push(format!("{command:?}")));
/// assert_eq!(found.len(), 2);
///
/// scan(b"+0.35/22 1.52s", Some(Color::Black), &mut |command| {
///     if let Command::Eval(Eval { value, .. }) = command {
///         assert_eq!(value, EvalValue::Centipawns(-35));
///     }
/// });
/// ```
pub fn scan(comment: &[u8], mover: Option<Color>, sink: &mut impl FnMut(Command<'_>)) {
    let mut rest = comment;
    while let Some(start) = rest.windows(2).position(|pair| pair == b"[%") {
        rest = rest.get(start + 2..).unwrap_or_default();
        // A bracket within a command shows that its end is missing.
        let length = rest.iter().take_while(|byte| !b"[]".contains(byte)).count();
        let (inner, tail) = rest.split_at_checked(length).unwrap_or_default();
        rest = tail;
        if tail.first() == Some(&b']') {
            read_command(inner, sink);
        }
    }
    if let Some(mover) = mover {
        scan_engine(comment, mover, sink);
    }
}

/// Splits the text between `[%` and `]` into the word of the command and its value.
pub(super) fn word_and_value(inner: &[u8]) -> (&[u8], &[u8]) {
    let word = inner.iter().take_while(|b| b.is_ascii_alphabetic()).count();
    let (word, value) = inner.split_at_checked(word).unwrap_or_default();
    (word, value.trim_ascii())
}

/// Reads the text between `[%` and `]`. Returns whether it is a command that was passed to `sink`.
pub(super) fn read_command(inner: &[u8], sink: &mut impl FnMut(Command<'_>)) -> bool {
    let (word, value) = word_and_value(inner);
    let is = |name: &[u8]| word.eq_ignore_ascii_case(name);
    let time = |kind| {
        let milliseconds = time(value.strip_suffix(b"s").unwrap_or(value))?;
        Some(Command::Clock(Clock { kind, milliseconds }))
    };
    let command = if is(b"clk") {
        time(ClockKind::Clock)
    } else if is(b"emt") {
        time(ClockKind::Elapsed)
    } else if is(b"eval") {
        eval(value).map(Command::Eval)
    } else if is(b"wd") {
        win_draw(value).map(Command::Eval)
    } else if is(b"csl") || is(b"cal") {
        return shapes(value, sink);
    } else {
        None
    };
    command.map(sink).is_some()
}

/// Reads shapes such as `Gd4` or `Re2e4`, separated by commas. Ignores what is none.
fn shapes(text: &[u8], sink: &mut impl FnMut(Command<'_>)) -> bool {
    let mut shapes = Vec::new();
    for word in text.split(|byte| *byte == b',').take(MAX_SHAPES) {
        let [color, squares @ ..] = word.trim_ascii() else {
            continue;
        };
        let (from, to) = squares.split_at_checked(2).unwrap_or_default();
        let color = ShapeColor::from_letter(color.to_ascii_uppercase());
        let (Some(color), Some(from)) = (color, Square::from_ascii(from)) else {
            continue;
        };
        let to = Square::from_ascii(to);
        // An arrow with an unreadable target must not become a coloured square.
        if to.is_some() || squares.len() == 2 {
            shapes.push(Shape { color, from, to });
        }
    }
    if !shapes.is_empty() {
        sink(Command::Shapes(&shapes));
    }
    !shapes.is_empty()
}

/// Reads shares of wins and draws, and an optional depth.
fn win_draw(text: &[u8]) -> Option<Eval> {
    let mut numbers = text.split(|byte| *byte == b',').map(|word| {
        let number = number(word.trim_ascii())?;
        u16::try_from(number).ok()
    });
    let (win, draw) = (numbers.next()??, numbers.next()??);
    let depth = match numbers.next() {
        Some(depth) => Some(depth?),
        None => None,
    };
    let value = EvalValue::WinDraw { win, draw };
    numbers.next().is_none().then_some(Eval { value, depth })
}

/// Splits off the digits at the start of a text.
pub(super) fn digits(text: &[u8]) -> (&[u8], &[u8]) {
    let length = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    text.split_at_checked(length).unwrap_or_default()
}

/// Returns the number that consists of these digits; `None` for any other text.
pub(super) fn number(text: &[u8]) -> Option<u32> {
    let digit = |byte: &u8| byte.is_ascii_digit().then(|| u32::from(byte - b'0'));
    let first = digit(text.first()?)?;
    text.iter().skip(1).try_fold(first, |sum, byte| {
        sum.checked_mul(10)?.checked_add(digit(byte)?)
    })
}

/// Returns the first `places` digits of a fraction as a number: 500 for `5` and three places.
pub(super) fn fraction(digits: &[u8], places: usize) -> u32 {
    // Missing digits count as zeros.
    let digit = |index: usize| digits.get(index).map_or(0, |digit| u32::from(digit - b'0'));
    (0..places).fold(0, |sum, index| sum * 10 + digit(index))
}

/// Returns the milliseconds of `h:m:s`, `m:s` or `s`, each with an optional fraction of a second.
pub(super) fn time(text: &[u8]) -> Option<u32> {
    let mut seconds = 0_u32;
    let mut rest = text;
    // Hours, minutes and seconds, from the right.
    for _ in 0..3 {
        let (value, tail) = digits(rest);
        seconds = seconds.checked_mul(60)?.checked_add(number(value)?)?;
        match tail {
            [b':', tail @ ..] => rest = tail,
            [] => return seconds.checked_mul(1000),
            [b'.' | b',', tail @ ..] => {
                let (parts, tail) = digits(tail);
                let milliseconds = seconds.checked_mul(1000)?;
                return milliseconds
                    .checked_add(fraction(parts, 3))
                    .filter(|_| tail.is_empty());
            }
            _ => return None,
        }
    }
    None
}

/// Parses pawns with any number of decimals, or the number of moves to a mate, then an optional
/// depth.
fn eval(text: &[u8]) -> Option<Eval> {
    let sign = |text: &'_ [u8]| match text {
        [b'-', ..] => (true, 1),
        [b'+', ..] => (false, 1),
        _ => (false, 0),
    };
    let (mut negative, mut used) = sign(text);
    let is_mate = matches!(text.get(used), Some(b'#' | b'M'));
    if is_mate {
        // The sign may also follow the sign of mate.
        let (after, length) = sign(text.get(used + 1..)?);
        negative |= after;
        used += 1 + length;
    }
    let (whole, mut rest) = digits(text.get(used..)?);
    let mut value = i64::from(number(match whole {
        [] if !is_mate && rest.first() == Some(&b'.') => &b"0"[..],
        whole => whole,
    })?);
    if !is_mate {
        let mut hundredths = 0;
        let has_point = rest.first() == Some(&b'.');
        if let [b'.', tail @ ..] = rest {
            let (decimals, tail) = digits(tail);
            // Of three decimals, the last one is rounded.
            hundredths = (fraction(decimals, 3) + 5) / 10;
            rest = tail;
        }
        // ChessBase writes hundredths before a depth, without a point: `[%eval 17,13]`.
        let is_hundredths = !has_point && rest.first() == Some(&b',');
        if !is_hundredths {
            value = value * 100 + i64::from(hundredths);
        }
    }
    let value = i32::try_from(if negative { -value } else { value }).ok()?;
    let depth = match rest.trim_ascii_start() {
        [] => None,
        [b',' | b'/', tail @ ..] => {
            let (depth, tail) = digits(tail.trim_ascii());
            let depth = u16::try_from(number(depth)?).ok()?;
            Some(depth).filter(|_| tail.is_empty())
        }
        _ => return None,
    };
    Some(Eval {
        value: if is_mate { EvalValue::Mate(value) } else { EvalValue::Centipawns(value) },
        depth,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scanned(comment: &str) -> Vec<String> {
        let mut values = Vec::new();
        scan(comment.as_bytes(), Some(Color::White), &mut |command| {
            values.push(match command {
                Command::Clock(Clock { kind, milliseconds }) => match kind {
                    ClockKind::Clock => format!("clk {milliseconds}"),
                    ClockKind::Elapsed => format!("emt {milliseconds}"),
                },
                Command::Eval(Eval { value, depth }) => {
                    let depth = depth.map_or(String::new(), |depth| format!(" d{depth}"));
                    match value {
                        EvalValue::Mate(moves) => format!("mate {moves}{depth}"),
                        EvalValue::Centipawns(points) => format!("cp {points}{depth}"),
                        EvalValue::WinDraw { .. } => unreachable!(),
                    }
                }
                other => format!("{other:?}"),
            });
        });
        values
    }

    #[test]
    fn values_in_all_spellings() {
        for (text, value) in [
            ("[%eval 0.0]", "cp 0"),
            ("[%eval -0.4]", "cp -40"),
            ("[%eval 12]", "cp 1200"),
            ("[%eval #-3]", "mate -3"),
            ("[%eval -#3]", "mate -3"),
            ("[%eval #+3]", "mate 3"),
            ("[%eval +0.5]", "cp 50"),
            ("[%eval .5]", "cp 50"),
            ("[%eval 0.35,20]", "cp 35 d20"),
            ("[%eval 0.35/20]", "cp 35 d20"),
            ("[%eval -0.00]", "cp 0"),
            ("[%eval 0.349]", "cp 35"),
            ("[%eval  1.5 ]", "cp 150"),
            ("[%eval 17,13]", "cp 17 d13"),
            ("[%eval -327,0]", "cp -327 d0"),
            ("[%eval -17.5,13]", "cp -1750 d13"),
            ("[%eval M5]", "mate 5"),
            ("[%eval -M5,9]", "mate -5 d9"),
            ("[%emt 1.2]", "emt 1200"),
            ("[%emt 1.2s]", "emt 1200"),
            ("[%clk 1:2:3]", "clk 3723000"),
            ("[%clk 0:03:00.5]", "clk 180500"),
            ("[%EVAL 1.5]", "cp 150"),
            ("[%clk 0:00:01.5]", "clk 1500"),
            ("[%clk 0:00:01.50]", "clk 1500"),
            ("[%clk 0:00:01.2345]", "clk 1234"),
            ("[%clk 1:23]", "clk 83000"),
            ("[%clk 00:03:00]", "clk 180000"),
            ("[%clk 1:00:00]", "clk 3600000"),
            ("[%emt 5]", "emt 5000"),
            ("[%emt 0:00:07]", "emt 7000"),
        ] {
            assert_eq!(scanned(text), [value], "{text}");
            assert_eq!(scanned(&format!("so {text} so")), [value], "{text}");
            for hidden in [
                "[%eval ?]",
                "[%clk",
                "[%x [y]",
                "[%clk 1:2:3:4]",
                "[%eval 1.2.3]",
            ] {
                assert_eq!(
                    scanned(&format!("{hidden} {text}")),
                    [value],
                    "{hidden} {text}"
                );
                assert_eq!(
                    scanned(&format!("{text}{hidden}")),
                    [value],
                    "{text} {hidden}"
                );
            }
        }
        for text in [
            "",
            "[%",
            "[%]",
            "[%clk]",
            "[%clk ]",
            "[%clk -1]",
            "[%clk 1:]",
            "[%clk 99999999:00:00]",
            "[%eval]",
            "[%eval #]",
            "[%eval x]",
            "[%eval 99999999999]",
            "[%evaluation 1]",
        ] {
            assert_eq!(scanned(text), [""; 0], "{text}");
        }
    }
}
