//! The descriptions of the formats for the facade.

use chessdb_core::dump::{Fields, Region};
use chessdb_core::format::Score;
use chessdb_core::limits::Limits;
use chessdb_core::utf16::utf_8;
use chessdb_core::{FileSet, Format, MemorySet, Result};

use crate::layout::{self, Kind, Layout};
use crate::splitter::{Splitter, Step};
use crate::table::Table;
use crate::{Reader, Store, epd, json};

macro_rules! formats {
    ($($(#[$doc:meta])* $name:ident $id:literal $title:literal $kind:ident $with:expr;)*) => {
        /// The formats of this crate.
        pub static FORMATS: &[&Format] = &[$(&$name),*];

        $(
            $(#[$doc])*
            pub static $name: Format = $with(Format::new(
                $id,
                $title,
                |files| probe(files, Kind::$kind),
                |files, options| {
                    let bytes = files.require(Kind::$kind.role())?;
                    Ok(Box::new(Store::open(Kind::$kind, bytes, options)?))
                },
                // Reading the games finds everything.
                |_, _, _| {},
            )
            .with_files(&[Kind::$kind.role()], &[Kind::$kind.role()])
            .with_stream(|input, options| {
                Ok(Box::new(Reader::new(Kind::$kind, input, options)?))
            })
            .with_dump(|files, emit| dump(files, Kind::$kind, emit))
            .with_raw(|files| raw(files, Kind::$kind)));
        )*
    };
}

formats! {
    /// Tables in CSV: puzzles of Lichess, and games as chessdb writes them.
    CSV "csv" "CSV: Lichess puzzles, tables of games" Csv Format::with_shared_suffix;
    /// Games as JSON objects: of Lichess, of chess.com, and as chessdb writes them.
    NDJSON "ndjson" "NDJSON: Lichess games, tables of games" Ndjson Format::with_shared_suffix;
    /// Positions with operations in Extended Position Description, a line each. Written are the
    /// positions of the mainlines.
    EPD "epd" "Extended Position Description" Epd with_positions_as_epd;
    /// Positions in Forsyth-Edwards Notation, a line each. Written are the positions of the
    /// mainlines.
    FEN "fen" "Forsyth-Edwards Notation" Fen with_positions_as_fen;
}

const fn with_positions_as_epd(format: Format) -> Format {
    format.with_shared_suffix().with_export(&chessdb_pgn::EPD)
}

const fn with_positions_as_fen(format: Format) -> Format {
    format.with_shared_suffix().with_export(&chessdb_pgn::FEN)
}

/// The number of bytes examined.
const PREFIX: usize = 8 << 10;
/// The number of lines examined.
const LINES: usize = 20;

fn probe(files: &dyn FileSet, kind: Kind) -> Score {
    let Some(bytes) = files.get(kind.role()) else {
        return Score::No;
    };
    let is_whole = bytes.len() <= PREFIX;
    let (text, _) = utf_8(bytes.get(..PREFIX).unwrap_or(bytes));
    let text = text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&text);
    // The prefix may end within a line.
    let end = text
        .iter()
        .rposition(|&byte| matches!(byte, b'\n' | b'\r'))
        .filter(|_| !is_whole);
    let text = text.get(..end.unwrap_or(text.len())).unwrap_or_default();
    let mut lines = layout::lines(text)
        .map(<[u8]>::trim_ascii)
        .filter(|line| !line.is_empty());
    match kind {
        Kind::Csv => match lines.next().map(Table::of_first_line) {
            Some(Ok(table)) if table.is_export() => Score::Likely,
            Some(Ok(_)) => Score::Certain,
            _ => Score::No,
        },
        Kind::Ndjson => {
            let start = text.trim_ascii_start();
            match start.first() {
                Some(b'{' | b'[') => json::score(start),
                None if is_whole => Score::Maybe,
                _ => Score::No,
            }
        }
        Kind::Epd | Kind::Fen => {
            let is_remark = |line: &&[u8]| matches!(line.first(), Some(b'#' | b'%'));
            let lines = lines.filter(|line| !is_remark(line)).take(LINES);
            let (positions, others): (Vec<&[u8]>, Vec<&[u8]>) =
                lines.partition(|line| epd::is_position(line));
            match (positions.len(), others.len()) {
                (0, 0) if is_whole => Score::Maybe,
                (0, _) => Score::No,
                (_, 0) => Score::Certain,
                // Damaged lines.
                (positions, others) if positions >= others => Score::Likely,
                _ => Score::No,
            }
        }
    }
}

/// Calls `each` with the step to each part of a text after its start.
fn for_each_part(layout: &Layout, start: usize, text: &[u8], mut each: impl FnMut(Step, &[u8])) {
    let mut rest = text.get(start..).unwrap_or_default();
    loop {
        let step = Splitter::new(layout.division).advance(rest, true);
        let end = match step {
            Step::Record { end }
            | Step::Blank { end }
            | Step::Remark { end }
            | Step::Foreign { end } => end,
            Step::More | Step::Nothing => break,
        };
        let (part, after) = rest.split_at_checked(end).unwrap_or((rest, &[]));
        each(step, part);
        rest = after;
    }
}

/// Returns the file as the concatenation of its records and the parts between them.
fn raw(files: &dyn FileSet, kind: Kind) -> Result<MemorySet> {
    let bytes = files.require(kind.role())?;
    let (text, utf_16) = utf_8(bytes);
    let layout = Layout::find(kind, &text, &Limits::default())?;
    let start = if utf_16.is_some() { 0 } else { layout.start };
    let mut again = bytes.get(..start).unwrap_or_default().to_vec();
    for_each_part(&layout, start, bytes, |_, part| {
        again.extend_from_slice(part)
    });
    Ok([(kind.role(), again)].into_iter().collect())
}

/// Reports the line or object of each game, and the parts between them. Nothing is known of the
/// bytes of a text in UTF-16.
fn dump(files: &dyn FileSet, kind: Kind, emit: &mut dyn FnMut(Region)) {
    let Some(bytes) = files
        .get(kind.role())
        .filter(|bytes| utf_8(bytes).1.is_none())
    else {
        return;
    };
    let Ok(layout) = Layout::find(kind, bytes, &Limits::default()) else {
        return;
    };
    let mut fields = Fields::new(kind.role(), 0, emit);
    if layout.start > 0 {
        fields.known(
            layout.start as u64,
            "magic: the names of the columns, or signs before the games",
        );
    }
    let mut games = 0_u32;
    for_each_part(&layout, layout.start, bytes, |step, part| {
        let length = part.len() as u64;
        match step {
            Step::Record { .. } => {
                games = games.saturating_add(1);
                fields.known(length, format!("game {games}: its line or object"));
            }
            Step::Remark { .. } => fields.known(length, "a remark"),
            _ => fields.known(length, "text between games"),
        }
    });
}
