//! Files that another program has open. On Windows, virus scanners and search services open every
//! new file for a moment, and chess programs keep a database open: such files can be neither renamed
//! nor removed. On Linux, strace lets the system calls fail in the same way.
#![cfg(any(target_os = "linux", windows))]

use crate::common::{GAMES, Lab};

#[cfg(windows)]
pub(crate) use self::windows::open_as_other_program;

#[cfg(target_os = "linux")]
use self::linux::{MOMENTS, run_while_in_use, run_with_scanner};
#[cfg(windows)]
use self::windows::{MOMENTS, run_while_in_use, run_with_scanner};

/// Commands that change a database, and the files that they replace or change. The first file names
/// the database.
static CHANGES: [(&[&str], &[&str]); 15] = [
    (
        &["tag", "-n", "1", "--set", "Event=A new event", "base.pgn"],
        &["base.pgn"],
    ),
    (
        &["convert", "--append", "games.pgn", "base.pgn"],
        &["base.pgn"],
    ),
    (
        &["sort", "--by", "date", "--force", "base.pgn", "base.pgn"],
        &["base.pgn"],
    ),
    (
        &[
            "names",
            "--rename",
            "Tal, Mihail",
            "Tal, M",
            "-n",
            "1-",
            "base.pgn",
        ],
        &["base.pgn"],
    ),
    (&["eco", "-n", "1-", "base.pgn"], &["base.pgn"]),
    (&["delete", "-n", "1", "base.si4"], &["base.si4"]),
    (&["undelete", "-n", "2", "base.si4"], &["base.si4"]),
    (
        &["flag", "-n", "1", "--set", "user", "base.si4"],
        &["base.si4"],
    ),
    (&["undo", "base.si4"], &["base.si4"]),
    (
        &["merge", "--append", "games.pgn", "base.si4"],
        &["base.si4", "base.sg4"],
    ),
    (
        &["tag", "-n", "1", "--set", "Event=A new event", "base.si4"],
        &["base.si4", "base.sn4"],
    ),
    (
        &["compact", "base.si4"],
        &["base.si4", "base.sg4", "base.sn4"],
    ),
    (
        &["tag", "-n", "1", "--set", "White=A new player", "base.cbh"],
        &["base.cbh", "base.cbp"],
    ),
    (
        &["convert", "--force", "games.pgn", "base.dci"],
        &["base.dci", "base.dcg"],
    ),
    (
        &["convert", "--force", "games.pgn", "base.sqlite"],
        &["base.sqlite"],
    ),
];

/// Commands that create files.
static NEW_FILES: [&[&str]; 11] = [
    &["convert", "games.pgn", "new.si4"],
    &["convert", "games.pgn", "new.cbh"],
    &["convert", "games.pgn", "new.sqlite"],
    &["sort", "games.pgn", "new.pgn", "--by", "white"],
    &["dedupe", "games.pgn", "base.pgn", "new.pgn"],
    &["split", "games.pgn", "--by", "event", "-o", "parts"],
    &["salvage", "games.pgn", "new.pgn"],
    &["book", "make", "games.pgn", "new.bin"],
    &["merge", "games.pgn", "new.pgn", "--one-game"],
    &["index", "base.pgn"],
    &["prepare", "games.pgn", "Tal", "-o", "tal.md"],
];

/// Creates a folder with a database of three games. In SCID 4 one is marked as deleted.
fn lab(base: &str) -> Lab {
    let lab = Lab::empty();
    lab.write("games.pgn", GAMES);
    let ran = lab.run(["convert", "-q", "games.pgn", base]);
    assert!(ran.code < 2, "{base}: {}", ran.err);
    if base.ends_with(".si4") {
        lab.run(["delete", "-q", "-n", "2", base]).expect(0);
    }
    lab
}

/// Returns the names of all files, and the content of those that are not hidden. An index contains the
/// time of its database.
fn content(lab: &Lab) -> Vec<(String, Vec<u8>)> {
    let read = |name: String| {
        let is_compared = !name.starts_with('.') && !name.contains(".chessdb-");
        let bytes = if is_compared { lab.read(&name) } else { Vec::new() };
        (name, bytes)
    };
    lab.names().into_iter().map(read).collect()
}

/// Returns the content after a command that no other program disturbs.
fn content_after(base: &str, args: &[&str]) -> Vec<(String, Vec<u8>)> {
    let lab = lab(base);
    let ran = lab.run(args);
    assert!(ran.code < 2, "{args:?}: {}", ran.err);
    content(&lab)
}

/// All commands that write, with the database that each needs.
fn writing_commands() -> impl Iterator<Item = (&'static str, &'static [&'static str])> {
    let changes = CHANGES.iter().map(|(args, files)| (files[0], *args));
    changes.chain(NEW_FILES.iter().map(|args| ("base.pgn", *args)))
}

#[test]
fn a_file_held_for_a_moment_is_waited_for() {
    for (base, args) in writing_commands() {
        let expected = content_after(base, args);
        for moment in MOMENTS {
            let lab = lab(base);
            let Some(ran) = run_with_scanner(&lab, moment, args) else {
                return;
            };
            assert!(ran.code < 2, "{args:?} {moment:?}: {}", ran.err);
            assert!(
                content(&lab) == expected,
                "{args:?} {moment:?}: {}",
                ran.err
            );
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn no_hard_links_are_needed() {
    for (base, args) in writing_commands() {
        let expected = content_after(base, args);
        let lab = lab(base);
        let Some(ran) = linux::run_without_links(&lab, args) else {
            return;
        };
        assert!(ran.code < 2, "{args:?}: {}", ran.err);
        assert!(content(&lab) == expected, "{args:?}: {}", ran.err);
    }
}

#[test]
fn a_file_in_use_is_named_and_nothing_changes() {
    for (args, files) in CHANGES {
        let base = files[0];
        for file in files {
            let lab = lab(base);
            let before = content(&lab);
            let Some(ran) = run_while_in_use(&lab, file, base, args) else {
                return;
            };
            let ran = ran.expect(4);
            let sentence = format!("{file}: is in use by another program");
            assert!(ran.err.contains(&sentence), "{args:?}: {}", ran.err);
            assert!(ran.err.contains("nothing was changed"), "{}", ran.err);
            assert!(content(&lab) == before, "{args:?}");
            lab.run(["check", "-q", base]).expect(0);
        }
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use std::process::Command;

    use crate::common::{Lab, Ran};

    const RENAMING: &str = "rename,renameat,renameat2";
    const REMOVING: &str = "unlink,unlinkat";
    const LINKING: &str = "link,linkat";

    /// System calls, and which of them fail. `1+2` refuses every first try.
    pub(super) const MOMENTS: [(&str, &str); 4] = [
        (RENAMING, "1+2"),
        (REMOVING, "1+2"),
        (RENAMING, "1..20"),
        (REMOVING, "1..20"),
    ];

    /// Runs the program while a scanner holds its files for a moment. `None` if strace does not work
    /// here, as for the other functions.
    pub(super) fn run_with_scanner(
        lab: &Lab,
        (calls, when): (&str, &str),
        args: &[&str],
    ) -> Option<Ran> {
        run(lab, &[failing(calls, "EACCES", when)], args)
    }

    pub(super) fn run_without_links(lab: &Lab, args: &[&str]) -> Option<Ran> {
        run(lab, &[failing(LINKING, "EPERM", "1+")], args)
    }

    /// Runs the program while another one has a file of the database `base` open.
    pub(super) fn run_while_in_use(
        lab: &Lab,
        file: &str,
        base: &str,
        args: &[&str],
    ) -> Option<Ran> {
        let calls = format!("{RENAMING},{REMOVING}");
        let path = lab.path(file).display().to_string();
        let options = ["-P".to_owned(), path, failing(&calls, "EACCES", "1+")];
        // strace compares the path that the program passes to the system.
        let path = lab.path(base).display().to_string();
        let absolute = args
            .iter()
            .map(|word| if *word == base { &*path } else { word });
        run(lab, &options, &absolute.collect::<Vec<_>>())
    }

    /// Runs the program under strace with these options. `None` if strace does not work here.
    fn run(lab: &Lab, options: &[String], args: &[&str]) -> Option<Ran> {
        let mut command = Command::new("strace");
        command.current_dir(lab.path(""));
        command.args(["-f", "-qq", "-o", "/dev/null"]).args(options);
        command.arg(env!("CARGO_BIN_EXE_chessdb")).args(args);
        let output = match command.output() {
            Ok(output) => output,
            Err(error) => {
                println!("not run: strace: {error}");
                return None;
            }
        };
        let ran = Ran::of(output);
        if ran.err.contains("PTRACE") {
            println!("not run: strace does not work here: {}", ran.err);
            return None;
        }
        Some(ran)
    }

    /// Returns the strace option that lets these system calls fail.
    fn failing(calls: &str, error: &str, when: &str) -> String {
        format!("--inject={calls}:error={error}:when={when}")
    }
}

#[cfg(windows)]
mod windows {
    use std::fs::{self, File};
    use std::io;
    use std::os::windows::fs::OpenOptionsExt as _;
    use std::path::Path;
    use std::thread;
    use std::time::{Duration, Instant};

    use crate::common::{Lab, Ran, start};

    /// The time for which a scanner holds each new file.
    pub(super) const MOMENTS: [Duration; 2] =
        [Duration::from_millis(20), Duration::from_millis(500)];

    /// Opens a file as most programs do: others may read and write it, but neither rename nor remove
    /// it.
    pub(crate) fn open_as_other_program(path: &Path) -> io::Result<File> {
        const SHARE_READING_AND_WRITING: u32 = 3;
        let mut options = File::options();
        options.read(true).share_mode(SHARE_READING_AND_WRITING);
        options.open(path)
    }

    /// Runs the program while a scanner holds each new file for a moment.
    pub(super) fn run_with_scanner(lab: &Lab, moment: Duration, args: &[&str]) -> Option<Ran> {
        let mut scanned = lab.names();
        let mut child = start(lab, args);
        let mut held: Vec<(Instant, File)> = Vec::new();
        while child.try_wait().unwrap().is_none() {
            for entry in fs::read_dir(lab.path("")).unwrap() {
                let Ok(name) = entry.unwrap().file_name().into_string() else {
                    continue;
                };
                if scanned.contains(&name) {
                    continue;
                }
                if let Ok(file) = open_as_other_program(&lab.path(&name)) {
                    held.push((Instant::now(), file));
                    scanned.push(name);
                }
            }
            held.retain(|(start, _)| start.elapsed() < moment);
            thread::sleep(Duration::from_millis(1));
        }
        Some(Ran::of(child.wait_with_output().unwrap()))
    }

    /// Runs the program while another one has a file open.
    pub(super) fn run_while_in_use(lab: &Lab, file: &str, _: &str, args: &[&str]) -> Option<Ran> {
        let _open = open_as_other_program(&lab.path(file)).unwrap();
        Some(lab.run(args))
    }
}
