//! Writer of commands in comments; the inverse of [`super::parse_leading`].

use super::{Clock, ClockKind, Command, Eval, EvalValue, Shape};
use crate::text::push_number;

/// Appends a comment: the commands, then the text if it is not empty, all separated by one space.
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
            out.push(if digit < 10 { b'0' + digit } else { b'a' + digit - 10 });
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
    // No zeros at the end: the parser accepts only this form.
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

/// Appends shapes of one kind as one command; `run` has at least one.
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
