//! What is odd about a base and its games, said on standard error as reading goes on: the first few findings
//! of each kind, and how many more there were.

use chessdb::core::ErrorKind;
use chessdb::{Diagnostic, Error, Problem, Severity};

use crate::exit::say;
use crate::output::grouped;

/// Messages of one kind of oddity that are printed; the rest is counted.
pub(crate) const SHOWN: u64 = 3;

/// Findings that differ in place and values alone.
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

    /// What the findings have in common.
    pub(crate) fn what(&self) -> &'static str {
        match self.detail {
            "" => self.code,
            detail => detail,
        }
    }
}

/// How often each kind was met.
#[derive(Default)]
pub(crate) struct Kinds(Vec<(Kind, u64)>);

impl Kinds {
    /// How many of a kind there are now.
    pub(crate) fn count(&mut self, kind: Kind) -> u64 {
        if let Some((_, count)) = self.0.iter_mut().find(|(known, _)| *known == kind) {
            *count += 1;
            return *count;
        }
        self.0.push((kind, 1));
        1
    }

    /// The kinds of which there are more than so many, and how many more.
    pub(crate) fn beyond(&self, shown: u64) -> impl Iterator<Item = (Kind, u64)> {
        let more = self.0.iter().copied();
        let more = more.map(move |(kind, count)| (kind, count.saturating_sub(shown)));
        more.filter(|(_, more)| *more > 0)
    }
}

/// One finding, in words.
pub(crate) struct Oddity {
    /// Nothing for what is no matter of a format, such as a disk that fails.
    kind: Option<Kind>,
    text: String,
}

impl Oddity {
    /// The same of each finding by which something is lost. Other oddities are for `check`, but what is not
    /// there at all must not be missing without a word.
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

/// A game that could not be read.
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

/// What is said of one base.
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

    /// Says it, or counts it.
    pub(crate) fn add(&mut self, oddity: impl Into<Oddity>) {
        let Oddity { kind, text } = oddity.into();
        self.said += 1;
        if kind.is_none_or(|kind| self.kinds.count(kind) <= SHOWN) {
            say(format_args!("{}: {text}", self.name));
        }
    }

    /// The same for several.
    pub(crate) fn add_all(&mut self, oddities: impl IntoIterator<Item = impl Into<Oddity>>) {
        for oddity in oddities {
            self.add(oddity);
        }
    }

    /// Says how many were counted only. The number of all.
    pub(crate) fn finish(self) -> u64 {
        for (kind, more) in self.kinds.beyond(SHOWN) {
            let (name, more) = (&self.name, grouped(more));
            say(format_args!(
                "{name}: … and {more} more of this kind ({}); `chessdb check --all` lists them",
                kind.what()
            ));
        }
        self.said
    }
}
