//! The format description that the facade uses.

#[cfg(feature = "write")]
use chessdb_core::LossKind;
use chessdb_core::files::Role;
use chessdb_core::format::{ExtraField, Score};
#[cfg(feature = "write")]
use chessdb_core::loss::FormatLimit;
use chessdb_core::{FileSet, Format};

use super::Store;
use super::store::body_of;
use crate::extras::{self, Known};

/// The database.
pub const LCDB: Role = Role("lcdb");
/// Its write-ahead log, which may hold the newest games.
pub const WAL: Role = Role("lcdb-wal");

/// Lucas Chess's databases.
pub static LUCAS_CHESS: Format = {
    let format = Format::new(
        "lucaschess",
        "Lucas Chess",
        probe,
        |files, options| Ok(Box::new(Store::open(files, options)?)),
        super::store::check,
    )
    .with_files(&[LCDB, WAL], &[LCDB])
    .with_extras(&FIELDS)
    .with_salvage();
    #[cfg(feature = "write")]
    let format = format
        .with_losses(
            chessdb_pgn::PGN
                .losses
                .with(&crate::write::COLUMN_LOSSES)
                .with(CUT_LOSSES),
        )
        .with_limits(&[NULL_MOVES, CASTLING])
        .with_create(|sink, options| Ok(Box::new(super::Writer::create(sink, options)?)));
    #[cfg(all(feature = "write", not(target_family = "wasm")))]
    let format = format.with_disk(crate::disk::ACCESS);
    format
};

const FIELDS: [ExtraField; 2] = extras::fields(KNOWN.format);

/// What the program creates (docs/formats/lucaschess.md, section 1). Every column of the games is a
/// tag.
pub(super) const KNOWN: Known = Known {
    format: "lucaschess",
    tables: &[("Games", &[]), ("Config", &["KEY", "VALUE"])],
    indexes: &["XPV_INDEX"],
};
/// The first moves that the mainline of a game without a body cannot hold (section 9).
#[cfg(feature = "write")]
const CUT_LOSSES: &[LossKind] = &[
    LossKind::NullMove,
    LossKind::Chess960,
    LossKind::GhostEnPassant,
    LossKind::IllegalMove,
];

/// A limit for games with comments, NAGs or variations, whose body has all moves (section 9).
#[cfg(feature = "write")]
pub(super) const NULL_MOVES: FormatLimit = FormatLimit::new(
    "null moves in games with annotations",
    0,
    "Lucas Chess, which leaves out such lines",
);

/// The same for Chess960.
#[cfg(feature = "write")]
pub(super) const CASTLING: FormatLimit = FormatLimit::new(
    "castling in annotated games of Chess960",
    0,
    "Lucas Chess, which ends the line there",
);

fn probe(files: &dyn FileSet) -> Score {
    crate::rows::probe(files, LCDB, WAL, |schema| {
        schema
            .table("Games")
            .is_some_and(|games| games.column("XPV").is_some() && body_of(games).is_some())
    })
}
