//! Files that are mapped into memory instead of being read.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;

use chessdb_core::files::SharedBytes;
use memmap2::Mmap;

/// Maps a whole file into memory, read-only.
///
/// Opening is free, and only the used parts of a large database take memory, which the operating
/// system can reclaim.
///
/// The disadvantage: if another program truncates the file or its disk fails during access, the
/// operating system kills this program instead of returning an error. `exit_on_truncation` turns this
/// into a message with `path` as the name of the file. A caller that cannot accept this should read
/// the file.
///
/// # Errors
///
/// Returns the errors of the operating system. Only files can be mapped, and only if they are not
/// empty.
pub fn map(file: &File, path: &Path) -> io::Result<SharedBytes> {
    Ok(Arc::new(Mapped::new(mapping(file)?, path)))
}

/// Maps a whole file like [`map`] and loads all of it into memory at once.
///
/// A disk failure is an error here and does not kill the program later. Nothing is copied, which
/// makes this several times faster than reading.
///
/// # Errors
///
/// Returns the errors of [`map`], and an error if a part of the file cannot be read or the system
/// lacks this function.
pub fn map_present(file: &File, path: &Path) -> io::Result<SharedBytes> {
    let mapped = mapping(file)?;
    #[cfg(target_os = "linux")]
    let loaded = mapped.advise(memmap2::Advice::PopulateRead);
    #[cfg(not(target_os = "linux"))]
    let loaded: io::Result<()> = Err(io::ErrorKind::Unsupported.into());
    loaded?;
    Ok(Arc::new(Mapped::new(mapped, path)))
}

/// A mapping that the signal handler knows.
struct Mapped {
    /// It must be dropped before the mapping.
    #[cfg(unix)]
    _registered: crate::truncation::RegisteredMapping,
    bytes: Mmap,
}

impl Mapped {
    fn new(bytes: Mmap, path: &Path) -> Mapped {
        let _ = path;
        Mapped {
            #[cfg(unix)]
            _registered: crate::truncation::RegisteredMapping::new(&bytes, path),
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
    // SAFETY: this program does not write to the mapping. It cannot rule out that another program
    // changes the file during access; every program that maps files relies on that. Our own writers
    // replace old files by new ones, append, or change files in place when their games were read.
    #[expect(unsafe_code, reason = "other programs must not change a mapped file")]
    let mapped = unsafe { Mmap::map(file) };
    mapped
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use std::path::Path;

    use super::map;

    #[test]
    fn mapped_file_has_the_bytes_of_the_file() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(b"moves").unwrap();
        let path = Path::new("moves");
        assert_eq!((*map(&file, path).unwrap()).as_ref(), b"moves");
        let mapped = map(&file, path).unwrap();
        crate::release_mapped_pages();
        assert_eq!((*mapped).as_ref(), b"moves");
        let present = super::map_present(&file, path);
        assert_eq!(present.is_ok(), cfg!(target_os = "linux"));
        assert!(
            present.is_ok_and(|bytes| (*bytes).as_ref() == b"moves")
                || cfg!(not(target_os = "linux"))
        );
    }
}
