//! Backup copies of a database before it is changed.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use super::disk::{remove, rename_new};
use super::journal::hidden;
use crate::paths::split;

/// The suffix of a file's hidden name while its backup copy is being written.
pub(crate) const COPYING: &str = ".chessdb-copy";

/// Copies the files of a database (first the one that names it) to new names: `base.bak.si4` for
/// `base.si4`, or `base.bak2.si4` if that is taken.
///
/// The copies get these names only when they are complete.
pub(crate) fn back_up(files: &[&Path]) -> io::Result<Vec<PathBuf>> {
    let mut number = 1_u32;
    let names = loop {
        let names: Vec<PathBuf> = files.iter().map(|file| name_of(file, number)).collect();
        let is_taken = |name: &PathBuf| fs::symlink_metadata(name).is_ok();
        if !names.iter().any(is_taken) {
            break names;
        }
        number = number.saturating_add(1);
    };
    let copied = copy(files, &names);
    if copied.is_err() {
        for file in files {
            let _ = remove(&hidden(file, COPYING));
        }
    }
    copied.map(|()| names)
}

fn copy(files: &[&Path], names: &[PathBuf]) -> io::Result<()> {
    for file in files {
        let copy = hidden(file, COPYING);
        remove(&copy)?;
        let mut old = File::open(file)?;
        let mut new = File::create_new(&copy)?;
        io::copy(&mut old, &mut new)?;
        new.set_permissions(old.metadata()?.permissions())?;
        new.sync_all()?;
    }
    // The file that names the database comes last.
    for (file, name) in files.iter().zip(names).rev() {
        rename_new(&hidden(file, COPYING), name)?;
    }
    Ok(())
}

fn name_of(file: &Path, number: u32) -> PathBuf {
    let (stem, extension) = split(file.file_name().unwrap_or_default());
    let mut name = OsString::from(stem);
    name.push(".bak");
    if number > 1 {
        name.push(number.to_string());
    }
    if !extension.is_empty() {
        name.push(".");
        name.push(extension);
    }
    file.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backups_get_unused_names() {
        let folder = tempfile::tempdir().unwrap();
        let files = ["b.si4", "b.sg4"].map(|name| folder.path().join(name));
        for file in &files {
            fs::write(file, file.extension().unwrap().as_encoded_bytes()).unwrap();
        }
        let paths: Vec<&Path> = files.iter().map(PathBuf::as_path).collect();
        for names in [["b.bak.si4", "b.bak.sg4"], ["b.bak2.si4", "b.bak2.sg4"]] {
            let copies = back_up(&paths).unwrap();
            assert_eq!(copies, names.map(|name| folder.path().join(name)));
            for (copy, file) in copies.iter().zip(&files) {
                assert_eq!(fs::read(copy).unwrap(), fs::read(file).unwrap());
            }
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 6);
    }
}
