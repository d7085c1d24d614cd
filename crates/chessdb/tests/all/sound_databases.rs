//! A database that is known to be sound is opened without examining it again. That changes nothing:
//! neither what is read, nor what is reported, nor what a change writes.
#![cfg(feature = "all-formats")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use chessdb::convert::Editor;
use chessdb::fs::IndexUse;
use chessdb::{Allow, Database, Format};
use chessdb_testkit::rng::Rng;

use crate::index_follows::{append, change, changeable, lay};
use crate::tree_index::{games, open};

/// Returns the files of the format in a folder, with their bytes.
fn files_of(folder: &Path, format: &Format) -> BTreeMap<PathBuf, Vec<u8>> {
    let entries = fs::read_dir(folder).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let own = paths.filter(|path| {
        let extension = path.extension().unwrap_or_default();
        format.roles.iter().any(|role| extension == role.0)
    });
    own.map(|path| {
        let bytes = fs::read(&path).unwrap();
        (PathBuf::from(path.file_name().unwrap()), bytes)
    })
    .collect()
}

/// Undoes the last change, or repeats it. Returns whether there was one.
fn undo_any(path: &Path) -> bool {
    let format = chessdb::fs::find(path).unwrap().format();
    let mut sink = chessdb::fs::create(path, format, true).unwrap();
    chessdb::fs::undo(&mut sink).is_ok()
}

/// Compares everything that opening and reading reports, with the index and without it.
fn compare_reports(path: &Path, context: &str) {
    let shown = |db: &chessdb::Result<Database>| match db {
        Ok(db) => {
            let read: Vec<String> = (0..db.len().unwrap_or(0))
                .map(|n| match db.game(n) {
                    Ok(game) => format!("{game:?} {:?}", game.diagnostics()),
                    Err(error) => error.to_string(),
                })
                .collect();
            (format!("{:?}", db.diagnostics()), read)
        }
        Err(error) => (error.to_string(), Vec::new()),
    };
    let with = shown(&Database::options().index(true).open(path));
    let without = shown(&Database::open(path));
    assert_eq!(with.0, without.0, "{context}");
    assert!(with.1 == without.1, "{context}");
}

#[test]
fn changes_write_the_same_bytes_with_and_without_an_index() {
    for format in changeable().filter(|format| format.change.is_some()) {
        let [with, without] = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let paths = [with.path(), without.path()].map(|folder| lay(folder, format, 8));
        for suffix in ["index", "tree"] {
            let index = format!("{}.chessdb-{suffix}", paths[1].display());
            fs::remove_file(index).unwrap();
        }
        let others = games(&open(&paths[0]));
        let mut rngs = [Rng::new(11), Rng::new(11)];
        let mut changes = 0;
        for round in 0..40 {
            let context = format!("{} round {round}", format.id);
            let done = [0, 1].map(|n| match round % 8 {
                3 => append(&paths[n], round),
                5 => undo_any(&paths[n]),
                _ => change(&paths[n], &mut rngs[n], &others).is_some(),
            });
            assert_eq!(done[0], done[1], "{context}");
            changes += usize::from(done[0]);
            let [with, without] = [&with, &without].map(|folder| files_of(folder.path(), format));
            assert!(with == without, "{context}");
            if *open(&paths[0]).indexed() != IndexUse::Used {
                // It was rewritten, or a change was undone that the index does not know.
                open(&paths[0]).write_index(|_| {}).unwrap();
            }
        }
        assert!(changes > 20, "{} {changes}", format.id);
        compare_reports(&paths[0], format.id);
        assert_eq!(*open(&paths[0]).indexed(), IndexUse::Used, "{}", format.id);
    }
}

/// Damages of a file, each with other bytes of the same length.
fn damages(bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut damages = Vec::new();
    for part in 0..6 {
        let start = bytes.len() * part / 6;
        for length in [1, 700] {
            let mut damaged = bytes.to_vec();
            let end = damaged.len().min(start + length);
            for byte in &mut damaged[start..end] {
                *byte = if length == 1 { *byte ^ 0x41 } else { 0 };
            }
            if damaged != bytes {
                damages.push(damaged);
            }
        }
    }
    damages
}

#[test]
fn damage_by_another_program_is_reported_with_an_index() {
    for format in changeable() {
        let folder = tempfile::tempdir().unwrap();
        let path = lay(folder.path(), format, 12);
        // Before and after a change of this program.
        for round in 0..2 {
            if round == 1 {
                append(&path, 4);
            }
            for (name, bytes) in files_of(folder.path(), format) {
                let file = folder.path().join(&name);
                for (n, damaged) in damages(&bytes).into_iter().enumerate() {
                    fs::write(&file, damaged).unwrap();
                    let context = format!("{} {} {n} {round}", format.id, name.display());
                    compare_reports(&path, &context);
                }
                fs::write(&file, bytes).unwrap();
            }
            compare_reports(&path, format.id);
        }
    }
}

#[test]
fn findings_stay_with_an_index() {
    let mut found = 0;
    for format in changeable() {
        let folder = tempfile::tempdir().unwrap();
        let path = lay(folder.path(), format, 13);
        for (name, bytes) in files_of(folder.path(), format) {
            let file = folder.path().join(&name);
            for (n, damaged) in damages(&bytes).into_iter().enumerate().step_by(2) {
                fs::write(&file, &damaged).unwrap();
                let context = format!("{} {} {n}", format.id, name.display());
                let Ok(db) = Database::open(&path) else {
                    continue;
                };
                let has_findings = !db.diagnostics().is_empty();
                drop(db);
                if Database::options()
                    .index(true)
                    .open(&path)
                    .is_ok_and(|db| db.write_index(|_| {}).is_err())
                {
                    continue;
                }
                found += usize::from(has_findings);
                compare_reports(&path, &context);
                // A change in place leaves the damage and its report.
                if format.change.is_some() && has_findings {
                    let mut editor = Editor::open(&path, Database::options()).unwrap();
                    let changed = editor.change(&[1, 7], Allow::Everything, &mut |game| {
                        game.set_tag("Site", "Rome");
                    });
                    // A damaged game cannot be changed.
                    let _ = changed;
                    drop(editor);
                    compare_reports(&path, &context);
                }
            }
            // The files of this format as they were.
            fs::remove_dir_all(folder.path()).unwrap();
            fs::create_dir(folder.path()).unwrap();
            lay(folder.path(), format, 13);
        }
    }
    assert!(found > 20, "{found}");
}
