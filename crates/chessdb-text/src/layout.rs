//! What the beginning of a file determines about the rest: the columns of a table, and the division
//! into records.

use std::sync::Arc;

use chessdb_core::error::Location;
use chessdb_core::files::Role;
use chessdb_core::report::GameReport;
use chessdb_core::{Error, ErrorKind, Result};

use crate::pgn_text::PgnText;
use crate::roles::{CSV_FILE, EPD_FILE, FEN_FILE, NDJSON_FILE};
use crate::splitter::Division;
use crate::table::Table;
use crate::{epd, json};

/// A format of this crate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Csv,
    Ndjson,
    Epd,
    Fen,
}

impl Kind {
    pub(crate) const fn role(self) -> Role {
        match self {
            Kind::Csv => CSV_FILE,
            Kind::Ndjson => NDJSON_FILE,
            Kind::Epd => EPD_FILE,
            Kind::Fen => FEN_FILE,
        }
    }
}

/// The structure of a file.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    pub(crate) role: Role,
    pub(crate) division: Division,
    /// The length of the part of the file before the first record.
    pub(crate) start: usize,
    table: Option<Arc<Table>>,
}

/// The byte order mark of UTF-8.
const BOM: &[u8] = b"\xEF\xBB\xBF";

impl Layout {
    /// Returns the length of the prefix that [`Layout::find`] needs: up to the end of the first
    /// line that is not blank. `None` if these bytes do not contain it.
    pub(crate) fn prefix(bytes: &[u8]) -> Option<usize> {
        let start = bytes.iter().position(|byte| !byte.is_ascii_whitespace())?;
        let rest = bytes.get(start..)?;
        Some(start + memchr::memchr(b'\n', rest)? + 1)
    }

    /// Determines the structure of a file from its first bytes.
    ///
    /// # Errors
    ///
    /// Returns an error if a table has no known columns.
    pub(crate) fn find(kind: Kind, bytes: &[u8]) -> Result<Layout> {
        let body = bytes.strip_prefix(BOM).unwrap_or(bytes);
        let before = bytes.len() - body.len();
        let blank = body.len() - body.trim_ascii_start().len();
        let line = body.trim_ascii_start();
        let line = line.split(|&byte| byte == b'\n').next().unwrap_or_default();
        let mut layout = Layout {
            role: kind.role(),
            division: Division::LinesWithRemarks,
            start: before,
            table: None,
        };
        match kind {
            Kind::Epd | Kind::Fen => {}
            Kind::Csv => {
                let at = Location::byte(CSV_FILE, (before + blank) as u64);
                let table = Table::of_first_line(line).or_else(|error| {
                    // Without names, damage to the first puzzle does not hide the others.
                    let lines = body.trim_ascii_start().split(|&byte| byte == b'\n');
                    let mut others = lines.skip(1).take(2).map(Table::of_first_line);
                    let puzzle = others.find_map(|table| table.ok().filter(|t| !t.has_names));
                    puzzle.ok_or_else(|| error.at(at))
                })?;
                layout.division = Division::Lines;
                if table.has_names {
                    layout.start = bytes.len().min(before + blank + line.len() + 1);
                }
                layout.table = Some(Arc::new(table.with_all_columns()));
            }
            Kind::Ndjson => {
                layout.division = match json::wrapper(line) {
                    Some(length) => {
                        layout.start = before + blank + length;
                        Division::Objects
                    }
                    None if line.starts_with(b"{") && line.trim_ascii_end().ends_with(b"}") => {
                        Division::Lines
                    }
                    None => Division::Objects,
                };
            }
        }
        Ok(layout)
    }

    /// Appends a record as PGN.
    ///
    /// # Errors
    ///
    /// Returns an error if the record is no game, and in strict mode every deviation.
    pub(crate) fn write_pgn(
        &self,
        record: &[u8],
        at: Location,
        out: &mut PgnText<'_>,
        report: &mut GameReport<'_>,
    ) -> Result<()> {
        let record = record.trim_ascii();
        if record.len() > report.options.limits.game_bytes as usize {
            let kind = ErrorKind::LimitExceeded {
                what: "bytes in a game",
                limit: report.options.limits.game_bytes.into(),
            };
            return Err(Error::new(kind).at(at));
        }
        match (&self.table, self.role) {
            (Some(table), _) => table.write_row(record, at, out, report),
            (None, NDJSON_FILE) => json::write(record, at, out, report),
            _ => epd::write(record, at, out, report),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_beginning_determines_the_layout() {
        for (kind, text, division, start) in [
            (Kind::Epd, "\u{FEFF}8/8", Division::LinesWithRemarks, 3),
            (Kind::Csv, "a,b,movetext\nx", Division::Lines, 13),
            (Kind::Csv, "\u{FEFF}\n movetext", Division::Lines, 13),
            (Kind::Ndjson, "{\"a\":{}} \r\n", Division::Lines, 0),
            (Kind::Ndjson, "{\n", Division::Objects, 0),
            (Kind::Ndjson, "[\n{}]", Division::Objects, 1),
            (Kind::Ndjson, " { \"games\" : [{}]}", Division::Objects, 14),
            (Kind::Ndjson, "", Division::Objects, 0),
        ] {
            let layout = Layout::find(kind, text.as_bytes()).unwrap();
            assert_eq!((layout.division, layout.start), (division, start), "{text}");
        }
    }
}
