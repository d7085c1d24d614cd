//! The end of the program: exit codes, messages on standard error, panics.

use std::fmt::Display;
use std::io::{self, Write};
use std::panic;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use chessdb::core::ErrorKind;
use chessdb::formats::shown;
use chessdb::{Error, Problem};

use crate::json::{document, object};
use crate::output::plain;

/// A normal end of a command.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Completion {
    /// Everything was done.
    Success,
    /// Nothing matched, problems were found, or games of a new database were skipped or cut.
    Negative,
    /// Some of several inputs could not be read, or some games with `--strict`. The errors have been
    /// reported.
    SomeUnread,
    /// Some of several outputs could not be written. The errors have been reported.
    SomeUnwritten,
}

impl Completion {
    /// Returns the end of reading a database. Damage, which has been reported, is an error only if
    /// `strict` makes it one.
    pub(crate) fn of_reading(is_damaged: bool, strict: bool) -> Completion {
        if is_damaged && strict { Completion::SomeUnread } else { Completion::Success }
    }

    /// Returns the end of a question, with the result that grep has: no game is a negative result.
    pub(crate) fn of_search(games: u64) -> Completion {
        match games {
            0 => Completion::Negative,
            _ => Completion::Success,
        }
    }
}

/// The reason why the program ends early.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Invalid arguments.
    Usage(String),
    /// An invalid query, with its text and a line that marks the error.
    Query { message: String, pointer: String },
    /// An input cannot be read.
    Input(String),
    /// An output cannot be written.
    Output(String),
    /// The reader of standard output closed the pipe.
    PipeClosed,
    /// Ctrl-C or another signal.
    Interrupted,
}

/// The result of a command.
pub(crate) type Outcome = Result<Completion, Failure>;

const NEGATIVE: u8 = 1;
const USAGE: u8 = 2;
const INPUT: u8 = 3;
const OUTPUT: u8 = 4;
const INTERNAL_ERROR: u8 = 5;
const INTERRUPTED: u8 = 130;
const PIPE_CLOSED: u8 = 141;

impl Failure {
    fn code(&self) -> u8 {
        match self {
            Failure::Usage(_) | Failure::Query { .. } => USAGE,
            Failure::Input(_) => INPUT,
            Failure::Output(_) => OUTPUT,
            Failure::PipeClosed => PIPE_CLOSED,
            Failure::Interrupted => INTERRUPTED,
        }
    }

    /// Returns the message, unless the program ends silently.
    pub(crate) fn message(&self) -> Option<&str> {
        match self {
            Failure::Usage(text) | Failure::Input(text) | Failure::Output(text) => Some(text),
            Failure::Query { message, .. } => Some(message),
            Failure::PipeClosed | Failure::Interrupted => None,
        }
    }

    /// Creates the failure of invalid arguments.
    pub(crate) fn usage(message: &str) -> Failure {
        Failure::Usage(message.to_owned())
    }

    /// Returns the message; empty if the program ends silently.
    pub(crate) fn into_message(self) -> String {
        self.message().unwrap_or_default().to_owned()
    }

    /// Creates the failure of a conversion. `target` and `source` are their names in messages.
    pub(crate) fn conversion(error: Error, target: &str, source: &str) -> Failure {
        if error.is_interrupted() {
            return Failure::Interrupted;
        }
        if !error.is_about_writing() {
            return match error.path() {
                Some(_) => error.into(),
                None => Failure::Input(format!("{source}: {error}")),
            };
        }
        Failure::target(&error, target)
    }

    /// Creates the failure of changing a database in place; `name` is its name in messages.
    pub(crate) fn in_place(error: Error, name: &str) -> Failure {
        match error.problem() {
            // A rewrite would end the game at the damage and then replace the only copy of the
            // rest.
            Problem::Format(damage) if !error.is_about_writing() => {
                let repair = match damage.location().game {
                    Some(game) => format!("repair the game with `chessdb edit {name} {game}`, or "),
                    None => String::new(),
                };
                Failure::Output(format!(
                    "{name}: {damage}; nothing was changed, because the rest of the game would be lost: \
                     {repair}write what can be read to a new database with `chessdb salvage {name} NEW`"
                ))
            }
            _ => Failure::conversion(error, name, name),
        }
    }

    /// Creates the failure of an output that cannot be written.
    pub(crate) fn target(error: &Error, target: &str) -> Failure {
        if error
            .io()
            .is_some_and(|io| io.kind() == io::ErrorKind::BrokenPipe)
        {
            return Failure::PipeClosed;
        }
        let name = match error.path() {
            Some(path) => shown(path).to_string(),
            None => target.to_owned(),
        };
        let advice = match error.problem() {
            Problem::AlreadyExists => "; use --force to replace it",
            Problem::Locked => "; wait until it has finished, or choose another name",
            _ if error.is_in_use() => "; close it there and try again; nothing was changed",
            Problem::NotFound => "; create the folder first",
            Problem::ScatteredFiles | Problem::NotReplaceable(_) => "; choose another name",
            Problem::Changed => "; run the command again",
            Problem::NotRegularFile => "; remove it",
            Problem::Format(fault) if matches!(fault.kind(), ErrorKind::Setting(_)) => {
                return Failure::Usage(fault.to_string());
            }
            Problem::Io(_) | Problem::Format(_) => unwritable(error),
            Problem::PasswordRequired => "; use --password-file",
            Problem::NeedsSeveralFiles(_) | Problem::UnsupportedSetting(..) => {
                return Failure::Usage(error.problem().to_string());
            }
            problem => interrupted(problem),
        };
        Failure::Output(format!("{name}: {}{advice}", error.problem()))
    }
}

/// Returns advice about a disk or folder that cannot be written.
fn unwritable(error: &Error) -> &'static str {
    use io::ErrorKind::{PermissionDenied, QuotaExceeded, ReadOnlyFilesystem, StorageFull};
    match (error.io().map(io::Error::kind), error.problem()) {
        (Some(StorageFull | QuotaExceeded), _) => {
            "; this database was not changed; free some space first"
        }
        (Some(ReadOnlyFilesystem), _) => "; copy the database to a disk that can be written",
        (Some(PermissionDenied), _) => "; the file and its folder must be writable",
        (_, Problem::Format(_)) => "; this database was not changed",
        _ => "",
    }
}

/// Returns advice about a database left incomplete by an interrupted writer.
fn interrupted(problem: &Problem) -> &'static str {
    match problem {
        Problem::InterruptedWrite(_) => {
            "; nothing was changed: the new files are in place or under .NAME.chessdb-new, the old ones \
             in place or under .NAME.chessdb-old; if the database is correct as it is, remove \
             .NAME.chessdb-journal, otherwise move the files into place first"
        }
        Problem::InUse(_) => {
            "; open it once with the right to write, with chessdb or its own program, and close it"
        }
        _ => "",
    }
}

/// Converts the error of an input that cannot be read.
impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        let advice = match error.problem() {
            Problem::SeveralDatabases(_) => "; specify one of them",
            Problem::Unrecognised => "; see `chessdb formats`; use -f to select one",
            _ if error.is_in_use() => "; close it there and try again",
            Problem::NoDatabase | Problem::ForeignSqlite(_) => {
                "; see `chessdb formats` for the formats that can be read"
            }
            Problem::OpeningBook(_) => "; see `chessdb help book`",
            Problem::NoOpeningBook => "; for games see `chessdb help`",
            Problem::TooLarge(_) => "; if it is compressed, decompress it first",
            Problem::Replaced => "; try again",
            Problem::Changed => "; run the command again",
            Problem::NotRegularFile => "; remove it",
            Problem::PasswordRequired => "; use --password-file",
            Problem::Locked => "; try again when it has finished",
            Problem::Format(_) => {
                let base = error.path().map(|path| format!(" {} OUT", shown(path)));
                let base = base.unwrap_or_default();
                return Failure::Input(format!(
                    "{error}; `chessdb salvage{base}` may recover games"
                ));
            }
            problem => interrupted(problem),
        };
        Failure::Input(format!("{error}{advice}"))
    }
}

/// Converts an error of writing standard output.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        match error.kind() {
            // `head` closes the pipe when it has enough, and filters end silently then.
            io::ErrorKind::BrokenPipe => Failure::PipeClosed,
            _ => Failure::Output(format!("standard output: {error}")),
        }
    }
}

/// Prints lines to standard error and ignores errors. Control characters, which may come from file
/// names, are removed.
pub(crate) fn say(lines: impl Display) {
    let lines = lines.to_string();
    let mut err = io::stderr().lock();
    for line in lines.split('\n') {
        let _ = writeln!(err, "{}", plain(line));
    }
}

/// Whether notes are hidden (`-q`).
static HIDES_NOTES: AtomicBool = AtomicBool::new(false);

/// Hides notes from now on, if `hide` is set.
pub(crate) fn hide_notes(hide: bool) {
    HIDES_NOTES.store(hide, Ordering::Relaxed);
}

/// Prints a note on standard error, unless notes are hidden.
pub(crate) fn note(lines: impl Display) {
    if !HIDES_NOTES.load(Ordering::Relaxed) {
        say(lines);
    }
}

/// Returns the JSON document of a failure.
fn failure_json(code: u8, message: &str) -> String {
    let error = object! { "code": code, "message": message };
    document("error", error)
}

/// Ends the program after an argument error, or after printing the help or version.
pub(crate) fn report_argument_error(error: &clap::Error) -> ExitCode {
    // clap failed, so there are no parsed arguments to ask.
    let wants_json = || std::env::args_os().any(|arg| arg == "--json");
    if error.use_stderr() && wants_json() {
        let text = error.to_string();
        let message = text.lines().next().unwrap_or_default();
        let message = message.strip_prefix("error: ").unwrap_or(message);
        let _ = writeln!(io::stdout(), "{}", failure_json(USAGE, message));
    }
    let _ = error.print();
    ExitCode::from(if error.use_stderr() { USAGE } else { 0 })
}

/// Returns the exit code of an outcome and prints its message, also as JSON if `json` is set.
pub(crate) fn report_outcome(outcome: Outcome, json: bool) -> ExitCode {
    ExitCode::from(match outcome {
        Ok(Completion::Success) => 0,
        Ok(Completion::Negative) => NEGATIVE,
        Ok(Completion::SomeUnread) => INPUT,
        Ok(Completion::SomeUnwritten) => OUTPUT,
        Err(failure) => {
            if let Some(message) = failure.message() {
                say(format_args!("chessdb: {message}"));
                if let Failure::Query { pointer, .. } = &failure {
                    say(pointer);
                }
                if json {
                    let document = failure_json(failure.code(), message);
                    let _ = writeln!(io::stdout(), "{document}");
                }
            }
            failure.code()
        }
    })
}

/// Makes a panic, which is always an internal error, print a request to report it and exit with a
/// separate code.
pub(crate) fn report_panics() {
    panic::set_hook(Box::new(|panic| {
        // A damaged table, which is reported as an error later.
        #[cfg(feature = "parquet")]
        if chessdb::parquet::catches_panics() {
            return;
        }
        say(format_args!("chessdb: internal error: {panic}"));
        say(
            "This is a bug in chessdb; the input was not changed. Please report it with the text \
             above, the command, the output of `chessdb --version` and, if possible, the file.",
        );
        // A panic of a reader thread must end the program, too, instead of an answer without its
        // games.
        std::process::exit(i32::from(INTERNAL_ERROR));
    }));
}

/// Makes the program exit with the code of an unreadable input if a file that is mapped into memory
/// is truncated while it is read.
pub(crate) fn report_cut_files() {
    chessdb::fs::exit_on_truncation(
        INPUT,
        c": truncated by another program, or the disk failed, while it was read; nothing was written; run the command again\n",
    );
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    /// Ends its process, so it runs only as the child process of the test below.
    #[test]
    #[ignore = "run by a_panic_ends_with_its_own_code"]
    fn panics_in_a_child() {
        report_panics();
        panic!("the knight is on a rim");
    }

    #[test]
    fn a_panic_ends_with_its_own_code() {
        let child = Command::new(std::env::current_exe().unwrap())
            .args(["--ignored", "--nocapture", "panics_in_a_child"])
            .output()
            .unwrap();
        assert_eq!(child.status.code(), Some(5));
        let message = String::from_utf8(child.stderr).unwrap();
        assert!(message.contains("the knight is on a rim"), "{message}");
        assert!(message.contains("Please report it"), "{message}");
    }
}
