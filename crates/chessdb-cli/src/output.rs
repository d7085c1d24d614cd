//! Standard output and helpers for text on it.

use std::fmt::Write as _;
use std::io::{self, BufWriter, IsTerminal, StdoutLock};

use chessdb::core::Text;
use chessdb::core::text::is_printable;

/// Returns standard output with a buffer, which is small on a terminal.
pub(crate) fn stdout() -> BufWriter<StdoutLock<'static>> {
    let out = io::stdout().lock();
    let size = if out.is_terminal() { 4 << 10 } else { 64 << 10 };
    BufWriter::with_capacity(size, out)
}

/// Returns the number of columns for tables: those of the terminal, 80 without one.
pub(crate) fn width() -> usize {
    let asked = std::env::var("COLUMNS").ok();
    let asked = asked.and_then(|columns| columns.parse().ok());
    let width = asked.or_else(terminal_width).unwrap_or(80);
    usize::from(width).clamp(40, 1000)
}

#[cfg(feature = "show")]
fn terminal_width() -> Option<u16> {
    let is_terminal = io::stdout().is_terminal();
    let size = is_terminal.then(ratatui::crossterm::terminal::size);
    Some(size?.ok()?.0)
}

#[cfg(not(feature = "show"))]
fn terminal_width() -> Option<u16> {
    None
}

/// Replaces every control character by a space, so that no file can move the cursor of a terminal,
/// and a line remains a line.
pub(crate) fn plain(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect()
}

/// Appends a text as [`plain`] returns it.
pub(crate) fn push_plain(text: Text<'_>, out: &mut Vec<u8>) {
    match is_printable(text.as_bytes()) {
        true => out.extend_from_slice(text.as_bytes()),
        false => out.extend_from_slice(plain(&text.decode()).as_bytes()),
    }
}

/// Returns a number with a comma between groups of three digits: `12,345`.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (n, digit) in digits.chars().enumerate() {
        if n > 0 && (digits.len() - n).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Returns a number with its noun: `1 game`, `12,345 games`.
pub(crate) fn count(number: u64, what: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {what}{plural}", grouped(number))
}

/// Returns a bar with this share of the width, in steps of an eighth of a character.
pub(crate) fn bar(share: f64, width: usize) -> String {
    const PARTS: [char; 8] = [' ', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];
    let eighths = (share.clamp(0.0, 1.0) * (8 * width) as f64).round() as usize;
    let mut bar = "█".repeat(eighths / 8);
    if !eighths.is_multiple_of(8) {
        bar.extend(PARTS.get(eighths % 8));
    }
    bar
}

/// Appends a table column: truncated to its width with `…`, or padded with spaces.
pub(crate) fn column(line: &mut String, text: &str, width: usize) {
    let length = text.chars().count();
    if length > width {
        line.extend(text.chars().take(width.saturating_sub(1)));
        line.push('…');
    } else {
        let _ = write!(line, "{text}{:1$}", "", width - length);
    }
}

/// Appends words as lines of at most this width.
pub(crate) fn wrap(words: &str, width: usize, text: &mut String) {
    let mut length = 0;
    for word in words.split(' ') {
        let size = word.chars().count();
        if length > 0 && length + 1 + size > width {
            text.push('\n');
            length = 0;
        } else if length > 0 {
            text.push(' ');
            length += 1;
        }
        text.push_str(word);
        length += size;
    }
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped() {
        for (number, text) in [
            (0, "0"),
            (999, "999"),
            (1000, "1,000"),
            (1234567, "1,234,567"),
        ] {
            assert_eq!(grouped(number), text);
        }
        assert_eq!(count(1, "game"), "1 game");
        assert_eq!(count(0, "game"), "0 games");
    }

    #[test]
    fn bars_have_their_share() {
        assert_eq!(bar(0.5, 4), "██");
        assert_eq!(bar(0.28, 4), "█▏");
        assert_eq!((bar(0.0, 4), bar(2.0, 2)), (String::new(), "██".to_owned()));
    }

    #[test]
    fn columns_have_their_width_and_texts_no_control_characters() {
        let mut line = String::new();
        column(&mut line, "Žižka", 8);
        column(&mut line, "Nepomniachtchi", 6);
        assert_eq!(line, "Žižka   Nepom…");
        assert_eq!(plain("a\tb\n\u{1b}[31mc\u{9b}"), "a b  [31mc ");
    }
}
