//! The format description that the facade uses.

use chessdb_core::files::Role;
use chessdb_core::format::{ExtraField, Score};
use chessdb_core::{FileSet, Format};

use super::Store;
use super::columns::games_of;
use super::store::FIRST;
use crate::extras::{self, Known};
use crate::row_format::RowFormat;

/// The database. Its usual name is `NAME.ocgdb.db3`.
pub const OCGDB_FILE: Role = Role("ocgdb");
/// Its write-ahead log.
pub const WAL: Role = Role("ocgdb-wal");

/// OCGDB's databases.
pub static OCGDB: Format = with_writing!(
    Format::new(
        "ocgdb",
        "OCGDB",
        probe,
        |files, options| Ok(Box::new(Store::open(files, options)?)),
        super::store::check,
    )
    .with_files(&[OCGDB_FILE, WAL], &[OCGDB_FILE])
    .with_extras(&FIELDS)
    .with_salvage()
);

const FIELDS: [ExtraField; 2] = extras::fields(FORMAT.known.format);

/// The files and tables (docs/formats/ocgdb.md, section 1). Every column of the games is a tag. Row 1
/// of the tables of names is an absent tag.
pub(super) const FORMAT: RowFormat = {
    const NAMES: &[&str] = &["ID", "Name", "Elo"];
    RowFormat {
        file: OCGDB_FILE,
        log: WAL,
        known: Known {
            format: "ocgdb",
            tables: &[
                ("Info", &["Name", "Value"]),
                ("Events", NAMES),
                ("Event", NAMES),
                ("Sites", NAMES),
                ("Site", NAMES),
                ("Players", NAMES),
                ("Player", NAMES),
                ("Games", &[]),
                ("Game", &[]),
                ("Comments", &["ID", "GameID", "Ply", "Comment"]),
            ],
            indexes: &[],
        },
        tables: &[
            ("Games", &FIRST),
            ("Players", &["ID", "Name"]),
            ("Events", &["ID", "Name"]),
            ("Sites", &["ID", "Name"]),
        ],
        absent: Some(1),
    }
};

fn probe(files: &dyn FileSet) -> Score {
    crate::rows::probe(files, OCGDB_FILE, WAL, |schema| games_of(schema).is_some())
}
