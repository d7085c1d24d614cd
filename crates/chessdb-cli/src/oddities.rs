//! Findings about a database and its games, reported on standard error while reading: the first few
//! of each kind, and the number of the others.

use chessdb::core::ErrorKind;
use chessdb::{Diagnostic, Error, Problem, Severity};

use crate::exit::say;
use crate::output::grouped;

/// The number of findings of one kind that are printed. Further ones are counted.
pub(crate) const SHOWN: u64 = 3;

/// The kind of a finding: findings of one kind differ only in location and values.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Kind {
    pub(crate) severity: Severity,
    code: &'static str,
    detail: &'static str,
}

impl Kind {
    pub(crate) fn of(severity: Severity, kind: &ErrorKind) -> Kind {
        Kind {
            severity,
            code: kind.code(),
            detail: kind.detail(),
        }
    }

    /// Returns the description of the kind.
    pub(crate) fn what(&self) -> &'static str {
        match self.detail {
            "" => self.code,
            detail => detail,
        }
    }
}

/// The number of findings of each kind.
#[derive(Default)]
pub(crate) struct Kinds(Vec<(Kind, u64)>);

impl Kinds {
    /// Counts a finding and returns the number of its kind so far.
    pub(crate) fn count(&mut self, kind: Kind) -> u64 {
        if let Some((_, count)) = self.0.iter_mut().find(|(known, _)| *known == kind) {
            *count += 1;
            return *count;
        }
        self.0.push((kind, 1));
        1
    }

    /// Returns the kinds with more than `shown` findings, and how many more.
    pub(crate) fn beyond(&self, shown: u64) -> impl Iterator<Item = (Kind, u64)> {
        let more = self.0.iter().copied();
        let more = more.map(move |(kind, count)| (kind, count.saturating_sub(shown)));
        more.filter(|(_, more)| *more > 0)
    }
}

/// A finding as text.
pub(crate) struct Oddity {
    /// `None` for errors that are not about the format, such as a failing disk.
    kind: Option<Kind>,
    text: String,
}

impl Oddity {
    /// Returns the findings with data loss. Other findings are left to `check`, but missing data
    /// must always be reported.
    pub(crate) fn lost(found: &[Diagnostic]) -> impl Iterator<Item = Oddity> {
        let lost = found.iter();
        let lost = lost.filter(|found| found.severity == Severity::Lost);
        lost.map(Oddity::from)
    }
}

impl From<&Diagnostic> for Oddity {
    fn from(found: &Diagnostic) -> Oddity {
        Oddity {
            kind: Some(Kind::of(found.severity, &found.kind)),
            text: found.to_string(),
        }
    }
}

/// Converts the error of a game that could not be read.
impl From<&Error> for Oddity {
    fn from(error: &Error) -> Oddity {
        Oddity {
            kind: match error.problem() {
                Problem::Format(error) => Some(Kind::of(Severity::Lost, error.kind())),
                _ => None,
            },
            text: error.problem().to_string(),
        }
    }
}

/// The reported findings of one database.
pub(crate) struct Oddities {
    name: String,
    kinds: Kinds,
    said: u64,
}

impl Oddities {
    pub(crate) fn of(name: impl Into<String>) -> Oddities {
        Oddities {
            name: name.into(),
            kinds: Kinds::default(),
            said: 0,
        }
    }

    /// Prints a finding, or only counts it.
    pub(crate) fn add(&mut self, oddity: impl Into<Oddity>) {
        let Oddity { kind, text } = oddity.into();
        self.said += 1;
        if kind.is_none_or(|kind| self.kinds.count(kind) <= SHOWN) {
            say(format_args!("{}: {text}", self.name));
        }
    }

    /// Adds several findings.
    pub(crate) fn add_all(&mut self, oddities: impl IntoIterator<Item = impl Into<Oddity>>) {
        for oddity in oddities {
            self.add(oddity);
        }
    }

    /// Reports how many findings were only counted. Returns the number of all findings.
    pub(crate) fn finish(self) -> u64 {
        for (kind, more) in self.kinds.beyond(SHOWN) {
            let (name, more) = (&self.name, grouped(more));
            say(format_args!(
                "{name}: … and {more} more of this kind ({}); see `chessdb check --all`",
                kind.what()
            ));
        }
        self.said
    }
}
