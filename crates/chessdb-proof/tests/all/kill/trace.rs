//! Tools that kill a program at a chosen point from outside.
//!
//! `strace` kills it on entry to a chosen system call; `prlimit` lets the kernel kill it while it
//! writes a chosen byte of a file.
//!
//! The second case is not SIGKILL, which cannot be sent between two bytes of one `write`. It is
//! SIGXFSZ, which the kernel sends when a file would grow beyond a limit, after writing the bytes
//! up to the limit. The program neither catches nor ignores that signal, so it ends as with
//! SIGKILL: no further code runs, and the files stay as they are. Every run checks that the signal
//! was this one. Only the moment differs: it is never within the commit, which is tested with
//! SIGKILL.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fmt, fs};

use chessdb_proof::peer;

/// The system calls that change files.
///
/// A kill before one of them is a kill after the previous one, so every state of the files occurs;
/// states within a `write` are tested with `prlimit`.
const CHANGING: [&str; 14] = [
    "copy_file_range",
    "write",
    "pwrite64",
    "rename",
    "renameat",
    "renameat2",
    "link",
    "linkat",
    "unlink",
    "unlinkat",
    "fsync",
    "fdatasync",
    "fchmod",
    "ftruncate",
];

/// A system call of an uninterrupted run.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Call {
    pub(crate) name: String,
    /// Its number among the calls of this name, from 1.
    pub(crate) ordinal: usize,
    /// Its arguments, as strace writes them.
    pub(crate) text: String,
}

/// The point at which a program is killed.
#[derive(Debug, Clone)]
pub(crate) enum Point {
    /// Before this system call.
    Call(Call),
    /// When a file would grow beyond this number of bytes.
    Byte(usize),
}

impl Point {
    /// Returns the signal that ends the program: SIGKILL or SIGXFSZ.
    pub(crate) fn signal(&self) -> i32 {
        match self {
            Point::Call(_) => 9,
            Point::Byte(_) => 25,
        }
    }
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Point::Call(call) => write!(f, "before {} {}", call.name, call.ordinal),
            Point::Byte(bytes) => write!(f, "at byte {bytes}"),
        }
    }
}

/// The programs used to kill other programs.
#[derive(Debug)]
pub(crate) struct Killers {
    strace: PathBuf,
    prlimit: PathBuf,
}

impl Killers {
    /// Finds the programs.
    ///
    /// # Errors
    ///
    /// Returns a message if one is missing or strace does not work here.
    pub(crate) fn find() -> Result<Killers, String> {
        let find = |name| peer::find(name).ok_or(format!("{name} is not installed"));
        let (strace, prlimit) = (find("strace")?, find("prlimit")?);
        let mut trial = Command::new(&strace);
        let trial = trial.args(["-f", "-o", "/dev/null", "true"]).output();
        match trial {
            Ok(ran) if ran.status.success() => Ok(Killers { strace, prlimit }),
            Ok(ran) => {
                let message = String::from_utf8_lossy(&ran.stderr).trim().to_owned();
                Err(format!("strace does not work here: {message}"))
            }
            Err(error) => Err(format!("strace does not start: {error}")),
        }
    }

    /// Returns a command that runs `program` and records its system calls in `log`.
    pub(crate) fn noting(&self, program: &Path, log: &Path) -> Command {
        let mut command = Command::new(&self.strace);
        command.args(["-f", "-s", "256", "-o"]).arg(log);
        command.arg(format!("--trace={}", CHANGING.join(",")));
        command.arg(program);
        command
    }

    /// Returns a command that runs `program` and kills it at this point.
    pub(crate) fn ending(&self, program: &Path, point: &Point) -> Command {
        match point {
            Point::Call(Call { name, ordinal, .. }) => {
                let mut command = Command::new(&self.strace);
                command.args(["-f", "-o", "/dev/null"]);
                command.arg(format!("--trace={name}"));
                command.arg(format!("--inject={name}:signal=SIGKILL:when={ordinal}"));
                command.arg(program);
                command
            }
            Point::Byte(bytes) => {
                let mut command = Command::new(&self.prlimit);
                command.args([&format!("--fsize={bytes}"), "--core=0"]);
                command.arg(program);
                command
            }
        }
    }
}

/// Returns the calls of the first thread in a log; the other threads read or wait for Ctrl-C.
pub(crate) fn calls(log: &Path) -> Vec<Call> {
    let text = fs::read(log).unwrap();
    let text = String::from_utf8_lossy(&text);
    let mut calls: Vec<Call> = Vec::new();
    let lines = text.lines().filter_map(|line| line.split_once(' '));
    let first = lines.clone().next().map(|(thread, _)| thread);
    for (_, call) in lines.filter(|(thread, _)| Some(*thread) == first) {
        let Some((name, text)) = call.trim_start().split_once('(') else {
            continue;
        };
        if CHANGING.contains(&name) {
            let ordinal = 1 + calls.iter().filter(|call| call.name == name).count();
            let (name, text) = (name.to_owned(), text.to_owned());
            calls.push(Call {
                name,
                ordinal,
                text,
            });
        }
    }
    calls
}
