//! Folders: which files lie in them, and which bases.

use std::fs;
use std::path::{Path, PathBuf};

use chessdb_core::Format;

use crate::error::{Error, Problem};
use crate::formats::by_extension;
use crate::fs::commit::awaited_in;
use crate::fs::folder::files_of;
use crate::names::{is_packing, naming, orphans, split};

/// The bases in a folder, sorted by path, with those in folders below it if `deep`. Of a set without
/// the file that names it another is given if all bases are wanted, or there is no other: opening it
/// says what is missing. Packed files count if what they are called without `.gz`, `.zst` or `.zip` names a format.
pub fn bases_in(
    folder: &Path,
    forced: Option<&'static Format>,
    deep: bool,
) -> Result<Vec<PathBuf>, Error> {
    let mut bases = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let mut files = files_of(&folder)?;
        // Files that have not their names yet: opening the base will see to it.
        for awaited in awaited_in(&folder) {
            if !files.contains(&awaited) {
                files.push(awaited);
            }
        }
        bases.extend(naming(&files, forced));
        if deep || bases.is_empty() {
            bases.extend(orphans(&files, forced));
        }
        bases.extend(
            files
                .into_iter()
                .filter(|path| is_packed_base(path, forced)),
        );
        if deep {
            let error = |error| Error::new(&folder, Problem::Io(error));
            for entry in fs::read_dir(&folder).map_err(error)? {
                let entry = entry.map_err(error)?;
                // Links to folders are not followed: they may lead in a circle.
                if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    folders.push(entry.path());
                }
            }
        }
    }
    bases.sort();
    Ok(bases)
}

/// Whether it is a packed file that may hold a base.
fn is_packed_base(path: &Path, forced: Option<&'static Format>) -> bool {
    let (inner, packing) = split(path.file_name().unwrap_or_default());
    if !cfg!(feature = "archives") || !is_packing(packing) {
        return false;
    }
    match by_extension(split(inner).1) {
        Some(format) => forced.is_none_or(|forced| forced.id == format.id),
        None => packing.eq_ignore_ascii_case("zip"),
    }
}
