//! The format description that the facade uses.

use chessdb_core::files::Role;
use chessdb_core::format::{ExtraField, Score};
use chessdb_core::{FileSet, Format};

use super::Store;
use super::columns::games_of;
use crate::extras::{self, Known};

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

const FIELDS: [ExtraField; 2] = extras::fields(KNOWN.format);

/// What the program creates (docs/formats/ocgdb.md, section 1). Every column of the games is a tag.
pub(super) const KNOWN: Known = {
    const NAMES: &[&str] = &["ID", "Name", "Elo"];
    Known {
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
    }
};

fn probe(files: &dyn FileSet) -> Score {
    crate::rows::probe(files, OCGDB_FILE, WAL, |schema| games_of(schema).is_some())
}
