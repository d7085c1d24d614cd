//! Errors of opening, reading, writing and converting databases.

mod sink;

use std::path::{Path, PathBuf};
use std::{fmt, io};

use chessdb_core::ErrorKind;
use chessdb_core::error::Location;

use crate::paths::shown;
use crate::report::Report;

pub(crate) use self::sink::SinkFault;
pub use self::sink::{is_too_large_for_journal, target_error};

/// The result of an operation on a database.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error, with the location as far as it is known: path, file, byte, game, ply.
///
/// An error with a game number ([`Error::game`]) concerns this game only; reading can continue with
/// the next game.
pub struct Error(Box<Inner>);

struct Inner {
    path: Option<PathBuf>,
    problem: Problem,
    writing: bool,
}

impl Error {
    /// Creates an error for a problem with this path.
    pub fn new(path: impl AsRef<Path>, problem: impl Into<Problem>) -> Error {
        Error::from(problem.into()).with_path(Some(path.as_ref()))
    }

    /// Sets the path, unless the error already has one.
    #[must_use]
    pub fn with_path(mut self, path: Option<&Path>) -> Error {
        self.0.path = self.0.path.or_else(|| path.map(Path::to_owned));
        self
    }

    /// Marks the error as one about the target.
    #[must_use]
    pub fn while_writing(mut self) -> Error {
        self.0.writing = true;
        self
    }

    /// Returns the problem without the path.
    pub fn problem(&self) -> &Problem {
        &self.0.problem
    }

    /// Returns the problem by value, without the path.
    pub fn into_problem(self) -> Problem {
        self.0.problem
    }

    /// Returns the path as it was given, or the path of the file concerned.
    pub fn path(&self) -> Option<&Path> {
        self.0.path.as_deref()
    }

    /// Returns the file of the database, by its standard extension.
    pub fn file(&self) -> Option<&'static str> {
        self.location().file.map(|role| role.0)
    }

    /// Returns the byte offset in that file, from 0.
    pub fn offset(&self) -> Option<u64> {
        self.location().offset
    }

    /// Returns the number of the game, counted from 1.
    pub fn game(&self) -> Option<u32> {
        self.location().game
    }

    /// Returns the number of half-moves before the location: 0 is the start position.
    pub fn ply(&self) -> Option<u32> {
        self.location().ply
    }

    /// Returns whether the content is in no format that can be read here.
    pub fn is_not_recognised(&self) -> bool {
        matches!(
            self.problem(),
            Problem::Unrecognised
                | Problem::ForeignSqlite(_)
                | Problem::OpeningBook(_)
                | Problem::MissingFeature(_)
                | Problem::WriteOnly(_)
                | Problem::NotStreamable
                | Problem::NoDatabase
        )
    }

    /// Returns whether there is no such file or database.
    pub fn is_not_found(&self) -> bool {
        matches!(self.problem(), Problem::NotFound)
    }

    /// Returns whether the target exists and replacing it was not requested.
    pub fn is_already_there(&self) -> bool {
        matches!(self.problem(), Problem::AlreadyExists)
    }

    /// Returns whether the caller interrupted the operation.
    pub fn is_interrupted(&self) -> bool {
        matches!(self.problem(), Problem::Interrupted)
    }

    /// Returns whether the error concerns the target of a conversion or a database being written.
    pub fn is_about_writing(&self) -> bool {
        self.0.writing
    }

    /// Returns the error of the operating system, if that is the cause.
    pub fn io(&self) -> Option<&io::Error> {
        match self.problem() {
            Problem::Io(error) => Some(error),
            Problem::Format(error) => match error.kind() {
                ErrorKind::Io(error) => Some(error),
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns whether another program has the file open, and does not share it.
    pub fn is_in_use(&self) -> bool {
        matches!(self.problem(), Problem::Held) || self.io().is_some_and(is_unshared)
    }

    /// Returns the report of a conversion that was refused.
    pub fn report(&self) -> Option<&Report> {
        match self.problem() {
            Problem::Refused(report) => Some(report),
            _ => None,
        }
    }

    /// Returns the report of a conversion that was refused.
    ///
    /// # Errors
    ///
    /// Returns the error unchanged if it is any other error.
    pub fn into_report(self) -> std::result::Result<Report, Error> {
        let Inner {
            path,
            problem,
            writing,
        } = *self.0;
        match problem {
            Problem::Refused(report) => Ok(*report),
            problem => Err(Error(Box::new(Inner {
                path,
                problem,
                writing,
            }))),
        }
    }

    fn location(&self) -> Location {
        match self.problem() {
            Problem::Format(error) => *error.location(),
            _ => Location::default(),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Error")
            .field("path", &self.0.path)
            .field("problem", &self.0.problem)
            .finish()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(path) = self.path() {
            write!(f, "{}: ", shown(path))?;
        }
        write!(f, "{}", self.problem())
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self.problem() {
            Problem::Io(error) => Some(error),
            Problem::Format(error) => Some(error),
            _ => None,
        }
    }
}

impl From<Problem> for Error {
    fn from(problem: Problem) -> Error {
        Error(Box::new(Inner {
            path: None,
            problem,
            writing: false,
        }))
    }
}

impl From<chessdb_core::Error> for Error {
    fn from(error: chessdb_core::Error) -> Error {
        Problem::Format(error).into()
    }
}

impl From<ErrorKind> for Error {
    fn from(kind: ErrorKind) -> Error {
        chessdb_core::Error::from(kind).into()
    }
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Error {
        Problem::from(error).into()
    }
}

/// The cause of an [`Error`].
#[derive(Debug)]
#[non_exhaustive]
pub enum Problem {
    /// The operating system reported an error.
    Io(io::Error),
    /// The path is neither a file nor the stem of one.
    NotFound,
    /// A folder, archive or set of files contains no database.
    NoDatabase,
    /// More than one database: several share the stem, or the folder or archive contains several.
    SeveralDatabases(Vec<PathBuf>),
    /// The content matches no known format.
    Unrecognised,
    /// A SQLite database of another program; the text names its tables.
    ForeignSqlite(String),
    /// An opening book of this format, which has no games.
    OpeningBook(&'static str),
    /// A file that was named as an opening book, but is none.
    NoOpeningBook,
    /// This build cannot read the database: it lacks the feature of this name.
    MissingFeature(&'static str),
    /// The input is a pipe, and its format cannot be read as a stream.
    NotStreamable,
    /// The database is read as a stream, so games cannot be accessed by number.
    NoRandomAccess,
    /// The input was a pipe and has already been read.
    AlreadyRead,
    /// The format's reader or writer reported an error.
    Format(chessdb_core::Error),
    /// The packed file is damaged, or this build cannot unpack it.
    Packed(&'static str),
    /// The archive is encrypted, and no password was given.
    PasswordRequired,
    /// The password does not open the archive.
    WrongPassword,
    /// The database needs more memory than is available, or a packed one more than is allowed: this
    /// number of bytes.
    TooLarge(u64),
    /// The target exists, and replacing it was not requested.
    AlreadyExists,
    /// Another writer is writing the same target.
    Locked,
    /// Another program has this file open, and does not share it, so it cannot be replaced.
    Held,
    /// Files of this format can be written but not read.
    WriteOnly(&'static str),
    /// The format with this name can only be read; the reason, if there is a special one.
    ReadOnly(&'static str, Option<&'static str>),
    /// Writing was interrupted between two files, and for this reason the state of the database is
    /// not certain. Nothing was changed; the journal and the hidden files are still there.
    InterruptedWrite(String),
    /// Another program replaced the database while its files were being read.
    Replaced,
    /// Another program changed the database after it was opened; writing would undo that change.
    /// Nothing was changed.
    Changed,
    /// No change of the database is recorded that could be undone.
    NothingToUndo,
    /// Another program changed the database after the change that is to be undone. Nothing was
    /// changed.
    ChangedSince,
    /// The name of a required hidden file is taken by something other than a plain file, such as a
    /// pipe or a link.
    NotRegularFile,
    /// The files are links into different folders or to differing names and so cannot be replaced
    /// together.
    ScatteredFiles,
    /// Something other than a file (described by the text) has the name of a file that must be
    /// written and so cannot be replaced.
    NotReplaceable(&'static str),
    /// The database program that owns this file was interrupted or is running: changes in the file
    /// of this name are not yet part of the database.
    InUse(PathBuf),
    /// Renaming the new files failed between two of them. The next program that opens or writes the
    /// database completes it.
    PartlyRenamed,
    /// The extension of the target belongs to no format.
    UnknownExtension,
    /// This build has no format with this id.
    UnknownFormat(String),
    /// There is no charset of this name.
    UnknownCharset(String),
    /// The text is not a list of games such as `1,5-9,20-`.
    InvalidSelection(String),
    /// The text is not a query, for this reason.
    InvalidQuery(String),
    /// The format always uses its own charset.
    FixedCharset(&'static str),
    /// The database to append to is in another format: this one.
    FormatMismatch(&'static str),
    /// The format has no such setting: the name of the format and of the setting.
    UnsupportedSetting(&'static str, &'static str),
    /// No format has this setting for reading.
    UnknownSetting(String),
    /// The format has several files, and a stream takes one.
    NeedsSeveralFiles(&'static str),
    /// Nothing was written, because a strict conversion would have lost something or because none
    /// of the selected games exists.
    Refused(Box<Report>),
    /// The caller interrupted the operation.
    Interrupted,
    /// A thread that read games panicked with this message: an internal error.
    Panicked(String),
}

/// Returns whether Windows did not open or read a file because another program does not share it: a
/// sharing violation or a lock violation.
fn is_unshared(error: &io::Error) -> bool {
    cfg!(windows) && matches!(error.raw_os_error(), Some(32 | 33))
}

impl From<io::Error> for Problem {
    fn from(error: io::Error) -> Problem {
        match error.kind() {
            io::ErrorKind::NotFound => Problem::NotFound,
            _ => Problem::Io(error),
        }
    }
}

impl From<chessdb_core::Error> for Problem {
    fn from(error: chessdb_core::Error) -> Problem {
        Problem::Format(error)
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::Io(error) if is_unshared(error) => Problem::Held.fmt(f),
            Problem::Io(error) => write!(f, "{error}"),
            Problem::NotFound => f.write_str("no such file or database"),
            Problem::NoDatabase => f.write_str("contains no chess database"),
            Problem::SeveralDatabases(bases) => {
                const SHOWN: usize = 4;
                write!(f, "matches {} databases (", bases.len())?;
                for (n, base) in bases.iter().take(SHOWN).enumerate() {
                    let separator = if n == 0 { "" } else { ", " };
                    write!(f, "{separator}{}", shown(base))?;
                }
                f.write_str(if bases.len() > SHOWN { ", …)" } else { ")" })
            }
            Problem::Unrecognised => f.write_str("not in a known format"),
            Problem::ForeignSqlite(what) => f.write_str(what),
            Problem::OpeningBook(format) => {
                write!(f, "an opening book ({format}), which has no games")
            }
            Problem::NoOpeningBook => {
                f.write_str("not an opening book (.ctg, Polyglot .bin or .abk)")
            }
            Problem::MissingFeature(feature) => {
                write!(
                    f,
                    "this build cannot read it: the feature `{feature}` is missing"
                )
            }
            Problem::NotStreamable => f.write_str(
                "only PGN can be read from a pipe; save the data to a file and open the file",
            ),
            Problem::NoRandomAccess => f.write_str(
                "games cannot be accessed by number, because the database is read as a stream \
                 (packed, very large, or from a pipe)",
            ),
            Problem::AlreadyRead => f.write_str("the pipe has already been read"),
            Problem::Format(error) => write!(f, "{error}"),
            Problem::Packed(what) => f.write_str(what),
            Problem::PasswordRequired => f.write_str("an encrypted archive requires a password"),
            Problem::WrongPassword => f.write_str("wrong password"),
            Problem::TooLarge(limit) => {
                write!(f, "needs {} MB of memory or more", limit / 1_000_000)
            }
            Problem::AlreadyExists => f.write_str("already exists"),
            Problem::Locked => f.write_str("is being written by another program"),
            Problem::Held => f.write_str("is in use by another program"),
            Problem::WriteOnly(format) => write!(
                f,
                "{format} can be written but not read; open the original database, or use \
                 Parquet, which can be read"
            ),
            Problem::ReadOnly(format, None) => write!(f, "{format} can be read but not written"),
            Problem::ReadOnly(format, Some(reason)) => {
                write!(f, "{format} can be read but not written: {reason}")
            }
            Problem::InterruptedWrite(why) => {
                write!(
                    f,
                    "an earlier write was interrupted between two files: {why}"
                )
            }
            Problem::Replaced => f.write_str("was replaced while it was being read"),
            Problem::Changed => f.write_str(
                "was changed by another program after it was opened; nothing was written",
            ),
            Problem::NothingToUndo => f.write_str("there is no recorded change to undo"),
            Problem::ChangedSince => f.write_str(
                "was changed by another program after the last change that chessdb recorded; \
                 undoing would destroy that, so nothing was changed",
            ),
            Problem::NotRegularFile => {
                f.write_str("is not a regular file, but has a name that chessdb needs")
            }
            Problem::ScatteredFiles => f.write_str(
                "the files of the database are links to different folders and cannot be replaced \
                 together",
            ),
            Problem::NotReplaceable(what) => f.write_str(what),
            Problem::InUse(side) => {
                let side = shown(side);
                write!(f, "the changes in {side} are not yet part of the database")
            }
            Problem::PartlyRenamed => f.write_str(
                "only some of the new files could be renamed; no file is lost, and the next \
                 command that opens or writes the database renames the others",
            ),
            Problem::UnknownExtension => {
                f.write_str("the file name extension does not belong to a known format")
            }
            Problem::UnknownFormat(id) => write!(f, "unknown format {id:?}"),
            Problem::UnknownCharset(name) => write!(f, "unknown charset {name:?}"),
            Problem::InvalidSelection(text) => write!(
                f,
                "{text:?} is not a list of game numbers such as 1,5-9,20- (counted from 1, ranges \
                 with a hyphen)"
            ),
            Problem::InvalidQuery(reason) => f.write_str(reason),
            Problem::FormatMismatch(name) => {
                write!(
                    f,
                    "the database is in the format {name}; appended games must be written in the same format"
                )
            }
            Problem::FixedCharset(format) => write!(f, "{format} always uses its own charset"),
            Problem::UnsupportedSetting(format, setting) => {
                write!(f, "{format} has no setting {setting}")
            }
            Problem::UnknownSetting(name) => write!(f, "no format has the setting {name:?}"),
            Problem::NeedsSeveralFiles(format) => {
                write!(
                    f,
                    "{format} consists of several files and cannot be written to a stream"
                )
            }
            Problem::Refused(report) if report.read() == 0 => {
                f.write_str("nothing was written: none of the selected games exists")
            }
            Problem::Refused(_) => {
                f.write_str("nothing was written, because data would have been lost")
            }
            Problem::Interrupted => f.write_str("interrupted"),
            Problem::Panicked(message) => {
                write!(f, "internal error in a reader thread: {message}")
            }
        }
    }
}
