//! Parser of commands at the start of a comment; the inverse of [`super::render`].

use super::{
    Clock, ClockKind, Command, EXTRA_WORDS, Eval, EvalValue, MAX_SHAPES, Shape, ShapeColor,
};
use crate::Square;

/// Parses the commands at the start of a comment and returns the offset of the remaining text.
///
/// Bytes are taken only if [`render`](super::render), given the commands and the remaining text,
/// returns the comment exactly. Commands are separated by one space, and so is the text; further
/// spaces belong to the text. The first command that does not fit, and everything after it, is
/// text. If the whole comment consists of commands, the length of the comment is returned.
pub fn parse_leading(comment: &[u8], sink: &mut impl FnMut(Command<'_>)) -> usize {
    let mut rest = comment;
    let mut taken = 0;
    while rest.starts_with(b"[%") {
        let Some((word, arguments)) = command_word(rest) else {
            break;
        };
        let after = match word {
            Word::Clk => time(arguments, ClockKind::Clock, sink),
            Word::Emt => time(arguments, ClockKind::Elapsed, sink),
            Word::Eval => eval(arguments, sink),
            Word::Wd => win_draw(arguments, sink),
            Word::Csl => shapes(arguments, false, sink),
            Word::Cal => shapes(arguments, true, sink),
            Word::Extra(format) => extra(arguments, format, sink),
        };
        let Some(after) = after else { break };
        rest = after;
        taken = comment.len() - rest.len();
    }
    taken
}

enum Word {
    Clk,
    Emt,
    Eval,
    Wd,
    Csl,
    Cal,
    Extra(&'static str),
}

/// Splits off the word of a command and the space after it; returns the word and the rest.
fn command_word(bytes: &[u8]) -> Option<(Word, &[u8])> {
    Some(match bytes {
        [b'[', b'%', b'c', b'l', b'k', b' ', rest @ ..] => (Word::Clk, rest),
        [b'[', b'%', b'e', b'm', b't', b' ', rest @ ..] => (Word::Emt, rest),
        [b'[', b'%', b'e', b'v', b'a', b'l', b' ', rest @ ..] => (Word::Eval, rest),
        [b'[', b'%', b'w', b'd', b' ', rest @ ..] => (Word::Wd, rest),
        [b'[', b'%', b'c', b's', b'l', b' ', rest @ ..] => (Word::Csl, rest),
        [b'[', b'%', b'c', b'a', b'l', b' ', rest @ ..] => (Word::Cal, rest),
        _ => {
            let bytes = bytes.strip_prefix(b"[%")?;
            let arguments = |word: &str| bytes.strip_prefix(word.as_bytes())?.strip_prefix(b" ");
            EXTRA_WORDS
                .into_iter()
                .find_map(|word| Some((Word::Extra(word), arguments(word)?)))?
        }
    })
}

/// Reads `]` and the one space after it. Returns `None` if the rest would be rendered differently.
fn end_of_command(bytes: &[u8]) -> Option<&[u8]> {
    match bytes {
        b"]" => Some(&[]),
        // The renderer writes a blank only between a command and something else.
        [b']', b' ', rest @ ..] if !rest.is_empty() => Some(rest),
        _ => None,
    }
}

fn time<'b>(
    bytes: &'b [u8],
    kind: ClockKind,
    sink: &mut impl FnMut(Command<'_>),
) -> Option<&'b [u8]> {
    let (hours, rest) = number(bytes)?;
    let (minutes, rest) = sixtieth(rest)?;
    let (seconds, mut rest) = sixtieth(rest)?;
    let mut fraction = 0;
    if let [b'.', digits @ ..] = rest {
        let length = digits.iter().take_while(|b| b.is_ascii_digit()).count();
        let (digits, tail) = digits.split_at_checked(length)?;
        // The renderer writes at most three digits, without zeros at the end.
        if digits.len() > 3 || matches!(digits.last(), None | Some(b'0')) {
            return None;
        }
        let mut unit = 100;
        for digit in digits {
            fraction += u32::from(digit - b'0') * unit;
            unit /= 10;
        }
        rest = tail;
    }
    let rest = end_of_command(rest)?;
    // Minutes and seconds are below 60: only the hours can overflow.
    let milliseconds = hours
        .checked_mul(3_600_000)?
        .checked_add(minutes * 60_000 + seconds * 1000 + fraction)?;
    sink(Command::Clock(Clock { kind, milliseconds }));
    Some(rest)
}

fn eval<'b>(bytes: &'b [u8], sink: &mut impl FnMut(Command<'_>)) -> Option<&'b [u8]> {
    let (value, rest) = match bytes {
        [b'#', rest @ ..] => {
            let (negative, rest) = sign(rest);
            let (moves, rest) = number(rest)?;
            (EvalValue::Mate(signed(moves, negative)?), rest)
        }
        _ => {
            let (negative, rest) = sign(bytes);
            let (pawns, rest) = number(rest)?;
            let [b'.', rest @ ..] = rest else { return None };
            let (hundredths, rest) = two_digits(rest)?;
            let value = pawns.checked_mul(100)?.checked_add(hundredths)?;
            (EvalValue::Centipawns(signed(value, negative)?), rest)
        }
    };
    depth_and_end(value, rest, sink)
}

fn win_draw<'b>(bytes: &'b [u8], sink: &mut impl FnMut(Command<'_>)) -> Option<&'b [u8]> {
    let (win, rest) = number(bytes)?;
    let [b',', rest @ ..] = rest else { return None };
    let (draw, rest) = number(rest)?;
    let value = EvalValue::WinDraw {
        win: u16::try_from(win).ok()?,
        draw: u16::try_from(draw).ok()?,
    };
    depth_and_end(value, rest, sink)
}

fn depth_and_end<'b>(
    value: EvalValue,
    bytes: &'b [u8],
    sink: &mut impl FnMut(Command<'_>),
) -> Option<&'b [u8]> {
    let (depth, rest) = match bytes {
        [b',', rest @ ..] => {
            let (depth, rest) = number(rest)?;
            (Some(u16::try_from(depth).ok()?), rest)
        }
        _ => (None, bytes),
    };
    let rest = end_of_command(rest)?;
    sink(Command::Eval(Eval { value, depth }));
    Some(rest)
}

fn shapes<'b>(
    bytes: &'b [u8],
    arrows: bool,
    sink: &mut impl FnMut(Command<'_>),
) -> Option<&'b [u8]> {
    let mut list = [Shape {
        color: ShapeColor::GREEN,
        from: Square::new_masked(0),
        to: None,
    }; MAX_SHAPES];
    let mut count = 0;
    let mut rest = bytes;
    loop {
        let [letter, after @ ..] = rest else {
            return None;
        };
        let color = ShapeColor::from_letter(*letter)?;
        let (from, mut after) = square(after)?;
        let mut to = None;
        if arrows {
            let (target, tail) = square(after)?;
            to = Some(target);
            after = tail;
        }
        *list.get_mut(count)? = Shape { color, from, to };
        count += 1;
        match after {
            [b',', tail @ ..] => rest = tail,
            _ => {
                let rest = end_of_command(after)?;
                sink(Command::Shapes(list.get(..count)?));
                return Some(rest);
            }
        }
    }
}

/// Parses a field number and bytes in lower-case hexadecimal digits.
fn extra<'b>(
    bytes: &'b [u8],
    format: &'static str,
    sink: &mut impl FnMut(Command<'_>),
) -> Option<&'b [u8]> {
    let (field, mut rest) = number(bytes)?;
    let field = u16::try_from(field).ok()?;
    let mut content = Vec::new();
    if let [b' ', tail @ ..] = rest {
        rest = tail;
        while let [high, low, tail @ ..] = rest {
            let (Some(high), Some(low)) = (hex_digit(*high), hex_digit(*low)) else {
                break;
            };
            content.push(high << 4 | low);
            rest = tail;
        }
        // The renderer writes no blank before empty content.
        if content.is_empty() {
            return None;
        }
    }
    let rest = end_of_command(rest)?;
    sink(Command::Extra {
        format,
        field,
        bytes: &content,
    });
    Some(rest)
}

fn hex_digit(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    }
}

/// Parses a square in lower case.
fn square(bytes: &[u8]) -> Option<(Square, &[u8])> {
    let (name, rest) = bytes.split_first_chunk::<2>()?;
    let square = Square::from_ascii(name)?;
    // Capitals would not be written back.
    (square.to_ascii() == *name).then_some((square, rest))
}

fn sign(bytes: &[u8]) -> (bool, &[u8]) {
    match bytes {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, bytes),
    }
}

/// Returns the signed number; `None` for -0 and on overflow.
fn signed(magnitude: u32, negative: bool) -> Option<i32> {
    if negative {
        // `-0` would be written back as `0`.
        0i32.checked_sub_unsigned(magnitude).filter(|&n| n < 0)
    } else {
        i32::try_from(magnitude).ok()
    }
}

/// Parses digits without leading zeros.
fn number(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let (&first, mut rest) = bytes.split_first()?;
    if !first.is_ascii_digit() {
        return None;
    }
    let mut number = u32::from(first - b'0');
    while let [digit @ b'0'..=b'9', tail @ ..] = rest {
        // A leading zero would not be written back.
        if number == 0 {
            return None;
        }
        number = number
            .checked_mul(10)?
            .checked_add(u32::from(digit - b'0'))?;
        rest = tail;
    }
    Some((number, rest))
}

fn two_digits(bytes: &[u8]) -> Option<(u32, &[u8])> {
    match bytes {
        [a @ b'0'..=b'9', b @ b'0'..=b'9', rest @ ..] => {
            Some((u32::from(a - b'0') * 10 + u32::from(b - b'0'), rest))
        }
        _ => None,
    }
}

/// Parses `:` and two digits below 60.
fn sixtieth(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let [b':', rest @ ..] = bytes else {
        return None;
    };
    two_digits(rest).filter(|&(number, _)| number < 60)
}
