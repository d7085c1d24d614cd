//! Tests of ends caused from outside: closed pipes, full disks, Ctrl-C, a second writer.

use std::io::{Read, Write};
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

#[cfg(unix)]
use crate::common::send;
use crate::common::{GAMES, Lab, Ran};

/// Starts the program with `args`, waiting for games on standard input.
fn waiting(lab: &Lab, args: &[&str]) -> Child {
    let mut command = lab.command();
    command
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command.spawn().unwrap()
}

/// Waits until `done`, with a time limit.
fn until(what: &str, mut done: impl FnMut() -> bool) {
    let start = Instant::now();
    while !done() {
        assert!(
            start.elapsed() < Duration::from_secs(60),
            "{what} never happened"
        );
        thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_closed_pipe_is_a_quiet_end() {
    let lab = Lab::empty();
    lab.write("many.pgn", GAMES.repeat(2000));
    for args in [
        &["cat", "many.pgn"][..],
        &["cat", "--json", "many.pgn"],
        &["ls", "many.pgn"],
    ] {
        let mut command = lab.command();
        command
            .args(args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut some = [0; 100];
        child.stdout.take().unwrap().read_exact(&mut some).unwrap();
        let ran = Ran::of(child.wait_with_output().unwrap()).expect(141);
        assert_eq!(ran.err, "", "{args:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_said() {
    let lab = Lab::new();
    for args in [
        &["cat", "games.si4"][..],
        &["ls", "games.si4"],
        &["formats"],
        &["man"],
    ] {
        let full = std::fs::OpenOptions::new()
            .write(true)
            .open("/dev/full")
            .unwrap();
        let ran = Ran::of(lab.command().args(args).stdout(full).output().unwrap()).expect(4);
        assert!(
            ran.err.contains("standard output: "),
            "{args:?}: {}",
            ran.err
        );
    }
    lab.run(["convert", "-q", "games.si4", "/dev/full", "-t", "pgn"])
        .expect(4);
    lab.run([
        "convert",
        "-q",
        "games.si4",
        "x.pgn",
        "--loss-report",
        "/dev/full",
    ])
    .expect(4);
    lab.run(["convert", "-q", "games.si4", "/dev/null", "-t", "pgn"])
        .expect(0);
}

#[test]
fn a_second_writer_is_refused() {
    let lab = Lab::new();
    let mut first = waiting(&lab, &["convert", "-q", "-", "new.si4"]);
    let mut stdin = first.stdin.take().unwrap();
    // The first bytes show whether the input can be read as a stream.
    let (start, rest) = GAMES.split_at(10);
    stdin.write_all(start.as_bytes()).unwrap();
    until("the lock", || lab.path(".new.si4.chessdb-lock").exists());
    let ran = lab.run(["convert", "games.pgn", "new.si4"]).expect(4);
    assert!(
        ran.err.contains("is being written by another program"),
        "{}",
        ran.err
    );
    stdin.write_all(rest.as_bytes()).unwrap();
    drop(stdin);
    Ran::of(first.wait_with_output().unwrap()).expect(0);
    lab.run(["ls", "new.si4", "-n", "3"]).expect(0);
    assert!(!lab.path(".new.si4.chessdb-lock").exists());
}

#[cfg(unix)]
#[test]
fn ctrl_c_leaves_the_old_base_and_nothing_else() {
    let lab = Lab::new();
    let (before, names) = (lab.read("games.sg4"), lab.names());
    let mut child = waiting(&lab, &["convert", "--force", "-", "games.si4"]);
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(GAMES.repeat(200).as_bytes()).unwrap();
    until("a hidden file", || {
        lab.path(".games.sg4.chessdb-new").exists()
    });
    send("-INT", child.id());
    // It notices the signal at the next games.
    let feed = thread::spawn(move || while stdin.write_all(GAMES.as_bytes()).is_ok() {});
    let ran = Ran::of(child.wait_with_output().unwrap()).expect(130);
    feed.join().unwrap();
    let kept = "chessdb: interrupted: games.si4 is unchanged\n";
    assert_eq!(ran.err, kept);
    assert_eq!(lab.names(), names);
    assert_eq!(lab.read("games.sg4"), before);
}

#[test]
fn a_killed_writer_leaves_the_old_base_and_the_next_one_tidies_up() {
    let lab = Lab::new();
    let (before, names) = (lab.read("games.sg4"), lab.names());
    let mut child = waiting(&lab, &["convert", "-q", "--force", "-", "games.si4"]);
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(GAMES.repeat(200).as_bytes()).unwrap();
    until("a hidden file", || {
        lab.path(".games.sg4.chessdb-new").exists()
    });
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(lab.read("games.sg4"), before);
    assert!(
        lab.names().len() > names.len(),
        "the hidden files of the killed one"
    );
    lab.run(["convert", "-q", "--force", "games.pgn", "games.si4"])
        .expect(0);
    assert_eq!(lab.names(), names);
    assert_eq!(lab.read("games.sg4"), before);
}
