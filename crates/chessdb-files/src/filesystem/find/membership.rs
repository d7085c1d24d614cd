//! Whether a path is a file of a database.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use chessdb_core::files::Role;
use chessdb_formats::FORMATS;

use super::{in_archive, survey};
use crate::filesystem::folder::files_of;
use crate::format_hint::FormatHint;
use crate::paths::{folder_of, same_name, split};
use crate::snapshot::{Snapshot, real};
use crate::system::may_have_links;

/// Suffixes of files that are stored next to a database file under its name.
const COMPANIONS: [&str; 6] = [
    "chessdb-index",
    "chessdb-tree",
    "chessdb-changes",
    "journal",
    "wal",
    "shm",
];

/// Returns the paths of the index files of a database with this main file.
pub fn index_files(main: &Path) -> [PathBuf; 2] {
    ["chessdb-index", "chessdb-tree"].map(|suffix| {
        let mut name = OsString::from(main);
        name.push(".");
        name.push(suffix);
        name.into()
    })
}

/// Returns whether a path is one of the files of `database`, which may be a database, a folder of
/// databases or an archive.
///
/// Files are compared by identity, also through links and other spellings. A path without a file
/// belongs to the database if its name is one of the set.
pub fn belongs_to(path: impl AsRef<Path>, database: impl AsRef<Path>) -> bool {
    let (path, database) = (path.as_ref(), database.as_ref());
    if database.is_dir() {
        let is_inside = real(path).starts_with(real(database));
        let may_be = path.exists() && (is_inside || may_have_links(path));
        let bases =
            || survey(database, FormatHint::default()).map_or_else(|_| Vec::new(), |it| it.bases);
        return may_be && bases().iter().any(|base| is_of(path, base));
    }
    is_of(path, database)
}

/// Returns whether a path is a file of a database that is not a folder.
fn is_of(path: &Path, database: &Path) -> bool {
    if let Some((archive, _)) = in_archive(database) {
        return Snapshot::of([archive]).contains(path);
    }
    // A link to a file of the set and the target of the link both belong to it.
    [database.to_owned(), real(database)]
        .iter()
        .any(|database| {
            let folder = folder_of(database);
            let real_path = real(path);
            if folder_of(&real_path) == real(folder) && is_in_set(&real_path, database) {
                return true;
            }
            // A path without a file needs no listing, which matters for thousands of new files.
            path.exists() && {
                let own = [database.clone()];
                let all = files_of(folder).unwrap_or_default();
                let set = all.into_iter().filter(|file| is_in_set(file, database));
                Snapshot::of(own.into_iter().chain(set)).contains(path)
            }
        })
}

/// Returns whether a file next to a database has a name of its set.
fn is_in_set(file: &Path, database: &Path) -> bool {
    let name = |path: &Path| path.file_name().unwrap_or_default().to_owned();
    let (file, database) = (name(file), name(database));
    if file == database || cfg!(any(windows, target_os = "macos")) && same_name(&file, &database) {
        return true;
    }
    let starts = file
        .as_encoded_bytes()
        .strip_prefix(database.as_encoded_bytes());
    let is_companion = |rest: &[u8]| {
        let rest = rest.strip_prefix(b"-").or_else(|| rest.strip_prefix(b"."));
        rest.is_some_and(|rest| COMPANIONS.iter().any(|suffix| suffix.as_bytes() == rest))
    };
    if starts.is_some_and(is_companion) {
        return true;
    }
    let mut formats = FORMATS.iter().filter(|format| format.roles.len() > 1);
    formats.any(|format| {
        let Some(stem) = role_of(&file, format.roles) else {
            return false;
        };
        match role_of(&database, format.roles) {
            Some(of) => same_name(stem, of),
            // The database was given by the stem.
            None => same_name(stem, &database),
        }
    })
}

/// Returns the stem of a file that has one of these roles. It is empty for roles that are whole
/// names.
fn role_of<'n>(name: &'n OsStr, roles: &[Role]) -> Option<&'n OsStr> {
    let whole = |role: &Role| role.is_whole_name() && same_name(OsStr::new(role.0), name);
    if roles.iter().any(whole) {
        return Some(OsStr::new(""));
    }
    let (stem, extension) = split(name);
    let is_role = |role: &Role| !role.is_whole_name() && role.0.eq_ignore_ascii_case(extension);
    roles.iter().any(is_role).then_some(stem)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn membership_ignores_path_spelling() {
        let lab = tempfile::tempdir().unwrap();
        let in_lab = |name: &str| lab.path().join(name);
        for name in ["b.si4", "b.sg4", "b.sn4", "a.pgn", "a.txt", "b.txt"] {
            fs::write(in_lab(name), "1").unwrap();
        }
        fs::create_dir(in_lab("sub")).unwrap();
        fs::hard_link(in_lab("b.sg4"), in_lab("hard")).unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink(in_lab("b.sn4"), in_lab("soft")).unwrap();
        let cases = [
            ("a.pgn", "a.pgn", true),
            ("sub/../a.pgn", "a.pgn", true),
            ("a.txt", "a.pgn", false),
            ("new.txt", "a.pgn", false),
            ("a.pgn.chessdb-index", "a.pgn", true),
            ("a.pgn.chessdb-tree", "a.pgn", true),
            ("b.sg4", "b.si4", true),
            ("b.si4", "b.sg4", true),
            ("b.sg4", "b", true),
            ("B.SG4", "b.si4", true),
            ("hard", "b.si4", true),
            ("soft", "b.si4", cfg!(unix)),
            ("b.txt", "b.si4", false),
            ("b.pgn", "b.si4", false),
            ("new.sg4", "new.si4", true),
            ("new.sg5", "new.si4", false),
            ("hard", "a.pgn", false),
            ("hard", "sub", false),
        ];
        for (path, database, belongs) in cases {
            assert_eq!(
                belongs_to(in_lab(path), in_lab(database)),
                belongs,
                "{path} {database}"
            );
        }
        fs::write(in_lab("sub/c.pgn"), "[White \"x\"]\n\n1. e4 *\n").unwrap();
        fs::write(in_lab("sub/report.tsv"), "x\ty\n").unwrap();
        assert!(belongs_to(in_lab("sub/c.pgn"), in_lab("sub")));
        assert!(!belongs_to(in_lab("sub/report.tsv"), in_lab("sub")));
        assert!(!belongs_to(in_lab("sub/new.tsv"), in_lab("sub")));
    }
}
