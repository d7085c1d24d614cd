//! What can be wrong with a path.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// A path that could not be used, and why.
#[derive(Debug)]
pub struct PathError {
    /// The path as it was given, or the file that is meant.
    pub path: PathBuf,
    /// Why not.
    pub problem: Problem,
}

impl PathError {
    /// A problem with this path.
    pub fn new(path: impl AsRef<Path>, problem: impl Into<Problem>) -> PathError {
        PathError {
            path: path.as_ref().to_owned(),
            problem: problem.into(),
        }
    }

    /// Whether the bytes of a packed file are wrong, and the system refused nothing: whoever unpacks
    /// reports damage as an input error without a number of the system's.
    pub(crate) fn is_damage(&self) -> bool {
        match &self.problem {
            Problem::Io(error) => error.raw_os_error().is_none(),
            problem => matches!(problem, Problem::Packed(_)),
        }
    }
}

/// Why a path could not be used.
#[derive(Debug)]
#[non_exhaustive]
pub enum Problem {
    /// The operating system refused.
    Io(io::Error),
    /// Neither a file nor the stem of any.
    NotFound,
    /// A folder or archive without a base.
    NoBase,
    /// More than one base: a stem that several share, or a folder or archive of bases.
    Several(Vec<PathBuf>),
    /// No known format fits the content.
    Unrecognised,
    /// It comes through a pipe and is in no format that can be read as a stream.
    NotStreamed,
    /// The format's reader refused the files.
    Format(crate::Error),
    /// A packed file that this build cannot unpack, or that is damaged.
    Packed(&'static str),
    /// The base would need more memory than there is, or than a packed one may take: this many
    /// bytes.
    TooLarge(u64),
    /// The target is there already, and replacing it was not asked for.
    Exists,
    /// Another writer is at work on the same target.
    Locked,
    /// The format can only be read.
    ReadOnly(&'static str),
    /// Writing it was interrupted between two files, and it is not certain what it is: why. Nothing
    /// was changed; the journal and the hidden files are still there.
    Unfinished(String),
    /// It was replaced by another program while its files were being read.
    Replaced,
    /// Its files are links into different folders, or to differing names, and so cannot be replaced
    /// together.
    Scattered,
    /// Something other than a file has the name of one that is to be written, so that it cannot be
    /// replaced: what it is.
    Obstacle(&'static str),
    /// The database program that this file belongs to was interrupted, or is at work: changes that
    /// lie in the file of this name are not part of the base yet.
    InUse(PathBuf),
}

impl From<io::Error> for Problem {
    fn from(error: io::Error) -> Problem {
        match error.kind() {
            io::ErrorKind::NotFound => Problem::NotFound,
            _ => Problem::Io(error),
        }
    }
}

impl From<crate::Error> for Problem {
    fn from(error: crate::Error) -> Problem {
        Problem::Format(error)
    }
}

impl fmt::Display for PathError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.problem)
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
                    write!(f, "{separator}{}", base.display())?;
                }
                f.write_str(if bases.len() > SHOWN { ", …)" } else { ")" })
            }
            Problem::Unrecognised => f.write_str("is in no format that is known here"),
            Problem::NotStreamed => f.write_str(
                "is no PGN, and nothing else is read from a pipe; save it to a file and name that",
            ),
            Problem::Format(error) => write!(f, "{error}"),
            Problem::Packed(what) => f.write_str(what),
            Problem::TooLarge(limit) => {
                write!(f, "needs {} MB of memory or more", limit / 1_000_000)
            }
            Problem::Exists => f.write_str("exists already"),
            Problem::Locked => f.write_str("is being written by another program"),
            Problem::ReadOnly(format) => write!(f, "{format} can be read, but not written"),
            Problem::Unfinished(why) => {
                write!(f, "writing it was interrupted between two files: {why}")
            }
            Problem::Replaced => f.write_str("was replaced while it was being read"),
            Problem::Scattered => f.write_str(
                "its files are links to different places and cannot be replaced together",
            ),
            Problem::Obstacle(what) => f.write_str(what),
            Problem::InUse(side) => {
                let side = side.display();
                write!(f, "changes in {side} are not part of it yet")
            }
        }
    }
}

impl std::error::Error for PathError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.problem {
            Problem::Io(error) => Some(error),
            Problem::Format(error) => Some(error),
            _ => None,
        }
    }
}
