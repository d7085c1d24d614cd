//! The description of the format for the facade.

use chessdb_arrow::LOSSES;
use chessdb_core::format::{ExtraField, Score};
use chessdb_core::{FileSet, Format};

use crate::Store;
use crate::roles::PARQUET_FILE;
use crate::writer::create;

/// The Parquet format. Its columns represent the same data as PGN, so its losses are the losses of
/// PGN and, if columns are left out, the data that these would hold.
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
    // A table is a single file without data outside the games.
    |_, _, _| {},
)
.with_files(&[PARQUET_FILE], &[PARQUET_FILE])
.with_losses(LOSSES)
.with_extras(&[ExtraField::of_base(
    "parquet",
    crate::store::FOREIGN,
    "a column or metadata that does not belong to a table of games",
)])
.with_facts()
.with_settings(&["columns", "positions", "zstd"])
.with_create(|sink, options| Ok(Box::new(create(sink, options)?)));

/// The first and the last four bytes of every file.
pub(crate) const MAGIC: &[u8] = b"PAR1";

fn probe(files: &dyn FileSet) -> Score {
    match files.get(PARQUET_FILE) {
        Some(bytes) if bytes.starts_with(MAGIC) => Score::Certain,
        // The beginning of the file is damaged.
        Some(bytes) if bytes.ends_with(MAGIC) => Score::Likely,
        _ => Score::No,
    }
}
