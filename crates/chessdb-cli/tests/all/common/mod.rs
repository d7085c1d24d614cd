//! Helpers that run the program in a temporary folder.
#![allow(dead_code, reason = "each test file uses its part")]

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::Duration;

/// Three games: one plain, one annotated, one from 1985.
pub(crate) const GAMES: &str = r#"[Event "Bled"]
[Site "Bled YUG"]
[Date "1959.09.07"]
[Round "1"]
[White "Tal, Mihail"]
[Black "Smyslov, Vasily"]
[Result "1-0"]
[WhiteElo "2700"]
[ECO "B10"]

1. e4 c6 2. d3 d5 3. Nd2 1-0

[Event "Bled"]
[Site "Bled YUG"]
[Date "1959.09.08"]
[Round "2"]
[White "Keres, Paul"]
[Black "Tal, Mihail"]
[Result "1/2-1/2"]

{Über alles} 1. e4 e5 $1 {best} (1... c5 2. Nf3 (2. c3 d5)) 2. Nf3 1/2-1/2

[Event "Moscow"]
[Site "Moscow URS"]
[Date "1985.11.09"]
[Round "24"]
[White "Karpov, Anatoly"]
[Black "Kasparov, Garry"]
[Result "0-1"]

1. e4 c5 0-1
"#;

/// A game with an error in the middle, between two valid ones.
pub(crate) const BROKEN: &str = "[Event \"A\"]\n[White \"One\"]\n\n1. e4 e5 *\n\n\
    [Event \"B\"]\n[White \"Two\"]\n\n1. e4 e5 2. Ke7 Nc6 *\n\n\
    [Event \"C\"]\n[White \"Three\"]\n\n1. d4 *\n";

/// A temporary folder, and the program in it.
pub(crate) struct Lab(tempfile::TempDir);

/// The result of a run.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Lab {
    /// Creates a folder with `games.pgn` and `games.si4`, which is converted from it.
    pub(crate) fn new() -> Lab {
        let lab = Lab::empty();
        lab.write("games.pgn", GAMES);
        lab.run(["convert", "-q", "games.pgn", "games.si4"])
            .expect(0);
        lab
    }

    pub(crate) fn empty() -> Lab {
        Lab(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    pub(crate) fn text(&self, name: &str) -> String {
        String::from_utf8(self.read(name)).unwrap()
    }

    /// Returns every file of the folder, including hidden ones, sorted.
    pub(crate) fn names(&self) -> Vec<String> {
        let mut names = Vec::new();
        let mut folders = vec![self.0.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    let below = path.strip_prefix(self.0.path()).unwrap();
                    names.push(below.to_str().unwrap().replace('\\', "/"));
                }
            }
        }
        names.sort();
        names
    }

    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_chessdb"));
        command.current_dir(self.0.path()).stdin(Stdio::null());
        command
    }

    pub(crate) fn run<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Ran {
        Ran::of(self.command().args(args).output().unwrap())
    }

    /// Like [`Lab::run`], with `input` as standard input.
    pub(crate) fn run_with(&self, input: &[u8], args: &[&str]) -> Ran {
        let mut command = self.command();
        command
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let input = input.to_vec();
        let feed = std::thread::spawn(move || {
            // The program may stop before it has read everything.
            let _ = stdin.write_all(&input);
        });
        let output = child.wait_with_output().unwrap();
        feed.join().unwrap();
        Ran::of(output)
    }
}

impl Ran {
    pub(crate) fn of(output: Output) -> Ran {
        Ran {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Fails unless the exit code is this one.
    #[track_caller]
    pub(crate) fn expect(self, code: i32) -> Ran {
        assert_eq!(
            self.code, code,
            "stdout:\n{}\nstderr:\n{}",
            self.out, self.err
        );
        self
    }

    /// Parses standard output as JSON of the known version.
    #[track_caller]
    pub(crate) fn json(&self) -> serde_json::Value {
        let value: serde_json::Value = serde_json::from_str(&self.out).unwrap();
        assert_eq!(value["schema"], 1);
        value
    }
}

#[cfg(unix)]
pub(crate) fn fifo(lab: &Lab, name: &str) {
    let made = Command::new("mkfifo").arg(lab.path(name)).status().unwrap();
    assert!(made.success());
}

/// Sends a signal such as `-INT` to a process. A plain Debian has no program `kill`; every shell has
/// the command.
#[cfg(unix)]
pub(crate) fn send(signal: &str, process: u32) {
    let command = format!("kill {signal} {process}");
    let sent = Command::new("sh").args(["-c", &command]).status().unwrap();
    assert!(sent.success(), "{command}");
}

/// Creates a symbolic link. Returns false if that is not allowed here, as for most users of Windows.
pub(crate) fn symlink(target: impl AsRef<Path>, link: PathBuf) -> bool {
    #[cfg(unix)]
    let _ = std::os::unix::fs::symlink(target, &link);
    #[cfg(windows)]
    let _ = if target.as_ref().is_dir() {
        std::os::windows::fs::symlink_dir(target, &link)
    } else {
        std::os::windows::fs::symlink_file(target, &link)
    };
    let is_link = fs::symlink_metadata(&link).is_ok_and(|data| data.is_symlink());
    if !is_link {
        println!("not run with links: they cannot be created here");
    }
    is_link
}

/// Overwrites the files of the database `to` in place with the database `from` in the same folder, as
/// a program that saves does.
pub(crate) fn save_over(folder: &Path, from: &str, to: &str) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        let Some(suffix) = name.strip_prefix(from).filter(|rest| rest.starts_with('.')) else {
            continue;
        };
        let mut options = fs::OpenOptions::new();
        options.write(true).create(true).truncate(false);
        let mut file = options.open(folder.join(format!("{to}{suffix}"))).unwrap();
        file.write_all(&fs::read(&path).unwrap()).unwrap();
    }
}

/// The variable with the changes that the test program makes as an editor: `old/new`, one a line.
const EDITS: &str = "CHESSDB_TEST_EDITS";
/// The variable with two names of databases: the editor saves the first one over the second one.
pub(crate) const SAVES: &str = "CHESSDB_TEST_SAVES";

/// Makes this test program the editor of a command, because no other one is on every system. It
/// replaces texts, or fails if a replacement has no `/`.
pub(crate) fn set_editor<'c>(command: &'c mut Command, edits: &str) -> &'c mut Command {
    let program = std::env::current_exe().unwrap();
    let editor = format!("\"{}\" --exact common::acts_as_editor", program.display());
    command.env("EDITOR", editor).env_remove("VISUAL");
    command.env(EDITS, edits)
}

#[test]
fn acts_as_editor() {
    let Ok(edits) = std::env::var(EDITS) else {
        return;
    };
    let path = std::env::args_os().next_back().unwrap();
    let mut text = fs::read_to_string(&path).unwrap();
    for edit in edits.lines() {
        let (old, new) = edit.split_once('/').unwrap();
        text = text.replace(old, new);
    }
    fs::write(path, text).unwrap();
    if let Ok(saves) = std::env::var(SAVES) {
        let (from, to) = saves.split_once(' ').unwrap();
        save_over(Path::new("."), from, to);
    }
}

pub(crate) fn start(lab: &Lab, args: &[&str]) -> Child {
    let mut command = lab.command();
    command
        .args(args)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command.spawn().unwrap()
}

/// Waits for the end of a run, and fails if it takes too long.
pub(crate) fn end(mut child: Child, what: &str) -> Ran {
    for _ in 0..600 {
        if child.try_wait().unwrap().is_some() {
            return Ran::of(child.wait_with_output().unwrap());
        }
        thread::sleep(Duration::from_millis(50));
    }
    child.kill().unwrap();
    panic!("{what} hangs");
}

/// Returns the root of the repository.
pub(crate) fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}
