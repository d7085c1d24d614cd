//! Commits that end with their process, on every system: the next command finds the old or the new
//! database. On Linux, `cargo xtask kill` tests the same after each system call.
//!
//! `CHESSDB_KILLS` sets the number of kills per command.

use std::fs;
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::common::{GAMES, Lab};

/// Commands that change a database: several files that are replaced together, a single one, and two
/// changes in place.
const CHANGES: [(&str, &[&str]); 4] = [
    ("base.si4", &["convert", "--force", "many.pgn", "base.si4"]),
    ("base.pgn", &["sort", "--by", "white", "base.pgn"]),
    (
        "base.si4",
        &["tag", "-n", "1-", "--set", "Site=Somewhere new", "base.si4"],
    ),
    ("base.cbh", &["convert", "--append", "many.pgn", "base.cbh"]),
];

/// Creates a database of a few hundred games, and more games.
fn lab(base: &str) -> Lab {
    let lab = Lab::empty();
    lab.write("games.pgn", GAMES.repeat(100));
    lab.write("many.pgn", GAMES.repeat(300));
    let ran = lab.run(["convert", "-q", "games.pgn", base]);
    assert!(ran.code < 2, "{base}: {}", ran.err);
    lab
}

fn games(lab: &Lab, base: &str) -> String {
    lab.run(["cat", base]).expect(0).out
}

/// Returns whether the command writes: it has created a hidden file other than its lock.
fn is_writing(lab: &Lab) -> bool {
    let mut names = fs::read_dir(lab.path(""))
        .unwrap()
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    names.any(|name| name.starts_with('.') && !name.ends_with("lock"))
}

/// Starts a command and waits until it writes or ends.
fn start(lab: &Lab, args: &[&str]) -> Child {
    let mut command = lab.command();
    let mut child = command
        .args(args)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    while child.try_wait().unwrap().is_none() && !is_writing(lab) {
        thread::sleep(Duration::from_micros(200));
    }
    child
}

#[test]
fn a_killed_commit_leaves_the_old_or_the_new_database() {
    let kills: u32 = std::env::var("CHESSDB_KILLS").map_or(6, |kills| kills.parse().unwrap());
    let (mut old_ones, mut new_ones, mut interrupted) = (0, 0, 0);
    for (base, args) in CHANGES {
        let whole = lab(base);
        let old = games(&whole, base);
        let mut child = start(&whole, args);
        let written = Instant::now();
        assert!(child.wait().unwrap().success(), "{args:?}");
        let duration = written.elapsed();
        let new = games(&whole, base);
        assert_ne!(old, new, "{args:?}");
        for kill in 0..kills {
            let lab = lab(base);
            let mut child = start(&lab, args);
            thread::sleep(duration * kill / kills);
            // It may have ended by itself.
            let _ = child.kill();
            child.wait().unwrap();
            interrupted += u32::from(is_writing(&lab));
            let current = games(&lab, base);
            assert!(current == old || current == new, "{args:?}, kill {kill}");
            old_ones += u32::from(current == old);
            new_ones += u32::from(current == new);
            lab.run(["check", "-q", base]).expect(0);
            // The leftovers do not prevent the next change.
            let ran = lab.run(args);
            assert!(ran.code < 2, "{args:?}, kill {kill}: {}", ran.err);
        }
    }
    println!("{old_ones} old, {new_ones} new databases; {interrupted} commits left hidden files");
}
