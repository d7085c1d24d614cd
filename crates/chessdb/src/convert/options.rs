//! What a conversion is told: what becomes of damage, which losses forbid it, which games.

use chessdb_core::text::Judge;
use chessdb_core::{Charset, LossKind, Losses};

use super::Written;
use crate::scan::GameFilter;

/// What becomes of a game of which the source does not give everything.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum OnError {
    /// What could be read is written, and counted as cut. A game of which nothing could be read is
    /// left out, and counted as skipped.
    #[default]
    Keep,
    /// It is left out, and counted as skipped.
    Skip,
    /// The conversion ends with an error and nothing is written.
    Stop,
}

/// Which losses mean that nothing is written at all.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Strictness {
    /// None; they are counted.
    #[default]
    Lenient,
    /// Those of games: of moves, comments and heads. What belongs to no single game may be left out.
    Games,
    /// Any.
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

/// How a conversion is done.
#[derive(Clone, Default, Debug)]
pub(super) struct ConvertOptions {
    /// What becomes of damaged games.
    pub(super) on_error: OnError,
    /// Which losses mean that nothing is written at all.
    pub(super) strict: Strictness,
    /// Kinds of loss that are no reason for that.
    pub(super) allowed: Vec<LossKind>,
    /// Whether games marked as deleted are left out.
    pub(super) drop_deleted: bool,
    /// Which games of each source.
    pub(super) choice: GameFilter,
    /// The charset of texts in the target, where its format leaves a choice.
    pub(super) charset: Option<Charset>,
    /// What a base was judged by that is written again in its own format.
    pub(super) judge: Option<Judge>,
    /// Whether letters that the target's page lacks are put into such as it has.
    #[cfg(feature = "ascii")]
    pub(super) ascii: bool,
    /// What was found about the page.
    pub(super) written: Option<Written>,
    /// Whether the new base is looked at as its readers will ([`super::read_back`]).
    pub(super) reads_back: bool,
    /// What only the target's format lets one choose.
    pub(super) settings: Vec<(&'static str, String)>,
    /// Losses of the database as a whole that neither readers nor the writer know.
    pub(super) base_losses: Losses,
    /// Threads that read.
    pub(super) jobs: usize,
    /// The source of which nothing may be lost, and whose names keep their numbers: a base that others
    /// are put behind.
    pub(super) kept: Option<usize>,
}

impl ConvertOptions {
    pub(super) fn is_strict(&self) -> bool {
        self.strict != Strictness::Lenient
    }

    /// Whether a loss of the base as a whole forbids the conversion.
    pub(super) fn forbids_of_base(&self, kind: LossKind) -> bool {
        self.strict == Strictness::Everything && !self.allowed.contains(&kind)
    }

    /// Whether damage of a source does.
    pub(super) fn forbids_damage(&self, source: usize) -> bool {
        self.is_strict() || self.kept == Some(source)
    }

    /// Whether a loss of a game does.
    pub(super) fn forbids_of_game(&self, source: usize, kind: LossKind) -> bool {
        self.forbids_damage(source) && !self.allowed.contains(&kind)
    }
}
