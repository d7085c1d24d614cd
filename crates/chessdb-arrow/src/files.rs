//! The table formats Arrow, CSV and NDJSON, which are only written.
//!
//! To read games back, use Parquet or the database they came from.

mod ipc;
mod text;

use chessdb_core::files::Role;
use chessdb_core::format::Score;
use chessdb_core::{ErrorKind, Format, Result};
use chessdb_pgn::raw::is_tag_name;

use crate::columns::unknown_column;
use crate::writer::{LOSSES, Writer, chosen_columns};
use crate::{Column, Columns};
use text::{Csv, Ndjson};

/// The formats of this crate. They are only written.
pub static TARGETS: &[&Format] = &[&ARROW, &CSV, &NDJSON];

const ARROW_FILE: Role = Role("arrow");
const CSV_FILE: Role = Role("csv");
const NDJSON_FILE: Role = Role("ndjson");

/// Arrow's file format. All columns are written unless others are chosen. The file allows random
/// access to its batches; with the setting `stream` it is a stream instead, which suits pipes.
pub static ARROW: Format = Format::new(
    "arrow",
    "Arrow",
    |_| Score::No,
    |_, _| Err(write_only_error("an Arrow file")),
    |_, _, _| {},
)
.with_files(&[ARROW_FILE], &[ARROW_FILE])
.with_losses(LOSSES)
.with_facts()
.with_settings(&["columns", "positions", "stream"])
.with_create(|sink, options| {
    let columns = chosen_columns(&options.settings, Columns::ALL)?;
    let mut settings = options.settings.iter();
    if settings.any(|(name, value)| *name == "stream" && value == "yes") {
        let writer = Writer::create(sink, ARROW_FILE, options, columns, ipc::stream)?;
        Ok(Box::new(writer))
    } else {
        let writer = Writer::create(sink, ARROW_FILE, options, columns, ipc::file)?;
        Ok(Box::new(writer))
    }
});

/// One line of comma-separated values per game. The header and the movetext are written unless other
/// columns are chosen. The first line has the column names. An empty cell without quotes is null.
pub static CSV: Format = Format::new(
    "csv",
    "CSV",
    |_| Score::No,
    |_, _| Err(write_only_error("CSV")),
    |_, _, _| {},
)
.with_files(&[CSV_FILE], &[CSV_FILE])
.with_losses(LOSSES)
.with_facts()
.with_settings(&["columns"])
.with_create(|sink, options| {
    let (columns, tags) = chosen_columns_and_tags(&options.settings, Columns::TEXT)?;
    if let Some(column) = columns.iter().find(|column| column.is_list()) {
        let why = format!(
            "the column {} contains lists, which CSV cannot store; choose other columns, such as \
             movetext for the moves, or write NDJSON, Arrow or Parquet",
            column.name()
        );
        return Err(ErrorKind::Other(why.into()).into());
    }
    let csv = Csv::new(columns, &tags);
    let columns = (columns, tags);
    let writer = Writer::create_with_tags(sink, CSV_FILE, options, columns, |_| Ok(csv))?;
    Ok(Box::new(writer))
});

/// One JSON object per line and game. The header and the movetext are written unless other columns
/// are chosen.
pub static NDJSON: Format = Format::new(
    "ndjson",
    "NDJSON",
    |_| Score::No,
    |_, _| Err(write_only_error("NDJSON")),
    |_, _, _| {},
)
.with_files(&[NDJSON_FILE], &[NDJSON_FILE])
.with_losses(LOSSES)
.with_facts()
.with_settings(&["columns", "positions"])
.with_create(|sink, options| {
    let (columns, tags) = chosen_columns_and_tags(&options.settings, Columns::TEXT)?;
    let ndjson = Ndjson::new(columns, &tags);
    let columns = (columns, tags);
    let writer = Writer::create_with_tags(sink, NDJSON_FILE, options, columns, |_| Ok(ndjson))?;
    Ok(Box::new(writer))
});

fn write_only_error(what: &str) -> chessdb_core::Error {
    let message = format!(
        "{what} can be written but not read; open the original database, or use Parquet, which \
         can be read"
    );
    ErrorKind::Other(message.into()).into()
}

/// Returns the columns like [`chosen_columns`], and the names of the setting `columns` that are
/// tags without a column.
///
/// # Errors
///
/// Returns an error for a name that cannot be one of a tag.
fn chosen_columns_and_tags(
    settings: &[(&str, String)],
    default: Columns,
) -> Result<(Columns, Vec<String>)> {
    let mut settings = settings.to_vec();
    let mut tags: Vec<String> = Vec::new();
    if let Some((_, names)) = settings
        .iter_mut()
        .rev()
        .find(|(name, _)| *name == "columns")
        && names.parse::<Columns>().is_err()
    {
        let (columns, others): (Vec<&str>, Vec<&str>) = names
            .split(',')
            .map(str::trim)
            .partition(|name| Column::by_name(name).is_some());
        for name in others {
            if !is_tag_name(name.as_bytes()) {
                return Err(ErrorKind::Setting(unknown_column(name).into()).into());
            }
            if !tags.iter().any(|tag| tag == name) {
                tags.push(name.to_owned());
            }
        }
        if columns.is_empty() {
            return Ok((Columns::ALL.filter(|_| false), tags));
        }
        *names = columns.join(",");
    }
    Ok((chosen_columns(&settings, default)?, tags))
}
