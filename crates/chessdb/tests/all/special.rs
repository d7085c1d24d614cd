//! Pipes, links and folders under the names of hidden files.
#![cfg(all(feature = "all-formats", unix))]

use std::fs;
use std::os::unix::fs::{FileTypeExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::Command;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use chessdb::{Converter, Database};

use crate::common::GAMES;

/// Creates something other than a plain file at a path.
type Put = fn(&Path);

const KINDS: [(&str, Put); 5] = [
    ("pipe", |path| {
        assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
    }),
    ("socket", |path| drop(UnixListener::bind(path).unwrap())),
    ("folder", |path| fs::create_dir(path).unwrap()),
    ("dangling link", |path| {
        symlink(path.with_file_name("elsewhere"), path).unwrap()
    }),
    ("link", |path| {
        let other = path.with_file_name("precious");
        fs::write(&other, b"precious").unwrap();
        symlink(other, path).unwrap();
    }),
];

/// Returns the result of `act`; fails if it takes ten seconds.
fn soon<T: Send + 'static>(what: &str, act: impl FnOnce() -> T + Send + 'static) -> T {
    let (done, result) = mpsc::channel();
    thread::spawn(move || done.send(act()));
    let result = result.recv_timeout(Duration::from_secs(10));
    result.unwrap_or_else(|_| panic!("{what} hangs or panics"))
}

#[test]
fn nothing_hangs_and_nothing_is_followed() {
    let suffixes = ["-lock", "-journal", "-draft", "-new", "-old", "-copy"];
    for (kind, put) in KINDS {
        for suffix in suffixes {
            // Next to this database, next to its target, and next to another one.
            for of in ["a.pgn", "b.si4", "other.si4"] {
                let what = format!("{kind} .{of}.chessdb{suffix}");
                let folder = tempfile::tempdir().unwrap();
                let at = |name: &str| folder.path().join(name);
                fs::write(at("a.pgn"), GAMES).unwrap();
                let hidden = at(&format!(".{of}.chessdb{suffix}"));
                put(&hidden);
                let (from, to) = (at("a.pgn"), at("b.si4"));
                let read = {
                    let from = from.clone();
                    soon(&what, move || {
                        Database::open(from).map(|db| db.len().unwrap())
                    })
                };
                match read {
                    Ok(games) => assert_eq!(games, 2, "{what}"),
                    Err(error) => {
                        assert!(of == "a.pgn" && suffix == "-journal", "{what}: {error}");
                        continue;
                    }
                }
                let written = soon(&what, move || {
                    let converter = Converter::to(&to).backup(true).replace(true);
                    let converter = converter.add_path(&from, Database::options());
                    converter.run().map(|report| report.written())
                });
                match written {
                    Ok(games) => assert_eq!(games, 2, "{what}"),
                    Err(error) => {
                        assert_eq!(of, "b.si4", "{what}: {error}");
                        assert!(error.is_about_writing(), "{what}: {error}");
                        assert!(!at("b.si4").exists(), "{what}");
                    }
                }
                assert!(!at("elsewhere").exists(), "{what} was followed");
                if kind == "link" {
                    assert_eq!(fs::read(at("precious")).unwrap(), b"precious", "{what}");
                }
            }
        }
    }
}

/// An index is read and written as a plain file only.
#[test]
fn an_index_is_a_plain_file() {
    for (kind, put) in KINDS {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("a.pgn"), GAMES).unwrap();
        let index = at("a.pgn.chessdb-index");
        put(&index);
        let path = at("a.pgn");
        let read = soon(kind, move || {
            let options = Database::options().index(true);
            options.open(path).unwrap().len().unwrap()
        });
        assert_eq!(read, 2, "{kind}");
        let path = at("a.pgn");
        let written = soon(kind, move || {
            Database::open(path).unwrap().write_index(|_| {}).map(drop)
        });
        let is_link = kind.ends_with("link");
        assert_eq!(written.is_ok(), is_link, "{kind}");
        assert!(!at("elsewhere").exists(), "{kind}");
        if kind == "pipe" {
            assert!(fs::symlink_metadata(index).unwrap().file_type().is_fifo());
        }
        if kind == "link" {
            assert_eq!(fs::read(at("precious")).unwrap(), b"precious");
        }
    }
}

/// Writing an index replaces the hidden files of a writer that was killed, and nothing else.
#[test]
fn an_index_replaces_what_a_killed_writer_left() {
    for hidden in [
        "index.chessdb-new",
        "tree.chessdb-new",
        "index.chessdb-lock",
    ] {
        for (kind, put) in KINDS.into_iter().chain([("file", put_file as Put)]) {
            let what = format!("{kind} {hidden}");
            let folder = tempfile::tempdir().unwrap();
            let at = |name: &str| folder.path().join(name);
            fs::write(at("a.pgn"), GAMES).unwrap();
            put(&at(&format!(".a.pgn.chessdb-{hidden}")));
            let path = at("a.pgn");
            let written = soon(&what, move || {
                Database::open(path).unwrap().write_index(|_| {}).map(drop)
            });
            let replaces_link = kind.ends_with("link") && !hidden.ends_with("lock");
            assert_eq!(written.is_ok(), kind == "file" || replaces_link, "{what}");
            assert!(!at("elsewhere").exists(), "{what}");
            if kind == "link" {
                assert_eq!(fs::read(at("precious")).unwrap(), b"precious", "{what}");
            }
            if written.is_ok() {
                let files = fs::read_dir(folder.path()).unwrap();
                let names = files.map(|file| file.unwrap().file_name());
                let hidden = names.filter(|name| name.to_str().unwrap().starts_with('.'));
                assert_eq!(hidden.count(), 0, "{what}");
            }
        }
    }
}

fn put_file(path: &Path) {
    fs::write(path, b"unfinished").unwrap();
}

/// A second writer of the same index is refused.
#[test]
fn an_index_has_one_writer() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.pgn");
    fs::write(&path, GAMES).unwrap();
    let lock = folder.path().join(".a.pgn.chessdb-index.chessdb-lock");
    let other = fs::File::create(&lock).unwrap();
    other.lock().unwrap();
    let db = Database::open(&path).unwrap();
    let error = db.write_index(|_| {}).unwrap_err();
    assert!(
        matches!(error.problem(), chessdb::Problem::Locked),
        "{error}"
    );
    drop(other);
    db.write_index(|_| {}).unwrap();
    assert!(!lock.exists());
}

/// A log next to a SQLite file.
#[cfg(feature = "sqlite-write")]
#[test]
fn files_beside_a_database_of_sqlite_are_not_waited_for() {
    for side in ["-wal", "-journal"] {
        for (kind, put) in KINDS {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("a.sqlite");
            let db = Database::options().open_files([("a.pgn", GAMES)]).unwrap();
            chessdb::Converter::to(&path)
                .add_database(&db)
                .run()
                .unwrap();
            put(&folder.path().join(format!("a.sqlite{side}")));
            let games = soon(kind, move || Database::open(path).unwrap().len().unwrap());
            assert_eq!(games, 2, "{kind} {side}");
        }
    }
}
