//! The formats that the page can write, and the charsets it knows.

use chessdb::core::Charset;
use chessdb::{FORMATS, formats};
use serde_json::{Value, json};

/// The formats that only the larger module has (Cargo.toml, feature `full`): id, name, suffix.
const FULL: [(&str, &str, &str); 2] = [
    ("jose", "jose, SQLite", "sqlite"),
    ("parquet", "Parquet", "parquet"),
];

/// Returns the formats of [`FULL`] that this module lacks.
fn lacking() -> impl Iterator<Item = Value> {
    let lacking = FULL.iter().filter(|(id, ..)| formats::by_id(id).is_none());
    lacking.map(|(id, name, suffix)| {
        json!({ "id": id, "name": name, "suffix": suffix, "files": 1, "lacking": true })
    })
}

/// Returns the formats that can be written and all charsets, which do not depend on a database.
pub(crate) fn abilities() -> Value {
    let writable = FORMATS.iter().filter(|format| format.create.is_some());
    let writable = writable.map(|format| {
        let roles = format.roles.iter().filter(|role| !role.is_whole_name());
        let first = format.roles.first();
        json!({
            "id": format.id,
            "name": format.name,
            "suffix": first.map(|role| role.0),
            "files": roles.count(),
        })
    });
    let writable: Vec<Value> = writable.chain(lacking()).collect();
    let charsets: Vec<&str> = Charset::all().map(Charset::name).collect();
    json!({ "formats": writable, "charsets": charsets })
}
