//! Unnamed temporary files, which disappear when they are closed.

use std::fs::File;
use std::io;

/// A file without a name. WebAssembly has no files; there it is memory.
pub type TemporaryFile = File;

/// Creates an empty temporary file.
///
/// # Errors
///
/// Returns the errors of the operating system.
pub fn temporary_file() -> io::Result<TemporaryFile> {
    tempfile::tempfile()
}
