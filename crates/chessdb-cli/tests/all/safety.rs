//! Tests of other programs that work on the same files, misleading names, and signals.
#![cfg(unix)]

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::symlink;
use std::process::Command;
use std::thread;
use std::time::Duration;

use chessdb::FORMATS;

use crate::common::{GAMES, Lab, Ran, end, fifo, send, start};

/// Returns an extension of each format that this build of the program can write. An opening book
/// has no headers to change.
fn suffixes() -> impl Iterator<Item = &'static str> {
    let written = FORMATS.iter().filter(|format| format.create.is_some());
    let with_headers = written.filter(|format| format.id != "fbk");
    with_headers.map(|format| format.roles[0].0)
}

const ADDED: &str = "\n[Event \"added meanwhile\"]\n\n1. e4 e5 *\n";

/// Overwrites every file of `to` in place, as a program that saves does.
fn save_over(lab: &Lab, from: &str, to: &str) {
    let stem = |name: &str| name.split('.').next().unwrap().to_owned();
    for name in lab.names() {
        if stem(&name) == from {
            let target = lab.path(&name.replace(from, to));
            let mut file = OpenOptions::new()
                .write(true)
                .create(true)
                .truncate(false)
                .open(target);
            file.as_mut().unwrap().write_all(&lab.read(&name)).unwrap();
        }
    }
}

fn events(lab: &Lab, base: &str) -> usize {
    let ran = lab.run(["ls", base]);
    ran.out.matches("added meanwhile").count()
}

#[test]
fn edit_keeps_what_another_program_added() {
    let lab = Lab::empty();
    lab.write("a.pgn", GAMES);
    lab.write("n.pgn", format!("{GAMES}{ADDED}"));
    for suffix in suffixes() {
        let (base, big) = (format!("b.{suffix}"), format!("big.{suffix}"));
        lab.run(["convert", "-q", "--force", "a.pgn", &base])
            .expect(0);
        lab.run(["convert", "-q", "--force", "n.pgn", &big])
            .expect(0);
        let folder = lab.path("");
        let script = "cd \"$1\"; for f in big.*; do dd if=$f of=b.${f#big.} conv=notrunc 2>/dev/null; \
                      done; sed -i s/Tal/TAL/ \"$2\"";
        lab.write("ed.sh", script);
        let editor = format!("sh {} {}", lab.path("ed.sh").display(), folder.display());
        let mut command = lab.command();
        command.env("EDITOR", editor).env_remove("VISUAL");
        let ran = Ran::of(command.args(["edit", &base, "-n", "1"]).output().unwrap()).expect(4);
        assert!(
            ran.err.contains("changed by another program"),
            "{suffix}: {}",
            ran.err
        );
        let kept = ran
            .err
            .split("kept in ")
            .nth(1)
            .unwrap()
            .lines()
            .next()
            .unwrap();
        assert!(fs::read_to_string(kept).unwrap().contains("TAL"));
        fs::remove_file(kept).unwrap();
        assert!(
            ran.err.contains("run the command again"),
            "{suffix}: {}",
            ran.err
        );
        assert_eq!(events(&lab, &base), 1, "{suffix}");
        assert!(
            !lab.names().iter().any(|name| name.starts_with('.')),
            "{:?}",
            lab.names()
        );
        for name in lab.names() {
            if name.starts_with("b.") || name.starts_with("big.") {
                fs::remove_file(lab.path(&name)).unwrap();
            }
        }
    }
}

/// Commands that read the database before a pipe, and replace it.
#[test]
fn commands_in_place_keep_what_another_program_added() {
    let lab = Lab::empty();
    lab.write("a.pgn", GAMES);
    lab.write("n.pgn", format!("{GAMES}{ADDED}"));
    fifo(&lab, "more.pgn");
    let commands: [&[&str]; 6] = [
        &["convert", "BASE", "more.pgn", "BASE", "--force"],
        &["merge", "BASE", "more.pgn", "BASE", "--force"],
        &["eco", "BASE", "more.pgn", "BASE", "--force"],
        &["convert", "more.pgn", "BASE", "--append"],
        &["merge", "more.pgn", "BASE", "--append"],
        &["eco", "more.pgn", "BASE", "--append"],
    ];
    for suffix in ["pgn", "si4", "cbh", "sqlite"] {
        for command in commands {
            let base = format!("b.{suffix}");
            let what = format!("{suffix}: {command:?}");
            lab.run(["convert", "-q", "--force", "a.pgn", &base])
                .expect(0);
            lab.run([
                "convert",
                "-q",
                "--force",
                "n.pgn",
                &format!("big.{suffix}"),
            ])
            .expect(0);
            let args: Vec<&str> = command
                .iter()
                .map(|arg| if *arg == "BASE" { &base } else { *arg })
                .collect();
            let child = start(&lab, &args);
            // The program opens the pipe after it has opened the database.
            let mut pipe = OpenOptions::new()
                .write(true)
                .open(lab.path("more.pgn"))
                .unwrap();
            pipe.write_all(b"[White \"x\"]\n\n1. e4 e5 *\n\n").unwrap();
            thread::sleep(Duration::from_millis(150));
            save_over(&lab, "big", "b");
            drop(pipe);
            let ran = end(child, &what).expect(4);
            assert!(
                ran.err.contains("changed by another program"),
                "{what}: {}",
                ran.err
            );
            assert_eq!(events(&lab, &base), 1, "{what}");
            assert!(
                !lab.names().iter().any(|name| name.starts_with('.')),
                "{what}: {:?}",
                lab.names()
            );
        }
        for name in lab.names() {
            if name.starts_with("b.") || name.starts_with("big.") {
                fs::remove_file(lab.path(&name)).unwrap();
            }
        }
    }
}

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

#[test]
fn an_index_that_cannot_be_written_is_an_output() {
    let lab = Lab::new();
    let program = env!("CARGO_BIN_EXE_chessdb");
    let script = "trap '' XFSZ; ulimit -f 0; exec \"$0\" index games.si4 games.pgn";
    let mut command = Command::new("sh");
    command
        .current_dir(lab.path(""))
        .args(["-c", script, program]);
    let ran = Ran::of(command.output().unwrap()).expect(4);
    // The other one is still tried.
    assert!(
        ran.err.contains("games.si4") && ran.err.contains("games.pgn"),
        "{}",
        ran.err
    );
    assert!(
        !lab.names().iter().any(|name| name.contains("chessdb")),
        "{:?}",
        lab.names()
    );
    fs::create_dir(lab.path("games.si4.chessdb-index")).unwrap();
    let ran = lab.run(["index", "games.si4"]).expect(4);
    assert!(ran.err.contains("is not a regular file"), "{}", ran.err);
}
