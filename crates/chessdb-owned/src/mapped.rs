//! Files that are mapped into memory instead of being read.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;

use chessdb_core::SharedBytes;
use memmap2::Mmap;

/// Maps a whole file into memory, read only: opening it costs nothing, and of a base of gigabytes only
/// what is looked at takes memory, which the system can take back.
///
/// The price: if another program cuts the file, or its disk fails, while it is looked at, the system
/// stops this program instead of giving an error; `end_when_cut` makes of that a message, in which the file is called
/// by `path`. A caller that cannot afford this reads the file.
///
/// # Errors
///
/// Those of the system; what is not a file, or holds no byte, cannot be mapped.
pub fn map(file: &File, path: &Path) -> io::Result<SharedBytes> {
    Ok(Arc::new(Mapped::new(mapping(file)?, path)))
}

/// Maps a whole file as [`map`] does, and brings all of it into memory at once: what a disk cannot give any more
/// is an error here, and does not stop the program later. Nothing is copied, which makes it several times quicker than
/// reading.
///
/// # Errors
///
/// Those of [`map`]; a part of the file that cannot be read; a system that cannot be asked for that.
#[cfg(target_os = "linux")]
pub fn map_present(file: &File, path: &Path) -> io::Result<SharedBytes> {
    let mapped = mapping(file)?;
    mapped.advise(memmap2::Advice::PopulateRead)?;
    Ok(Arc::new(Mapped::new(mapped, path)))
}

/// A mapping that the handler of signals knows.
struct Mapped {
    /// It goes before the mapping.
    #[cfg(unix)]
    _known: crate::hidden::cut::Known,
    bytes: Mmap,
}

impl Mapped {
    fn new(bytes: Mmap, path: &Path) -> Mapped {
        let _ = path;
        Mapped {
            #[cfg(unix)]
            _known: crate::hidden::cut::Known::new(&bytes, Some(path.to_owned())),
            bytes,
        }
    }
}

impl AsRef<[u8]> for Mapped {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

fn mapping(file: &File) -> io::Result<Mmap> {
    // SAFETY: nothing here writes to the mapping. That nobody else changes the file while it is looked
    // at cannot be known; it is what every program that maps files relies on. Our own writers put new
    // files in the place of old ones, or append.
    #[expect(
        unsafe_code,
        reason = "mapping a file is a promise about other programs"
    )]
    let mapped = unsafe { Mmap::map(file) };
    mapped
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use std::path::Path;

    use super::map;

    #[test]
    fn a_mapped_file_has_its_bytes() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(b"moves").unwrap();
        let path = Path::new("moves");
        assert_eq!((*map(&file, path).unwrap()).as_ref(), b"moves");
        #[cfg(target_os = "linux")]
        assert_eq!(
            (*super::map_present(&file, path).unwrap()).as_ref(),
            b"moves"
        );
    }
}
