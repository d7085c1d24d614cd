//! Helpers for tests that start `chessdb` or other programs.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Prints why a test is not run.
///
/// # Panics
///
/// Panics if the test is required: `CHESSDB_PEERS` is `required`, as set by `.ci/run`.
pub fn not_run(why: &str) {
    let required = env::var_os("CHESSDB_PEERS").is_some_and(|value| value == "required");
    assert!(!required, "{why}");
    println!("not run: {why}");
}

/// Returns the path of the program `chessdb`, which cargo builds next to the tests of the
/// workspace.
///
/// Returns `None` if only this crate was built, after printing a note with [`not_run`].
pub fn program() -> Option<PathBuf> {
    let test = env::current_exe().ok()?;
    // Tests are in the folder `deps` next to the program.
    let folder = test.parent().and_then(Path::parent)?;
    let program = folder.join(format!("chessdb{}", env::consts::EXE_SUFFIX));
    if !program.is_file() {
        not_run("the program is not built (cargo build -p chessdb-cli)");
        return None;
    }
    Some(program)
}

/// Finds a program by name in the folders of `PATH`, then in `/usr/games` and `/usr/sbin`.
///
/// Debian installs chess programs and servers in these two folders, which are not on every user's
/// `PATH`.
pub fn find(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path)
        .chain(["/usr/games", "/usr/sbin"].map(PathBuf::from))
        .map(|folder| folder.join(name))
        .find(|file| file.is_file())
}

/// The output and exit code of a program.
#[derive(Debug)]
pub struct Ran {
    /// The exit code; -1 if a signal ended the program.
    pub code: i32,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

impl Ran {
    /// Returns the standard output of a successful run.
    ///
    /// # Panics
    ///
    /// Panics if the exit code is not 0.
    pub fn success(self) -> String {
        assert_eq!(self.code, 0, "{}", self.err);
        self.out
    }
}

/// Runs a program to its end and captures its output.
///
/// # Panics
///
/// Panics if the program does not start.
pub fn capture(command: &mut Command) -> Ran {
    let out = command.stdin(Stdio::null()).output();
    let out = out.unwrap_or_else(|error| panic!("{command:?} did not start: {error}"));
    Ran {
        code: out.status.code().unwrap_or(-1),
        out: String::from_utf8_lossy(&out.stdout).into_owned(),
        err: String::from_utf8_lossy(&out.stderr).into_owned(),
    }
}
