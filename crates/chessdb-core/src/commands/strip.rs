//! Removal of commands from the texts of comments.

use std::borrow::Cow;

use bitflags::bitflags;

use super::engine::without_engine_values;
use super::scan::{read_command, word_and_value};
use super::{ClockKind, Command};
use crate::Color;

/// Returns the text of a comment without the commands in brackets that [`scan`](super::scan) reads,
/// for programs that show their values elsewhere. Commands that cannot be read, and the values of
/// programs for engine matches, remain.
///
/// ```
/// use chessdb_core::commands::without_commands;
///
/// let text = without_commands("a remark [%clk 1:00] [%eval ?]");
/// assert_eq!(text, "a remark [%eval ?]");
/// ```
pub fn without_commands(comment: &str) -> Cow<'_, str> {
    let stripped = without_brackets(comment.as_bytes(), |inner| read_command(inner, &mut |_| {}));
    // Only whole commands in ASCII and blanks are removed.
    match stripped.map(String::from_utf8) {
        Some(Ok(text)) => Cow::Owned(text.trim_ascii().to_owned()),
        _ => Cow::Borrowed(comment),
    }
}

bitflags! {
    /// The kinds of values to remove.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub(crate) struct StrippedKinds: u8 {
        /// Times left.
        const CLOCK = 1;
        /// Times spent.
        const ELAPSED = 2;
        const EVALS = 4;
        const SHAPES = 8;
    }
}

impl StrippedKinds {
    /// Returns the kind of a command; none for data of one format.
    pub(crate) fn of_command(command: &Command<'_>) -> StrippedKinds {
        match command {
            Command::Clock(clock) => StrippedKinds::of_clock(clock.kind),
            Command::Eval(_) => StrippedKinds::EVALS,
            Command::Shapes(_) => StrippedKinds::SHAPES,
            Command::Extra { .. } => StrippedKinds::empty(),
        }
    }

    pub(crate) fn of_clock(kind: ClockKind) -> StrippedKinds {
        match kind {
            ClockKind::Clock => StrippedKinds::CLOCK,
            ClockKind::Elapsed => StrippedKinds::ELAPSED,
        }
    }

    /// Returns the kinds of the command with this word, also of commands that are not read: profiles
    /// of evaluations, and times of the game or of the day, which belong to both kinds of times.
    fn of_word(word: &[u8]) -> StrippedKinds {
        let is_any = |words: &[&[u8]]| words.iter().any(|name| word.eq_ignore_ascii_case(name));
        if is_any(&[b"clk"]) {
            StrippedKinds::CLOCK
        } else if is_any(&[b"emt"]) {
            StrippedKinds::ELAPSED
        } else if is_any(&[b"egt", b"mct", b"timestamp"]) {
            StrippedKinds::CLOCK | StrippedKinds::ELAPSED
        } else if is_any(&[b"eval", b"evp", b"wd"]) {
            StrippedKinds::EVALS
        } else if is_any(&[b"csl", b"cal"]) {
            StrippedKinds::SHAPES
        } else {
            StrippedKinds::empty()
        }
    }
}

/// Removes values of these kinds from a comment after a move of `mover`: commands, also those that
/// cannot be read, and the values of programs for engine matches. [`scan`](super::scan) then finds
/// none. `None` if there are none.
pub(crate) fn strip(comment: &[u8], kinds: StrippedKinds, mover: Color) -> Option<Vec<u8>> {
    let is_stripped = |inner: &[u8]| {
        let of_word = StrippedKinds::of_word(word_and_value(inner).0);
        !of_word.is_empty() && kinds.contains(of_word)
    };
    let without_commands = without_brackets(comment, is_stripped);
    let rest = without_commands.as_deref().unwrap_or(comment);
    without_engine_values(rest, kinds, mover).or(without_commands)
}

/// Removes the commands `[%…]` for which `is_removed` returns true, given the text between `[%` and
/// `]`, and the blanks that separate them. `None` if there is none.
///
/// A command may be complete only after another one within it is removed, so its start is searched
/// in what is left.
fn without_brackets(comment: &[u8], mut is_removed: impl FnMut(&[u8]) -> bool) -> Option<Vec<u8>> {
    if !comment.windows(2).any(|pair| pair == b"[%") {
        return None;
    }
    let mut rest = Vec::with_capacity(comment.len());
    // The places of opening brackets in `rest`.
    let mut opened: Vec<usize> = Vec::new();
    // Whether a command was removed from the end of `rest`, or from anywhere.
    let (mut is_gap, mut is_changed) = (false, false);
    for &byte in comment {
        if byte == b']' {
            let start = opened.pop();
            let command = start.and_then(|start| rest.get(start..)?.strip_prefix(b"[%"));
            if let (Some(start), Some(inner)) = (start, command)
                && !inner.contains(&b'[')
                && !inner.contains(&b']')
                && is_removed(inner)
            {
                rest.truncate(start);
                (is_gap, is_changed) = (true, true);
                continue;
            }
        }
        if is_gap {
            let ends_with_blank = rest.last().is_none_or(u8::is_ascii_whitespace);
            match (ends_with_blank, byte.is_ascii_whitespace()) {
                (true, true) => continue,
                (false, false) => rest.push(b' '),
                _ => {}
            }
            is_gap = false;
        }
        if byte == b'[' {
            opened.push(rest.len());
        }
        rest.push(byte);
    }
    if is_gap {
        rest.truncate(rest.trim_ascii_end().len());
        // Some programs write a blank at both ends of a comment.
        let had_blanks = rest.first().zip(comment.last());
        if had_blanks.is_some_and(|(a, b)| a.is_ascii_whitespace() && b.is_ascii_whitespace()) {
            rest.push(b' ');
        }
    }
    is_changed.then_some(rest)
}
