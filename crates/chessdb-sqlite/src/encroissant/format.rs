//! The format description that the facade uses.

use chessdb_core::files::Role;
use chessdb_core::format::{ExtraField, Score};
use chessdb_core::{FileSet, Format};

use super::Store;
use crate::extras::{self, Known};

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

const FIELDS: [ExtraField; 2] = extras::fields(KNOWN.format);

/// What the program creates (docs/formats/encroissant.md, section 1).
pub(super) const KNOWN: Known = {
    const NAMES: &[&str] = &["ID", "Name", "Elo"];
    Known {
        format: "encroissant",
        tables: &[
            ("Info", &["Name", "Value"]),
            ("Events", NAMES),
            ("Sites", NAMES),
            ("Players", NAMES),
            (
                "Games",
                &[
                    "ID",
                    "EventID",
                    "SiteID",
                    "Date",
                    "UTCTime",
                    "Round",
                    "WhiteID",
                    "WhiteElo",
                    "BlackID",
                    "BlackElo",
                    "WhiteMaterial",
                    "BlackMaterial",
                    "Result",
                    "TimeControl",
                    "ECO",
                    "PlyCount",
                    "FEN",
                    "Moves",
                    "Moves2",
                    "PawnHome",
                ],
            ),
        ],
        indexes: &[
            "games_date_idx",
            "games_white_idx",
            "games_black_idx",
            "games_result_idx",
            "games_white_elo_idx",
            "games_black_elo_idx",
            "games_plycount_idx",
        ],
    }
};

fn probe(files: &dyn FileSet) -> Score {
    crate::rows::probe(files, DB3, WAL, |schema| {
        schema.table("Games").is_some_and(|games| {
            let has = |column| games.column(column).is_some();
            // Every version has these; OCGDB has none of them.
            has("WhiteMaterial") && has("PawnHome") && (has("Moves") || has("Moves2"))
        })
    })
}
