//! What the beginning of a file determines about the rest: the columns of a table, and the division
//! into records.

use std::sync::Arc;

use chessdb_core::error::Location;
use chessdb_core::files::Role;
use chessdb_core::limits::Limits;
use chessdb_core::{Diagnostic, Error, ErrorKind, Result, Severity};

use crate::pgn_text::PgnText;
use crate::roles::{CSV_FILE, EPD_FILE, FEN_FILE, NDJSON_FILE};
use crate::splitter::{Division, line_end};
use crate::table::Table;
use crate::{columns, epd, json};

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

/// The number of lines that determine the columns of a table.
const TABLE_LINES: usize = 3;

/// Returns the length of the lines that determine the structure: from the start of the file to the
/// end of the first line that is not blank, or of the first lines of a table. `None` if these bytes
/// do not contain them.
fn beginning(kind: Kind, bytes: &[u8]) -> Option<usize> {
    let body = bytes.strip_prefix(BOM).unwrap_or(bytes);
    let lines = body.trim_ascii_start();
    let more = match kind {
        Kind::Csv => TABLE_LINES - 1,
        _ => 0,
    };
    let mut end = 0;
    for _ in 0..=more {
        end = line_end(lines, end, false)?;
    }
    Some(bytes.len() - lines.len() + end)
}

/// Returns the lines of a text without their ends.
pub(crate) fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (line, after) =
            rest.split_at_checked(line_end(rest, 0, true).filter(|&end| end > 0)?)?;
        rest = after;
        Some(without_line_end(line))
    })
}

/// Returns a line without its end.
fn without_line_end(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

impl Layout {
    /// Returns whether [`Layout::find`] gives the same result for these bytes as for a file that
    /// begins with them.
    pub(crate) fn is_determined(kind: Kind, bytes: &[u8], limits: &Limits) -> bool {
        bytes.len() >= limits.game_bytes as usize || beginning(kind, bytes).is_some()
    }

    /// Determines the structure of a file from its first lines.
    ///
    /// # Errors
    ///
    /// Returns an error if a table has no known columns.
    pub(crate) fn find(kind: Kind, bytes: &[u8], limits: &Limits) -> Result<Layout> {
        // A stream has only these bytes, and a database in memory must give the same result.
        let end = beginning(kind, bytes).unwrap_or(bytes.len());
        let limited = end.min(limits.game_bytes as usize);
        let bytes = bytes.get(..limited).unwrap_or(bytes);
        let body = bytes.strip_prefix(BOM).unwrap_or(bytes);
        let before = bytes.len() - body.len();
        let blank = body.len() - body.trim_ascii_start().len();
        let text = body.trim_ascii_start();
        let line = lines(text).next().unwrap_or_default();
        let mut layout = Layout {
            role: kind.role(),
            division: Division::LinesWithRemarks,
            start: before,
            table: None,
        };
        match kind {
            Kind::Epd | Kind::Fen => {}
            Kind::Csv => {
                let location = Location::byte(CSV_FILE, (before + blank) as u64);
                let table = Table::of_first_line(line).or_else(|error| {
                    // Without names, damage to the first puzzle does not hide the others.
                    let others = lines(text).skip(1).take(TABLE_LINES - 1);
                    let mut others = others.map(Table::of_first_line);
                    others
                        .find_map(|table| table.ok().filter(|t| !t.has_names))
                        .ok_or_else(|| error.at(location))
                })?;
                if table.has_names {
                    let end = line_end(text, 0, true).unwrap_or(text.len());
                    layout.start = before + blank + end;
                }
                let table = table.with_all_columns();
                layout.division = table.division();
                layout.table = Some(Arc::new(table));
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

    /// Returns a note on each column with the name of an earlier one.
    pub(crate) fn notes(&self) -> impl Iterator<Item = Diagnostic> {
        let columns = self.table.iter().flat_map(|table| table.repeated());
        columns.map(|column| {
            let kind = columns::repeated_note("column", &column.original, &column.name);
            Diagnostic::new(Severity::Note, kind, Location::byte(self.role, 0))
        })
    }

    /// Appends a record as PGN.
    ///
    /// # Errors
    ///
    /// Returns an error if the record is no game, and in strict mode every deviation.
    pub(crate) fn write_pgn(&self, record: &[u8], out: &mut PgnText<'_, '_>) -> Result<()> {
        let record = match &self.table {
            // Tabs at the start and end are empty cells.
            Some(_) => without_line_end(record),
            None => record.trim_ascii(),
        };
        if record.len() > out.report.options.limits.game_bytes as usize {
            let kind = ErrorKind::over_limit(
                "bytes in a game",
                out.report.options.limits.game_bytes.into(),
            );
            return Err(Error::new(kind).at(out.location));
        }
        match (&self.table, self.role) {
            (Some(table), _) => table.write_row(record, out),
            (None, NDJSON_FILE) => json::write(record, out),
            _ => epd::write(record, out),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beginning_determines_layout() {
        let rows = |columns| Division::Rows {
            separator: b',',
            columns,
        };
        for (kind, text, division, start) in [
            (Kind::Epd, "\u{FEFF}8/8", Division::LinesWithRemarks, 3),
            (Kind::Csv, "a,b,movetext\nx", rows(3), 13),
            (Kind::Csv, "a,b,movetext\r\nx", rows(3), 14),
            (Kind::Csv, "a,b,movetext\rx", rows(3), 13),
            (Kind::Csv, "\u{FEFF}\n movetext", rows(1), 13),
            (Kind::Ndjson, "{\"a\":{}} \r\n", Division::Lines, 0),
            (Kind::Ndjson, "{\n", Division::Objects, 0),
            (Kind::Ndjson, "[\n{}]", Division::Objects, 1),
            (Kind::Ndjson, " { \"games\" : [{}]}", Division::Objects, 14),
            (Kind::Ndjson, "", Division::Objects, 0),
        ] {
            let layout = Layout::find(kind, text.as_bytes(), &Limits::default()).unwrap();
            assert_eq!((layout.division, layout.start), (division, start), "{text}");
        }
    }

    /// A stream has only the beginning of a file when it determines the structure.
    #[test]
    fn beginning_and_file_determine_same_layout() {
        let puzzle = "00008,8/8/8/8/8/4k3/8/R3K3 w - - 0 1,a1a2 e3d3,1500,75,90,10,mate,,\n";
        let texts = [
            format!("Pe\n{puzzle}"),
            format!("Pe\n\n{puzzle}{puzzle}"),
            format!("\u{FEFF}\n\r\n{puzzle}Pe\n"),
            format!("0,8/8\nx\n{puzzle}"),
            "\u{FEFF}\nWhite,movetext\na,1. e4\n".to_owned(),
            "\n\n{\"a\":1}\n{}\n".to_owned(),
            "\u{FEFF} \n{\n\"games\": [{}]}\n".to_owned(),
            format!("{{\"a\":\"{}\"}}\n{{}}\n", "x".repeat(100)),
            "White,movetext\ra,1. e4\r\nb,*\r\r".to_owned(),
            "{\"a\":1}\r{}\r".to_owned(),
            "# 8/8\n8/8\n".to_owned(),
            String::new(),
        ];
        let mut narrow = Limits::default();
        narrow.game_bytes = 40;
        for (limits, text) in [Limits::default(), narrow]
            .iter()
            .flat_map(|limits| texts.iter().map(move |text| (limits, text)))
        {
            for kind in [Kind::Csv, Kind::Ndjson, Kind::Epd, Kind::Fen] {
                let of = |bytes| format!("{:?}", Layout::find(kind, bytes, limits));
                let whole = of(text.as_bytes());
                for end in 0..text.len() {
                    let part = &text.as_bytes()[..end];
                    if Layout::is_determined(kind, part, limits) {
                        assert_eq!(of(part), whole, "{kind:?}, {end} bytes of {text:?}");
                    }
                }
            }
        }
    }
}
