//! What a conversion did: counts, and the first places of everything that was lost or odd.

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};

use chessdb_core::{
    Diagnostic, ErrorKind, Event, Extra, Game, LimitExceeded, Loss, LossKind, Losses, Severity,
};

use super::ConvertOptions;
use crate::FORMATS;

use super::Written;

/// How many places are kept of each kind.
pub(crate) const FIRST: usize = 5;

/// A game of one of the sources.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GameRef {
    /// Which source, from 0.
    pub source: usize,
    /// The game's number there, from 1.
    pub game: u32,
}

/// One kind of loss over a whole conversion.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct LossCount {
    /// What could not be held.
    pub kind: LossKind,
    /// How often.
    pub count: u64,
    /// In how many games.
    pub games: u64,
    /// The first of those games.
    pub first: Vec<GameRef>,
    /// Whether any of them is not of the first source.
    pub(crate) several_sources: bool,
}

/// `12 comments left out (games 3, 9, …)`; a game of another source than the first has its number,
/// counted from 1, in front.
impl fmt::Display for LossCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.count, self.kind)?;
        for (n, at) in self.first.iter().enumerate() {
            let before = match (n, self.games) {
                (0, 1) => " (game ",
                (0, _) => " (games ",
                _ => ", ",
            };
            f.write_str(before)?;
            if self.several_sources {
                write!(f, "{}:", at.source + 1)?;
            }
            write!(f, "{}", at.game)?;
        }
        match self.first.len() {
            0 => Ok(()),
            shown if self.games > shown as u64 => f.write_str(", …)"),
            _ => f.write_str(")"),
        }
    }
}

/// One kind of fault or oddity in the sources.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct DiagnosticCount {
    /// How much it matters.
    pub severity: Severity,
    /// The kind, as [`ErrorKind::code`] gives it.
    pub code: &'static str,
    /// What distinguishes it from others of the kind: a field, a rule.
    pub detail: &'static str,
    /// How often.
    pub count: u64,
    /// The first ones: source, and message with place.
    pub first: Vec<(usize, String)>,
}

/// One sort of data that only its own format knows.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct ExtraCount {
    /// What it is, in words.
    pub what: &'static str,
    /// Whether it is of the base; otherwise of games.
    pub of_base: bool,
    /// How often.
    pub count: u64,
}

/// What only its own format knows, in the words of that format.
fn what_is(extra: &Extra, of_base: bool) -> &'static str {
    let mut fields = FORMATS.iter().flat_map(|format| format.extras);
    let found = fields.find(|known| known.is_of(extra, of_base));
    found.map_or("something that nobody has described", |found| found.what)
}

/// What a conversion did.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Report {
    pub(crate) read: u64,
    pub(crate) written: u64,
    pub(crate) cut: u64,
    pub(crate) skipped: u64,
    pub(crate) dropped: u64,
    pub(crate) base_faults: u64,
    pub(crate) losses: Vec<LossCount>,
    pub(crate) base_losses: Losses,
    pub(crate) exceeded: Vec<LimitExceeded>,
    pub(crate) diagnostics: Vec<DiagnosticCount>,
    pub(crate) more_diagnostics: u64,
    pub(crate) damaged_sources: BTreeSet<usize>,
    pub(crate) refused: bool,
    pub(crate) refused_by: Vec<LossKind>,
    pub(crate) extras: Vec<ExtraCount>,
    pub(crate) target: Option<PathBuf>,
    pub(crate) written_in: Option<Written>,
    pub(crate) appended: bool,
    pub(crate) rewritten: bool,
    pub(crate) backups: Vec<PathBuf>,
}

impl Report {
    /// Games taken from the sources, the skipped and dropped ones included.
    pub fn read(&self) -> u64 {
        self.read
    }

    /// The page that texts were written in, where the target has one for all and any text is more
    /// than ASCII.
    pub fn written_in(&self) -> Option<&Written> {
        self.written_in.as_ref()
    }

    /// Whether they stand behind games that were there before ([`super::Converter::append`]), which do not
    /// count.
    pub fn is_appended(&self) -> bool {
        self.appended
    }

    /// Whether the games that were there had to be written again, although the format can append in
    /// place: a PGN file then becomes UTF-8.
    pub fn is_rewritten(&self) -> bool {
        self.rewritten
    }

    /// The files of the copy that was made of the old base ([`super::Converter::backup`]), that which names
    /// it first.
    pub fn backups(&self) -> &[PathBuf] {
        &self.backups
    }

    /// Games that stand in the target.
    pub fn written(&self) -> u64 {
        self.written
    }

    /// Of these, games that lack moves, because the source is damaged or the target cannot hold
    /// them.
    pub fn cut(&self) -> u64 {
        self.cut
    }

    /// Games left out, because they could not be read, the target cannot hold them, or
    /// [`super::OnError::Skip`] asked for it.
    pub fn skipped(&self) -> u64 {
        self.skipped
    }

    /// Deleted games left out on request.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Faults of sources as a whole by which something was lost: missing files or names, an index or
    /// a packed file that ends too early.
    pub fn base_faults(&self) -> u64 {
        self.base_faults
    }

    /// What the target could not hold, of the base as a whole and then of the games, in the order of
    /// first occurrence. Each has a line of text for people.
    pub fn losses(&self) -> impl Iterator<Item = LossCount> + '_ {
        let of_base = self.base_losses.iter().map(|loss| LossCount {
            kind: loss.kind,
            count: loss.count.into(),
            games: 0,
            first: Vec::new(),
            several_sources: false,
        });
        of_base.chain(self.losses.iter().cloned())
    }

    /// What the target could not hold of the games.
    pub fn game_losses(&self) -> &[LossCount] {
        &self.losses
    }

    /// What the target could not hold of the base as a whole.
    pub fn base_losses(&self) -> &Losses {
        &self.base_losses
    }

    /// Limits of old programs that the new base exceeds; nothing is lost by that.
    pub fn exceeded(&self) -> &[LimitExceeded] {
        &self.exceeded
    }

    /// What was wrong or odd in the sources, in the order of first occurrence.
    pub fn diagnostics(&self) -> &[DiagnosticCount] {
        &self.diagnostics
    }

    /// Diagnostics beyond the number kept per game.
    pub fn more_diagnostics(&self) -> u64 {
        self.more_diagnostics
    }

    /// Whether nothing was written, because something would have been lost, or because none of the
    /// games selected is there.
    pub fn is_refused(&self) -> bool {
        self.refused
    }

    /// The kinds of loss by which it was refused. Empty if something else stands against it: a game that
    /// cannot be read, damage of a source as a whole, a selection of games that are not there.
    pub fn refused_by(&self) -> &[LossKind] {
        &self.refused_by
    }

    /// What the data are that only their own format knows, where the target could not hold them.
    pub fn extras(&self) -> &[ExtraCount] {
        &self.extras
    }

    /// The file that names the new base, if it has a path.
    pub fn target(&self) -> Option<&Path> {
        self.target.as_deref()
    }

    /// Whether something is missing in the target: something it cannot hold, or something that the
    /// source did not give whole.
    pub fn has_losses(&self) -> bool {
        !self.losses.is_empty() || !self.base_losses.is_empty() || self.is_incomplete()
    }

    /// Whether games were skipped or cut, or a source has lost something as a whole.
    pub fn is_incomplete(&self) -> bool {
        self.cut > 0 || self.skipped > 0 || self.base_faults > 0
    }

    /// Returns the damaged sources, counted from 0: games of them were skipped or cut, or they have lost something as
    /// a whole.
    pub fn damaged_sources(&self) -> impl Iterator<Item = usize> {
        self.damaged_sources.iter().copied()
    }

    /// How often a kind was lost, games and base together.
    pub fn lost(&self, kind: LossKind) -> u64 {
        let games = self
            .losses
            .iter()
            .find(|loss| loss.kind == kind)
            .map_or(0, |loss| loss.count);
        games + u64::from(self.base_losses.count(kind))
    }

    /// A loss of this kind forbids the conversion.
    pub(crate) fn refuse(&mut self, kind: LossKind) {
        self.refused = true;
        if !self.refused_by.contains(&kind) {
            self.refused_by.push(kind);
        }
    }

    /// Sees what the losses of the base forbid.
    pub(super) fn refuse_of_base(&mut self, options: &ConvertOptions) {
        let kinds = self.base_losses.iter().map(|loss| loss.kind);
        for kind in kinds.collect::<Vec<_>>() {
            if options.forbids_of_base(kind) {
                self.refuse(kind);
            }
        }
    }

    /// Counts what a game held beyond the model.
    pub(crate) fn add_game_extras(&mut self, game: &Game) {
        self.add_extras(&game.header.extras, false);
        for event in game.events() {
            if let Event::Extra(extra) = event {
                self.add_extras(std::slice::from_ref(extra), false);
            }
        }
    }

    /// Counts what a base or a game held beyond the model.
    pub(crate) fn add_extras(&mut self, extras: &[Extra], of_base: bool) {
        for extra in extras {
            let what = what_is(extra, of_base);
            let same = |known: &&mut ExtraCount| known.of_base == of_base && known.what == what;
            match self.extras.iter_mut().find(same) {
                Some(known) => known.count += 1,
                None => self.extras.push(ExtraCount {
                    what,
                    of_base,
                    count: 1,
                }),
            }
        }
    }

    /// Counts a fault of a source as a whole.
    pub(crate) fn add_base_fault(&mut self, source: usize) {
        self.base_faults += 1;
        self.damaged_sources.insert(source);
    }

    /// Counts a loss in a game.
    pub(crate) fn add_loss(&mut self, at: GameRef, loss: &Loss) {
        let index = self.losses.iter().position(|known| known.kind == loss.kind);
        let index = index.unwrap_or_else(|| {
            let (kind, first) = (loss.kind, Vec::new());
            self.losses.push(LossCount {
                kind,
                count: 0,
                games: 0,
                first,
                several_sources: false,
            });
            self.losses.len() - 1
        });
        if let Some(entry) = self.losses.get_mut(index) {
            entry.count += u64::from(loss.count);
            entry.games += 1;
            entry.several_sources |= at.source > 0;
            if entry.first.len() < FIRST {
                entry.first.push(at);
            }
        }
    }

    /// Counts a fault or oddity of a source.
    pub(crate) fn add_kind(
        &mut self,
        source: usize,
        severity: Severity,
        kind: &ErrorKind,
        message: impl FnOnce() -> String,
    ) {
        let (code, detail) = (kind.code(), kind.detail());
        let same = |known: &DiagnosticCount| {
            known.severity == severity && known.code == code && known.detail == detail
        };
        let index = self.diagnostics.iter().position(same).unwrap_or_else(|| {
            self.diagnostics.push(DiagnosticCount {
                severity,
                code,
                detail,
                count: 0,
                first: Vec::new(),
            });
            self.diagnostics.len() - 1
        });
        if let Some(entry) = self.diagnostics.get_mut(index) {
            entry.count += 1;
            if entry.first.len() < FIRST {
                entry.first.push((source, message()));
            }
        }
    }

    pub(crate) fn add_diagnostic(&mut self, source: usize, diagnostic: &Diagnostic) {
        self.add_kind(source, diagnostic.severity, &diagnostic.kind, || {
            diagnostic.to_string()
        });
    }
}

/// One line in words, such as `move: not legal here` for [`ErrorKind::BadMove`].
impl fmt::Display for DiagnosticCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.detail {
            "" => f.write_str(self.code),
            detail => write!(f, "{}: {detail}", self.code),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_are_counted_by_kind_with_their_first_games() {
        let mut report = Report::default();
        for game in 1..=9 {
            let loss = Loss {
                kind: LossKind::Nag,
                count: 2,
                ply: None,
            };
            report.add_loss(GameRef { source: 0, game }, &loss);
        }
        let [entry] = report.losses.as_slice() else {
            panic!("one kind")
        };
        assert_eq!((entry.count, entry.games), (18, 9));
        assert_eq!(
            entry.first.iter().map(|at| at.game).collect::<Vec<_>>(),
            [1, 2, 3, 4, 5]
        );
        assert_eq!(
            entry.to_string(),
            "18 NAGs left out (games 1, 2, 3, 4, 5, …)"
        );
        assert_eq!(report.lost(LossKind::Nag), 18);
        assert!(report.has_losses());
    }

    #[test]
    fn diagnostics_are_told_apart_by_what_is_wrong_not_by_the_bytes_found() {
        let mut report = Report::default();
        for found in ["Nf9", "Kx"] {
            for why in ["no such square", "not legal"] {
                let kind = ErrorKind::BadMove {
                    found: found.into(),
                    why,
                };
                report.add_kind(0, Severity::Lost, &kind, || kind.to_string());
            }
        }
        assert_eq!(report.diagnostics.len(), 2);
        assert!(
            report
                .diagnostics
                .iter()
                .all(|diagnostic| diagnostic.count == 2)
        );
        assert_eq!(
            report.diagnostics[0].to_string(),
            "bad-move: no such square"
        );
        assert_eq!(
            report.diagnostics[0].first[0].1,
            "move \"Nf9\": no such square"
        );
    }
}
