//! The format description that the facade uses.

use chessdb_core::files::Role;
use chessdb_core::format::{ExtraField, Score};
use chessdb_core::{FileSet, Format};

use super::Store;
use super::store::{FIRST, Rows};
use crate::extras::{self, Known};
use crate::row_format::RowFormat;
use crate::row_store::ReadRows as _;

/// The database.
pub const LCDB: Role = Role("lcdb");
/// Its write-ahead log, which may hold the newest games.
pub const WAL: Role = Role("lcdb-wal");

/// The program's counts of the games and results after each of the first moves.
const STATISTICS: Role = Role("lcdb.st1");

/// Lucas Chess's databases.
pub static LUCAS_CHESS: Format = with_writing!(
    Format::new(
        "lucaschess",
        "Lucas Chess",
        probe,
        |files, options| Ok(Box::new(Store::open(files, options)?)),
        super::store::check,
    )
    .with_files(&[LCDB, WAL], &[LCDB])
    .with_statistics(&[STATISTICS])
    .with_extras(&FIELDS)
    .with_salvage()
);

const FIELDS: [ExtraField; 2] = extras::fields(FORMAT.known.format);

/// The files and tables (docs/formats/lucaschess.md, section 1). Every column of the games is a tag.
pub(super) const FORMAT: RowFormat = RowFormat {
    file: LCDB,
    log: WAL,
    known: Known {
        format: "lucaschess",
        tables: &[("Games", &[]), ("Config", &["KEY", "VALUE"])],
        indexes: &[("XPV_INDEX", "XPV")],
    },
    tables: &[("Games", &FIRST), ("Config", &["KEY", "VALUE"])],
    absent: None,
};

fn probe(files: &dyn FileSet) -> Score {
    crate::rows::probe(files, LCDB, WAL, |schema| Rows::games(schema).is_some())
}
