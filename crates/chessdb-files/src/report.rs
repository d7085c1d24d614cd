//! The report of a conversion: counts, and the first occurrences of losses and diagnostics.

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};

use chessdb_core::loss::{LimitExceeded, Loss};
use chessdb_core::model::Extra;
use chessdb_core::{Charset, Diagnostic, ErrorKind, Event, Game, LossKind, Losses, Severity};
use chessdb_formats::FORMATS;

/// Maximum number of occurrences kept per kind.
pub(crate) const MAX_EXAMPLES: usize = 5;

/// A game of one of the sources.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GameRef {
    /// The number of the source, from 0.
    pub source: usize,
    /// The number of the game in that source, from 1.
    pub game: u32,
}

/// The losses of one kind over a whole conversion.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct LossCount {
    /// The kind of loss.
    pub kind: LossKind,
    /// The number of losses.
    pub count: u64,
    /// The number of games with this loss.
    pub games: u64,
    /// The first of these games.
    pub first: Vec<GameRef>,
    /// Whether any of them is in a source other than the first.
    pub(crate) several_sources: bool,
}

/// Formats the losses like `12 comments left out (games 3, 9, …)`. If a source other than the first
/// has any, games are preceded by the number of the source, counted from 1.
impl fmt::Display for LossCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.count, self.kind)?;
        for (n, example) in self.first.iter().enumerate() {
            let before = match (n, self.games) {
                (0, 1) => " (game ",
                (0, _) => " (games ",
                _ => ", ",
            };
            f.write_str(before)?;
            if self.several_sources {
                write!(f, "{}:", example.source + 1)?;
            }
            write!(f, "{}", example.game)?;
        }
        match self.first.len() {
            0 => Ok(()),
            shown if self.games > shown as u64 => f.write_str(", …)"),
            _ => f.write_str(")"),
        }
    }
}

/// The diagnostics of one kind in the sources.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct DiagnosticCount {
    /// The severity.
    pub severity: Severity,
    /// The kind, as returned by [`ErrorKind::code`].
    pub code: &'static str,
    /// A detail that distinguishes it from others of the kind: a field, a rule.
    pub detail: &'static str,
    /// The number of diagnostics.
    pub count: u64,
    /// The first ones: source, and message with location.
    pub first: Vec<(usize, String)>,
}

/// The code page of the texts of a new database, and how many texts it can represent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Written {
    /// The code page.
    pub charset: Charset,
    /// Number of distinct non-ASCII texts sampled.
    pub texts: usize,
    /// Number of the sampled texts that the code page can represent.
    pub fit: usize,
    /// The first texts that it cannot represent.
    pub samples: Vec<String>,
    /// A code page that can represent more of them, and how many.
    pub better: Option<(Charset, usize)>,
}

/// One kind of data that only its own format has.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct ExtraCount {
    /// A description of the data.
    pub what: &'static str,
    /// Whether it belongs to the database as a whole; otherwise to games.
    pub of_base: bool,
    /// The number of occurrences.
    pub count: u64,
}

/// Returns the description of format-specific data, as defined by its format.
fn extra_description(extra: &Extra, of_base: bool) -> &'static str {
    let mut fields = FORMATS.iter().flat_map(|format| format.extras);
    let field = fields.find(|field| field.is_of(extra, of_base));
    field.map_or("undocumented data", |field| field.what)
}

/// The result of a conversion. The fields are filled by the crate that converts; the methods are for
/// everyone else.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Report {
    #[doc(hidden)]
    pub read: u64,
    #[doc(hidden)]
    pub written: u64,
    #[doc(hidden)]
    pub cut: u64,
    #[doc(hidden)]
    pub skipped: u64,
    #[doc(hidden)]
    pub dropped: u64,
    #[doc(hidden)]
    pub carried: u64,
    #[doc(hidden)]
    pub base_faults: u64,
    #[doc(hidden)]
    pub lossy_games: u64,
    #[doc(hidden)]
    pub losses: Vec<LossCount>,
    #[doc(hidden)]
    pub base_losses: Losses,
    #[doc(hidden)]
    pub exceeded: Vec<LimitExceeded>,
    #[doc(hidden)]
    pub diagnostics: Vec<DiagnosticCount>,
    #[doc(hidden)]
    pub dropped_diagnostics: u64,
    #[doc(hidden)]
    pub damaged_sources: BTreeSet<usize>,
    #[doc(hidden)]
    pub refused: bool,
    #[doc(hidden)]
    pub refused_by: Vec<LossKind>,
    #[doc(hidden)]
    pub extras: Vec<ExtraCount>,
    #[doc(hidden)]
    pub target: Option<PathBuf>,
    #[doc(hidden)]
    pub written_in: Option<Written>,
    #[doc(hidden)]
    pub appended: bool,
    #[doc(hidden)]
    pub rewritten: bool,
    #[doc(hidden)]
    pub changed: Option<u64>,
    #[doc(hidden)]
    pub backups: Vec<PathBuf>,
    #[doc(hidden)]
    pub old_indexes: Vec<PathBuf>,
}

impl Report {
    /// Returns the number of games read from the sources, including skipped and dropped ones.
    pub fn read(&self) -> u64 {
        self.read
    }

    /// Returns the code page of the texts, if the target has one for all texts and any text is not
    /// ASCII.
    pub fn written_in(&self) -> Option<&Written> {
        self.written_in.as_ref()
    }

    /// Returns whether the games were appended to existing ones (`Converter::append`),
    /// which are not counted.
    pub fn is_appended(&self) -> bool {
        self.appended
    }

    /// Returns whether the existing games had to be rewritten although the format can append in
    /// place: a PGN file then becomes UTF-8.
    pub fn is_rewritten(&self) -> bool {
        self.rewritten
    }

    /// Returns the number of games that were changed in place ([`Report::written`] counts all games
    /// of the database). `None` if the database was written as a whole.
    pub fn changed(&self) -> Option<u64> {
        self.changed
    }

    /// Returns the files of the backup of the old database (`Converter::backup`), the main
    /// file first.
    pub fn backups(&self) -> &[PathBuf] {
        &self.backups
    }

    /// Returns the index files that the old database had. They were removed, unless games were
    /// appended in place: they then cover the games before. Statistics of other programs, which may be
    /// out of date, follow.
    pub fn old_indexes(&self) -> &[PathBuf] {
        &self.old_indexes
    }

    /// Returns the number of games written.
    pub fn written(&self) -> u64 {
        self.written
    }

    /// Returns the number of written games that lack moves, because the source is damaged or the
    /// target cannot store them.
    pub fn cut(&self) -> u64 {
        self.cut
    }

    /// Returns the number of games left out because they could not be read, because the target
    /// cannot store them, or because of `OnError::Skip`.
    pub fn skipped(&self) -> u64 {
        self.skipped
    }

    /// Returns the number of deleted games left out on request.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Returns the number of damaged games that were copied byte for byte (`Converter::in_place`).
    pub fn carried(&self) -> u64 {
        self.carried
    }

    /// Returns the number of faults of sources as a whole that lost something: missing files or
    /// names, a truncated index or packed file.
    pub fn base_faults(&self) -> u64 {
        self.base_faults
    }

    /// Returns the losses of the database as a whole, then of the games, in order of first
    /// occurrence. Each can be formatted as a line of text.
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

    /// Returns the number of games that the target could not store completely.
    pub fn lossy_games(&self) -> u64 {
        self.lossy_games
    }

    /// Returns the losses of games.
    pub fn game_losses(&self) -> &[LossCount] {
        &self.losses
    }

    /// Returns the losses of the database as a whole.
    pub fn base_losses(&self) -> &Losses {
        &self.base_losses
    }

    /// Returns the limits of old programs that the new database exceeds; nothing is lost by that.
    pub fn exceeded(&self) -> &[LimitExceeded] {
        &self.exceeded
    }

    /// Returns the diagnostics of the sources, in order of first occurrence.
    pub fn diagnostics(&self) -> &[DiagnosticCount] {
        &self.diagnostics
    }

    /// Returns the number of diagnostics that were not kept because a game had too many.
    pub fn dropped_diagnostics(&self) -> u64 {
        self.dropped_diagnostics
    }

    /// Returns whether nothing was written, because data would have been lost or because none
    /// of the selected games exists.
    pub fn is_refused(&self) -> bool {
        self.refused
    }

    /// Returns the kinds of loss for which the conversion was refused. Empty if the reason is
    /// another: a game that cannot be read, damage of a source as a whole, a selection of games
    /// that do not exist.
    pub fn refused_by(&self) -> &[LossKind] {
        &self.refused_by
    }

    /// Returns the kinds of format-specific data that the target could not store.
    pub fn extras(&self) -> &[ExtraCount] {
        &self.extras
    }

    /// Returns the main file of the new database, if it has a path.
    pub fn target(&self) -> Option<&Path> {
        self.target.as_deref()
    }

    /// Returns whether anything is missing in the target, because it cannot store it or because the
    /// source is damaged.
    pub fn has_losses(&self) -> bool {
        !self.losses.is_empty() || !self.base_losses.is_empty() || self.is_incomplete()
    }

    /// Returns whether games were skipped or cut, or a source as a whole has lost something.
    pub fn is_incomplete(&self) -> bool {
        self.cut > 0 || self.skipped > 0 || self.base_faults > 0
    }

    /// Returns the damaged sources, counted from 0: games of them were skipped or cut, or they have
    /// lost something as a whole.
    pub fn damaged_sources(&self) -> impl Iterator<Item = usize> {
        self.damaged_sources.iter().copied()
    }

    /// Returns the number of losses of a kind, in games and in the database as a whole.
    pub fn lost(&self, kind: LossKind) -> u64 {
        let games = self
            .losses
            .iter()
            .find(|loss| loss.kind == kind)
            .map_or(0, |loss| loss.count);
        games + u64::from(self.base_losses.count(kind))
    }

    /// Refuses the conversion because of a loss of this kind.
    pub fn refuse(&mut self, kind: LossKind) {
        self.refused = true;
        if !self.refused_by.contains(&kind) {
            self.refused_by.push(kind);
        }
    }

    /// Counts the format-specific data of a game.
    pub fn add_game_extras(&mut self, game: &Game) {
        self.add_extras(&game.header.extras, false);
        for event in game.events() {
            if let Event::Extra(extra) = event {
                self.add_extras(std::slice::from_ref(extra), false);
            }
        }
    }

    /// Counts format-specific data of a database or a game.
    pub fn add_extras(&mut self, extras: &[Extra], of_base: bool) {
        for extra in extras {
            let what = extra_description(extra, of_base);
            let same = |count: &&mut ExtraCount| count.of_base == of_base && count.what == what;
            match self.extras.iter_mut().find(same) {
                Some(same) => same.count += 1,
                None => self.extras.push(ExtraCount {
                    what,
                    of_base,
                    count: 1,
                }),
            }
        }
    }

    /// Counts a fault of a source as a whole.
    pub fn add_base_fault(&mut self, source: usize) {
        self.base_faults += 1;
        self.damaged_sources.insert(source);
    }

    /// Counts a loss in a game.
    pub fn add_loss(&mut self, game_ref: GameRef, loss: &Loss) {
        let index = self.losses.iter().position(|count| count.kind == loss.kind);
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
            entry.several_sources |= game_ref.source > 0;
            if entry.first.len() < MAX_EXAMPLES {
                entry.first.push(game_ref);
            }
        }
    }

    /// Counts a diagnostic of a source.
    pub(crate) fn add_kind(
        &mut self,
        source: usize,
        severity: Severity,
        kind: &ErrorKind,
        message: impl FnOnce() -> String,
    ) {
        let (code, detail) = (kind.code(), kind.detail());
        let same = |count: &DiagnosticCount| {
            count.severity == severity && count.code == code && count.detail == detail
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
            if entry.first.len() < MAX_EXAMPLES {
                entry.first.push((source, message()));
            }
        }
    }

    /// Counts a diagnostic of a source, and keeps it if there is room.
    pub fn add_diagnostic(&mut self, source: usize, diagnostic: &Diagnostic) {
        self.add_kind(source, diagnostic.severity, &diagnostic.kind, || {
            diagnostic.to_string()
        });
    }
}

/// Formats the kind, such as `bad-move: not legal` for [`ErrorKind::BadMove`].
impl fmt::Display for DiagnosticCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.detail {
            "" => f.write_str(self.code),
            detail => write!(f, "{}: {detail}", self.code),
        }
    }
}

#[cfg(test)]
mod tests;
