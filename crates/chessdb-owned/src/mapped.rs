//! Files that are mapped into memory instead of being read.

use std::fs::File;
use std::io;
use std::sync::Arc;

use chessdb_core::SharedBytes;
use memmap2::Mmap;

/// Maps a whole file into memory, read only: opening it costs nothing, and of a base of gigabytes only
/// what is looked at takes memory, which the system can take back.
///
/// The price: if another program cuts the file, or its disk fails, while it is looked at, the system
/// stops this program instead of giving an error. Whoever cannot have that reads the file.
///
/// # Errors
///
/// Those of the system; what is not a file, or holds no byte, cannot be mapped.
pub fn map(file: &File) -> io::Result<SharedBytes> {
    // SAFETY: nothing here writes to the mapping. That nobody else changes the file while it is looked
    // at cannot be known; it is what every program that maps files relies on. Our own writers put new
    // files in the place of old ones, or append.
    #[expect(
        unsafe_code,
        reason = "mapping a file is a promise about other programs"
    )]
    let mapped = unsafe { Mmap::map(file) }?;
    Ok(Arc::new(mapped))
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::map;

    #[test]
    fn a_mapped_file_has_its_bytes() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(b"moves").unwrap();
        assert_eq!((*map(&file).unwrap()).as_ref(), b"moves");
    }
}
