//! Division of a text into records: lines, or the objects of a JSON text on any number of lines.

/// The result of [`Splitter::advance`]. The next step begins at `end`, an index in the window.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Step {
    /// A game.
    Record { end: usize },
    /// White space, or signs between objects.
    Blank { end: usize },
    /// A line that is a remark.
    Remark { end: usize },
    /// Text between objects that belongs to none.
    Foreign { end: usize },
    /// The window ends before the record does. Call again with a longer one.
    More,
    /// The input ends here.
    Nothing,
}

/// The kind of records.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Division {
    /// Lines.
    Lines,
    /// Rows of a table: lines, except that a cell in quotes may contain line breaks (RFC 4180).
    Rows {
        /// The byte between cells.
        separator: u8,
        /// The number of columns. A row with line breaks has no more cells.
        columns: usize,
    },
    /// Lines; those that begin with `#` or `%` are remarks.
    LinesWithRemarks,
    /// JSON objects.
    Objects,
}

/// The first key of a game in chess.com's JSON, which shows where the next game begins if the one
/// before it is damaged.
const NEXT_OBJECT: &[u8] = b"{\"url\":";

/// Finds the end of one record after another in a window that begins where the record begins. Bytes
/// already examined are not examined again when the window grows.
#[derive(Clone, Debug)]
pub(crate) struct Splitter {
    division: Division,
    at: usize,
    depth: u32,
    in_string: bool,
    cell: CellState,
    /// Whether separators are counted. Only a row with line breaks needs their number.
    counts_separators: bool,
    separators: usize,
    /// The end of the first line of a row that continues in quotes.
    first_line: Option<usize>,
}

/// The position within a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum CellState {
    Start,
    Plain,
    Quoted,
}

/// A row with line breaks has at most this length. If a quote is not closed up to there, it is
/// damaged, and the row ends with its line.
const LONGEST_ROW: usize = 4 << 20;

impl Splitter {
    pub(crate) fn new(division: Division) -> Splitter {
        Splitter {
            division,
            at: 0,
            depth: 0,
            in_string: false,
            cell: CellState::Start,
            counts_separators: false,
            separators: 0,
            first_line: None,
        }
    }

    /// Adapts to a window that has dropped all examined bytes but these from its front.
    pub(crate) fn forget(&mut self) -> usize {
        self.first_line = None;
        // The row cannot be examined again from its start.
        self.counts_separators = true;
        std::mem::take(&mut self.at)
    }

    /// Examines the window. `at_end` if no bytes follow it.
    pub(crate) fn advance(&mut self, window: &[u8], at_end: bool) -> Step {
        if window.is_empty() && at_end && self.depth == 0 {
            return Step::Nothing;
        }
        match self.division {
            Division::Objects => self.advance_in_object(window, at_end),
            Division::Rows { separator, columns } => {
                self.advance_in_row(window, at_end, separator, columns)
            }
            _ => self.advance_in_line(window, at_end),
        }
    }

    fn advance_in_line(&mut self, window: &[u8], at_end: bool) -> Step {
        let Some(end) = line_end(window, self.at, at_end) else {
            // The last byte may be the first half of a line end.
            self.at = window.len().saturating_sub(1);
            return Step::More;
        };
        let line = window.get(..end).unwrap_or_default().trim_ascii_start();
        match line {
            [] => Step::Blank { end },
            [b'#' | b'%', ..] if self.division == Division::LinesWithRemarks => {
                Step::Remark { end }
            }
            _ => Step::Record { end },
        }
    }

    fn advance_in_row(
        &mut self,
        window: &[u8],
        at_end: bool,
        separator: u8,
        columns: usize,
    ) -> Step {
        let finish = |end: usize| match window.get(..end).unwrap_or_default().trim_ascii() {
            [] => Step::Blank { end },
            _ => Step::Record { end },
        };
        loop {
            let rest = window.get(self.at..).unwrap_or_default();
            let is_joined = self.first_line.is_some() && self.separators >= columns;
            if let Some(end) = self.first_line.filter(|_| is_joined) {
                return finish(end);
            }
            match self.cell {
                CellState::Start => {
                    self.cell = match rest.first() {
                        Some(b'"') => CellState::Quoted,
                        None if !at_end => return Step::More,
                        _ => CellState::Plain,
                    };
                    self.at += usize::from(self.cell == CellState::Quoted);
                }
                CellState::Plain => {
                    // Only a quote after a separator begins a quoted cell, so most rows need no look
                    // at their separators.
                    let sought = if self.counts_separators { separator } else { b'"' };
                    let Some(n) = memchr::memchr3(sought, b'\n', b'\r', rest) else {
                        if at_end {
                            return finish(window.len());
                        }
                        self.at = window.len();
                        return Step::More;
                    };
                    self.at += n;
                    if rest.get(n) != Some(&sought) {
                        return line_end(window, self.at, at_end).map_or(Step::More, finish);
                    }
                    let before = self.at.checked_sub(1).and_then(|index| window.get(index));
                    self.at += 1;
                    if self.counts_separators {
                        self.separators += 1;
                        self.cell = CellState::Start;
                    } else if before == Some(&separator) {
                        self.cell = CellState::Quoted;
                    }
                }
                CellState::Quoted => {
                    let limit = LONGEST_ROW.saturating_sub(self.at).min(rest.len());
                    let quote = memchr::memchr(b'"', rest.get(..limit).unwrap_or_default());
                    let text = rest.get(..quote.unwrap_or(limit)).unwrap_or_default();
                    if self.first_line.is_none()
                        && let Some(n) = memchr::memchr2(b'\n', b'\r', text)
                    {
                        if !self.counts_separators {
                            // From the row's start again, this time with the separators.
                            self.counts_separators = true;
                            (self.at, self.cell) = (0, CellState::Start);
                            continue;
                        }
                        self.first_line = line_end(window, self.at + n, at_end);
                    }
                    let after = quote.map(|n| (n, rest.get(n + 1)));
                    match after {
                        Some((n, Some(b'"'))) => self.at += n + 2,
                        Some((n, Some(b'\n' | b'\r'))) => {
                            self.at += n + 1;
                            self.cell = CellState::Plain;
                        }
                        Some((n, Some(&byte))) if byte == separator => {
                            self.at += n + 1;
                            self.cell = CellState::Plain;
                        }
                        Some((_, None)) if at_end => return finish(window.len()),
                        Some((n, None)) => {
                            self.at += n;
                            return Step::More;
                        }
                        None if !at_end && self.at + limit < LONGEST_ROW => {
                            // The last byte may be half of a line end.
                            self.at = self.at.max(window.len().saturating_sub(1));
                            return Step::More;
                        }
                        // A quote that belongs to a text, or is never closed.
                        _ => match self.first_line {
                            Some(end) => return finish(end),
                            None => self.cell = CellState::Plain,
                        },
                    }
                }
            }
        }
    }

    fn advance_in_object(&mut self, window: &[u8], at_end: bool) -> Step {
        if self.depth == 0 {
            let is_between =
                |byte: &u8| matches!(byte, b',' | b']' | b'}') || byte.is_ascii_whitespace();
            let start = window.iter().position(|byte| !is_between(byte));
            match start.unwrap_or(window.len()) {
                0 => {}
                end => return Step::Blank { end },
            }
            if window.first() != Some(&b'{') {
                let rest = window.get(self.at..).unwrap_or_default();
                return match memchr::memchr(b'{', rest) {
                    Some(n) => Step::Foreign { end: self.at + n },
                    None if at_end => Step::Foreign { end: window.len() },
                    None => {
                        self.at = window.len();
                        Step::More
                    }
                };
            }
        }
        while let Some(&byte) = window.get(self.at) {
            let rest = window.get(self.at..).unwrap_or_default();
            // What follows decides about these bytes.
            let is_decisive = matches!(byte, b'{' | b'\n' | b'\\');
            if is_decisive && rest.len() < NEXT_OBJECT.len() && !at_end {
                return Step::More;
            }
            let start = self.at;
            self.at += 1;
            match byte {
                // A line break within a string is damage, so the string is taken to end there.
                b'\n' => {
                    self.in_string = false;
                    if self.depth > 0 && rest.get(1) == Some(&b'{') {
                        return Step::Record { end: self.at };
                    }
                }
                b'\\' if self.in_string => self.at += usize::from(rest.get(1) != Some(&b'\n')),
                b'"' => self.in_string = !self.in_string,
                b'{' if start > 0 && rest.starts_with(NEXT_OBJECT) => {
                    return Step::Record { end: start };
                }
                _ if self.in_string => {}
                b'{' => self.depth = self.depth.saturating_add(1),
                b'}' => {
                    self.depth = self.depth.saturating_sub(1);
                    if self.depth == 0 {
                        return Step::Record { end: self.at };
                    }
                }
                _ => {}
            }
        }
        if at_end { Step::Record { end: window.len() } } else { Step::More }
    }
}

/// Returns the end of the line that contains the byte at `from`, after its line feed, carriage
/// return, or both. `None` if the line continues after the window.
pub(crate) fn line_end(window: &[u8], from: usize, at_end: bool) -> Option<usize> {
    let rest = window.get(from..)?;
    let Some(n) = memchr::memchr2(b'\n', b'\r', rest) else {
        return at_end.then_some(window.len());
    };
    match rest.get(n..) {
        Some([b'\r', b'\n', ..]) => Some(from + n + 2),
        Some([b'\r']) if !at_end => None,
        _ => Some(from + n + 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn split(division: Division, text: &[u8]) -> Vec<(u8, String)> {
        let (mut rest, mut parts) = (text, Vec::new());
        loop {
            let (kind, end) = match Splitter::new(division).advance(rest, true) {
                Step::Record { end } => (b'r', end),
                Step::Blank { end } => (b'b', end),
                Step::Remark { end } => (b'#', end),
                Step::Foreign { end } => (b'f', end),
                Step::More => panic!("more at the end"),
                Step::Nothing => return parts,
            };
            assert!(end > 0);
            parts.push((kind, String::from_utf8_lossy(&rest[..end]).into_owned()));
            rest = &rest[end..];
        }
    }

    #[test]
    fn objects_are_found_after_damage() {
        for (text, records) in [
            (
                "{\"a\":{\"b\":\"}\"}}\n\n{\"c\":1}",
                &["{\"a\":{\"b\":\"}\"}}", "{\"c\":1}"][..],
            ),
            ("{\n \"a\": {}\n},\n{\n}\n]}", &["{\n \"a\": {}\n}", "{\n}"]),
            ("{\"a\":\"\\\"}\"}", &["{\"a\":\"\\\"}\"}"]),
            ("{\"a\":{\"b\n{\"c\":1}", &["{\"a\":{\"b\n", "{\"c\":1}"]),
            (
                "{\"url\":1,\"a\":{{\"url\":2}",
                &["{\"url\":1,\"a\":{", "{\"url\":2}"],
            ),
            ("{\"a\":{", &["{\"a\":{"]),
            ("x {} y", &["{}"]),
        ] {
            let mut found = split(Division::Objects, text.as_bytes());
            found.retain(|(kind, _)| *kind == b'r');
            let found: Vec<_> = found.iter().map(|(_, text)| text.as_str()).collect();
            assert_eq!(found, records, "{text}");
        }
    }

    proptest! {
        /// Every byte is in a part, and windows of any length give the same parts.
        #[test]
        fn windows_do_not_matter(
            text in "[a{}\"\\\\\n\r#%,: ]{0,40}|[a\",\r\n]{0,40}|(\\{\"url\":|\\}|\n|\\{|a){0,12}",
            step in 1_usize..9,
        ) {
            let rows = Division::Rows { separator: b',', columns: 3 };
            for division in [Division::Lines, Division::LinesWithRemarks, Division::Objects, rows] {
                let parts = split(division, text.as_bytes());
                prop_assert_eq!(parts.iter().map(|(_, part)| part.as_str()).collect::<String>(), &*text);
                let (mut rest, mut found) = (text.as_bytes(), Vec::new());
                'parts: loop {
                    let mut splitter = Splitter::new(division);
                    let mut length = 0;
                    loop {
                        let end = match splitter.advance(&rest[..length], length == rest.len()) {
                            Step::More => {
                                length = (length + step).min(rest.len());
                                continue;
                            }
                            Step::Nothing => break 'parts,
                            Step::Record { end } => { found.push(end); end }
                            Step::Blank { end } | Step::Remark { end } | Step::Foreign { end } => end,
                        };
                        rest = &rest[end..];
                        break;
                    }
                }
                let records = parts.iter().filter(|(kind, _)| *kind == b'r');
                prop_assert_eq!(found, records.map(|(_, text)| text.len()).collect::<Vec<_>>());
            }
        }
    }
}
