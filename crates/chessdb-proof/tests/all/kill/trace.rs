//! Ending a program at a chosen point, from outside: `strace` kills it as it enters a chosen system
//! call, `prlimit` lets the kernel end it in the middle of writing a chosen byte of a file.
//!
//! The second is no SIGKILL, which nobody can send between two bytes of one `write`, but SIGXFSZ,
//! which the kernel sends when a file is to grow beyond a limit; it writes the bytes up to the limit
//! first. The program neither catches nor ignores that signal, so it ends as by SIGKILL: no line of
//! it runs afterwards, and the files stay as they are. That it was this signal is looked at every
//! time. Only the moment is another: never within the commit, whose calls SIGKILL ends.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fmt, fs};

use chessdb_proof::peer;

/// The system calls that change files. A kill before one of them is a kill after the one before, so
/// every state that the files can be in is met; what lies within a `write` is `prlimit`'s part.
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

/// A system call of a run that was not disturbed.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Call {
    pub(crate) name: String,
    /// Which of the calls of this name it is, from 1.
    pub(crate) ordinal: usize,
    /// Its arguments, as strace writes them.
    pub(crate) text: String,
}

/// Where a program is ended.
#[derive(Debug, Clone)]
pub(crate) enum Point {
    /// Killed as it is about to do this.
    Call(Call),
    /// Ended when a file is to grow beyond this many bytes.
    Byte(usize),
}

impl Point {
    /// The signal that ends the program there: SIGKILL or SIGXFSZ.
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

/// The programs that end others.
#[derive(Debug)]
pub(crate) struct Killers {
    strace: PathBuf,
    prlimit: PathBuf,
}

impl Killers {
    /// Finds them; an error if they are missing or may not do their work here.
    pub(crate) fn find() -> Result<Killers, String> {
        let find = |name| peer::find(name).ok_or(format!("{name} is not installed"));
        let (strace, prlimit) = (find("strace")?, find("prlimit")?);
        let mut trial = Command::new(&strace);
        let trial = trial.args(["-f", "-o", "/dev/null", "true"]).output();
        match trial {
            Ok(ran) if ran.status.success() => Ok(Killers { strace, prlimit }),
            Ok(ran) => {
                let said = String::from_utf8_lossy(&ran.stderr).trim().to_owned();
                Err(format!("strace does not work here: {said}"))
            }
            Err(error) => Err(format!("strace does not start: {error}")),
        }
    }

    /// A command that runs `program` and notes its calls in `log`.
    pub(crate) fn noting(&self, program: &Path, log: &Path) -> Command {
        let mut command = Command::new(&self.strace);
        command.args(["-f", "-s", "256", "-o"]).arg(log);
        command.arg(format!("--trace={}", CHANGING.join(",")));
        command.arg(program);
        command
    }

    /// A command that runs `program` and ends it at this point.
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

/// The calls in a log, those of the first thread: the others read, or wait for Ctrl-C.
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
