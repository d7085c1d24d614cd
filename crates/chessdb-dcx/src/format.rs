//! The format description that the facade uses.

use chessdb_core::format::Score;
use chessdb_core::loss::{FormatLimit, LossSet};
use chessdb_core::text::CharsetPrior;
use chessdb_core::{Charset, FileSet, Format, LossKind};

use crate::moves::SETTING;
use crate::raw::{self, FileKind, Magic, MagicFault};
use crate::roles::{DCE_FILE, DCG_FILE, DCI_FILE, DCN_FILE, DCS_FILE};
use crate::writer::GameChanger;
use crate::{Store, Writer, check, map};

/// The format DC* ("Simple chess database"), docs/formats/dcx.md.
pub static DCX: Format = Format::new(
    "dcx",
    "DC* (Simple chess database)",
    probe,
    |files, options| Ok(Box::new(Store::open(files, options)?)),
    check::check,
)
.with_files(
    &[DCI_FILE, DCN_FILE, DCS_FILE, DCE_FILE, DCG_FILE],
    &[DCI_FILE, DCG_FILE],
)
.with_losses(LOSSES)
.with_limits(LIMITS)
.with_comment_whitespace(true)
.with_charset_prior(CharsetPrior::AnyProgram, Some(Charset::UTF_8))
.with_create(|sink, options| Ok(Box::new(Writer::create(sink, options)?)))
.with_append(|base, options| {
    Ok(GameChanger::open_to_append(base, &options)?.map(|changer| Box::new(changer) as _))
})
.with_change(|base, options| {
    Ok(GameChanger::open(base, &options)?.map(|changer| Box::new(changer) as _))
})
.with_read_settings(&[SETTING])
.with_salvage()
.with_dump(map::dump)
.with_raw(|files| Ok(raw::Base::parse(files)?.to_bytes()));

/// The losses of this format (section 14).
const LOSSES: LossSet = LossSet::COMMON.with(&[LossKind::TextLayout]).without(&[
    LossKind::Game,
    LossKind::NullMove,
    LossKind::CommentCut,
    LossKind::NameLeftOut,
    LossKind::TagCut,
    LossKind::DeletedFlag,
    LossKind::StartPosition,
    LossKind::StartCounters,
    LossKind::NameTable,
]);

const LIMITS: &[FormatLimit] = &[
    FormatLimit::own("bytes of a name", raw::NameFile::RECORD as u64),
    FormatLimit::own("names in a table", raw::NameFile::MAX_RECORDS as u64),
    FormatLimit::own("round", 65_535),
    FormatLimit::own("NAG", 255),
    FormatLimit::own("bytes of a game", u32::MAX as u64),
    FormatLimit::new("bytes of a game", 16_777_214, "pgn2dcg"),
    FormatLimit::new("year", 2099, "pgn2dcg"),
    CHESS960,
];

/// The author's reader refuses the whole database (section 14).
pub(crate) const CHESS960: FormatLimit = FormatLimit::new(
    "games of Chess960",
    0,
    "dcg2pgn, which refuses a database that has one",
);

fn probe(files: &dyn FileSet) -> Score {
    let fits = |kind: FileKind| {
        let (magic, _) = Magic::parse(files.get(kind.role())?);
        Some(match magic.fault(kind) {
            None | Some(MagicFault::OldSpelling) => Score::Certain,
            Some(MagicFault::OtherFile(_)) => Score::Likely,
            Some(MagicFault::Short | MagicFault::Foreign) => Score::No,
        })
    };
    match files.get(DCI_FILE) {
        // Left by a writer that stopped early, after it had written the names (section 9).
        Some([]) => fits(FileKind::Players).map_or(Score::No, |score| score.min(Score::Likely)),
        Some(_) => fits(FileKind::Index).unwrap_or(Score::No),
        None => Score::No,
    }
}
