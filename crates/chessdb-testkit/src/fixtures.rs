//! Locations of the test data, and functions to read them.
//!
//! The repository's own data are in `fixtures/`. Genuine databases and large collections are stored
//! outside; the environment variable `CHESSDB_TESTDATA` names the folder with `fixtures-real`,
//! `fixtures-made` and `corpus`. Without it, the tests that need these data pass and report that
//! they did not run; with it, a missing file is a failure.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use chessdb_core::MemorySet;
use chessdb_core::files::Role;

/// The environment variable that names the folder of external data.
pub const TESTDATA: &str = "CHESSDB_TESTDATA";

/// Returns the folder `fixtures/` of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .expect("the crate lies in crates/")
        .join("fixtures")
}

/// Returns a file or folder in `fixtures/`, which must exist.
pub fn path(sub: impl AsRef<Path>) -> PathBuf {
    must_exist(root().join(sub))
}

/// Returns a file or folder of the external data, such as `fixtures-real/scid`.
///
/// Returns `None` and prints a line on standard error if `CHESSDB_TESTDATA` is not set.
///
/// # Panics
///
/// Panics if it is set and the file or folder is missing.
pub fn testdata(sub: &str) -> Option<PathBuf> {
    let root = env::var_os(TESTDATA);
    if root.is_none() {
        eprintln!("not run: {TESTDATA} is not set (needs {sub})");
    }
    Some(outside(Path::new(&root?), sub))
}

fn outside(root: &Path, sub: &str) -> PathBuf {
    must_exist(root.join(sub))
}

fn must_exist(path: PathBuf) -> PathBuf {
    assert!(path.exists(), "test data missing: {}", path.display());
    path
}

/// Returns the whole content of a file.
///
/// # Panics
///
/// Panics if it cannot be read.
pub fn read(path: impl AsRef<Path>) -> Vec<u8> {
    let path = path.as_ref();
    fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns the files `BASE.ext` of a database. `stem` is its path without extension, and each role
/// is an extension in lower case. Case is ignored in the names on disk; a file with exactly the
/// right name is preferred. Missing files are left out.
///
/// # Panics
///
/// Panics if none of the files exists.
pub fn load_set(stem: impl AsRef<Path>, roles: &[Role]) -> MemorySet {
    let stem = stem.as_ref();
    let mut set = MemorySet::new();
    for &role in roles {
        if let Some(path) = find(stem, role) {
            set.insert(role, read(path));
        }
    }
    assert!(
        set.iter().next().is_some(),
        "no file of the base {}.*",
        stem.display()
    );
    set
}

/// Returns the path of one file of a database.
pub fn find(stem: &Path, role: Role) -> Option<PathBuf> {
    let name = format!("{}.{role}", stem.file_name()?.to_str()?);
    let folder = stem.parent()?;
    let exact = folder.join(&name);
    if exact.is_file() {
        return Some(exact);
    }
    files(folder).into_iter().find(|path| {
        path.file_name()
            .and_then(|n| n.to_str())
            .is_some_and(|n| n.eq_ignore_ascii_case(&name))
    })
}

/// Returns the stems (paths without extension) of all databases in a folder that have a file of
/// this role, sorted. Subfolders are not searched.
pub fn bases(folder: impl AsRef<Path>, role: Role) -> Vec<PathBuf> {
    files(folder.as_ref())
        .into_iter()
        .filter(|path| {
            path.extension()
                .and_then(|e| e.to_str())
                .is_some_and(|e| e.eq_ignore_ascii_case(role.0))
        })
        .map(|path| path.with_extension(""))
        .collect()
}

/// Returns the files of a folder, sorted by name.
///
/// # Panics
///
/// Panics if the folder cannot be read.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let entries =
        fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<_> = entries
        .map(|entry| entry.expect("a folder that can be read").path())
        .filter(|path| path.is_file())
        .collect();
    paths.sort();
    paths
}

#[cfg(test)]
mod tests {
    use super::*;
    use chessdb_core::FileSet;

    #[test]
    fn capitals_in_extensions_do_not_matter() {
        let folder = env::temp_dir().join(format!("chessdb-testkit-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("Old.base.SI4"), b"index").unwrap();
        fs::write(folder.join("Old.base.sg4"), b"games").unwrap();
        let stem = folder.join("Old.base");
        let set = load_set(&stem, &[Role("si4"), Role("sg4"), Role("sn4")]);
        assert_eq!(set.get(Role("si4")), Some(&b"index"[..]));
        assert_eq!(set.get(Role("sg4")), Some(&b"games"[..]));
        assert_eq!(set.get(Role("sn4")), None);
        assert_eq!(bases(&folder, Role("si4")), [stem]);
        let missing = std::panic::catch_unwind(|| load_set(folder.join("none"), &[Role("si4")]));
        assert!(missing.is_err());
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn missing_outside_data_fails() {
        assert!(std::panic::catch_unwind(|| outside(&root(), "no-such-folder")).is_err());
    }
}
