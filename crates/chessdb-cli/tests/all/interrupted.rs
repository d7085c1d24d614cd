//! Commits that were interrupted between two files: the next command completes or undoes them.
//! `cargo xtask kill` tests the same at every point of the commit.
#![cfg(any(unix, windows))]

use std::fs;
#[cfg(unix)]
use std::process::Command;

use crate::common::Lab;
use crate::old_database::{content, many};

/// A command that replaces all files of a database: first the games, then the names and the index.
const REPLACING: [&str; 6] = ["convert", "-q", "--force", "-j1", "many.pgn", "base.si4"];

/// Creates a database with new games, an old index and a journal. `None` if strace does not work.
pub(crate) fn interrupted() -> Option<Lab> {
    let lab = many("si4");
    let old = lab.read("base.si4");
    if !is_killed_before_names(&lab) {
        return None;
    }
    assert!(lab.path(".base.si4.chessdb-journal").exists());
    assert_eq!(lab.read("base.si4"), old);
    assert!(lab.path(".base.sn4.chessdb-new").exists());
    assert!(!lab.path(".base.sg4.chessdb-new").exists());
    Some(lab)
}

/// Runs [`REPLACING`] and kills it before it renames the file of names. Returns false if strace does
/// not work.
#[cfg(unix)]
fn is_killed_before_names(lab: &Lab) -> bool {
    let mut command = Command::new("strace");
    command.current_dir(lab.path(""));
    // Five renames check that three files are free, and rename the journal and the games.
    let inject = "inject=rename:signal=SIGKILL:when=6";
    command.args(["-f", "-o", "/dev/null", "-e", "trace=rename", "-e", inject]);
    command.arg(env!("CARGO_BIN_EXE_chessdb")).args(REPLACING);
    match command.output() {
        Ok(output) if output.status.code().is_none() => true,
        Ok(output) => {
            let message = String::from_utf8_lossy(&output.stderr);
            println!("not run: strace does not work here: {message}");
            false
        }
        Err(error) => {
            println!("not run: strace: {error}");
            false
        }
    }
}

/// Runs [`REPLACING`] and kills it while it waits for the file of names, which this process has open.
#[cfg(windows)]
fn is_killed_before_names(lab: &Lab) -> bool {
    let mut child = crate::common::start(lab, &REPLACING);
    let new_names = lab.path(".base.sn4.chessdb-new");
    // Windows does not rename a file that another program has open like this.
    let _held = loop {
        if let Ok(file) = crate::held::open_as_other_program(&new_names) {
            break file;
        }
        assert_eq!(child.try_wait().unwrap(), None);
    };
    let is_between = || {
        lab.path(".base.si4.chessdb-journal").exists()
            && !lab.path(".base.sg4.chessdb-new").exists()
    };
    while !is_between() {
        assert_eq!(child.try_wait().unwrap(), None);
    }
    child.kill().unwrap();
    child.wait().unwrap();
    true
}

const INTERRUPTED: &str = "base.si4: an earlier write was interrupted between two files";

#[test]
fn the_next_command_finishes_and_says_so() {
    for args in [
        &["info", "base.si4"][..],
        &["check", "base.sg4"],
        &["ls", "base"],
        &["cat", "-q", "base.si4"],
        &["convert", "-q", "base.si4", "-t", "pgn", "-"],
        &["convert", "-q", "games.pgn", "base.si4", "--force"],
    ] {
        let Some(lab) = interrupted() else { return };
        let ran = lab.run(args).expect(0);
        assert!(ran.err.contains(INTERRUPTED), "{args:?}: {}", ran.err);
        assert!(ran.err.contains("completed now"), "{args:?}: {}", ran.err);
        let hidden = |name: &&String| name.starts_with('.');
        assert_eq!(lab.names().iter().find(hidden), None, "{args:?}");
        let games = if args.contains(&"--force") { 3 } else { 1200 };
        let ran = lab.run(["check", "base"]).expect(0);
        assert_eq!(ran.err, "");
        assert_eq!(
            ran.out,
            format!("base: {games} games, no damage\n").replace("1200", "1,200")
        );
    }
}

#[test]
fn a_command_that_fails_says_all_the_same_what_it_finished() {
    let Some(lab) = interrupted() else { return };
    let ran = lab.run(["convert", "games.pgn", "base.si4"]).expect(4);
    assert!(ran.err.contains("completed now"), "{}", ran.err);
    assert!(ran.err.contains("already exists"), "{}", ran.err);
    assert_eq!(lab.run(["check", "base.si4"]).expect(0).err, "");
}

#[test]
fn a_base_in_a_folder_is_finished_when_it_is_opened() {
    let Some(lab) = interrupted() else { return };
    // As on a file system without hard links, where the old file is renamed before the new one.
    fs::rename(lab.path("base.si4"), lab.path(".base.si4.chessdb-old")).unwrap();
    fs::remove_file(lab.path("games.pgn")).unwrap();
    fs::remove_file(lab.path("many.pgn")).unwrap();
    let ran = lab.run(["info", "."]).expect(0);
    assert!(ran.err.contains("completed now"), "{}", ran.err);
    assert!(ran.out.contains("1,200"), "{}", ran.out);
}

#[test]
fn with_a_new_file_lost_it_is_undone() {
    let Some(lab) = interrupted() else { return };
    fs::write(lab.path(".base.sn4.chessdb-new"), "something else").unwrap();
    let ran = lab.run(["check", "base.si4"]).expect(0);
    assert!(ran.err.contains("undone"), "{}", ran.err);
    assert!(ran.out.contains("3 games, no damage"), "{}", ran.out);
    // The remaining files of the new database are kept; they may be useful.
    assert!(lab.path(".base.sg4.chessdb-new").exists());
    assert_eq!(lab.read(".base.sn4.chessdb-new"), b"something else");
    assert!(!lab.path(".base.si4.chessdb-journal").exists());
}

/// Checks that commands do not touch a database that is neither the old nor the new one, and their
/// exit codes.
fn refused(lab: &Lab, what: &str) {
    // The lock file of the killed writer does not block anyone.
    fs::remove_file(lab.path(".base.si4.chessdb-lock")).unwrap();
    let before = content(lab);
    for (args, code) in [
        (&["check", "base.si4"][..], 3),
        (&["ls", "base"], 3),
        (&["convert", "-q", "games.pgn", "base.si4", "--force"], 4),
    ] {
        let ran = lab.run(args).expect(code);
        assert!(ran.err.contains(what), "{}", ran.err);
        assert!(ran.err.contains(".chessdb-journal"), "{}", ran.err);
        assert!(content(lab) == before, "{args:?}");
    }
    // Other databases in the folder are not affected.
    assert_eq!(lab.run(["check", "games.pgn"]).expect(0).err, "");
}

#[test]
fn what_is_neither_old_nor_new_is_left_alone() {
    let Some(lab) = interrupted() else { return };
    fs::write(lab.path("base.si4"), "written by somebody else").unwrap();
    refused(&lab, "`base.si4` is neither the old nor the new file");

    let Some(lab) = interrupted() else { return };
    fs::remove_file(lab.path(".base.sn4.chessdb-new")).unwrap();
    fs::remove_file(lab.path(".base.sg4.chessdb-old")).unwrap();
    refused(&lab, "`base.sn4` is neither the old nor the new file");

    let Some(lab) = interrupted() else { return };
    let mut journal = lab.read(".base.si4.chessdb-journal");
    journal[30] ^= 1;
    lab.write(".base.si4.chessdb-journal", journal);
    refused(
        &lab,
        "interrupted between two files: its journal is damaged",
    );
}
