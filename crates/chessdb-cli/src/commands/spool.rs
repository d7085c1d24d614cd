//! Standard input that cannot be read as a stream, such as a zip archive: it is copied to a
//! temporary file first.

use std::io::{self, BufRead, Read};
use std::path::PathBuf;

use chessdb::fs::HiddenFileGuard;
use tempfile::NamedTempFile;

use crate::exit::Failure;

/// The most bytes that are copied.
const MOST: u64 = 1 << 30;

/// The first bytes of what is read by offsets: zip and 7z archives, SQLite databases, Parquet
/// tables.
const STARTS: [&[u8]; 5] = [
    b"PK\x03\x04",
    b"PK\x05\x06",
    b"7z\xBC\xAF\x27\x1C",
    b"SQLite format 3\0",
    b"PAR1",
];

/// The copy of standard input. The file is removed on drop, or by a signal.
pub(super) struct SpooledInput {
    _file: NamedTempFile,
    _guard: HiddenFileGuard,
}

/// Copies standard input to a file if it is the input of these words and cannot be read as a
/// stream. The word is replaced by the path of the file.
///
/// # Errors
///
/// Returns an error if standard input has more than 1 GiB, or if the file cannot be written.
pub(super) fn spool(words: &mut [PathBuf]) -> Result<Option<SpooledInput>, Failure> {
    let Some(word) = words.iter_mut().find(|word| word.as_os_str() == "-") else {
        return Ok(None);
    };
    let mut stdin = io::stdin().lock();
    // The bytes stay in the buffer of standard input. Reading it reports the error, if any.
    let start = stdin.fill_buf().unwrap_or_default();
    if !needs_file(start) {
        return Ok(None);
    }
    let failed = |error: io::Error| Failure::Input(format!("standard input: {error}"));
    let suffix = if start.starts_with(b"PK") { ".zip" } else { "" };
    let file = tempfile::Builder::new()
        .prefix("stdin-")
        .suffix(suffix)
        .tempfile();
    let mut file = file.map_err(failed)?;
    let guard = HiddenFileGuard::new(file.path());
    // One byte more distinguishes the limit from a larger input.
    let copied = io::copy(&mut stdin.take(MOST + 1), &mut file).map_err(failed)?;
    if copied > MOST {
        let message = "standard input: an archive of more than 1 GiB cannot be read from a pipe; save it to a file first";
        return Err(Failure::Input(message.to_owned()));
    }
    *word = file.path().to_owned();
    Ok(Some(SpooledInput {
        _file: file,
        _guard: guard,
    }))
}

/// Returns whether content with this start has to be read by offsets.
fn needs_file(start: &[u8]) -> bool {
    // The magic number of tar is at the end of the first header.
    let is_tar = start
        .get(257..)
        .is_some_and(|rest| rest.starts_with(b"ustar"));
    is_tar || STARTS.iter().any(|magic| start.starts_with(magic))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn archives_need_a_file_and_text_does_not() {
        let mut tar = b"a.pgn".to_vec();
        tar.resize(257, 0);
        tar.extend_from_slice(b"ustar\0");
        assert!(needs_file(&tar) && needs_file(b"PK\x03\x04\x14"));
        let plain: [&[u8]; 4] = [b"", b"PK", b"[Event \"x\"]", b"\x1F\x8B\x08\0"];
        assert!(!plain.into_iter().any(needs_file));
    }
}
