//! Folders and archives: which bases lie in them.

use std::fs;
use std::path::{Path, PathBuf};

use chessdb_core::Format;

use super::path::{Contents, look_into};
use crate::error::{Error, Problem};
use crate::formats::{by_extension, missing_feature};
use crate::fs::commit::awaited_in;
use crate::fs::folder::files_of;
use crate::names::{is_archive, is_packing, naming, orphans, split};
use crate::packed::CANNOT;
use crate::wanted::Wanted;

/// What lies in a folder, folders below it included, or in an archive.
#[derive(Default, Debug)]
#[non_exhaustive]
pub struct Survey {
    /// The bases, sorted by path, as [`find`](crate::fs::find) takes them: one of several in an archive is
    /// `archive.zip:base.si4`.
    pub bases: Vec<PathBuf>,
    /// Files that chess programs write and that are read by no format here, and what they are.
    pub strangers: Vec<(PathBuf, &'static str)>,
    /// What could not be looked into.
    pub unread: Vec<Error>,
}

/// Looks for bases where a path leads: in a folder with those below it, in an archive of several bases;
/// any other path is taken for one base. Of a set without the file that names it another one is given:
/// opening it says what is missing. Links to folders are not followed.
///
/// # Errors
///
/// The folder itself cannot be listed.
pub fn survey(path: impl AsRef<Path>, wanted: impl Into<Wanted>) -> Result<Survey, Error> {
    let (path, wanted) = (path.as_ref(), wanted.into());
    let mut found = Survey::default();
    if path.is_dir() {
        let mut folders = vec![path.to_owned()];
        while let Some(folder) = folders.pop() {
            match found.add_folder(&folder, wanted) {
                Ok(below) => folders.extend(below),
                Err(error) if folder == path => return Err(error),
                Err(error) => found.unread.push(error),
            }
        }
    } else if path.is_file() {
        found.add_archive(path, wanted);
    } else {
        found.bases.push(path.to_owned());
    }
    found.bases.sort();
    found.strangers.sort();
    Ok(found)
}

impl Survey {
    /// The folders below it are handed back.
    fn add_folder(&mut self, folder: &Path, wanted: Wanted) -> Result<Vec<PathBuf>, Error> {
        let forced = wanted.format;
        let files = files_with_awaited(folder)?;
        self.bases.extend(naming(&files, forced));
        self.bases.extend(orphans(&files, forced));
        for file in &files {
            if is_archive(file) {
                self.add_archive(file, wanted);
            } else if is_packed_base(file, forced) {
                self.bases.push(file.clone());
            }
        }
        let files: Vec<PathBuf> = files.into_iter().filter(|file| !is_archive(file)).collect();
        self.add_strangers(&files, |file| file.clone());
        let error = |error| Error::new(folder, Problem::Io(error));
        let mut below = Vec::new();
        for entry in fs::read_dir(folder).map_err(error)? {
            let entry = entry.map_err(error)?;
            // Links to folders are not followed: they may lead in a circle.
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                below.push(entry.path());
            }
        }
        Ok(below)
    }

    /// Adds a file, or the bases in it if it is an archive of several.
    fn add_archive(&mut self, file: &Path, wanted: Wanted) {
        let within = |member: &PathBuf| {
            let mut name = file.as_os_str().to_owned();
            name.push(":");
            name.push(member);
            PathBuf::from(name)
        };
        match look_into(file, wanted) {
            Ok(Some(Contents { bases, members })) if bases.len() != 1 => {
                self.bases.extend(bases.iter().map(within));
                self.add_strangers(&members, within);
            }
            // Opening it says what is wrong, or not read.
            _ => self.bases.push(file.to_owned()),
        }
    }

    fn add_strangers(&mut self, files: &[PathBuf], name: impl Fn(&PathBuf) -> PathBuf) {
        let strangers = files.iter().filter_map(|file| {
            let what = stranger(file)?;
            Some((name(file), what))
        });
        self.strangers.extend(strangers);
    }
}

/// The files of a folder, and those that have not their names yet: opening the base will see to it.
fn files_with_awaited(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let mut files = files_of(folder)?;
    for awaited in awaited_in(folder) {
        if !files.contains(&awaited) {
            files.push(awaited);
        }
    }
    Ok(files)
}

/// The bases in a folder alone, sorted by path. Of a set without the file that names it another is given
/// if there is no other. Packed files count if what they are called without `.gz` and the like names a
/// format, and archives.
pub(super) fn bases_of(
    folder: &Path,
    forced: Option<&'static Format>,
) -> Result<Vec<PathBuf>, Error> {
    let files = files_with_awaited(folder)?;
    let mut bases = naming(&files, forced);
    if bases.is_empty() {
        bases.extend(orphans(&files, forced));
    }
    let is_packed = |path: &PathBuf| is_archive(path) || is_packed_base(path, forced);
    bases.extend(files.into_iter().filter(is_packed));
    bases.sort();
    Ok(bases)
}

/// Whether it is called like a packed file of a format.
fn is_packed_base(path: &Path, forced: Option<&'static Format>) -> bool {
    let (inner, packing) = split(path.file_name().unwrap_or_default());
    if !is_packing(packing) {
        return false;
    }
    let format = by_extension(split(inner).1);
    format.is_some_and(|format| forced.is_none_or(|forced| forced.id == format.id))
}

/// Files of chess programs that no format here reads, by their suffixes, and what they are.
const STRANGERS: &[(&str, &str)] = &[
    ("2cbh", "a ChessBase database (2cbh), which is not read"),
    (
        "cbone",
        "a ChessBase database in one file, which is not read",
    ),
    ("cbv", "an archive in an archive: unpack it first"),
    ("cbz", "an archive in an archive: unpack it first"),
    ("ctg", "a ChessBase book of positions, which is not read"),
    ("abk", "a book of Arena, which is not read"),
    ("si", "an index of Scid 1 or 2, which is not read"),
    ("rar", "packed with RAR: unpack it first"),
    ("7z", "packed with 7-Zip: unpack it first"),
    ("lzh", "packed with LHA: unpack it first"),
    ("arj", "packed with ARJ: unpack it first"),
];

/// What is said of a base whose format this build lacks.
fn lacking(feature: &str) -> &'static str {
    macro_rules! say {
        ($($name:literal)*) => {
            match feature {
                $($name => concat!("a base that this build cannot read: it lacks the feature `", $name, "`"),)*
                _ => "a base of a format that this build does not know",
            }
        };
    }
    say!("archives" "bytecode" "ca" "cbf" "cbh" "dcx" "parquet" "pgn" "scid" "sqlite")
}

/// What a file is, if it looks like one of a chess program, or packed, and is read by no format.
fn stranger(path: &Path) -> Option<&'static str> {
    let (stem, extension) = split(path.file_name()?);
    if by_extension(extension).is_some() {
        return None;
    }
    if !cfg!(feature = "archives") && is_packing(extension) && by_extension(split(stem).1).is_some()
    {
        return Some(CANNOT);
    }
    if let Some(feature) = missing_feature(extension, &[]) {
        return Some(lacking(feature));
    }
    let mut known = STRANGERS.iter();
    let found = known.find(|(known, _)| known.eq_ignore_ascii_case(extension));
    found.map(|&(_, what)| what)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_format_that_is_not_built_in_is_named_by_its_feature() {
        for feature in ["sqlite", "bytecode", "archives", "cbh"] {
            assert!(lacking(feature).ends_with(&format!("it lacks the feature `{feature}`")));
        }
        #[cfg(not(feature = "sqlite"))]
        assert_eq!(stranger(Path::new("a.sqlite")), Some(lacking("sqlite")));
        #[cfg(not(feature = "cbh"))]
        assert_eq!(stranger(Path::new("a.cbh")), Some(lacking("cbh")));
    }
}
