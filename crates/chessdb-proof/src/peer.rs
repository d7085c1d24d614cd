//! Our program and those of others, for the tests that start them.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Says why a test is not run.
///
/// # Panics
///
/// If it must be: `CHESSDB_PEERS` is `required`, which `.ci/run` sets.
pub fn not_run(why: &str) {
    let required = env::var_os("CHESSDB_PEERS").is_some_and(|value| value == "required");
    assert!(!required, "{why}");
    println!("not run: {why}");
}

/// The program `chessdb`, which cargo builds beside the tests of the workspace; none, which is said,
/// where only this crate was built.
pub fn program() -> Option<PathBuf> {
    let test = env::current_exe().ok()?;
    let folder = test.parent().and_then(Path::parent)?;
    let program = folder.join(format!("chessdb{}", env::consts::EXE_SUFFIX));
    if !program.is_file() {
        not_run("the program is not built (cargo build -p chessdb-cli)");
        return None;
    }
    Some(program)
}

/// Finds a program by name: the folders of PATH first, then `/usr/games` and `/usr/sbin`, where
/// Debian puts chess programs and servers and which are not on everybody's PATH.
pub fn find(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path)
        .chain(["/usr/games", "/usr/sbin"].map(PathBuf::from))
        .map(|folder| folder.join(name))
        .find(|file| file.is_file())
}

/// What a program wrote, and its exit code (-1: ended by a signal).
#[derive(Debug)]
pub struct Ran {
    /// The exit code.
    pub code: i32,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

impl Ran {
    /// The output of a program that succeeded.
    ///
    /// # Panics
    ///
    /// If it did not.
    pub fn success(self) -> String {
        assert_eq!(self.code, 0, "{}", self.err);
        self.out
    }
}

/// Runs a program to its end; both outputs are captured.
///
/// # Panics
///
/// If it does not start.
pub fn capture(command: &mut Command) -> Ran {
    let out = command.stdin(Stdio::null()).output();
    let out = out.unwrap_or_else(|error| panic!("{command:?} did not start: {error}"));
    Ran {
        code: out.status.code().unwrap_or(-1),
        out: String::from_utf8_lossy(&out.stdout).into_owned(),
        err: String::from_utf8_lossy(&out.stderr).into_owned(),
    }
}
