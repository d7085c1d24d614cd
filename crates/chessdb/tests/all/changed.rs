//! Changes by another program during a rewrite of a database are never overwritten.
#![cfg(feature = "all-formats")]

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use chessdb::convert::{Editor, Observer, Report};
use chessdb::{Allow, Converter, Database, Error, FORMATS, Format, Problem, Writer};

use crate::common::GAMES;

/// Returns the formats in which a database can be read and written.
fn formats() -> impl Iterator<Item = &'static Format> {
    let formats = FORMATS.iter().copied();
    formats.filter(|format| format.create.is_some() && format.id != "fbk")
}

/// A change by another program to the files of a database.
type Change = fn(&Path);

fn main_of(path: &Path) -> Vec<u8> {
    fs::read(path).unwrap()
}

fn files(path: &Path) -> Vec<PathBuf> {
    let folder = fs::read_dir(path.parent().unwrap()).unwrap();
    let mut files: Vec<PathBuf> = folder.map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| !file.file_name().unwrap().to_str().unwrap().starts_with('.'));
    files.sort();
    files
}

const CHANGES: [(&str, Change); 5] = [
    ("appended", |path| {
        let bytes = main_of(path);
        fs::write(path, [bytes, b"\n".to_vec()].concat()).unwrap();
    }),
    ("written in place", |path| {
        let last = files(path).pop().unwrap();
        let bytes = fs::read(&last).unwrap();
        let file = fs::File::options().write(true).open(&last).unwrap();
        std::io::Write::write_all(&mut &file, &bytes).unwrap();
        let later = std::time::SystemTime::now() + std::time::Duration::from_secs(2);
        file.set_modified(later).unwrap();
    }),
    ("replaced", |path| {
        let other = path.with_extension("other");
        fs::copy(path, &other).unwrap();
        fs::rename(other, path).unwrap();
    }),
    ("cut", |path| fs::write(path, b"").unwrap()),
    ("removed", |path| {
        fs::remove_file(files(path).pop().unwrap()).unwrap()
    }),
];

/// An observer that changes a database after the first game was read.
struct Meddler<'p> {
    path: &'p Path,
    change: Option<Change>,
}

impl Observer for Meddler<'_> {
    fn game(&mut self, _: &Report) -> ControlFlow<()> {
        if let Some(change) = self.change.take() {
            change(self.path);
        }
        ControlFlow::Continue(())
    }
}

fn content(path: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let read = |file: PathBuf| {
        let bytes = fs::read(&file).unwrap();
        (file, bytes)
    };
    files(path).into_iter().map(read).collect()
}

/// A way to replace a database; the change is made in between.
type Way = fn(&Path, Change, &'static Format) -> Result<(), Error>;

const WAYS: [(&str, Way); 5] = [
    ("edit", |path, change, _| {
        let mut editor = Editor::open(path, Database::options())?;
        let mut meddler = Meddler {
            path,
            change: Some(change),
        };
        let converter = editor.converter().strict(false).observer(&mut meddler);
        converter.run().map(drop)
    }),
    ("convert to itself", |path, change, _| {
        let db = Database::open(path)?;
        change(path);
        let converter = Converter::to(path).replace(true).add_database(&db);
        converter.run().map(drop)
    }),
    ("join with itself", |path, change, _| {
        let other = Database::options().open_files([("a.pgn", GAMES)])?;
        let mut meddler = Meddler {
            path,
            change: Some(change),
        };
        let converter = Converter::to(path)
            .replace(true)
            .add_path(path, Database::options());
        converter
            .add_database(&other)
            .observer(&mut meddler)
            .run()
            .map(drop)
    }),
    ("append", |path, change, _| {
        let other = Database::options().open_files([("a.pgn", GAMES)])?;
        let mut meddler = Meddler {
            path,
            change: Some(change),
        };
        let converter = Converter::to(path).append(true).add_database(&other);
        converter.observer(&mut meddler).run().map(drop)
    }),
    ("write its games", |path, change, format| {
        let db = Database::open(path)?;
        let games: Vec<_> = db.games().collect::<Result<_, _>>()?;
        change(path);
        let options = Writer::options()
            .format(format.id)
            .replace(true)
            .source(&db);
        let mut writer = options.allow(Allow::Everything).create(path)?;
        for game in &games {
            writer.write(game)?;
        }
        writer.finish().map(drop)
    }),
];

#[test]
fn a_change_by_another_program_is_never_overwritten() {
    let mut tried = 0;
    for format in formats() {
        for (way, write) in WAYS {
            // Programs of SQLite formats know its locks, under which games are appended.
            if format.disk.is_some() && way == "append" {
                continue;
            }
            for (what, change) in CHANGES {
                let folder = tempfile::tempdir().unwrap();
                let path = folder.path().join("base").with_extension(format.roles[0].0);
                let db = Database::options().open_files([("a.pgn", GAMES)]).unwrap();
                chessdb::Converter::to(&path)
                    .add_database(&db)
                    .run()
                    .unwrap();
                if Database::open(&path).is_err() {
                    // The file can only be written.
                    continue;
                }
                let after = {
                    let copy = tempfile::tempdir().unwrap();
                    for file in files(&path) {
                        fs::copy(&file, copy.path().join(file.file_name().unwrap())).unwrap();
                    }
                    let other = copy.path().join(path.file_name().unwrap());
                    change(&other);
                    content(&other)
                };
                let named = |content: Vec<(PathBuf, Vec<u8>)>| -> Vec<_> {
                    let name = |path: PathBuf| path.file_name().unwrap().to_owned();
                    content
                        .into_iter()
                        .map(|(path, bytes)| (name(path), bytes))
                        .collect()
                };
                let what = format!("{} {way}: {what}", format.id);
                let error = write(&path, change, format).expect_err(&what);
                assert!(error.is_about_writing(), "{what}: {error}");
                assert!(
                    matches!(error.problem(), Problem::Changed),
                    "{what}: {error}"
                );
                assert!(named(content(&path)) == named(after), "{what}");
                let hidden = fs::read_dir(folder.path()).unwrap().count() - files(&path).len();
                assert_eq!(hidden, 0, "{what}: hidden files are left");
                tried += 1;
            }
        }
    }
    assert!(tried >= 8 * WAYS.len() * CHANGES.len(), "{tried}");
}

#[test]
fn a_file_that_appears_belongs_to_another_database() {
    for format in formats().filter(|format| format.roles.len() > 1) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("base").with_extension(format.roles[0].0);
        let db = Database::options().open_files([("a.pgn", GAMES)]).unwrap();
        chessdb::Converter::to(&path)
            .add_database(&db)
            .run()
            .unwrap();
        let missing = format.roles.iter().filter(|role| !role.is_whole_name());
        let mut missing = missing.map(|role| path.with_extension(role.0));
        let Some(new) = missing.find(|file| !file.exists()) else {
            continue;
        };
        let db = Database::open(&path).unwrap();
        fs::write(&new, b"new").unwrap();
        let error = Converter::to(&path).replace(true).add_database(&db).run();
        let error = error.expect_err(format.id);
        assert!(
            matches!(error.problem(), Problem::Changed),
            "{}: {error}",
            format.id
        );
        assert_eq!(fs::read(&new).unwrap(), b"new");
    }
}

#[test]
fn a_new_target_that_appears_is_not_replaced() {
    let db = Database::options().open_files([("a.pgn", GAMES)]).unwrap();
    for suffix in ["pgn", "si4", "cbf"] {
        for replace in [false, true] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("base").with_extension(suffix);
            let mut meddler = Meddler {
                path: &path,
                change: Some(|path| fs::write(path, b"mine").unwrap()),
            };
            let converter = Converter::to(&path).replace(replace).add_database(&db);
            let error = converter.observer(&mut meddler).run().expect_err(suffix);
            assert!(
                matches!(error.problem(), Problem::Changed),
                "{suffix}: {error}"
            );
            assert_eq!(fs::read(&path).unwrap(), b"mine", "{suffix}");
        }
    }
}

#[test]
fn nothing_else_is_a_change() {
    // A database that is only read may change, as may files next to the target.
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("a.pgn"), GAMES).unwrap();
    fs::write(at("b.pgn"), GAMES).unwrap();
    let a = Database::open(at("a.pgn")).unwrap();
    let path = at("a.pgn");
    let mut meddler = Meddler {
        path: &path,
        change: Some(|path| fs::write(path, b"1. e4 *\n").unwrap()),
    };
    let converter = Converter::to(at("b.pgn")).replace(true).add_database(&a);
    let report = converter.observer(&mut meddler).run().unwrap();
    assert_eq!(report.written(), 2);
    // Our own write between two others.
    for _ in 0..2 {
        let mut editor = Editor::open(at("b.pgn"), Database::options()).unwrap();
        editor.converter().run().unwrap();
    }
}

#[test]
fn an_index_is_of_the_database_that_was_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.pgn");
    fs::write(&path, GAMES).unwrap();
    let db = Database::open(&path).unwrap();
    fs::write(&path, format!("{GAMES}\n1. e4 *\n")).unwrap();
    let error = db.write_index(|_| {}).unwrap_err();
    assert!(matches!(error.problem(), Problem::Changed), "{error}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

/// Only some files of the database would be replaced.
#[test]
fn half_a_database_is_no_target() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("base.si4");
    let db = Database::options().open_files([("a.pgn", GAMES)]).unwrap();
    chessdb::Converter::to(&path)
        .add_database(&db)
        .run()
        .unwrap();
    let before = content(&path);
    let db = Database::open(&path).unwrap();
    let converter = Converter::to(path.with_extension("sg4")).format("pgn");
    let error = converter.replace(true).add_database(&db).run().unwrap_err();
    assert!(
        matches!(error.problem(), Problem::NotReplaceable(_)),
        "{error}"
    );
    assert!(content(&path) == before);
}
