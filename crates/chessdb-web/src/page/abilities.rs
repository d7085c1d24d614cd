//! The formats that the page can write, and the charsets and columns it knows.

use chessdb::columns::Column;
use chessdb::core::Charset;
use chessdb::{FORMATS, formats};
use serde_json::{Value, json};

/// The formats that only the larger module has (Cargo.toml, feature `full`): id, name, suffix.
const FULL: [(&str, &str, &str); 5] = [
    ("encroissant", "En Croissant", "db3"),
    ("lucaschess", "Lucas Chess", "lcdb"),
    ("ocgdb", "OCGDB", "ocgdb"),
    ("jose", "jose, SQLite", "sqlite"),
    ("parquet", "Parquet", "parquet"),
];

/// The games as a page with boards, which is not read back as a database.
pub(crate) const EXPORT: &str = "html";

/// The columns that every row contains, and those that only a search or several databases have.
const IN_EVERY_ROW: &[&str] = &[
    "game", "white", "whiteelo", "black", "blackelo", "result", "date", "eco", "event", "deleted",
    "base", "ply", "position",
];

/// Returns the formats of [`FULL`] that this module cannot write.
fn lacking() -> impl Iterator<Item = Value> {
    let is_written = |id| formats::by_id(id).is_some_and(|format| format.create.is_some());
    let lacking = FULL.iter().filter(move |(id, ..)| !is_written(id));
    lacking.map(|(id, name, suffix)| {
        json!({ "id": id, "name": name, "suffix": suffix, "files": 1, "lacking": true })
    })
}

/// Returns the columns that a list may show besides those of every row:
/// `[name, title, width, isNumber]`, the width in characters.
fn more_columns() -> Value {
    let columns = Column::all().filter(|column| !IN_EVERY_ROW.contains(&column.name()));
    let columns = columns.map(|column| {
        let (width, _) = column.widths();
        json!([column.name(), column.title(), width, column.is_number()])
    });
    Value::Array(columns.collect())
}

/// Returns the formats that can be written, all charsets and the further columns of rows, which do
/// not depend on a database.
pub(crate) fn abilities() -> Value {
    let writable = FORMATS.iter().copied();
    let writable = writable.filter(|format| format.create.is_some());
    let exports = formats::by_id(EXPORT);
    let writable = writable.chain(exports).map(|format| {
        let roles = format.roles.iter().filter(|role| !role.is_whole_name());
        // A write-ahead log of SQLite is only read.
        let roles = roles.filter(|role| !role.0.ends_with("-wal"));
        let first = format.roles.first();
        json!({
            "id": format.id,
            "name": format.name,
            "suffix": first.map(|role| role.0),
            "files": roles.count(),
            "isExport": format.id == EXPORT,
        })
    });
    let writable: Vec<Value> = writable.chain(lacking()).collect();
    let charsets: Vec<&str> = Charset::all().map(Charset::name).collect();
    json!({ "formats": writable, "charsets": charsets, "columns": more_columns() })
}
