//! Options of a conversion: damaged games, losses that forbid it, and selected games.

use chessdb_core::model::NameRole;
use chessdb_core::{LossKind, Losses};
use chessdb_database::Selection;
use chessdb_database::reading::ScanRequest;
use chessdb_files::choices::{CharsetName, FormatName};
use chessdb_files::filesystem::Finder;
use chessdb_files::packed::Key;

use super::NamesInUse;

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
        if strict { Strictness::Everything } else { Strictness::Lenient }
    }
}

/// The options of a conversion, which [`super::Converter`] describes.
#[derive(Default, Debug)]
pub(super) struct ConvertOptions {
    pub(super) format: Option<FormatName>,
    pub(super) encoding: Option<CharsetName>,
    pub(super) on_error: OnError,
    pub(super) strict: Strictness,
    /// Kinds of loss to accept nevertheless.
    pub(super) allowed: Vec<LossKind>,
    pub(super) drop_deleted: bool,
    /// The games to convert of each source.
    pub(super) request: ScanRequest,
    #[cfg(feature = "ascii")]
    pub(super) ascii: bool,
    /// Settings of the target's format.
    pub(super) settings: Vec<(&'static str, String)>,
    /// Losses of the database as a whole that neither readers nor the writer know.
    pub(super) base_losses: Losses,
    /// Whether unchanged games keep their text, if the format is a text.
    pub(super) keeps_text: bool,
    /// The games that the observer changes, if not all.
    pub(super) edited: Option<Selection>,
    /// The names that the observer replaces, in all games, if it does nothing else.
    pub(super) renames: Vec<Rename>,
    /// Whether all sources but the first have games to append to it.
    pub(super) appends: bool,
    /// The number of the last game whose losses and diagnostics the observer knows already.
    pub(super) last_observed: u32,
    pub(super) names: Option<NamesInUse>,
    pub(super) games_only: bool,
    /// The number of reader threads; `None` for one per processor.
    pub(super) jobs: Option<usize>,
    pub(super) replace: bool,
    pub(super) append: bool,
    pub(super) backup: bool,
    /// What is recorded about a change in place.
    pub(super) command: Option<String>,
    /// Whether nothing stays next to the database by which a change in place could be undone.
    pub(super) drops_undo: bool,
    /// The key that encrypts a new archive.
    pub(super) key: Option<Key>,
    /// Caches the folder listings that many conversions share.
    pub(super) finder: Option<Finder>,
}

/// A name of a table: its role, and the old and the new spelling.
pub(super) type Rename = (NameRole, String, String);

impl ConvertOptions {
    pub(super) fn is_strict(&self) -> bool {
        self.strict != Strictness::Lenient
    }

    /// Returns whether the observer changes game `number` of a source.
    pub(super) fn edits(&self, source: usize, number: u32) -> bool {
        let edited = self.edited.as_ref();
        !self.is_appended(source) && edited.is_none_or(|edited| edited.contains(number))
    }

    /// Returns whether the games of a source follow those of the database that is changed.
    pub(super) fn is_appended(&self, source: usize) -> bool {
        self.appends && source > 0
    }
}
