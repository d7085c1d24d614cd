//! Writing that fails leaves the old database, on every system.

use std::fs;
use std::path::Path;

use chessdb::FORMATS;

use crate::common::{GAMES, Lab, symlink};

/// Returns an extension of each format that can be written.
pub(crate) fn suffixes() -> impl Iterator<Item = &'static str> {
    let written = FORMATS.iter().filter(|format| format.create.is_some());
    written.map(|format| format.roles[0].0)
}

/// Returns the extensions of formats with files written by the project's own sinks; SQLite first
/// writes its file elsewhere.
pub(crate) fn own_suffixes() -> impl Iterator<Item = &'static str> {
    suffixes().filter(|suffix| *suffix != "sqlite")
}

/// Creates a lab with a database of three games in each of the formats, and a file of many games.
pub(crate) fn many(suffix: &str) -> Lab {
    let lab = Lab::empty();
    lab.write("games.pgn", GAMES);
    lab.write("many.pgn", GAMES.repeat(400));
    let target = format!("base.{suffix}");
    let ran = lab.run(["convert", "-q", "games.pgn", &target]);
    assert!(ran.code < 2, "{suffix}: {}", ran.err);
    lab
}

/// Returns the content of the whole folder.
pub(crate) fn content(lab: &Lab) -> Vec<(String, Vec<u8>)> {
    let read = |name: String| {
        let bytes = lab.read(&name);
        (name, bytes)
    };
    lab.names().into_iter().map(read).collect()
}

/// The suffix of a database, and of the file that is left of it.
pub(crate) const LEFT_FILES: [(&str, &str); 4] = [
    ("si4", "sg4"),
    ("si3", "sn3"),
    ("dci", "dcn"),
    ("cbf", "cbi"),
];

#[test]
fn an_input_that_is_gone_leaves_the_old_base() {
    for suffix in own_suffixes() {
        let lab = many(suffix);
        let before = content(&lab);
        let target = &*format!("base.{suffix}");
        for inputs in [&["gone.pgn"][..], &["many.pgn", "gone.pgn"]] {
            let args = [&["convert", "-q", "--force"], inputs, &[target]].concat();
            let ran = lab.run(args).expect(3);
            assert!(ran.err.contains("gone.pgn: no such"), "{}", ran.err);
            assert!(content(&lab) == before, "{suffix}");
        }
    }
}

/// An incomplete old database with one remaining file, named in the other case, does not block
/// writing: it is replaced, and the new files use its name.
#[test]
fn what_is_left_of_a_set_is_replaced_or_named() {
    for (suffix, left) in LEFT_FILES {
        let lab = many(suffix);
        let whole = lab.names();
        for name in whole.iter().filter(|name| name.starts_with("base.")) {
            fs::remove_file(lab.path(name)).unwrap();
        }
        lab.write(&format!("BASE.{}", left.to_uppercase()), "left over");
        let target = format!("base.{suffix}");
        let ran = lab.run(["convert", "-q", "games.pgn", &target]).expect(4);
        assert!(
            ran.err.contains("already exists; use --force"),
            "{}",
            ran.err
        );
        let ran = lab.run(["convert", "-q", "--force", "games.pgn", &target]);
        assert!(ran.code < 2, "{suffix}: {}", ran.err);
        let name = |name: String| match name.strip_prefix("base.") {
            Some(suffix) => format!("BASE.{}", suffix.to_uppercase()),
            None => name,
        };
        let mut expected: Vec<String> = whole.into_iter().map(name).collect();
        expected.sort();
        assert_eq!(lab.names(), expected);
        lab.run(["check", "base"]).expect(0);
    }
}

#[test]
fn a_database_with_changes_beside_it_is_not_replaced_nor_read_without_them() {
    let lab = many("sqlite");
    let base: &Path = &lab.path("base.sqlite");
    assert!(base.exists());
    lab.run(["check", "base.sqlite"]).expect(0);
    for (side, start, is_pending) in [
        // A write-ahead log is read.
        ("base.sqlite-wal", &b"\x37\x7f\x06\x82rest"[..], true),
        (
            "base.sqlite-journal",
            b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7",
            true,
        ),
        // A journal with a completed transaction, and one that was never started.
        ("base.sqlite-journal", b"\0\0\0\0\0\0\0\0", false),
        ("base.sqlite-wal", b"", false),
    ] {
        lab.write(side, start);
        let before = content(&lab);
        if is_pending {
            let args = ["convert", "-q", "--force", "games.pgn", "base.sqlite"];
            let ran = lab.run(args).expect(4);
            assert!(ran.err.contains(side), "{}", ran.err);
        }
        assert!(content(&lab) == before);
        lab.run(["check", "base.sqlite"]).expect(0);
        // SQLite itself ends a transaction of a killed program, and removes its journal.
        let is_undone = is_pending && side.ends_with("-journal");
        assert_eq!(lab.path(side).exists(), !is_undone, "{side}");
        let _ = fs::remove_file(lab.path(side));
        lab.run(["check", "base.sqlite"]).expect(0);
    }
}

/// A dangling link is reported before anything is written.
#[test]
fn a_link_to_nowhere_is_not_replaced() {
    for (suffix, left) in LEFT_FILES {
        let target = format!("base.{suffix}");
        let lab = Lab::empty();
        lab.write("games.pgn", GAMES);
        let link = format!("base.{left}");
        if !symlink("nowhere", lab.path(&link)) {
            return;
        }
        for force in [&[][..], &["--force"]] {
            let args = [&["convert", "-q", "games.pgn", &target], force].concat();
            let ran = lab.run(args).expect(4);
            let what = format!("{link}: is a link to a missing file; choose another name");
            assert!(ran.err.contains(&what), "{}", ran.err);
        }
    }
}
