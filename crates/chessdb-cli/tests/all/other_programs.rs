//! Tests of other programs that work on the same files.

use std::fs;
use std::io::Write;
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use chessdb::FORMATS;

use crate::common::{GAMES, Lab, Ran, SAVES, end, save_over, set_editor};

/// Returns an extension of each format that this build of the program can write. An opening book
/// has no headers to change.
fn suffixes() -> impl Iterator<Item = &'static str> {
    let written = FORMATS.iter().filter(|format| format.create.is_some());
    let with_headers = written.filter(|format| format.id != "fbk");
    with_headers.map(|format| format.roles[0].0)
}

const ADDED: &str = "\n[Event \"added meanwhile\"]\n\n1. e4 e5 *\n";

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
        let mut command = lab.command();
        set_editor(&mut command, "Tal/TAL").env(SAVES, "big b");
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

/// Commands that open the database before they read standard input, and replace it.
#[test]
fn commands_in_place_keep_what_another_program_added() {
    let lab = Lab::empty();
    lab.write("a.pgn", GAMES);
    lab.write("n.pgn", format!("{GAMES}{ADDED}"));
    let more = b"[White \"x\"]\n\n1. e4 e5 *\n\n".repeat(10_000);
    let commands: [&[&str]; 6] = [
        &["convert", "BASE", "-", "BASE", "--force"],
        &["merge", "BASE", "-", "BASE", "--force"],
        &["eco", "BASE", "-", "BASE", "--force"],
        &["convert", "-", "BASE", "--append"],
        &["merge", "-", "BASE", "--append"],
        &["eco", "-", "BASE", "--append"],
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
            let mut child = lab.command();
            child.args(&args).stdin(Stdio::piped());
            child.stdout(Stdio::piped()).stderr(Stdio::piped());
            let mut child = child.spawn().unwrap();
            let mut stdin = child.stdin.take().unwrap();
            // More than fits into a pipe, so the program has opened the database after it.
            stdin.write_all(&more).unwrap();
            thread::sleep(Duration::from_millis(150));
            save_over(&lab.path(""), "big", "b");
            drop(stdin);
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
fn an_index_that_cannot_be_written_is_an_output() {
    let lab = Lab::new();
    #[cfg(unix)]
    {
        // The files cannot grow.
        let args = ["index", "games.si4", "games.pgn"];
        let ran = crate::crash::with_limit(&lab, 0, &args).expect(4);
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
    }
    for name in ["games.si4", "games.pgn"] {
        fs::create_dir(lab.path(&format!("{name}.chessdb-index"))).unwrap();
    }
    let ran = lab.run(["index", "games.si4", "games.pgn"]).expect(4);
    // The other one is still tried.
    for name in ["games.si4", "games.pgn"] {
        let message = format!("{name}.chessdb-index: is not a regular file");
        assert!(ran.err.contains(&message), "{}", ran.err);
    }
}
