//! What can go wrong with a base, a file, a conversion.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use chessdb_core::{ErrorKind, Location};

use crate::convert::Report;
use crate::paths::shown;

/// The result of an operation on a base.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why something came to nothing, and where: path, file, byte, game, ply, as far as they are known.
///
/// An error about one game ([`Error::game`] is known) concerns this game only: whoever reads on gets
/// the next one.
pub struct Error(Box<Inner>);

struct Inner {
    path: Option<PathBuf>,
    problem: Problem,
    writing: bool,
}

impl Error {
    /// A problem with this path.
    pub fn new(path: impl AsRef<Path>, problem: impl Into<Problem>) -> Error {
        Error::from(problem.into()).with_path(Some(path.as_ref()))
    }

    /// The same error at this path, unless it knows one.
    #[must_use]
    pub(crate) fn with_path(mut self, path: Option<&Path>) -> Error {
        self.0.path = self.0.path.or_else(|| path.map(Path::to_owned));
        self
    }

    /// The same error as one about the target.
    #[must_use]
    pub(crate) fn while_writing(mut self) -> Error {
        self.0.writing = true;
        self
    }

    /// What is wrong, without the path.
    pub fn problem(&self) -> &Problem {
        &self.0.problem
    }

    /// What is wrong, to be taken apart.
    pub fn into_problem(self) -> Problem {
        self.0.problem
    }

    /// The path as it was given, or the file that is meant.
    pub fn path(&self) -> Option<&Path> {
        self.0.path.as_deref()
    }

    /// Which file of the base, by its usual extension.
    pub fn file(&self) -> Option<&'static str> {
        self.location().file.map(|role| role.0)
    }

    /// The byte in that file, from 0.
    pub fn offset(&self) -> Option<u64> {
        self.location().offset
    }

    /// The number of the game, counted from 1.
    pub fn game(&self) -> Option<u32> {
        self.location().game
    }

    /// Half-moves before the place: 0 is the start position.
    pub fn ply(&self) -> Option<u32> {
        self.location().ply
    }

    /// Whether no known format fits the content.
    pub fn is_not_recognised(&self) -> bool {
        matches!(
            self.problem(),
            Problem::Unrecognised
                | Problem::MissingFeature(_)
                | Problem::WriteOnly(_)
                | Problem::NotStreamed
                | Problem::NoBase
        )
    }

    /// Whether there is no such file or base.
    pub fn is_not_found(&self) -> bool {
        matches!(self.problem(), Problem::NotFound)
    }

    /// Whether the target is there already, and replacing it was not asked for.
    pub fn is_already_there(&self) -> bool {
        matches!(self.problem(), Problem::Exists)
    }

    /// Whether the caller broke it off.
    pub fn is_interrupted(&self) -> bool {
        matches!(self.problem(), Problem::Interrupted)
    }

    /// Whether it is about the target of a conversion, or a base that is being written.
    pub fn is_about_writing(&self) -> bool {
        self.0.writing
    }

    /// What the operating system said, if it refused.
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

    /// What a conversion found before it was refused.
    pub fn report(&self) -> Option<&Report> {
        match self.problem() {
            Problem::Refused(report) => Some(report),
            _ => None,
        }
    }

    /// The report of a conversion that was refused, or the error again.
    ///
    /// # Errors
    ///
    /// It is any other error.
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

/// What is wrong.
#[derive(Debug)]
#[non_exhaustive]
pub enum Problem {
    /// The operating system refused.
    Io(io::Error),
    /// Neither a file nor the stem of any.
    NotFound,
    /// A folder, archive or set of files without a base.
    NoBase,
    /// More than one base: a stem that several share, or a folder or archive of bases.
    Several(Vec<PathBuf>),
    /// No known format fits the content.
    Unrecognised,
    /// This build cannot read it: it lacks the feature of this name.
    MissingFeature(&'static str),
    /// It comes through a pipe and is in no format that can be read as a stream.
    NotStreamed,
    /// It is read as a stream, so that games have no numbers to be found by.
    NoNumbers,
    /// It came through a pipe, and was read already.
    ReadBefore,
    /// The format's reader or writer refused.
    Format(chessdb_core::Error),
    /// A packed file that this build cannot unpack, or that is damaged.
    Packed(&'static str),
    /// The base would need more memory than there is, or than a packed one may take: this many
    /// bytes.
    TooLarge(u64),
    /// The target is there already, and replacing it was not asked for.
    Exists,
    /// Another writer is at work on the same target.
    Locked,
    /// What a file of this format was made of is not read back.
    WriteOnly(&'static str),
    /// The format can only be read.
    ReadOnly(&'static str),
    /// Writing it was interrupted between two files, and it is not certain what it is: why. Nothing
    /// was changed; the journal and the hidden files are still there.
    Unfinished(String),
    /// It was replaced by another program while its files were being read.
    Replaced,
    /// Another program changed it after it was opened, so that writing it would undo that. Nothing was changed.
    Changed,
    /// Something other than a plain file, such as a pipe or a link, has the name of a hidden file that is needed.
    Special,
    /// Its files are links into different folders, or to differing names, and so cannot be replaced
    /// together.
    Scattered,
    /// Something other than a file has the name of one that is to be written, so that it cannot be
    /// replaced: what it is.
    Obstacle(&'static str),
    /// The database program that this file belongs to was interrupted, or is at work: changes that
    /// lie in the file of this name are not part of the base yet.
    InUse(PathBuf),
    /// Giving the new files their names failed between two of them; the next program that opens or
    /// writes the base goes on from there.
    HalfWay,
    /// The suffix of the target names no format.
    NoSuffix,
    /// There is no format of this id in this build.
    UnknownFormat(String),
    /// There is no charset of this name.
    UnknownCharset(String),
    /// No list of games such as `1,5-9,20-`.
    BadSelection(String),
    /// The format has a charset of its own and takes no other.
    OwnCharset(&'static str),
    /// The base that games are to be put behind is of another format: this one.
    OtherFormat(&'static str),
    /// The format lets nobody choose this: its name, and what was to be chosen.
    NoSetting(&'static str, &'static str),
    /// No format knows this choice for reading.
    UnknownSetting(String),
    /// The format has several files, and a stream takes one.
    SeveralFiles(&'static str),
    /// Nothing was written, because a strict conversion would have lost something, or because none of
    /// the games selected is there.
    Refused(Box<Report>),
    /// The caller broke it off.
    Interrupted,
    /// A thread that read games panicked: a bug of ours, with its message.
    Panicked(String),
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
            Problem::Io(error) => write!(f, "{error}"),
            Problem::NotFound => f.write_str("there is no such file or base"),
            Problem::NoBase => f.write_str("holds no chess database"),
            Problem::Several(bases) => {
                const SHOWN: usize = 4;
                write!(f, "stands for {} bases (", bases.len())?;
                for (n, base) in bases.iter().take(SHOWN).enumerate() {
                    let separator = if n == 0 { "" } else { ", " };
                    write!(f, "{separator}{}", shown(base))?;
                }
                f.write_str(if bases.len() > SHOWN { ", …)" } else { ")" })
            }
            Problem::Unrecognised => f.write_str("is in no format that is known here"),
            Problem::MissingFeature(feature) => {
                write!(f, "this build cannot read it: it lacks the feature `{feature}`")
            }
            Problem::NotStreamed => f.write_str(
                "is no PGN, and nothing else is read from a pipe; save it to a file and name that",
            ),
            Problem::NoNumbers => f.write_str(
                "is read as a stream (packed, very large, or from a pipe): its games come one after \
                 another, not by number",
            ),
            Problem::ReadBefore => f.write_str("came through a pipe and was read already"),
            Problem::Format(error) => write!(f, "{error}"),
            Problem::Packed(what) => f.write_str(what),
            Problem::TooLarge(limit) => {
                write!(f, "needs {} MB of memory or more", limit / 1_000_000)
            }
            Problem::Exists => f.write_str("exists already"),
            Problem::Locked => f.write_str("is being written by another program"),
            Problem::WriteOnly(format) => write!(
                f,
                "{format} is written, not read: read the base that it was made from, or keep games in \
                 Parquet, which is read as well"
            ),
            Problem::ReadOnly(format) => write!(f, "{format} can be read, but not written"),
            Problem::Unfinished(why) => {
                write!(f, "writing it was interrupted between two files: {why}")
            }
            Problem::Replaced => f.write_str("was replaced while it was being read"),
            Problem::Changed => f.write_str(
                "was changed by another program after it was opened; nothing was written",
            ),
            Problem::Special => {
                f.write_str("has the name of a file that chessdb keeps here and is not a plain file")
            }
            Problem::Scattered => f.write_str(
                "its files are links to different places and cannot be replaced together",
            ),
            Problem::Obstacle(what) => f.write_str(what),
            Problem::InUse(side) => {
                let side = shown(side);
                write!(f, "changes in {side} are not part of it yet")
            }
            Problem::HalfWay => f.write_str(
                "renaming its files failed half-way; no file is lost, and the next command that \
                 opens or writes it goes on from there",
            ),
            Problem::NoSuffix => f.write_str("its suffix names no format"),
            Problem::UnknownFormat(id) => write!(f, "there is no format {id:?} here"),
            Problem::UnknownCharset(name) => write!(f, "there is no charset {name:?}"),
            Problem::BadSelection(text) => write!(
                f,
                "{text:?} is no list of games such as 1,5-9,20- (counted from 1)"
            ),
            Problem::OtherFormat(name) => {
                write!(f, "is in {name}; games put behind others are in their format")
            }
            Problem::OwnCharset(format) => write!(f, "{format} has a charset of its own"),
            Problem::NoSetting(format, setting) => {
                write!(f, "{format} has no setting {setting}")
            }
            Problem::UnknownSetting(name) => write!(f, "no format knows the choice {name:?}"),
            Problem::SeveralFiles(format) => {
                write!(f, "{format} has several files and cannot go to a stream")
            }
            Problem::Refused(report) if report.read() == 0 => {
                f.write_str("nothing was written: none of the games selected is there")
            }
            Problem::Refused(_) => {
                f.write_str("nothing was written, because something would have been lost")
            }
            Problem::Interrupted => f.write_str("interrupted"),
            Problem::Panicked(message) => {
                write!(f, "a thread that read games panicked, which is a bug: {message}")
            }
        }
    }
}

/// Why a sink's commit fails, besides what the system refuses; inside an [`io::Error`].
#[derive(Debug)]
#[cfg_attr(not(feature = "fs"), expect(dead_code, reason = "only files fail so"))]
pub(crate) enum SinkFault {
    /// Some files have their new names and some have not, and that could not be undone.
    HalfWay,
    /// Another program changed this file after it was opened.
    Changed(PathBuf),
    /// A hidden file is not a plain file.
    Special,
}

impl fmt::Display for SinkFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let problem = match self {
            SinkFault::HalfWay => Problem::HalfWay,
            SinkFault::Special => Problem::Special,
            SinkFault::Changed(path) => {
                return write!(f, "{}: {}", path.display(), Problem::Changed);
            }
        };
        write!(f, "{problem}")
    }
}

impl std::error::Error for SinkFault {}

/// An error of a writer or its sink.
pub(crate) fn of_target(error: chessdb_core::Error, path: Option<&Path>) -> Error {
    let fault = match error.kind() {
        ErrorKind::Io(io) => io
            .get_ref()
            .and_then(|inner| inner.downcast_ref::<SinkFault>()),
        _ => None,
    };
    let error = match fault {
        Some(SinkFault::HalfWay) => Error::from(Problem::HalfWay),
        Some(SinkFault::Changed(path)) => Error::new(path, Problem::Changed),
        Some(SinkFault::Special) => Error::from(Problem::Special),
        None => Error::from(error),
    };
    error.with_path(path).while_writing()
}
