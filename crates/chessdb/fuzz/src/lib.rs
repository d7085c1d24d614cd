//! The fuzz targets' common part: which format, and what to do (docs/fuzzing.md).

#[path = "../../tests/fuzz/formats.rs"]
mod formats;

use std::sync::OnceLock;

use chessdb::Format;

use formats::fuzzed;

/// The environment variable that names the format to be fuzzed.
pub const FORMAT: &str = "CHESSDB_FUZZ_FORMAT";

/// What [`FORMAT`] names.
///
/// # Panics
///
/// If it names none: the list of names is in the message.
pub fn format() -> &'static Format {
    static FOUND: OnceLock<&Format> = OnceLock::new();
    FOUND.get_or_init(|| {
        let name = std::env::var(FORMAT).unwrap_or_default();
        let found = fuzzed().find(|format| format.id == name);
        found.unwrap_or_else(|| {
            let names: Vec<_> = fuzzed().map(|format| format.id).collect();
            panic!("{FORMAT} must be one of {}", names.join(", "))
        })
    })
}

/// Does with an input what the target of this name does.
///
/// # Panics
///
/// If there is something to find, or no such target for this format.
pub fn run(target: &str, bytes: &[u8]) {
    let format = format();
    assert!(
        formats::run(target, format, bytes),
        "{target}: not for {}",
        format.id
    );
}
