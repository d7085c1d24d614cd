//! The description of the format for the facade.

use chessdb_core::format::Score;
use chessdb_core::loss::{FormatLimit, LossSet};
use chessdb_core::{FileSet, Format, LossKind};

use crate::names::MOST_NAMES;
use crate::raw::{Base, Entry, GameFile, IndexHeader, NameHeader, Record};
use crate::roles::{FILES, SCG_FILE, SCI_FILE, SCN_FILE};
use crate::text::MOST_NAME;
use crate::writer::GameChanger;
use crate::{Store, Writer, check, map};

/// The format of Scidb, file version 94.
pub static SCIDB: Format = Format::new(
    "scidb",
    "Scidb",
    probe,
    |files, options| Ok(Box::new(Store::open(files, options)?)),
    check::check,
)
.with_files(FILES, FILES)
.with_losses(LOSSES)
.with_limits(LIMITS)
.with_extras(crate::extras::FIELDS)
.with_create(|sink, options| Ok(Box::new(Writer::create(sink, options)?)))
.with_append(|base, options| {
    Ok(GameChanger::open_to_append(base, options)?.map(|writer| Box::new(writer) as _))
})
.with_change(|base, options| {
    let changer = GameChanger::open(base, options)?;
    Ok(changer.map(|changer| Box::new(changer) as _))
})
.with_salvage()
.with_dump(map::dump)
.with_raw(|files| Base::parse(files).map(|base| base.to_files()));

/// The losses possible in this format (docs/formats/scidb.md, section 11).
const LOSSES: LossSet = LossSet::COMMON
    .with(&[LossKind::UnnumberedPiece, LossKind::NagChanged])
    .without(&[
        LossKind::NullMove,
        LossKind::VariationMoved,
        LossKind::CommentCut,
        LossKind::NameLeftOut,
        LossKind::TagCut,
        LossKind::Title,
        LossKind::Round,
        LossKind::RatingType,
        LossKind::Eco,
        LossKind::Annotator,
        LossKind::Source,
        LossKind::DeletedFlag,
        LossKind::StartCounters,
        LossKind::Chess960,
    ]);

const LIMITS: &[FormatLimit] = &[
    FormatLimit::own("games", IndexHeader::MOST_GAMES as u64),
    FormatLimit::own("bytes of a game", Record::MOST as u64),
    FormatLimit::own("bytes of all games", u32::MAX as u64),
    FormatLimit::own("names of each kind", MOST_NAMES as u64),
    FormatLimit::own("bytes of a name", MOST_NAME as u64),
    FormatLimit::own("NAG", 255),
    FormatLimit::own("pieces of one side", 16),
    FormatLimit::own("bytes of the description", 107),
    FormatLimit::own("half-moves that the index states", Entry::MOST_PLIES as u64),
    NAGS,
    STARTS,
    SAVED_BYTES,
    SAVED_PLIES,
    GAMES_FILE,
];

/// The limits of Scidb itself (sections 4, 9 and 11).
pub(crate) const NAGS: FormatLimit =
    FormatLimit::new("NAGs of a move", 7, "Scidb, which skips the others");
pub(crate) const STARTS: FormatLimit = FormatLimit::new(
    "start positions that chess does not allow",
    0,
    "Scidb, which cannot read the game",
);
pub(crate) const SAVED_BYTES: FormatLimit = FormatLimit::new(
    "bytes of a game",
    (1 << 20) - 1,
    "Scidb, which cannot save a longer one",
);
pub(crate) const SAVED_PLIES: FormatLimit = FormatLimit::new(
    "half-moves",
    (1 << 12) - 1,
    "Scidb, which cannot save a longer game",
);
pub(crate) const GAMES_FILE: FormatLimit =
    FormatLimit::new("bytes of all games", 1 << 31, "Scidb, which adds no more");

/// Detects the format by the magic bytes of its files.
fn probe(files: &dyn FileSet) -> Score {
    let starts = |role, magic: &[u8]| files.get(role).map(|bytes| bytes.starts_with(magic));
    match starts(SCI_FILE, IndexHeader::MAGIC) {
        Some(true) => Score::Certain,
        Some(false) | None => {
            // Without the index, salvage can still read the games.
            let games = starts(SCG_FILE, GameFile::MAGIC);
            let names = starts(SCN_FILE, NameHeader::MAGIC);
            if games == Some(true) || names == Some(true) {
                Score::Likely
            } else {
                Score::No
            }
        }
    }
}
