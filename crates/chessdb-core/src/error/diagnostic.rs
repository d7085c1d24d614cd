//! Deviations that reading tolerates.

use std::fmt;

use super::{ErrorKind, Location, write_at};

/// The severity of a diagnostic.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// Unusual, but nothing had to be changed.
    Note,
    /// A documented repair was applied; no data that a person would miss are lost.
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

/// A deviation from the format page that lenient reading tolerated. Strict reading refuses it with
/// an [`Error`](super::Error) of the same kind.
#[derive(Debug)]
#[non_exhaustive]
pub struct Diagnostic {
    /// The severity.
    pub severity: Severity,
    /// The deviation.
    pub kind: ErrorKind,
    /// The location.
    pub at: Location,
}

impl Diagnostic {
    /// Creates a diagnostic at this location.
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
