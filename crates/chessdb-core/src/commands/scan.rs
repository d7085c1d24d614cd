//! Values of commands that remain text because writing them would not give back the same bytes.

use super::{Clock, ClockKind, Command, Eval, EvalValue};

/// Finds the times and evaluations anywhere in the text of a comment, in the spellings that
/// programs use: `[%eval 0.0]`, `[%eval +0.5,20]`, `[%eval 12]`, `[%clk 1:23]`, `[%emt 5]`, `[%clk
/// 00:03:00]`. A command that cannot be read does not hide the next one.
///
/// This is for callers that display values: on the tape such a command is text
/// (docs/decisions/0009).
///
/// ```
/// use chessdb_core::commands::{Clock, ClockKind, Command, scan};
///
/// let mut found = Vec::new();
/// scan(b"[%eval 0.0] [%clk 00:03:00] good", &mut |command| found.push(format!("{command:?}")));
/// assert_eq!(found.len(), 2);
/// ```
pub fn scan(comment: &[u8], sink: &mut impl FnMut(Command<'_>)) {
    let mut rest = comment;
    while let Some(at) = rest.windows(2).position(|pair| pair == b"[%") {
        rest = rest.get(at + 2..).unwrap_or_default();
        let length = rest.iter().take_while(|byte| !b"[]".contains(byte)).count();
        let (inner, tail) = rest.split_at_checked(length).unwrap_or_default();
        rest = tail;
        if tail.first() != Some(&b']') {
            continue;
        }
        let word = inner.iter().take_while(|b| b.is_ascii_alphabetic()).count();
        let (word, value) = inner.split_at_checked(word).unwrap_or_default();
        let value = value.trim_ascii();
        let time = |kind| {
            let milliseconds = time(value)?;
            Some(Command::Clock(Clock { kind, milliseconds }))
        };
        let found = if word.eq_ignore_ascii_case(b"clk") {
            time(ClockKind::Clock)
        } else if word.eq_ignore_ascii_case(b"emt") {
            time(ClockKind::Elapsed)
        } else if word.eq_ignore_ascii_case(b"eval") {
            eval(value).map(Command::Eval)
        } else {
            None
        };
        if let Some(command) = found {
            sink(command);
        }
    }
}

/// Splits off the digits at the start of a text.
fn digits(text: &[u8]) -> (&[u8], &[u8]) {
    let length = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    text.split_at_checked(length).unwrap_or_default()
}

fn number(digits: &[u8]) -> Option<u32> {
    let first = digits.first()?;
    let mut others = digits.iter().skip(1);
    others.try_fold(u32::from(first - b'0'), |sum, digit| {
        sum.checked_mul(10)?.checked_add(u32::from(digit - b'0'))
    })
}

/// Returns the first `places` digits of a fraction as a number: 500 for `5` and three places.
fn fraction(digits: &[u8], places: usize) -> u32 {
    let digit = |at: usize| digits.get(at).map_or(0, |digit| u32::from(digit - b'0'));
    (0..places).fold(0, |sum, at| sum * 10 + digit(at))
}

/// Returns the milliseconds of `h:m:s`, `m:s` or `s`, each with an optional fraction of a second.
fn time(text: &[u8]) -> Option<u32> {
    let mut seconds = 0_u32;
    let mut rest = text;
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
    let (mut negative, mut at) = sign(text);
    let is_mate = text.get(at) == Some(&b'#');
    if is_mate {
        let (after, length) = sign(text.get(at + 1..)?);
        negative |= after;
        at += 1 + length;
    }
    let (whole, mut rest) = digits(text.get(at..)?);
    let mut value = i64::from(number(match whole {
        [] if !is_mate && rest.first() == Some(&b'.') => &b"0"[..],
        whole => whole,
    })?);
    if !is_mate {
        let mut hundredths = 0;
        if let [b'.', tail @ ..] = rest {
            let (decimals, tail) = digits(tail);
            hundredths = (fraction(decimals, 3) + 5) / 10;
            rest = tail;
        }
        value = value * 100 + i64::from(hundredths);
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
        value: match is_mate {
            true => EvalValue::Mate(value),
            false => EvalValue::Centipawns(value),
        },
        depth,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(comment: &str) -> Vec<String> {
        let mut found = Vec::new();
        scan(comment.as_bytes(), &mut |command| {
            found.push(match command {
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
        found
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
            assert_eq!(found(text), [value], "{text}");
            assert_eq!(found(&format!("so {text} so")), [value], "{text}");
            for hidden in [
                "[%eval ?]",
                "[%clk",
                "[%x [y]",
                "[%clk 1:2:3:4]",
                "[%eval 1.2.3]",
            ] {
                assert_eq!(
                    found(&format!("{hidden} {text}")),
                    [value],
                    "{hidden} {text}"
                );
                assert_eq!(
                    found(&format!("{text}{hidden}")),
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
            assert_eq!(found(text), [""; 0], "{text}");
        }
    }
}
