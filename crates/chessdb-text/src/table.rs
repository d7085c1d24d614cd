//! Tables with a line per row: puzzles of Lichess, and games as chessdb writes them.

use std::borrow::Cow;
use std::collections::HashSet;

use chessdb_core::{Error, ErrorKind, Result, Setup};

use crate::columns::{self, GameColumn};
use crate::games::GameRow;
use crate::pgn_text::PgnText;
use crate::puzzles;
use crate::splitter::Division;

/// The structure of a table.
#[derive(Debug)]
pub(crate) struct Table {
    content: Content,
    separator: u8,
    columns: Vec<GameColumn>,
    /// Whether the first line has the names.
    pub(crate) has_names: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Content {
    Puzzles,
    /// Games with a column of moves. `is_own` in tables as chessdb writes them.
    Games {
        is_own: bool,
    },
}

/// The separators of columns. Spreadsheets write the last two.
const SEPARATORS: [u8; 3] = *b",;\t";

impl Table {
    /// Recognises a table by its first line.
    ///
    /// # Errors
    ///
    /// Returns an error if the columns are unknown.
    pub(crate) fn of_first_line(line: &[u8]) -> Result<Table> {
        let line = line.trim_ascii_end();
        let mut tables = SEPARATORS.iter().filter_map(|&separator| {
            let cells: Vec<_> = Cells::new(line, separator).collect();
            Table::of_names(&cells, separator).or_else(|| Table::of_first_puzzle(&cells, separator))
        });
        tables
            .next()
            .ok_or_else(|| Error::new(unknown_columns(line)))
    }

    fn of_names(cells: &[Cow<'_, [u8]>], separator: u8) -> Option<Table> {
        let names: Vec<String> = cells.iter().map(|cell| name(cell)).collect();
        let has = |name: &str| names.iter().any(|other| other.eq_ignore_ascii_case(name));
        let (content, columns) = if puzzles::REQUIRED.iter().all(|name| has(name)) {
            (Content::Puzzles, columns::with_own_names(&names))
        } else {
            let is_own = has(columns::MOVETEXT[0]);
            (Content::Games { is_own }, columns::of_games(&names)?)
        };
        Some(Table {
            content,
            separator,
            columns,
            has_names: true,
        })
    }

    /// Recognises puzzles without names of columns by the values of the first one.
    fn of_first_puzzle(cells: &[Cow<'_, [u8]>], separator: u8) -> Option<Table> {
        let [id, fen, moves, rating, ..] = cells else {
            return None;
        };
        let is_puzzle = !id.is_empty()
            && Setup::from_fen(fen).is_ok()
            && puzzles::is_solution(moves)
            && rating.parse_ascii().is_some()
            && cells.len() <= puzzles::COLUMNS.len();
        let columns = puzzles::COLUMNS.iter().take(cells.len());
        let names: Vec<String> = columns.map(|name| (*name).to_owned()).collect();
        is_puzzle.then(|| Table {
            content: Content::Puzzles,
            separator,
            columns: columns::with_own_names(&names),
            has_names: false,
        })
    }

    /// Names all columns that puzzles may have, because the line that shows them may be damaged. The
    /// last ones are optional.
    pub(crate) fn with_all_columns(mut self) -> Table {
        if !self.has_names {
            let names = puzzles::COLUMNS.map(str::to_owned);
            let missing = names.get(self.columns.len()..).unwrap_or_default();
            self.columns.extend(columns::with_own_names(missing));
        }
        self
    }

    /// Returns the columns with the name of an earlier one.
    pub(crate) fn repeated(&self) -> impl Iterator<Item = &GameColumn> {
        let mut originals = HashSet::new();
        self.columns
            .iter()
            .filter(move |column| !originals.insert(&column.original))
    }

    /// Returns whether it is a table of games, which is often next to their database.
    pub(crate) fn is_export(&self) -> bool {
        self.content != Content::Puzzles
    }

    /// Returns the division of the file into rows.
    pub(crate) fn division(&self) -> Division {
        Division::Rows {
            separator: self.separator,
            columns: self.columns.len(),
        }
    }

    /// Appends a row as PGN.
    pub(crate) fn write_row(&self, row: &[u8], out: &mut PgnText<'_, '_>) -> Result<()> {
        let mut cells = Cells::new(row, self.separator);
        let mut row: Vec<(&GameColumn, Cow<'_, [u8]>)> =
            Vec::with_capacity(self.columns.len().min(USUAL_CELLS));
        let mut count = 0;
        for column in &self.columns {
            let Some(value) = cells.next() else { break };
            count += 1;
            // Without quotes an empty cell is a missing value.
            if !value.is_empty() || cells.is_quoted {
                row.push((column, value));
            }
        }
        if cells.is_broken {
            let kind = ErrorKind::Structure("a cell without its closing quote");
            out.report.lost(kind, out.location)?;
        }
        let rest = cells.count();
        // A spreadsheet leaves out empty cells at the end.
        if rest > 0 || count < self.columns.len().min(self.fewest()) {
            let kind = ErrorKind::mismatch(
                "cells in a row",
                (count + rest) as u64,
                self.columns.len() as u64,
            );
            out.report.lost(kind, out.location)?;
        }
        match self.content {
            Content::Puzzles => puzzles::write(&row, out),
            Content::Games { is_own } => {
                let mut game = GameRow::new(is_own);
                for (GameColumn { name, original }, value) in &row {
                    game.add(name, original, value.as_ref());
                }
                game.write(out)
            }
        }
    }

    /// Returns the number of cells that every row has.
    fn fewest(&self) -> usize {
        match self.content {
            Content::Puzzles => puzzles::FEWEST,
            Content::Games { .. } => self.columns.len(),
        }
    }
}

/// The number of cells with a value for which memory is reserved. More than a thousand bytes would
/// take an allocator much longer.
const USUAL_CELLS: usize = 16;

fn name(cell: &[u8]) -> String {
    String::from_utf8_lossy(cell.trim_ascii()).into_owned()
}

/// Returns the error for a table of another kind.
fn unknown_columns(line: &[u8]) -> ErrorKind {
    const LONGEST: usize = 120;
    let shown: String = String::from_utf8_lossy(line)
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .take(LONGEST)
        .collect();
    let expected = format!(
        "the first line must name the columns of Lichess puzzles ({}, …) or of games (White, Black, \
         …, with the moves in one of the columns {}), or be a puzzle",
        puzzles::REQUIRED.join(", "),
        columns::MOVETEXT.join(", ")
    );
    let message = if shown.is_empty() {
        format!("an empty table; {expected}")
    } else {
        format!("unknown columns \"{shown}\"; {expected}")
    };
    ErrorKind::Other(message.into())
}

/// Parsing of a cell.
trait ParseAscii {
    /// Returns the integer that the cell holds.
    fn parse_ascii(&self) -> Option<i64>;
}

impl ParseAscii for Cow<'_, [u8]> {
    fn parse_ascii(&self) -> Option<i64> {
        std::str::from_utf8(self.trim_ascii()).ok()?.parse().ok()
    }
}

/// The cells of a row, without quotes.
struct Cells<'r> {
    rest: Option<&'r [u8]>,
    separator: u8,
    /// Whether the last cell had quotes.
    is_quoted: bool,
    /// Whether a closing quote was missing.
    is_broken: bool,
}

impl<'r> Cells<'r> {
    fn new(row: &'r [u8], separator: u8) -> Cells<'r> {
        Cells {
            rest: Some(row),
            separator,
            is_quoted: false,
            is_broken: false,
        }
    }

    /// Continues after the next separator in `rest` and returns the bytes before it.
    fn take_plain(&mut self, rest: &'r [u8]) -> &'r [u8] {
        // Most cells of a table are empty.
        let length = match rest.first() {
            Some(&first) if first == self.separator => Some(0),
            _ => memchr::memchr(self.separator, rest),
        };
        match length {
            Some(n) => {
                self.rest = rest.get(n + 1..);
                rest.get(..n).unwrap_or_default()
            }
            None => {
                self.rest = None;
                rest
            }
        }
    }
}

impl<'r> Iterator for Cells<'r> {
    type Item = Cow<'r, [u8]>;

    fn next(&mut self) -> Option<Cow<'r, [u8]>> {
        let all = self.rest?;
        self.is_quoted = all.starts_with(b"\"");
        let Some(quoted) = all.strip_prefix(b"\"") else {
            return Some(Cow::Borrowed(self.take_plain(all)));
        };
        let mut value = Cow::Borrowed(&b""[..]);
        let mut rest = quoted;
        loop {
            let Some(n) = memchr::memchr(b'"', rest) else {
                // The quote may be a damaged character, so the cell ends at the next separator.
                self.is_broken = true;
                return Some(Cow::Borrowed(self.take_plain(all)));
            };
            let (part, after) = rest.split_at_checked(n).unwrap_or((rest, &[]));
            match &mut value {
                Cow::Borrowed([]) => value = Cow::Borrowed(part),
                value => value.to_mut().extend_from_slice(part),
            }
            match after {
                [_, b'"', tail @ ..] => {
                    value.to_mut().push(b'"');
                    rest = tail;
                }
                [_, tail @ ..] => {
                    let stray = self.take_plain(tail);
                    if !stray.is_empty() {
                        value.to_mut().extend_from_slice(stray);
                    }
                    return Some(value);
                }
                [] => return Some(value),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cells(row: &str) -> Vec<String> {
        let cells = Cells::new(row.as_bytes(), b',');
        cells
            .map(|cell| String::from_utf8(cell.into_owned()).unwrap())
            .collect()
    }

    #[test]
    fn rows_are_divided_into_cells() {
        for (row, expected) in [
            ("a,b", &["a", "b"][..]),
            ("", &[""]),
            (",", &["", ""]),
            ("\"a,b\",\"c\"\"d\",\"\"", &["a,b", "c\"d", ""]),
            ("\"\"\"a\"\"\",x", &["\"a\"", "x"]),
            ("a\"b,c", &["a\"b", "c"]),
            ("\"a,b", &["\"a", "b"]),
            ("\"a\"b,c", &["ab", "c"]),
        ] {
            assert_eq!(cells(row), expected, "{row}");
        }
    }

    proptest! {
        #[test]
        fn cells_come_back(values in prop::collection::vec("[a\", ]{0,6}", 1..5)) {
            let quoted: Vec<_> =
                values.iter().map(|value| format!("\"{}\"", value.replace('"', "\"\""))).collect();
            prop_assert_eq!(cells(&quoted.join(",")), values);
        }
    }

    #[test]
    fn tables_are_recognised_by_their_columns() {
        let puzzle = "a,8/8/8/4k3/8/4K3/4P3/8 w - - 0 1,e3d3 e5d5,600,80,100,3,x y,https://x";
        for (line, names, count) in [
            ("PuzzleId,FEN,Moves,Rating", true, 4),
            ("puzzleid;fen;moves", true, 3),
            ("\"Event\",\"movetext\"", true, 2),
            (puzzle, false, 9),
            (&puzzle.replace(',', "\t"), false, 9),
        ] {
            let table = Table::of_first_line(line.as_bytes()).unwrap();
            assert_eq!(
                (table.has_names, table.columns.len()),
                (names, count),
                "{line}"
            );
        }
        for line in [
            "",
            "id,name,score",
            "FEN,Solution",
            "White,Black,Result",
            "a,8/8/8/4k3/8/4K3/4P3/8 w - - 0 1,some words,600",
            "a,b,e2e4,600",
        ] {
            let error = Table::of_first_line(line.as_bytes())
                .unwrap_err()
                .to_string();
            assert!(
                error.contains("PuzzleId, FEN, Moves") && error.contains("movetext"),
                "{error}"
            );
        }
    }
}
