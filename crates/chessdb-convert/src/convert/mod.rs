//! Conversion of one or several databases into a new one.
//!
//! [`Converter`] is the only description of a conversion: its sources, target and options. A
//! `Conversion` executes it: it reads the games, writes them, treats damaged ones as configured and
//! counts losses. An [`Observer`] is notified of every single loss.

mod assessment;
mod base;
mod changing;
mod charset;
mod conversion;
mod converter;
mod copying;
mod duplicates;
mod editor;
#[cfg(feature = "parquet")]
mod folders;
mod game_edits;
mod game_list;
mod names;
mod observer;
mod opening_tags;
mod options;
mod read_back;
mod salvage;
mod writing;

pub use assessment::Assessment;
pub use base::NamesInUse;
pub use chessdb_files::packed::Progress;
pub use chessdb_files::report::{DiagnosticCount, ExtraCount, GameRef, LossCount, Report, Written};
pub use chessdb_files::sinks::{MemorySink, SpoolSink, StreamSink};
pub use converter::Converter;
pub use duplicates::{Duplicate, DuplicateSearch, FoundDuplicates, GamePlace};
pub use editor::Editor;
#[cfg(feature = "parquet")]
pub use folders::PartitionBy;
pub use game_edits::GameEdits;
pub use game_list::GameList;
pub use names::{NameKind, Renaming};
pub use observer::{GameParts, Observer, Replacement};
pub use opening_tags::OpeningTags;
pub use options::{OnError, Strictness};
pub use salvage::{SalvageObserver, SalvageReport};

#[cfg(test)]
mod tests;
