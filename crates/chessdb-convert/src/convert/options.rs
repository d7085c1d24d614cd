//! Options of a conversion: damaged games, losses that forbid it, and selected games.

use chessdb_core::text::EncodingDetector;
use chessdb_core::{Charset, GameStore, LossKind, Losses};
use chessdb_database::reading::{ScanRequest, Source};
use chessdb_files::report::{Report, Written};

/// How to treat a game that the source does not provide completely.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum OnError {
    /// Writes the readable part and counts the game as cut. A game that cannot be read at all is
    /// left out and counted as skipped.
    #[default]
    Keep,
    /// Leaves the game out and counts it as skipped.
    Skip,
    /// Ends the conversion with an error; nothing is written.
    Stop,
}

/// The losses for which a conversion is refused.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Strictness {
    /// No losses; they are counted only.
    #[default]
    Lenient,
    /// Losses of games: of moves, comments and headers. Data of the database as a whole may be
    /// lost.
    Games,
    /// Any loss.
    Everything,
}

impl From<bool> for Strictness {
    fn from(strict: bool) -> Strictness {
        match strict {
            true => Strictness::Everything,
            false => Strictness::Lenient,
        }
    }
}

/// The options of a conversion.
#[derive(Clone, Default, Debug)]
pub(super) struct ConvertOptions {
    /// How to treat damaged games.
    pub(super) on_error: OnError,
    /// The losses for which the conversion is refused.
    pub(super) strict: Strictness,
    /// Kinds of loss to accept nevertheless.
    pub(super) allowed: Vec<LossKind>,
    /// Whether games marked as deleted are left out.
    pub(super) drop_deleted: bool,
    /// The games to convert of each source.
    pub(super) request: ScanRequest,
    /// The charset of texts in the target, if its format allows a choice.
    pub(super) charset: Option<Charset>,
    /// The charset decisions of the source, if it is rewritten in its own format.
    pub(super) detector: Option<EncodingDetector>,
    /// Whether letters missing in the target's code page are transliterated.
    #[cfg(feature = "ascii")]
    pub(super) ascii: bool,
    /// How the texts fit the code page chosen.
    pub(super) written: Option<Written>,
    /// Whether the new database is checked as its readers will decode it ([`super::read_back`]).
    pub(super) reads_back: bool,
    /// Settings of the target's format.
    pub(super) settings: Vec<(&'static str, String)>,
    /// Losses of the database as a whole that neither readers nor the writer know.
    pub(super) base_losses: Losses,
    /// Whether unchanged games keep their text, if the format is a text.
    pub(super) keeps_text: bool,
    /// Number of reader threads.
    pub(super) jobs: usize,
    /// The number of the source that must lose nothing and keeps its name numbers: the database
    /// that is appended to.
    pub(super) kept: Option<usize>,
}

impl ConvertOptions {
    pub(super) fn is_strict(&self) -> bool {
        self.strict != Strictness::Lenient
    }

    /// Returns whether a loss of the database as a whole forbids the conversion.
    pub(super) fn forbids_base_loss(&self, kind: LossKind) -> bool {
        self.strict == Strictness::Everything && !self.allowed.contains(&kind)
    }

    /// Refuses the conversion if the options forbid one of its losses of the database as a whole.
    pub(super) fn refuse_base_losses(&self, report: &mut Report) {
        let kinds = report.base_losses.iter().map(|loss| loss.kind);
        for kind in kinds.collect::<Vec<_>>() {
            if self.forbids_base_loss(kind) {
                report.refuse(kind);
            }
        }
    }

    /// Returns whether the games of a source keep their rows, with everything else in their file: if
    /// the target replaces it.
    pub(super) fn keeps_rows(&self, source: usize, games: &Source<'_>) -> bool {
        let is_replaced = self.keeps_text || self.kept == Some(source);
        let has_rows = |store: &dyn GameStore| store.stored_rows().is_some();
        is_replaced && matches!(games, Source::Store(store) if has_rows(*store))
    }

    /// Returns whether damage of a source forbids the conversion.
    pub(super) fn forbids_damage(&self, source: usize) -> bool {
        self.is_strict() || self.kept == Some(source)
    }

    /// Returns whether a loss of a game forbids the conversion.
    pub(super) fn forbids_game_loss(&self, source: usize, kind: LossKind) -> bool {
        self.forbids_damage(source) && !self.allowed.contains(&kind)
    }
}
