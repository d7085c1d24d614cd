//! Findings about a database and its games, reported on standard error while reading: the first few
//! of each kind, and the number of the others.

use chessdb::core::ErrorKind;
use chessdb::{Diagnostic, Error, Problem, Severity};

use crate::exit::say;
use crate::output::{count, grouped};

/// The number of findings of one kind that are printed. Further ones are counted.
pub(crate) const MAX_SHOWN: u64 = 3;

/// The kind of a finding: findings of one kind differ only in location and values.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct FindingKind {
    pub(crate) severity: Severity,
    code: &'static str,
    detail: &'static str,
}

impl FindingKind {
    pub(crate) fn new(severity: Severity, kind: &ErrorKind) -> FindingKind {
        FindingKind {
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
pub(crate) struct KindCounts(Vec<(FindingKind, u64)>);

impl KindCounts {
    /// Counts a finding and returns the number of its kind so far.
    pub(crate) fn count(&mut self, kind: FindingKind) -> u64 {
        // A list, since even a badly damaged database has few kinds of findings.
        if let Some((_, count)) = self.0.iter_mut().find(|(counted, _)| *counted == kind) {
            *count += 1;
            return *count;
        }
        self.0.push((kind, 1));
        1
    }

    /// Returns the kinds with more than `shown` findings, and how many more.
    pub(crate) fn beyond(&self, shown: u64) -> impl Iterator<Item = (FindingKind, u64)> {
        let more = self.0.iter().copied();
        let more = more.map(move |(kind, count)| (kind, count.saturating_sub(shown)));
        more.filter(|(_, more)| *more > 0)
    }
}

/// A finding as text.
pub(crate) struct Finding {
    /// `None` for errors that are not about the format, such as a failing disk.
    kind: Option<FindingKind>,
    /// The number of the game, unless the finding belongs to the database.
    game: Option<u32>,
    text: String,
}

impl Finding {
    /// Returns the findings with data loss. Other findings are left to `check`, but missing data
    /// must always be reported.
    pub(crate) fn lost(diagnostics: &[Diagnostic]) -> impl Iterator<Item = Finding> {
        let lost = diagnostics
            .iter()
            .filter(|one| one.severity == Severity::Lost);
        lost.map(Finding::from)
    }
}

impl From<&Diagnostic> for Finding {
    fn from(diagnostic: &Diagnostic) -> Finding {
        Finding {
            kind: Some(FindingKind::new(diagnostic.severity, &diagnostic.kind)),
            game: diagnostic.at.game,
            text: diagnostic.to_string(),
        }
    }
}

/// Converts the error of a game that could not be read.
impl From<&Error> for Finding {
    fn from(error: &Error) -> Finding {
        Finding {
            kind: match error.problem() {
                Problem::Format(error) => Some(FindingKind::new(Severity::Lost, error.kind())),
                _ => None,
            },
            game: error.game(),
            text: error.problem().to_string(),
        }
    }
}

/// The reported findings of one database.
pub(crate) struct FindingLog {
    name: String,
    kinds: KindCounts,
    total: u64,
    /// The number of damaged games, and the last of them. Games come in order.
    games: u64,
    last_game: Option<u32>,
}

impl FindingLog {
    pub(crate) fn from_name(name: impl Into<String>) -> FindingLog {
        FindingLog {
            name: name.into(),
            kinds: KindCounts::default(),
            total: 0,
            games: 0,
            last_game: None,
        }
    }

    /// Prints a finding, or only counts it.
    pub(crate) fn add(&mut self, finding: impl Into<Finding>) {
        let Finding { kind, game, text } = finding.into();
        self.total += 1;
        // An error without a kind, such as one of the disk, costs the game, too.
        let is_lost = kind.is_none_or(|kind| kind.severity == Severity::Lost);
        if is_lost && game.is_some() && game != self.last_game {
            self.last_game = game;
            self.games += 1;
        }
        if kind.is_none_or(|kind| self.kinds.count(kind) <= MAX_SHOWN) {
            say(format_args!("{}: {text}", self.name));
        }
    }

    /// Adds several findings.
    pub(crate) fn add_all(&mut self, findings: impl IntoIterator<Item = impl Into<Finding>>) {
        for finding in findings {
            self.add(finding);
        }
    }

    /// Reports how many findings were only counted, and the number of damaged games. Returns the
    /// number of all findings.
    pub(crate) fn finish(self) -> u64 {
        for (kind, more) in self.kinds.beyond(MAX_SHOWN) {
            let (name, more) = (&self.name, grouped(more));
            say(format_args!(
                "{name}: … and {more} more of this kind ({}); see `chessdb check --all`",
                kind.what()
            ));
        }
        if self.games > 0 {
            let (name, games) = (&self.name, count(self.games, "damaged game"));
            say(format_args!("{name}: {games}"));
        }
        self.total
    }
}
