//! Errors and diagnostics: the fault, and its file, byte offset, game and ply.

mod diagnostic;
mod parse;

use std::borrow::Cow;
use std::fmt;
use std::io;

use crate::LossKind;
use crate::files::Role;

pub use diagnostic::{Diagnostic, Severity};
pub use parse::ParseError;

/// The result of reading or writing a database.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error and its location; one pointer wide.
#[derive(Debug)]
pub struct Error(Box<(ErrorKind, Location)>);

impl Error {
    /// Creates an error of this kind with an unknown location.
    pub fn new(kind: ErrorKind) -> Error {
        Error(Box::new((kind, Location::default())))
    }

    /// Returns the error with the unknown parts of its location filled in.
    #[must_use]
    pub fn at(mut self, location: Location) -> Error {
        self.0.1.fill(location);
        self
    }

    /// Returns the kind of the error.
    pub fn kind(&self) -> &ErrorKind {
        &self.0.0
    }

    /// Returns the location of the error.
    pub fn location(&self) -> &Location {
        &self.0.1
    }

    /// Splits the error into its kind and location.
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

fn write_at(f: &mut fmt::Formatter<'_>, location: &Location, kind: &ErrorKind) -> fmt::Result {
    if *location == Location::default() {
        return write!(f, "{kind}");
    }
    write!(f, "{location}: {kind}")
}

/// A place in a database; unknown parts are `None`.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Location {
    /// The file of the set.
    pub file: Option<Role>,
    /// Byte offset in that file, from 0.
    pub offset: Option<u64>,
    /// Game number, from 1.
    pub game: Option<u32>,
    /// Number of half-moves of the current line before the place: 0 is the start position.
    pub ply: Option<u32>,
}

impl Location {
    /// Returns the location of a byte of a file.
    pub const fn byte(file: Role, offset: u64) -> Location {
        Location {
            offset: Some(offset),
            ..Location::file(file)
        }
    }

    /// Returns the location of a whole file.
    pub const fn file(file: Role) -> Location {
        Location {
            file: Some(file),
            offset: None,
            game: None,
            ply: None,
        }
    }

    /// Returns the location of a game, counted from 1.
    pub const fn game(game: u32) -> Location {
        Location {
            file: None,
            offset: None,
            game: Some(game),
            ply: None,
        }
    }

    /// Returns the location with this game number, counted from 1.
    #[must_use]
    pub const fn in_game(mut self, game: u32) -> Location {
        self.game = Some(game);
        self
    }

    /// Returns the location `bytes` further on.
    #[must_use]
    pub fn plus(mut self, bytes: u64) -> Location {
        self.offset = self.offset.map(|offset| offset.saturating_add(bytes));
        self
    }

    /// Returns the location with this number of half-moves before it.
    #[must_use]
    pub const fn at_ply(mut self, ply: u32) -> Location {
        self.ply = Some(ply);
        self
    }

    /// Fills the unknown parts from `other`.
    pub fn fill(&mut self, other: Location) {
        self.file = self.file.or(other.file);
        self.offset = self.offset.or(other.offset);
        self.game = self.game.or(other.game);
        self.ply = self.ply.or(other.ply);
    }
}

/// Formats the location like `sg4 file, game 4711, byte 0x1a2b3, ply 12`.
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

/// A fault of a database, of an operation on it, or of a game that is being written.
#[derive(Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The operating system reported an error.
    Io(io::Error),
    /// The data end too early.
    Truncated {
        /// The item that was being read.
        what: &'static str,
        /// The number of bytes it needs.
        needed: u64,
        /// The number of bytes available.
        had: u64,
    },
    /// The file does not begin with the format's magic bytes.
    BadMagic {
        /// The bytes that the format requires.
        expected: &'static [u8],
    },
    /// A field has a value that the format does not define.
    BadField {
        /// The name of the field on the format page.
        field: &'static str,
        /// The value found.
        value: u64,
    },
    /// A game that the database does not have.
    NoSuchGame {
        /// Its number, from 1.
        number: u32,
        /// The number of games.
        games: u32,
    },
    /// A move number beyond the number of moves available.
    NoSuchMove {
        /// The number found.
        ordinal: u32,
        /// The number of moves available.
        available: u32,
    },
    /// A move that cannot be played or read in its position.
    BadMove {
        /// The move as written in the source, cut to a readable length.
        found: Box<str>,
        /// The reason.
        why: &'static str,
    },
    /// Text of a text format that does not follow its grammar.
    Syntax {
        /// The expected text.
        expected: &'static str,
        /// The bytes found, cut to a readable length.
        found: Box<str>,
    },
    /// Tokens that do not fit together, such as a variation that is closed but was never opened.
    Structure(&'static str),
    /// Two places of the database contradict each other.
    Mismatch {
        /// The value they disagree about.
        what: &'static str,
        /// The value here.
        found: u64,
        /// The value in the other place.
        expected: u64,
    },
    /// A file of the set is missing.
    MissingFile(Role),
    /// A limit of [`crate::limits::Limits`] was exceeded.
    LimitExceeded {
        /// The name of the limit.
        what: &'static str,
        /// The value of the limit.
        limit: u64,
    },
    /// A text cannot be written in a charset.
    Text {
        /// The name of the charset.
        charset: &'static str,
    },
    /// The target format cannot store something, and losing it was not allowed.
    Unrepresentable(LossKind),
    /// A known feature that is not supported.
    Unsupported(&'static str),
    /// A setting of a format that the caller chose has a value that does not fit, in words.
    Setting(Cow<'static, str>),
    /// Any other error, in words.
    Other(Cow<'static, str>),
}

/// Defines the codes of all kinds together with their list, so that the list is complete.
macro_rules! error_codes {
    ($($kind:pat => $code:literal,)*) => {
        /// The codes of all kinds of errors.
        pub const CODES: &'static [&'static str] = &[$($code,)*];

        /// Returns a short constant name for statistics and machine-readable output, such as
        /// `bad-move`.
        pub fn code(&self) -> &'static str {
            match self {
                $($kind => $code,)*
            }
        }
    };
}

impl ErrorKind {
    error_codes! {
        ErrorKind::Io(_) => "io",
        ErrorKind::Truncated { .. } => "truncated",
        ErrorKind::BadMagic { .. } => "bad-magic",
        ErrorKind::BadField { .. } => "bad-field",
        ErrorKind::NoSuchGame { .. } => "no-such-game",
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
        ErrorKind::Setting(_) => "setting",
        ErrorKind::Other(_) => "other",
    }

    /// Returns the text that distinguishes two faults of one kind, such as a field or a rule. The
    /// texts are constants, so hostile input cannot make a list of kinds grow.
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
            ErrorKind::Setting(Cow::Borrowed(what)) | ErrorKind::Other(Cow::Borrowed(what)) => what,
            ErrorKind::Setting(_)
            | ErrorKind::Other(_)
            | ErrorKind::Io(_)
            | ErrorKind::BadMagic { .. }
            | ErrorKind::NoSuchGame { .. }
            | ErrorKind::NoSuchMove { .. } => "",
        }
    }

    /// Creates [`ErrorKind::Syntax`] for these bytes.
    pub fn syntax(expected: &'static str, bytes: &[u8]) -> ErrorKind {
        let found = ErrorKind::excerpt(bytes);
        ErrorKind::Syntax { expected, found }
    }

    /// Creates [`ErrorKind::BadMove`] for these bytes.
    pub fn bad_move(bytes: &[u8], why: &'static str) -> ErrorKind {
        let found = ErrorKind::excerpt(bytes);
        ErrorKind::BadMove { found, why }
    }

    /// Returns the start of foreign bytes as readable text: at most 24 bytes, then an ellipsis if
    /// there are more.
    pub fn excerpt(bytes: &[u8]) -> Box<str> {
        const LONGEST: usize = 24;
        let shown = bytes.get(..LONGEST).unwrap_or(bytes);
        let is_printable = |byte: u8| (0x20..0x7F).contains(&byte);
        let readable = |&byte: &u8| if is_printable(byte) { char::from(byte) } else { '\u{B7}' };
        let mut text: String = shown.iter().map(readable).collect();
        if bytes.len() > LONGEST {
            text.push('…');
        }
        text.into_boxed_str()
    }

    /// Creates [`ErrorKind::Mismatch`] for a value here and its value in the other place.
    pub const fn mismatch(what: &'static str, found: u64, expected: u64) -> ErrorKind {
        ErrorKind::Mismatch {
            what,
            found,
            expected,
        }
    }

    /// Creates [`ErrorKind::Truncated`] for an item that needs more bytes than there are.
    pub const fn truncated(what: &'static str, needed: u64, had: u64) -> ErrorKind {
        ErrorKind::Truncated { what, needed, had }
    }

    /// Creates [`ErrorKind::LimitExceeded`].
    pub const fn over_limit(what: &'static str, limit: u64) -> ErrorKind {
        ErrorKind::LimitExceeded { what, limit }
    }

    /// Creates [`ErrorKind::BadField`].
    pub fn bad_field(field: &'static str, value: impl Into<u64>) -> ErrorKind {
        let value = value.into();
        ErrorKind::BadField { field, value }
    }

    /// Creates [`ErrorKind::NoSuchGame`] for game `n`, counted from 0, of a database with `games` games.
    pub fn no_such_game(n: u32, games: u32) -> ErrorKind {
        let number = n.saturating_add(1);
        ErrorKind::NoSuchGame { number, games }
    }
}

/// Values of [`ErrorKind::Mismatch`] that are bit patterns, which are shown as hexadecimal numbers.
const BIT_PATTERNS: [&str; 4] = [
    "the final material",
    "the order of home pawns",
    "the promotion flags",
    "the bits of Attributes that depend on the moves",
];

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ErrorKind::Io(error) => write!(f, "{error}"),
            ErrorKind::Truncated { what, needed, had } => {
                write!(f, "{what} needs {needed} bytes, but only {had} are left")
            }
            ErrorKind::BadMagic { expected } => {
                write!(
                    f,
                    "expected \"{}\" at the beginning of the file",
                    expected.escape_ascii()
                )
            }
            ErrorKind::BadField { field, value } => {
                write!(f, "{field} has the unexpected value {value}")
            }
            ErrorKind::NoSuchGame { number, games } => {
                write!(f, "there is no game {number}; the database has {games}")
            }
            ErrorKind::NoSuchMove { ordinal, available } => {
                write!(
                    f,
                    "there is no move number {ordinal}; the position has {available} moves"
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
            } if BIT_PATTERNS.contains(what) => {
                write!(f, "{what} is {found:#x}, but {expected:#x} was expected")
            }
            ErrorKind::Mismatch {
                what,
                found,
                expected,
            } => {
                write!(f, "{what} is {found}, but {expected} was expected")
            }
            ErrorKind::MissingFile(role) => write!(f, "the {role} file is missing"),
            ErrorKind::LimitExceeded { what, limit } => {
                write!(f, "more than {limit} {what}; the rest was skipped")
            }
            ErrorKind::Text { charset } => write!(f, "text cannot be written in {charset}"),
            ErrorKind::Unrepresentable(loss) => {
                write!(f, "the target format cannot store this: {loss}")
            }
            ErrorKind::Unsupported(what) => write!(f, "{what} is not supported"),
            ErrorKind::Setting(what) | ErrorKind::Other(what) => f.write_str(what),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn message_names_file_game_byte_and_ply() {
        let error = Error::new(ErrorKind::NoSuchMove {
            ordinal: 57,
            available: 31,
        })
        .at(Location::byte(Role("cbf"), 0x1A2B3).in_game(4711))
        .at(Location::byte(Role("cbi"), 1).at_ply(12));
        assert_eq!(
            error.to_string(),
            "cbf file, game 4711, byte 0x1a2b3, ply 12: \
             there is no move number 57; the position has 31 moves"
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
