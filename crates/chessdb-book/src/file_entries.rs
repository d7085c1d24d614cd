//! Files that are lists of entries of one size.

use chessdb_core::error::Location;
use chessdb_core::files::Role;
use chessdb_core::{ErrorKind, ReadOptions, Result, Scratch, Severity};

/// Returns the entries of a file that has entries of one size. A part of an entry at the end is
/// reported.
pub(crate) fn whole_entries<'f, const SIZE: usize>(
    bytes: &'f [u8],
    file: Role,
    options: &ReadOptions,
    scratch: &mut Scratch,
) -> Result<&'f [[u8; SIZE]]> {
    let (entries, rest) = bytes.as_chunks::<SIZE>();
    if !rest.is_empty() {
        let kind = ErrorKind::truncated("the last entry", SIZE as u64, rest.len() as u64);
        let location = Location::byte(file, entries.as_flattened().len() as u64);
        scratch.deviation(options, Severity::Lost, kind, location)?;
    }
    Ok(entries)
}
