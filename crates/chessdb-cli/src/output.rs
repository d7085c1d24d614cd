//! Standard output and helpers for text on it.

use std::fmt::Write as _;
use std::io::{self, BufWriter, IsTerminal, StdoutLock, Write as _};

pub(crate) use chessdb::core::text::plain;
use unicode_width::UnicodeWidthStr;

use crate::json::{Json, SCHEMA, line, members};

/// Returns standard output with a buffer, which is small on a terminal.
pub(crate) fn stdout() -> BufWriter<StdoutLock<'static>> {
    let out = io::stdout().lock();
    // A person reads the first lines while the rest is still computed.
    let size = if out.is_terminal() { 4 << 10 } else { 64 << 10 };
    BufWriter::with_capacity(size, out)
}

/// Prints a text on standard output.
pub(crate) fn print_text(text: &str) -> io::Result<()> {
    let mut out = stdout();
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// Prints a value on a line of standard output.
pub(crate) fn print_json(value: &Json) -> io::Result<()> {
    let mut out = stdout();
    writeln!(out, "{}", line(value))?;
    out.flush()
}

/// Prints a document with the schema version and one member, a list.
pub(crate) fn print_list(name: &str, items: Vec<Json>) -> io::Result<()> {
    print_json(&members([("schema", SCHEMA.into()), (name, items.into())]))
}

/// Returns the width of tables in cells: that of the variable `COLUMNS`, of the terminal, or 80.
pub(crate) fn width() -> usize {
    let named = || std::env::var("COLUMNS").ok()?.parse().ok();
    let terminal = || Some(terminal_size::terminal_size_of(io::stdout())?.0.0.into());
    // The variable comes first, so that scripts get the same tables everywhere.
    named().or_else(terminal).unwrap_or(80).clamp(40, 1000)
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

/// Returns names in quotes with their numbers of games, the first ones only.
pub(crate) fn names_with_games(names: &[(impl AsRef<str>, u64)]) -> String {
    const SHOWN: usize = 6;
    let shown = names.iter().take(SHOWN);
    let shown = shown
        .map(|(name, games)| format!("\"{}\" ({})", plain(name.as_ref()), count(*games, "game")));
    let more = match names.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    shown.collect::<Vec<String>>().join(", ") + &more
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

/// Returns the number of cells of a terminal that a text takes.
pub(crate) fn cells(text: &str) -> usize {
    text.width()
}

/// Appends a table column: truncated to its width in cells with `…`, or padded with spaces.
pub(crate) fn column(line: &mut String, text: &str, width: usize) {
    let mut used = cells(text);
    if used <= width {
        line.push_str(text);
    } else {
        // The longest beginning that leaves a cell for the sign. Marks without a width stay with
        // their letter.
        let mut end = 0;
        used = 0;
        for (start, c) in text.char_indices() {
            let next = start + c.len_utf8();
            let cells = cells(text.get(..next).unwrap_or_default());
            // Also limits the work on a text of characters without a width.
            if cells >= width || next > 32 * width {
                break;
            }
            (end, used) = (next, cells);
        }
        line.push_str(text.get(..end).unwrap_or_default());
        if width > 0 {
            line.push('…');
            used += 1;
        }
    }
    let _ = write!(line, "{:1$}", "", width.saturating_sub(used));
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
        for (text, width, expected) in [
            ("", 2, "  "),
            ("abc", 3, "abc"),
            ("abc", 1, "…"),
            ("abc", 0, ""),
            // Wide characters take two cells; a combining accent takes none.
            ("羽生善治", 8, "羽生善治"),
            ("羽生善治", 7, "羽生善…"),
            ("羽生善治", 6, "羽生… "),
            ("羽生", 6, "羽生  "),
            ("Z\u{30c}iz\u{30c}ka", 6, "Z\u{30c}iz\u{30c}ka "),
            ("Z\u{30c}iz\u{30c}ka", 4, "Z\u{30c}iz\u{30c}…"),
        ] {
            let mut line = String::new();
            column(&mut line, text, width);
            assert_eq!(line, expected);
            assert_eq!(cells(&line), width, "{line}");
        }
        assert_eq!(plain("a\tb\n\u{1b}[31mc\u{9b}"), "a b  [31mc ");
    }
}
