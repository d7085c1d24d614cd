//! Lines with a position: EPD, FEN, and FEN with fields after bars as in Lucas Chess
//! (docs/formats/text.md, section 2).

use chessdb_core::rules::read_san;
use chessdb_core::{Error, ErrorKind, Outcome, Result, Setup};
use chessdb_pgn::is_text_operation;

use crate::pgn_text::PgnText;

/// The number of fields of a position without counters.
const FIELDS: usize = 4;

/// The operation with the moves expected from the position on.
const MOVES: &[u8] = b"pv";

/// The operations with moves of the position: best, avoided, supplied and predicted ones.
const CHOICES: [&[u8]; 4] = [b"bm", b"am", b"sm", b"pm"];

/// A line, divided.
#[derive(Debug)]
struct Line<'l> {
    /// Up to four fields; see [`Line::counters`] for the others.
    position: &'l [u8],
    /// The counters of half-moves and moves, if the position has them.
    counters: Option<[&'l [u8]; 2]>,
    rest: &'l [u8],
}

impl<'l> Line<'l> {
    /// Divides a line after the position.
    fn parse(line: &'l [u8]) -> Line<'l> {
        let mut words = Words { line, offset: 0 };
        let mut position = 0;
        for n in 0..FIELDS {
            let before = words.offset;
            match words.next() {
                Some(word) if n == 0 || is_field(n, word) => position = words.offset,
                _ => {
                    words.offset = before;
                    break;
                }
            }
        }
        let mut after = Words {
            line,
            offset: words.offset,
        };
        let is_number = |word: &&[u8]| word.iter().all(u8::is_ascii_digit);
        let half = after.next().filter(is_number);
        let full = after.next().filter(is_number);
        let counters = half.zip(full).map(|(half, full)| [half, full]);
        let end = if counters.is_some() { after.offset } else { words.offset };
        Line {
            position: line.get(..position).unwrap_or_default(),
            counters,
            rest: line.get(end..).unwrap_or_default().trim_ascii(),
        }
    }
}

/// Returns whether a word can be this field of a position, counted from 0.
fn is_field(n: usize, word: &[u8]) -> bool {
    match n {
        1 => matches!(word, b"w" | b"b"),
        2 => {
            let is_right =
                |byte: &u8| matches!(byte.to_ascii_lowercase(), b'k' | b'q' | b'a'..=b'h');
            word == b"-" || word.iter().all(is_right) && word.len() <= 4
        }
        _ => word == b"-" || matches!(word, [b'a'..=b'h', b'1'..=b'8']),
    }
}

/// The words of a line. Signs before operations and fields end a word.
struct Words<'l> {
    line: &'l [u8],
    offset: usize,
}

impl<'l> Iterator for Words<'l> {
    type Item = &'l [u8];

    fn next(&mut self) -> Option<&'l [u8]> {
        let rest = self.line.get(self.offset..)?;
        let start = rest.iter().position(|byte| !byte.is_ascii_whitespace())?;
        let word = rest.get(start..)?;
        let is_end = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b';' | b'|');
        let end = word.iter().position(is_end).unwrap_or(word.len());
        self.offset += start + end;
        word.get(..end).filter(|word| !word.is_empty())
    }
}

/// Returns whether a line begins with a position.
pub(crate) fn is_position(line: &[u8]) -> bool {
    let Line { position, rest, .. } = Line::parse(line);
    let slashes = position.iter().filter(|&&byte| byte == b'/').count();
    let is_followed = |byte: &u8| byte.is_ascii_alphabetic() || matches!(byte, b';' | b'|');
    slashes == 7 && rest.first().is_none_or(is_followed) && Setup::from_fen(position).is_ok()
}

/// Appends a line as a game without moves, or with the moves of the operation `pv`.
pub(crate) fn write(line: &[u8], out: &mut PgnText<'_, '_>) -> Result<()> {
    let parts = Line::parse(line);
    let Ok((setup, _)) = Setup::from_fen(parts.position) else {
        let kind = ErrorKind::syntax("a position in FEN", line);
        return Err(Error::new(kind).at(out.location));
    };
    if let Some(fields) = parts.rest.strip_prefix(b"|") {
        return write_fields(&parts, fields, out);
    }
    let operations: Vec<Operation<'_>> = Operations { rest: parts.rest }.collect();
    let find = |code: &[u8]| {
        let mut same = operations.iter().filter(|operation| operation.code == code);
        Some(same.next()?.operand)
    };
    let id = find(b"id").map_or(&b"?"[..], unquoted);
    out.roster(if id.is_empty() { b"?" } else { id }, "?", Outcome::Unknown);
    // The counters may be operations instead of fields.
    let counter = |code| find(code).filter(|operand| is_counter(operand));
    let (half, full) = (counter(b"hmvc"), counter(b"fmvn"));
    let fields = parts.counters.map(|[half, full]| (half, full));
    let counters = fields.unwrap_or((half.unwrap_or(b"0"), full.unwrap_or(b"1")));
    start(&parts, counters, out)?;
    let moves = find(MOVES);
    let is_line = moves.is_some_and(|moves| is_legal_line(&setup, moves));
    let mut unnamed = 0;
    for &Operation { code, operand } in &operations {
        // The usual counters are tags, because a position without counters has them too.
        let is_counter = parts.counters.is_none()
            && (code == b"hmvc" && half == Some(operand) && operand != b"0"
                || code == b"fmvn" && full == Some(operand) && operand != b"1");
        if is_counter || code == MOVES && is_line {
            continue;
        }
        if code.is_empty() {
            unnamed += 1;
            out.tag("Text", operand);
        } else {
            let code = String::from_utf8_lossy(code);
            let operand = if is_text_operation(&code) { unquoted(operand) } else { operand };
            out.foreign_tag("Epd", &code, operand);
        }
    }
    if unnamed > 0 {
        let kind = ErrorKind::syntax(
            "operations after the position; the text was kept as a tag",
            parts.rest,
        );
        out.report.repaired(kind, out.location)?;
    }
    let is_choice = |operation: &&Operation<'_>| CHOICES.contains(&operation.code);
    for &Operation { code, operand } in operations.iter().filter(is_choice) {
        if let Some(why) = doubt_about_moves(&setup, operand) {
            let kind = ErrorKind::bad_move(&[code, b" ", operand].concat(), why);
            out.report.note(kind, out.location)?;
        }
    }
    match moves {
        Some(moves) if !is_line => {
            let kind = ErrorKind::bad_move(
                moves,
                "the operation pv has no legal line; it was kept as a tag",
            );
            out.report.repaired(kind, out.location)?;
        }
        Some(moves) if !out.headers_only => {
            moves_of(moves).for_each(|word| out.word(word));
        }
        _ => {}
    }
    out.end("*")
}

/// Appends the position with its counters. Fields that are missing before the counters have no
/// value; the PGN reader adds and reports others.
fn start(line: &Line<'_>, (half, full): (&[u8], &[u8]), out: &mut PgnText<'_, '_>) -> Result<()> {
    let position = line.position;
    let mut fen = Vec::with_capacity(100);
    let mut count = 0;
    for word in (Words {
        line: position,
        offset: 0,
    }) {
        fen.extend_from_slice(word);
        fen.push(b' ');
        count += 1;
    }
    if count < FIELDS && line.counters.is_some() {
        let kind = ErrorKind::Structure("fields of the position are missing before its counters");
        out.report.repaired(kind, out.location)?;
        let missing: &[&[u8]] = &[b"w ", b"- ", b"- "];
        missing
            .iter()
            .skip(count - 1)
            .for_each(|field| fen.extend_from_slice(field));
        count = FIELDS;
    }
    if count == FIELDS {
        fen.extend_from_slice(half);
        fen.push(b' ');
        fen.extend_from_slice(full);
    }
    out.start(fen.trim_ascii_end());
    Ok(())
}

/// Appends the fields after bars: a text, the solution, and others.
fn write_fields(line: &Line<'_>, fields: &[u8], out: &mut PgnText<'_, '_>) -> Result<()> {
    let mut fields = fields.split(|&byte| byte == b'|').map(<[u8]>::trim_ascii);
    let text = fields.next().unwrap_or_default();
    // Bars also separate the numbers of an engine's training data.
    let solution = fields.next().unwrap_or_default();
    let is_moves = solution.iter().any(u8::is_ascii_alphabetic) && !solution.contains(&b'[');
    let last = solution.rsplit(u8::is_ascii_whitespace).next();
    let result = last.and_then(Outcome::from_pgn).filter(|_| is_moves);
    let event = if text.is_empty() { b"?" } else { text };
    out.roster(event, "?", result.unwrap_or_default());
    let [half, full] = line.counters.unwrap_or([b"0", b"1"]);
    start(line, (half, full), out)?;
    if !is_moves {
        out.tag_if_any("Field3", solution);
    }
    for (n, field) in (4..).zip(fields) {
        out.tag_if_any(&format!("Field{n}"), field);
    }
    if is_moves {
        out.raw(b"\n");
        // The result after the solution belongs to the header.
        out.raw(solution);
        out.raw(b"\n");
        if result.is_some() {
            return Ok(());
        }
    }
    out.end("*")
}

fn is_counter(operand: &[u8]) -> bool {
    let text = std::str::from_utf8(operand).unwrap_or_default();
    text.parse()
        .is_ok_and(|number: u16| number.to_string() == text)
}

/// Returns the only text in quotes without these, and any other operand as it is.
fn unquoted(operand: &[u8]) -> &[u8] {
    let inner = operand
        .strip_prefix(b"\"")
        .and_then(|rest| rest.strip_suffix(b"\""));
    inner
        .filter(|inner| !inner.contains(&b'"'))
        .unwrap_or(operand)
}

/// Returns the moves of an operand, without their numbers.
fn moves_of(operand: &[u8]) -> impl Iterator<Item = &[u8]> {
    let words = unquoted(operand).split(u8::is_ascii_whitespace);
    let words = words.map(|word| {
        let number = word.iter().take_while(|byte| byte.is_ascii_digit()).count();
        match word.get(number..) {
            Some([b'.', rest @ ..]) => rest.trim_prefix_dots(),
            _ => word,
        }
    });
    words.filter(|word| !word.is_empty())
}

/// Removal of dots.
trait TrimDots {
    /// Returns the bytes without dots at the start.
    fn trim_prefix_dots(&self) -> &[u8];
}

impl TrimDots for [u8] {
    fn trim_prefix_dots(&self) -> &[u8] {
        let dots = self.iter().take_while(|byte| **byte == b'.').count();
        self.get(dots..).unwrap_or_default()
    }
}

/// Returns what is wrong with the operand of an operation with moves of the position.
fn doubt_about_moves(setup: &Setup, operand: &[u8]) -> Option<&'static str> {
    let is_possible = |word: &[u8]| read_san(&setup.board, word).is_ok();
    let mut words = moves_of(operand);
    let bad = words.find(|word| !is_possible(word))?;
    let before_comma = bad.strip_suffix(b",");
    Some(match words.next() {
        _ if before_comma.is_some_and(is_possible) => {
            "a comma between the moves of an operation; separate them with blanks"
        }
        Some(_) if operand.contains(&b'"') || is_text_operation(&String::from_utf8_lossy(bad)) => {
            "an operation without a semicolon at its end"
        }
        _ => "a move of an operation that is not possible in the position",
    })
}

/// Returns whether there is at least one move, and all are legal.
fn is_legal_line(setup: &Setup, operand: &[u8]) -> bool {
    let mut board = setup.board.clone();
    let mut any = false;
    for word in moves_of(operand) {
        let Ok(mv) = read_san(&board, word) else {
            return false;
        };
        board.play(mv);
        any = true;
    }
    any
}

/// An operation; one without a code is text in the place of one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Operation<'l> {
    code: &'l [u8],
    operand: &'l [u8],
}

/// The operations of a line. Each ends with a semicolon, and in some files also begins with one.
struct Operations<'l> {
    rest: &'l [u8],
}

impl<'l> Iterator for Operations<'l> {
    type Item = Operation<'l>;

    fn next(&mut self) -> Option<Operation<'l>> {
        let is_between = |byte: &u8| byte.is_ascii_whitespace() || *byte == b';';
        let start = self.rest.iter().position(|byte| !is_between(byte))?;
        let rest = self.rest.get(start..)?;
        let end = operation_length(rest);
        let (operation, after) = rest.split_at_checked(end)?;
        self.rest = after;
        let trimmed = operation.trim_ascii();
        let is_code = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        let length = trimmed.iter().take_while(|byte| is_code(byte)).count();
        let (code, operand) = trimmed.split_at_checked(length)?;
        let is_named = code.first().is_some_and(u8::is_ascii_alphabetic)
            && operand.first().is_none_or(u8::is_ascii_whitespace);
        Some(if is_named {
            Operation {
                code,
                operand: operand.trim_ascii(),
            }
        } else {
            Operation {
                code: b"",
                operand: trimmed,
            }
        })
    }
}

/// Returns the length up to the semicolon, which may also occur within quotes. A quote that is not
/// closed has no meaning.
fn operation_length(bytes: &[u8]) -> usize {
    let mut index = 0;
    while let Some(&byte) = bytes.get(index) {
        match byte {
            b';' => return index,
            b'"' => {
                let rest = bytes.get(index + 1..).unwrap_or_default();
                if let Some(n) = memchr::memchr(b'"', rest) {
                    index += n + 1;
                } else {
                    let semicolon = memchr::memchr(b';', rest);
                    return semicolon.map_or(bytes.len(), |n| index + 1 + n);
                }
            }
            _ => {}
        }
        index += 1;
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn operations(text: &str) -> Vec<(String, String)> {
        let text_of = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        let all = Operations {
            rest: text.as_bytes(),
        };
        all.map(|one| (text_of(one.code), text_of(one.operand)))
            .collect()
    }

    #[test]
    fn operations_are_divided() {
        for (text, expected) in [
            (
                "bm Nf3 e4; id \"a;b\";",
                &[("bm", "Nf3 e4"), ("id", "\"a;b\"")][..],
            ),
            (";D1 20 ;D2 400", &[("D1", "20"), ("D2", "400")]),
            (
                "bm Nxg7 BT-2630.1; ce 182;",
                &[("bm", "Nxg7 BT-2630.1"), ("ce", "182")],
            ),
            (
                "noop; c0 \"open; bm e4;",
                &[("noop", ""), ("c0", "\"open"), ("bm", "e4")],
            ),
            ("1-0", &[("", "1-0")]),
            ("", &[]),
        ] {
            let expected = expected.iter().map(|(a, b)| ((*a).into(), (*b).into()));
            assert_eq!(operations(text), expected.collect::<Vec<_>>(), "{text}");
        }
    }

    #[test]
    fn positions_end_where_operations_begin() {
        let board = "4k3/8/8/8/8/8/4P3/4K3";
        for (rest, fields, counters, operations) in [
            (" w - -", 4, false, ""),
            (" w - - 3 20", 4, true, ""),
            (" w - e3 bm e4;", 4, false, "bm e4;"),
            (" w - - 0 1 bm e4;", 4, true, "bm e4;"),
            (" w - - 0 1;bm e4", 4, true, ";bm e4"),
            (" w", 2, false, ""),
            (" w bm e4;", 2, false, "bm e4;"),
            ("", 1, false, ""),
            (" w - - | text", 4, false, "| text"),
        ] {
            let line = format!("{board}{rest}");
            let line = Line::parse(line.as_bytes());
            let words = line.position.split(|byte| *byte == b' ').count();
            let found = (words, line.counters.is_some(), line.rest);
            assert_eq!(found, (fields, counters, operations.as_bytes()), "{rest}");
        }
    }

    #[test]
    fn prose_is_not_a_position() {
        for (line, is) in [
            ("4k3/8/8/8/8/8/4P3/4K3 w - -", true),
            ("4k3/8/8/8/8/8/4P3/4K3 b KQ - 0 1", true),
            ("4k3/8/8/8/8/8/4P3/4K3", true),
            ("4k3/8/8/8/8/8/4P3/4K3 w - - bm e4", true),
            ("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1,e2e4", false),
            ("4k3/8/8/8/8/8/4P3 w - -", false),
            ("a line of prose w - -", false),
            ("", false),
        ] {
            assert_eq!(is_position(line.as_bytes()), is, "{line}");
        }
    }
}
