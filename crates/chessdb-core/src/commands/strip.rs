//! Removal of commands from the texts of comments.

use std::borrow::Cow;

use super::engine::without_engine_values;
use super::scan::{kind_of_word, read_command, word_and_value};
use crate::LossKind;

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

/// The kinds of commands to remove.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum StrippedKinds {
    /// Times, evaluations and shapes.
    All,
    /// Evaluations only.
    Evals,
}

/// Removes commands of these kinds from a comment, also those that cannot be read, and the values of
/// programs for engine matches. [`scan`](super::scan) then finds none. `None` if there are none.
pub(crate) fn strip(comment: &[u8], kinds: StrippedKinds) -> Option<Vec<u8>> {
    let is_stripped = |inner: &[u8]| match kind_of_word(word_and_value(inner).0) {
        Some(LossKind::Eval) => true,
        Some(_) => kinds == StrippedKinds::All,
        None => false,
    };
    let without_commands = without_brackets(comment, is_stripped);
    let rest = without_commands.as_deref().unwrap_or(comment);
    without_engine_values(rest, kinds).or(without_commands)
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
