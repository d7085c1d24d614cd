//! Commands inside PGN comments: clocks, evaluations, coloured squares and arrows.
//!
//! | command | meaning |
//! |---|---|
//! | `[%clk 1:23:45]`, `[%clk 0:00:09.5]` | time left; hours, minutes, seconds, milliseconds without trailing zeros |
//! | `[%emt 0:00:07]` | time spent on the move |
//! | `[%eval 0.35]`, `[%eval 1.20,24]` | pawns for White in hundredths, depth in plies |
//! | `[%eval #-3]` | mate in that many moves, negative if Black mates |
//! | `[%wd 16383,8000]` | shares of wins and draws, of 32767 each; ours, since jose has them and PGN has no usual form |
//! | `[%csl Gd4,Ra1]` | coloured squares |
//! | `[%cal Ge2e4,Rd1d8]` | coloured arrows |
//! | `[%ca 7 01ff]` | an annotation that only Chess Assistant understands: number, bytes in hexadecimal; ours, so that it survives a way through text |
//! | `[%cbh 24 01]` | the same of ChessBase |
//!
//! A command is taken out of a comment only where writing it gives back the same bytes; anything
//! else (`[%clk 01:30:00]`, `[%eval +0.3]`, two blanks, …) remains text. So nothing is lost by
//! [`parse_leading`], and [`render`] is its exact inverse.

// tidy: long because one grammar, each command beside its inverse

use crate::Square;
use crate::text::push_number;

/// One command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Command<'a> {
    /// `[%clk …]` or `[%emt …]`.
    Clock(Clock),
    /// `[%eval …]` or `[%wd …]`.
    Eval(Eval),
    /// `[%csl …]` (no shape has a target square) or `[%cal …]` (each has). A list that mixes both,
    /// as other formats may have it, is written as several commands.
    Shapes(&'a [Shape]),
    /// `[%ca …]`: an [`Extra`](crate::Extra) of a format whose annotations have this form.
    Extra {
        /// The format's id, which is the word of the command.
        format: &'static str,
        /// The number of the field.
        field: u16,
        /// Its content.
        bytes: &'a [u8],
    },
}

/// The formats whose extras among the moves can stand in comments.
const EXTRA_WORDS: [&str; 2] = ["ca", "cbh"];

/// Whether extras of this format among the moves can stand in comments, as a command.
pub fn has_extra_command(format: &str) -> bool {
    EXTRA_WORDS.contains(&format)
}

/// A time that belongs to a move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Clock {
    /// Which time it is.
    pub kind: ClockKind,
    /// Milliseconds.
    pub milliseconds: u32,
}

/// Which time a [`Clock`] shows.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ClockKind {
    /// Time left after the move, `[%clk …]`.
    Clock,
    /// Time spent on the move, `[%emt …]`.
    Elapsed,
}

/// What an engine thinks of a position.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Eval {
    /// The judgement.
    pub value: EvalValue,
    /// Depth of the search in plies, if known.
    pub depth: Option<u16>,
}

/// A judgement, from White's point of view.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum EvalValue {
    /// Hundredths of a pawn.
    Centipawns(i32),
    /// Mate in so many moves; negative if Black mates.
    Mate(i32),
    /// Expected shares of wins and draws, scaled by 32767 (docs/formats/bytecode.md, column Eval).
    WinDraw {
        /// Share of wins.
        win: u16,
        /// Share of draws.
        draw: u16,
    },
}

/// A coloured square or arrow.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Shape {
    /// The colour.
    pub color: ShapeColor,
    /// The square, or where the arrow starts.
    pub from: Square,
    /// Where the arrow ends; none for a coloured square.
    pub to: Option<Square>,
}

/// A colour by its capital letter; programs disagree on how many there are, so all letters are
/// kept.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ShapeColor(u8);

impl ShapeColor {
    /// `G`.
    pub const GREEN: ShapeColor = ShapeColor(b'G');
    /// `R`.
    pub const RED: ShapeColor = ShapeColor(b'R');
    /// `Y`.
    pub const YELLOW: ShapeColor = ShapeColor(b'Y');
    /// `B`.
    pub const BLUE: ShapeColor = ShapeColor(b'B');

    /// The colour with this letter, `A` to `Z`.
    pub const fn from_letter(letter: u8) -> Option<ShapeColor> {
        if letter.is_ascii_uppercase() {
            Some(ShapeColor(letter))
        } else {
            None
        }
    }

    /// The letter, `A` to `Z`.
    pub const fn letter(self) -> u8 {
        self.0
    }
}

/// The most shapes that are taken out of one command; a longer list remains text.
pub const MAX_SHAPES: usize = 128;

/// Takes the commands off the start of a comment and returns where the remaining text begins.
///
/// Bytes are taken only if [`render`] with the commands and the remaining text gives back the
/// comment exactly: commands are separated by one space, and so is the text, which must not start
/// with a blank. Where a command does not fit, it and all that follows is text. If the whole
/// comment was commands, the length of the comment is returned.
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
        let Some(after) = after else {
            break;
        };
        rest = after;
        taken = comment.len() - rest.len();
    }
    taken
}

/// Appends a comment: the commands and then the text, if it is not empty, all separated by one
/// space.
pub fn render<'c>(commands: impl IntoIterator<Item = Command<'c>>, text: &[u8], out: &mut Vec<u8>) {
    let start = out.len();
    for command in commands {
        let before = out.len();
        if before > start {
            out.push(b' ');
        }
        let written = out.len();
        render_command(&command, out);
        if out.len() == written {
            out.truncate(before);
        }
    }
    if !text.is_empty() {
        if out.len() > start {
            out.push(b' ');
        }
        out.extend_from_slice(text);
    }
}

/// Appends one command. An empty list of shapes writes nothing.
pub fn render_command(command: &Command<'_>, out: &mut Vec<u8>) {
    match command {
        Command::Clock(clock) => render_clock(*clock, out),
        Command::Eval(eval) => render_eval(*eval, out),
        Command::Shapes(shapes) => {
            let runs = shapes.chunk_by(|a, b| a.to.is_some() == b.to.is_some());
            for (n, run) in runs.enumerate() {
                if n > 0 {
                    out.push(b' ');
                }
                render_shapes(run, out);
            }
        }
        Command::Extra {
            format,
            field,
            bytes,
        } => render_extra(format, *field, bytes, out),
    }
}

fn render_extra(format: &str, field: u16, bytes: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(b"[%");
    out.extend_from_slice(format.as_bytes());
    out.push(b' ');
    push_number(u32::from(field), out);
    if !bytes.is_empty() {
        out.push(b' ');
    }
    for byte in bytes {
        for digit in [byte >> 4, byte & 15] {
            out.push(if digit < 10 {
                b'0' + digit
            } else {
                b'a' + digit - 10
            });
        }
    }
    out.push(b']');
}

fn render_clock(clock: Clock, out: &mut Vec<u8>) {
    out.extend_from_slice(match clock.kind {
        ClockKind::Clock => b"[%clk ",
        ClockKind::Elapsed => b"[%emt ",
    });
    let seconds = clock.milliseconds / 1000;
    push_number(seconds / 3600, out);
    out.push(b':');
    push_two_digits(seconds / 60 % 60, out);
    out.push(b':');
    push_two_digits(seconds % 60, out);
    let mut fraction = clock.milliseconds % 1000;
    if fraction > 0 {
        out.push(b'.');
    }
    while fraction > 0 {
        push_digit(fraction / 100, out);
        fraction = fraction % 100 * 10;
    }
    out.push(b']');
}

fn render_eval(eval: Eval, out: &mut Vec<u8>) {
    match eval.value {
        EvalValue::Centipawns(value) => {
            out.extend_from_slice(b"[%eval ");
            if value < 0 {
                out.push(b'-');
            }
            push_number(value.unsigned_abs() / 100, out);
            out.push(b'.');
            push_two_digits(value.unsigned_abs() % 100, out);
        }
        EvalValue::Mate(moves) => {
            out.extend_from_slice(b"[%eval #");
            if moves < 0 {
                out.push(b'-');
            }
            push_number(moves.unsigned_abs(), out);
        }
        EvalValue::WinDraw { win, draw } => {
            out.extend_from_slice(b"[%wd ");
            push_number(u32::from(win), out);
            out.push(b',');
            push_number(u32::from(draw), out);
        }
    }
    if let Some(depth) = eval.depth {
        out.push(b',');
        push_number(u32::from(depth), out);
    }
    out.push(b']');
}

/// Shapes of one kind, at least one.
fn render_shapes(run: &[Shape], out: &mut Vec<u8>) {
    let arrows = run.iter().any(|shape| shape.to.is_some());
    out.extend_from_slice(if arrows { b"[%cal " } else { b"[%csl " });
    for (n, shape) in run.iter().enumerate() {
        if n > 0 {
            out.push(b',');
        }
        out.push(shape.color.letter());
        out.extend_from_slice(&shape.from.to_ascii());
        if let Some(to) = shape.to {
            out.extend_from_slice(&to.to_ascii());
        }
    }
    out.push(b']');
}

fn push_digit(digit: u32, out: &mut Vec<u8>) {
    out.push(b'0' + (digit % 10) as u8);
}

fn push_two_digits(number: u32, out: &mut Vec<u8>) {
    push_digit(number / 10, out);
    push_digit(number, out);
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

/// The word of a command and what follows the space behind it.
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

/// Reads `]` and the one space behind it; none if what follows would not be rendered the same.
fn end_of_command(bytes: &[u8]) -> Option<&[u8]> {
    match bytes {
        b"]" => Some(&[]),
        [b']', b' ', rest @ ..] => match rest.first() {
            None | Some(b' ' | b'\t' | b'\n' | b'\r' | 0x0B | 0x0C) => None,
            Some(_) => Some(rest),
        },
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
            let [b'.', rest @ ..] = rest else {
                return None;
            };
            let (hundredths, rest) = two_digits(rest)?;
            let value = pawns.checked_mul(100)?.checked_add(hundredths)?;
            (EvalValue::Centipawns(signed(value, negative)?), rest)
        }
    };
    depth_and_end(value, rest, sink)
}

fn win_draw<'b>(bytes: &'b [u8], sink: &mut impl FnMut(Command<'_>)) -> Option<&'b [u8]> {
    let (win, rest) = number(bytes)?;
    let [b',', rest @ ..] = rest else {
        return None;
    };
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

/// A number and bytes in small hexadecimal digits.
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

/// A square in small letters.
fn square(bytes: &[u8]) -> Option<(Square, &[u8])> {
    let (name, rest) = bytes.split_first_chunk::<2>()?;
    let square = Square::from_ascii(name)?;
    (square.to_ascii() == *name).then_some((square, rest))
}

fn sign(bytes: &[u8]) -> (bool, &[u8]) {
    match bytes {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, bytes),
    }
}

/// The signed number; none for -0 and for what does not fit.
fn signed(magnitude: u32, negative: bool) -> Option<i32> {
    if negative {
        0i32.checked_sub_unsigned(magnitude).filter(|&n| n < 0)
    } else {
        i32::try_from(magnitude).ok()
    }
}

/// Digits without leading zeros.
fn number(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let (&first, mut rest) = bytes.split_first()?;
    if !first.is_ascii_digit() {
        return None;
    }
    let mut number = u32::from(first - b'0');
    while let [digit @ b'0'..=b'9', tail @ ..] = rest {
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

/// `:` and two digits below 60.
fn sixtieth(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let [b':', rest @ ..] = bytes else {
        return None;
    };
    two_digits(rest).filter(|&(number, _)| number < 60)
}
