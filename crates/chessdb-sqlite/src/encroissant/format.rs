//! The format description that the facade uses.

use chessdb_core::files::Role;
use chessdb_core::format::{ExtraField, Score};
use chessdb_core::{FileSet, Format};

use super::Store;
use super::store::{ALL_COLUMNS, COLUMNS};
use crate::extras::{self, Known};
use crate::row_format::RowFormat;

/// The database.
pub const DB3: Role = Role("db3");
/// Its write-ahead log, if the program was not closed properly.
pub const WAL: Role = Role("db3-wal");

/// En Croissant's databases.
pub static EN_CROISSANT: Format = with_writing!(
    Format::new(
        "encroissant",
        "En Croissant",
        probe,
        |files, options| Ok(Box::new(Store::open(files, options)?)),
        super::store::check,
    )
    .with_files(&[DB3, WAL], &[DB3])
    .with_comment_whitespace(true)
    .with_extras(&FIELDS)
    .with_salvage()
);

const FIELDS: [ExtraField; 2] = extras::fields(FORMAT.known.format);

/// The files and tables (docs/formats/encroissant.md, section 1). Row 0 of the tables of names is an
/// absent tag.
pub(super) const FORMAT: RowFormat = {
    const NAMES: &[&str] = &["ID", "Name", "Elo"];
    RowFormat {
        file: DB3,
        log: WAL,
        known: Known {
            format: "encroissant",
            tables: &[
                ("Info", &["Name", "Value"]),
                ("Events", NAMES),
                ("Sites", NAMES),
                ("Players", NAMES),
                ("Games", &ALL_COLUMNS),
            ],
            indexes: &INDEXES,
        },
        tables: &[
            ("Games", COLUMNS),
            ("Players", &["ID", "Name"]),
            ("Events", &["ID", "Name"]),
            ("Sites", &["ID", "Name"]),
        ],
        absent: Some(0),
    }
};

/// The indexes, by name and column.
pub(super) const INDEXES: [(&str, &str); 7] = [
    ("games_date_idx", "Date"),
    ("games_white_idx", "WhiteID"),
    ("games_black_idx", "BlackID"),
    ("games_result_idx", "Result"),
    ("games_white_elo_idx", "WhiteElo"),
    ("games_black_elo_idx", "BlackElo"),
    ("games_plycount_idx", "PlyCount"),
];

fn probe(files: &dyn FileSet) -> Score {
    crate::rows::probe(files, DB3, WAL, |schema| {
        schema.table("Games").is_some_and(|games| {
            let has = |column| games.column(column).is_some();
            // Every version has these; OCGDB has none of them.
            has("WhiteMaterial") && has("PawnHome") && (has("Moves") || has("Moves2"))
        })
    })
}
