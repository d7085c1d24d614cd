//! Tests of pipes under the names of files, truncated files, and signals, which only Unix has.
#![cfg(unix)]

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::symlink;
use std::thread;
use std::time::Duration;

use crate::common::{GAMES, Lab, end, fifo, send, start};

#[test]
fn a_pipe_under_the_name_of_a_hidden_file_is_not_waited_for() {
    let lab = Lab::empty();
    lab.write("b.pgn", GAMES);
    fifo(&lab, ".zzz.chessdb-journal");
    for command in ["ls", "info", "check", "cat"] {
        end(start(&lab, &[command, "b.pgn"]), command).expect(0);
    }
    fifo(&lab, ".o.si4.chessdb-lock");
    let ran = end(start(&lab, &["convert", "b.pgn", "o.si4"]), "lock").expect(4);
    assert!(ran.err.contains("; remove it"), "{}", ran.err);
    fs::remove_file(lab.path(".o.si4.chessdb-lock")).unwrap();
    symlink(lab.path("elsewhere"), lab.path(".o.si4.chessdb-lock")).unwrap();
    end(start(&lab, &["convert", "b.pgn", "o.si4"]), "link").expect(4);
    assert!(!lab.path("elsewhere").exists());
    // Named pipes on the command line are read.
    fifo(&lab, "in.pgn");
    let child = start(&lab, &["ls", "in.pgn"]);
    fs::write(lab.path("in.pgn"), GAMES).unwrap();
    assert_eq!(end(child, "ls").expect(0).out.lines().count(), 3);
}

/// Creates a database large enough to be memory-mapped.
fn large(lab: &Lab) {
    let game = "[White \"x\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 *\n\n";
    lab.write("large.pgn", game.repeat(60_000));
    lab.run(["convert", "-q", "large.pgn", "large.si4"])
        .expect(0);
    assert!(lab.read("large.si4").len() > 2 << 20);
}

#[test]
fn a_mapped_file_that_is_cut_is_an_input_that_cannot_be_read() {
    let lab = Lab::empty();
    large(&lab);
    fifo(&lab, "first.pgn");
    // The database is found and mapped before the pipe is read.
    let child = start(
        &lab,
        &["convert", "first.pgn", "large.si4", "out.cbh", "-j", "1"],
    );
    let mut pipe = OpenOptions::new()
        .write(true)
        .open(lab.path("first.pgn"))
        .unwrap();
    pipe.write_all(GAMES.as_bytes()).unwrap();
    thread::sleep(Duration::from_millis(300));
    for file in ["large.si4", "large.sg4"] {
        let file = File::options().write(true).open(lab.path(file)).unwrap();
        file.set_len(4096).unwrap();
    }
    drop(pipe);
    let ran = end(child, "convert").expect(3);
    assert!(ran.err.contains("large.s"), "{}", ran.err);
    assert!(
        ran.err.contains("truncated by another program"),
        "{}",
        ran.err
    );
    assert!(
        !lab.names().iter().any(|name| name.starts_with('.')),
        "{:?}",
        lab.names()
    );
}

#[test]
fn signals_end_a_command_tidily() {
    for signal in ["-INT", "-TERM", "-HUP"] {
        let lab = Lab::new();
        fifo(&lab, "in.pgn");
        for args in [
            ["convert", "in.pgn", "out.si4"],
            ["convert", "in.pgn", "games.si4"],
        ] {
            let child = match args[2] {
                "games.si4" => start(&lab, &[&args[..], &["--append"]].concat()),
                _ => start(&lab, &args),
            };
            let before = lab.read("games.si4");
            let mut pipe = OpenOptions::new()
                .write(true)
                .open(lab.path("in.pgn"))
                .unwrap();
            pipe.write_all(GAMES.as_bytes()).unwrap();
            thread::sleep(Duration::from_millis(300));
            send(signal, child.id());
            thread::sleep(Duration::from_millis(100));
            // The program may have ended already.
            let _ = pipe.write_all(GAMES.repeat(1000).as_bytes());
            drop(pipe);
            let ran = end(child, signal).expect(130);
            assert!(ran.err.contains("interrupted"), "{signal}: {}", ran.err);
            assert!(lab.read("games.si4") == before, "{signal}");
            let left = lab.names();
            assert!(
                !left.iter().any(|name| name.starts_with(['.', 'o'])),
                "{signal}: {left:?}"
            );
        }
    }
}
