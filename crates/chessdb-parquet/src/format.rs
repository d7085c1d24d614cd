//! What the facade knows about the format.

use chessdb_core::{FileSet, Format, LossKind, Score};

use crate::roles::PARQUET_FILE;
use crate::{Store, Writer};

/// Parquet as a format among others. What it loses is what PGN loses, since its columns say what PGN
/// says; with fewer columns than all, what these have no place for.
pub static PARQUET: Format = Format::new(
    "parquet",
    "Parquet",
    probe,
    |files, options| {
        Ok(Box::new(Store::open(
            files.require(PARQUET_FILE)?,
            options,
        )?))
    },
    // One file, which is read as it comes: there is nothing around the games.
    |_, _, _| {},
)
.with_files(&[PARQUET_FILE], &[PARQUET_FILE])
.with_losses(&[
    LossKind::MovesCut,
    LossKind::GhostEnPassant,
    LossKind::IllegalMove,
    LossKind::Variation,
    LossKind::Comment,
    LossKind::CommentMoved,
    LossKind::CommentText,
    LossKind::Nag,
    LossKind::Clock,
    LossKind::Eval,
    LossKind::Shapes,
    LossKind::MoveResult,
    LossKind::Fault,
    LossKind::NameText,
    LossKind::Tag,
    LossKind::TagText,
    LossKind::BaseTitle,
    LossKind::Description,
    LossKind::BaseKind,
    LossKind::FlagNames,
    LossKind::OpenFirst,
    LossKind::NameDetails,
    LossKind::Collection,
    LossKind::BaseExtra,
    LossKind::GameExtra,
])
.with_facts()
.with_settings(&["columns", "positions", "zstd"])
.with_create(|sink, options| Ok(Box::new(Writer::create(sink, options)?)));

/// The first and the last bytes of every file.
pub(crate) const MAGIC: &[u8] = b"PAR1";

fn probe(files: &dyn FileSet) -> Score {
    match files.get(PARQUET_FILE) {
        Some(bytes) if bytes.starts_with(MAGIC) => Score::Certain,
        // Where the beginning is damaged.
        Some(bytes) if bytes.ends_with(MAGIC) => Score::Likely,
        _ => Score::No,
    }
}
