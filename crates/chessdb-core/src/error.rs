//! Errors and diagnostics: what is wrong, in which file, at which byte, in which game and ply.

use std::borrow::Cow;
use std::fmt;
use std::io;

use crate::{LossKind, Role};

/// The result of reading or writing a base.
pub type Result<T> = std::result::Result<T, Error>;

/// What went wrong and where; one pointer wide.
#[derive(Debug)]
pub struct Error(Box<(ErrorKind, Location)>);

impl Error {
    /// An error of this kind whose place is not known yet.
    pub fn new(kind: ErrorKind) -> Error {
        Error(Box::new((kind, Location::default())))
    }

    /// The same error with the places that were not known filled in.
    #[must_use]
    pub fn at(mut self, location: Location) -> Error {
        self.0.1.fill(location);
        self
    }

    /// What went wrong.
    pub fn kind(&self) -> &ErrorKind {
        &self.0.0
    }

    /// Where it went wrong.
    pub fn location(&self) -> &Location {
        &self.0.1
    }

    /// The kind and the place.
    pub fn into_parts(self) -> (ErrorKind, Location) {
        *self.0
    }
}

impl From<ErrorKind> for Error {
    fn from(kind: ErrorKind) -> Error {
        Error::new(kind)
    }
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Error {
        Error::new(ErrorKind::Io(error))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_at(f, &self.0.1, &self.0.0)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self.kind() {
            ErrorKind::Io(error) => Some(error),
            _ => None,
        }
    }
}

fn write_at(f: &mut fmt::Formatter<'_>, at: &Location, kind: &ErrorKind) -> fmt::Result {
    if *at == Location::default() {
        return write!(f, "{kind}");
    }
    write!(f, "{at}: {kind}")
}

/// Where in a base something is; what is not known is absent.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Location {
    /// Which file of the set.
    pub file: Option<Role>,
    /// Byte offset in that file, from 0.
    pub offset: Option<u64>,
    /// Game number, from 1.
    pub game: Option<u32>,
    /// Half-moves of the current line before the place: 0 is the start position.
    pub ply: Option<u32>,
}

impl Location {
    /// A byte of a file.
    pub const fn byte(file: Role, offset: u64) -> Location {
        Location {
            file: Some(file),
            offset: Some(offset),
            game: None,
            ply: None,
        }
    }

    /// A game, counted from 1.
    pub const fn game(game: u32) -> Location {
        Location {
            file: None,
            offset: None,
            game: Some(game),
            ply: None,
        }
    }

    /// The same place in this game, counted from 1.
    #[must_use]
    pub const fn in_game(mut self, game: u32) -> Location {
        self.game = Some(game);
        self
    }

    /// The place so many bytes behind this one.
    #[must_use]
    pub fn plus(mut self, bytes: u64) -> Location {
        self.offset = self.offset.map(|at| at.saturating_add(bytes));
        self
    }

    /// The same place after this many half-moves.
    #[must_use]
    pub const fn at_ply(mut self, ply: u32) -> Location {
        self.ply = Some(ply);
        self
    }

    /// Takes over from `other` whatever is not known here.
    pub fn fill(&mut self, other: Location) {
        self.file = self.file.or(other.file);
        self.offset = self.offset.or(other.offset);
        self.game = self.game.or(other.game);
        self.ply = self.ply.or(other.ply);
    }
}

/// `sg4 file, game 4711, byte 0x1a2b3, ply 12`
impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        if let Some(file) = self.file {
            write!(f, "{file} file")?;
            separator = ", ";
        }
        if let Some(game) = self.game {
            write!(f, "{separator}game {game}")?;
            separator = ", ";
        }
        if let Some(offset) = self.offset {
            write!(f, "{separator}byte {offset:#x}")?;
            separator = ", ";
        }
        if let Some(ply) = self.ply {
            write!(f, "{separator}ply {ply}")?;
        }
        Ok(())
    }
}

/// What can be wrong with a base, an operation on it, or a game on its way into a base.
#[derive(Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The operating system refused.
    Io(io::Error),
    /// The data end too early.
    Truncated {
        /// What was being read.
        what: &'static str,
        /// Bytes that it needs.
        needed: u64,
        /// Bytes that are there.
        had: u64,
    },
    /// The file does not begin as its format demands.
    BadMagic {
        /// The bytes that should stand there.
        expected: &'static [u8],
    },
    /// A field holds a value that the format does not know.
    BadField {
        /// Its name on the format page.
        field: &'static str,
        /// The value found.
        value: u64,
    },
    /// A move number beyond the moves there are.
    NoSuchMove {
        /// The number found.
        ordinal: u32,
        /// How many there are.
        available: u32,
    },
    /// A move that cannot be played or read in its position.
    BadMove {
        /// The move as the source has it, cut to a readable length.
        found: Box<str>,
        /// Why not.
        why: &'static str,
    },
    /// Text of a text format that does not follow its grammar.
    Syntax {
        /// What was expected instead.
        expected: &'static str,
        /// The bytes found, cut to a readable length.
        found: Box<str>,
    },
    /// Marks that do not fit together, such as a variation closed but never opened.
    Structure(&'static str),
    /// Two places of the base contradict each other.
    Mismatch {
        /// What they disagree about.
        what: &'static str,
        /// The value here.
        found: u64,
        /// The value there.
        expected: u64,
    },
    /// A file of the set is not there.
    MissingFile(Role),
    /// More than [`crate::Limits`] allows.
    LimitExceeded {
        /// Which limit.
        what: &'static str,
        /// Its value.
        limit: u64,
    },
    /// A text cannot be written in a charset.
    Text {
        /// The charset's name.
        charset: &'static str,
    },
    /// The target format has no place for something, and losing it was not allowed.
    Unrepresentable(LossKind),
    /// Known, but not supported.
    Unsupported(&'static str),
    /// Anything else, in words.
    Other(Cow<'static, str>),
}

impl ErrorKind {
    /// A short constant name for counting and for machines, such as `bad-move`.
    pub fn code(&self) -> &'static str {
        match self {
            ErrorKind::Io(_) => "io",
            ErrorKind::Truncated { .. } => "truncated",
            ErrorKind::BadMagic { .. } => "bad-magic",
            ErrorKind::BadField { .. } => "bad-field",
            ErrorKind::NoSuchMove { .. } => "no-such-move",
            ErrorKind::BadMove { .. } => "bad-move",
            ErrorKind::Syntax { .. } => "syntax",
            ErrorKind::Structure(_) => "structure",
            ErrorKind::Mismatch { .. } => "mismatch",
            ErrorKind::MissingFile(_) => "missing-file",
            ErrorKind::LimitExceeded { .. } => "limit",
            ErrorKind::Text { .. } => "text",
            ErrorKind::Unrepresentable(_) => "unrepresentable",
            ErrorKind::Unsupported(_) => "unsupported",
            ErrorKind::Other(_) => "other",
        }
    }

    /// What tells two faults of one kind apart: a field, a rule. Only constant texts, so that hostile
    /// input cannot make a list of kinds grow.
    pub fn detail(&self) -> &'static str {
        match self {
            ErrorKind::Truncated { what, .. }
            | ErrorKind::Structure(what)
            | ErrorKind::Mismatch { what, .. }
            | ErrorKind::LimitExceeded { what, .. }
            | ErrorKind::Unsupported(what) => what,
            ErrorKind::BadField { field, .. } => field,
            ErrorKind::BadMove { why, .. } => why,
            ErrorKind::Syntax { expected, .. } => expected,
            ErrorKind::MissingFile(role) => role.0,
            ErrorKind::Text { charset } => charset,
            ErrorKind::Unrepresentable(loss) => loss.code(),
            ErrorKind::Other(Cow::Borrowed(what)) => what,
            ErrorKind::Other(_)
            | ErrorKind::Io(_)
            | ErrorKind::BadMagic { .. }
            | ErrorKind::NoSuchMove { .. } => "",
        }
    }

    /// The start of foreign bytes as readable text: at most 24 bytes, the rest as dots.
    pub fn excerpt(bytes: &[u8]) -> Box<str> {
        const LONGEST: usize = 24;
        let shown = bytes.get(..LONGEST).unwrap_or(bytes);
        let mut text: String = shown
            .iter()
            .map(|&b| {
                if (0x20..0x7F).contains(&b) {
                    char::from(b)
                } else {
                    '\u{B7}'
                }
            })
            .collect();
        if bytes.len() > LONGEST {
            text.push('…');
        }
        text.into_boxed_str()
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ErrorKind::Io(error) => write!(f, "{error}"),
            ErrorKind::Truncated { what, needed, had } => {
                write!(f, "{what} needs {needed} bytes, but only {had} are left")
            }
            ErrorKind::BadMagic { expected } => {
                write!(f, "does not begin with \"{}\"", expected.escape_ascii())
            }
            ErrorKind::BadField { field, value } => write!(f, "{field} has the value {value}"),
            ErrorKind::NoSuchMove { ordinal, available } => {
                write!(
                    f,
                    "move number {ordinal}, but the position has {available} moves"
                )
            }
            ErrorKind::BadMove { found, why } => write!(f, "move \"{found}\": {why}"),
            ErrorKind::Syntax { expected, found } => {
                write!(f, "expected {expected}, found \"{found}\"")
            }
            ErrorKind::Structure(what) => f.write_str(what),
            ErrorKind::Mismatch {
                what,
                found,
                expected,
            } => {
                write!(f, "{what} is {found}, but {expected} was expected")
            }
            ErrorKind::MissingFile(role) => write!(f, "the {role} file is missing"),
            ErrorKind::LimitExceeded { what, limit } => {
                write!(f, "more than {limit} {what}; the rest was left out")
            }
            ErrorKind::Text { charset } => write!(f, "text cannot be written in {charset}"),
            ErrorKind::Unrepresentable(loss) => {
                write!(f, "the target format cannot hold this: {loss}")
            }
            ErrorKind::Unsupported(what) => write!(f, "{what} is not supported"),
            ErrorKind::Other(what) => f.write_str(what),
        }
    }
}

/// How much a diagnostic matters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// Odd, but nothing had to be changed.
    Note,
    /// A documented repair was applied; nothing a person would miss is lost.
    Repaired,
    /// Something could not be read and is missing from the game.
    Lost,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Severity::Note => "note",
            Severity::Repaired => "repaired",
            Severity::Lost => "lost",
        })
    }
}

/// A deviation from the format page that lenient reading got over; strict reading refuses it with
/// an [`Error`] of the same kind.
#[derive(Debug)]
#[non_exhaustive]
pub struct Diagnostic {
    /// How much it matters.
    pub severity: Severity,
    /// What deviates.
    pub kind: ErrorKind,
    /// Where.
    pub at: Location,
}

impl Diagnostic {
    /// A deviation at this place.
    pub fn new(severity: Severity, kind: ErrorKind, at: Location) -> Diagnostic {
        Diagnostic { severity, kind, at }
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.severity)?;
        write_at(f, &self.at, &self.kind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_names_file_game_byte_and_ply() {
        let error = Error::new(ErrorKind::NoSuchMove {
            ordinal: 57,
            available: 31,
        })
        .at(Location::byte(Role("cbf"), 0x1A2B3).in_game(4711))
        .at(Location::byte(Role("cbi"), 1).at_ply(12));
        assert_eq!(
            error.to_string(),
            "cbf file, game 4711, byte 0x1a2b3, ply 12: \
             move number 57, but the position has 31 moves"
        );
        assert_eq!(Error::from(ErrorKind::Structure("odd")).to_string(), "odd");
        assert_eq!(size_of::<Result<()>>(), size_of::<usize>());
    }

    #[test]
    fn excerpts_are_short_and_printable() {
        assert_eq!(&*ErrorKind::excerpt(b"Nf3\n"), "Nf3\u{B7}");
        assert_eq!(ErrorKind::excerpt(&[b'x'; 99]).chars().count(), 25);
    }
}
