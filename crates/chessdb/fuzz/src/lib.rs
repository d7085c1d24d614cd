//! The common part of the fuzz targets: selecting the format and running the target
//! (docs/fuzzing.md).

#[path = "../../tests/fuzz/formats.rs"]
mod formats;

use std::sync::OnceLock;

use chessdb::Format;

use formats::fuzzed;

/// The environment variable that names the format to be fuzzed.
pub const FORMAT: &str = "CHESSDB_FUZZ_FORMAT";

/// Returns the format named by [`FORMAT`].
///
/// # Panics
///
/// Panics if it names no fuzzed format; the message lists the names.
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

/// Runs the target of this name on an input.
///
/// # Panics
///
/// Panics if the input reveals a fault, or if there is no such target for this format.
pub fn run(target: &str, bytes: &[u8]) {
    let format = format();
    assert!(
        formats::run(target, format, bytes),
        "{target}: not for {}",
        format.id
    );
}
