//! Other programs at work on the same files, names that mean something else, signals.
#![cfg(unix)]

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::symlink;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use crate::common::{GAMES, Lab, Ran};

const SUFFIXES: [&str; 11] = [
    "pgn", "si3", "si4", "si5", "cbi", "cbh", "cdp", "dci", "sqlite", "sql", "parquet",
];

/// The suffixes that this build of the program writes.
fn suffixes(lab: &Lab) -> Vec<&'static str> {
    let formats = lab.run(["formats"]).expect(0).out;
    let is_built = |suffix: &&str| *suffix != "parquet" || formats.contains("parquet");
    SUFFIXES.into_iter().filter(is_built).collect()
}

const ADDED: &str = "\n[Event \"added meanwhile\"]\n\n1. e4 e5 *\n";

fn fifo(lab: &Lab, name: &str) {
    let made = Command::new("mkfifo").arg(lab.path(name)).status().unwrap();
    assert!(made.success());
}

fn start(lab: &Lab, args: &[&str]) -> Child {
    let mut command = lab.command();
    command
        .args(args)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command.spawn().unwrap()
}

/// Ends a run, or fails if it takes too long.
fn end(mut child: Child, what: &str) -> Ran {
    for _ in 0..600 {
        if child.try_wait().unwrap().is_some() {
            return Ran::of(child.wait_with_output().unwrap());
        }
        thread::sleep(Duration::from_millis(50));
    }
    child.kill().unwrap();
    panic!("{what} hangs");
}

/// Puts other bytes into every file of `to`, in place, as a program that saves does.
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
    for suffix in suffixes(&lab) {
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

/// Commands that read the database before a pipe, and write it again in its place.
#[test]
fn commands_in_place_keep_what_another_program_added() {
    let lab = Lab::empty();
    lab.write("a.pgn", GAMES);
    lab.write("n.pgn", format!("{GAMES}{ADDED}"));
    fifo(&lab, "more.pgn");
    lab.write("names.tsv", "Tal, Mihail\tTal, Mikhail\n");
    let commands: [&[&str]; 7] = [
        &["convert", "BASE", "more.pgn", "BASE", "--force"],
        &["merge", "BASE", "more.pgn", "BASE", "--force"],
        &["eco", "BASE", "more.pgn", "BASE", "--force"],
        &[
            "names",
            "--apply",
            "names.tsv",
            "BASE",
            "more.pgn",
            "BASE",
            "--force",
        ],
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
            // It opens the pipe when it has opened the database.
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
    // Pipes that are named are read as ever.
    fifo(&lab, "in.pgn");
    let child = start(&lab, &["ls", "in.pgn"]);
    fs::write(lab.path("in.pgn"), GAMES).unwrap();
    assert_eq!(end(child, "ls").expect(0).out.lines().count(), 3);
}

/// Options that name a file to write, and what they write to it.
const REPORTS: &[&[&str]] = &[
    &["convert", "games.si4", "out.pgn", "--loss-report", "FILE"],
    &[
        "merge",
        "games.si4",
        "games.pgn",
        "out.pgn",
        "--loss-report",
        "FILE",
    ],
    &[
        "sort",
        "games.si4",
        "out.pgn",
        "--by",
        "date",
        "--loss-report",
        "FILE",
    ],
    &["eco", "games.si4", "out.pgn", "--loss-report", "FILE"],
    &["dedupe", "games.si4", "out.pgn", "--map", "FILE"],
    &[
        "split",
        "games.si4",
        "--by",
        "year",
        "-o",
        "parts",
        "--loss-report",
        "FILE",
    ],
    &["salvage", "games.si4", "out.pgn", "--report", "FILE"],
    &["stats", "games.si4", "--svg", "FILE"],
    &["stats", "games.si4", "--html", "FILE"],
];

#[test]
fn reports_never_replace_a_database_that_is_read() {
    let lab = Lab::new();
    fs::create_dir(lab.path("sub")).unwrap();
    fs::hard_link(lab.path("games.sg4"), lab.path("hard")).unwrap();
    symlink("games.sn4", lab.path("soft")).unwrap();
    let before: Vec<_> = ["games.si4", "games.sg4", "games.sn4", "games.pgn"]
        .map(|name| lab.read(name))
        .into();
    let files = [
        "games.si4",
        "./games.sg4",
        "games.sn4",
        "sub/../games.si4",
        "hard",
        "soft",
        "games.si4.chessdb-index",
        "games.si3",
        "out.pgn",
    ];
    for args in REPORTS {
        for file in files {
            for force in [false, true] {
                let what = format!("{args:?} {file} {force}");
                // Neither is a file of what is read or written.
                let is_other =
                    file == "games.si3" || file == "out.pgn" && !args.contains(&"out.pgn");
                if is_other {
                    continue;
                }
                let mut args: Vec<&str> = args
                    .iter()
                    .map(|arg| if *arg == "FILE" { file } else { *arg })
                    .collect();
                args.extend(force.then_some("--force"));
                let ran = lab.run(&args).expect(4);
                assert!(
                    ran.err.contains("choose another name"),
                    "{what}: {}",
                    ran.err
                );
                let after: Vec<_> = ["games.si4", "games.sg4", "games.sn4", "games.pgn"]
                    .map(|name| lab.read(name))
                    .into();
                assert!(after == before, "{what}");
                assert!(!lab.path("games.si4.chessdb-index").exists(), "{what}");
            }
        }
    }
}

#[test]
fn reports_replace_a_file_only_if_asked() {
    let lab = Lab::new();
    for args in REPORTS {
        for name in ["report", "other.pgn"] {
            lab.write(name, "precious");
            let args: Vec<&str> = args
                .iter()
                .map(|arg| if *arg == "FILE" { name } else { *arg })
                .collect();
            let ran = lab.run(&args).expect(4);
            assert!(
                ran.err.contains("--force replaces it"),
                "{args:?}: {}",
                ran.err
            );
            assert_eq!(lab.text(name), "precious", "{args:?}");
            let ran = lab.run([&args[..], &["--force"]].concat());
            assert!(ran.code < 2, "{args:?}: {}", ran.err);
            assert_ne!(lab.text(name), "precious", "{args:?}");
        }
        for name in ["out.pgn", "report", "other.pgn"] {
            let _ = fs::remove_file(lab.path(name));
        }
        let _ = fs::remove_dir_all(lab.path("parts"));
        // A command that fails leaves none.
        let args: Vec<&str> = args
            .iter()
            .map(|arg| match *arg {
                "FILE" => "report",
                "games.si4" => "missing.si4",
                arg => arg,
            })
            .collect();
        assert_ne!(lab.run(&args).code, 0);
        assert!(!lab.path("report").exists(), "{args:?}");
    }
    // Pages of the manual.
    lab.run(["man", "--dir", "man"]).expect(0);
    lab.run(["man", "--dir", "man"]).expect(4);
    lab.run(["man", "--dir", "man", "--force"]).expect(0);
    // A pipe is no file that could be replaced.
    fifo(&lab, "pipe");
    let child = start(
        &lab,
        &["convert", "games.si4", "p.pgn", "--loss-report", "pipe"],
    );
    let report = fs::read_to_string(lab.path("pipe")).unwrap();
    assert!(report.starts_with("source\tgame"), "{report}");
    end(child, "a pipe").expect(0);
}

/// A database large enough to be mapped into memory.
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
    // Found and mapped before the pipe is read.
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
        ran.err.contains("was cut by another program"),
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
            let pid = child.id().to_string();
            assert!(
                Command::new("kill")
                    .args([signal, &pid])
                    .status()
                    .unwrap()
                    .success()
            );
            thread::sleep(Duration::from_millis(100));
            // The program may be gone already.
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
fn a_damaged_game_is_named_and_does_not_hide_what_was_found() {
    let lab = Lab::empty();
    let broken = "[White \"Two\"]\n\n1. d4 d5 2. Ke7 c5 *\n\n";
    let sound = "[White \"One\"]\n\n1. e4 e5 2. Nf3 *\n\n";
    lab.write("b.pgn", format!("{sound}{broken}{sound}{broken}"));
    let query = "line:\"1.e4 e5 2.Nf3\"";
    let commands: [&[&str]; 8] = [
        &["find", "b.pgn", query],
        &["find", "--count", "b.pgn", query],
        &["find", "--ids", "b.pgn", query],
        &["find", "--pgn", "b.pgn", query],
        &["ls", "b.pgn", query],
        &["stats", "b.pgn", query],
        &["names", "b.pgn"],
        &["cat", "--json", "b.pgn", query],
    ];
    for command in commands {
        if command[0] == "names" {
            continue;
        }
        let ran = lab.run(command).expect(0);
        let named = "2 damaged games do not fit as far as they can be read: 2, 4";
        assert!(ran.err.contains(named), "{command:?}: {}", ran.err);
        lab.run([command, &["--strict"]].concat()).expect(3);
    }
    // Nothing fits.
    let ran = lab
        .run(["find", "b.pgn", "line:\"1.c4 c5 2.Nf3\""])
        .expect(1);
    assert_eq!(ran.out, "");
    // Without a query damage is a finding, as ever.
    lab.run(["cat", "b.pgn"]).expect(1);
}

#[test]
fn salvage_is_suggested_for_what_is_damaged() {
    let lab = Lab::new();
    for name in ["good", "bad"] {
        lab.run(["convert", "-q", "games.pgn", &format!("{name}.si4")])
            .expect(0);
    }
    let games = lab.read("bad.sg4");
    lab.write("bad.sg4", &games[..games.len() - 20]);
    let ran = lab
        .run(["convert", "good.si4", "bad.si4", "out.si4"])
        .expect(1);
    assert!(
        ran.err.contains("`chessdb salvage bad.si4 …`"),
        "{}",
        ran.err
    );
    assert!(!ran.err.contains("salvage good.si4"), "{}", ran.err);
}

/// What a container holds besides the games is a loss of the database.
#[test]
fn foreign_content_is_not_dropped_in_silence() {
    let lab = Lab::new();
    lab.run(["convert", "-q", "games.pgn", "b.sql"]).expect(0);
    let script = lab.text("b.sql");
    let more = "CREATE TABLE `MyNotes` (`id` int, `note` text);\nINSERT INTO `MyNotes` VALUES (1,'x');\n\
                CREATE VIEW `Best` AS SELECT 1;\n";
    let script = script.replacen("CREATE TABLE", &format!("{more}CREATE TABLE"), 1);
    lab.write("b.sql", &script);
    for target in ["o.sql", "o.pgn", "o.si4", "o.cbh", "o.sqlite"] {
        let ran = lab.run(["convert", "--strict", "b.sql", target]).expect(1);
        assert!(ran.err.contains("base-extra"), "{target}: {}", ran.err);
        assert!(!lab.path(target).exists(), "{target}");
        lab.run([
            "convert",
            "--strict",
            "--allow",
            "base-extra,name-table,description,collection,base-title",
            "b.sql",
            target,
        ])
        .expect(0);
    }
    let ran = lab.run(["tag", "b.sql", "--set", "Site=Riga"]).expect(4);
    assert!(ran.err.contains("base-extra"), "{}", ran.err);
    assert_eq!(lab.text("b.sql"), script);
    let ran = lab.run(["check", "b.sql"]).expect(0);
    assert!(
        ran.out.contains("table MyNotes") && ran.out.contains("view Best"),
        "{}",
        ran.out
    );
    let ran = lab.run(["info", "b.sql"]).expect(0);
    assert!(ran.out.contains("MyNotes"), "{}", ran.out);
    lab.run([
        "tag",
        "b.sql",
        "--set",
        "Site=Riga",
        "--allow",
        "base-extra",
    ])
    .expect(0);
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
    // The other one is tried all the same.
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
    assert!(ran.err.contains("not a plain file"), "{}", ran.err);
}
