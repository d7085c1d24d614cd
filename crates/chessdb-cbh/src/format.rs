//! The description of the format for the facade.

use chessdb_core::format::{Charsets, Score};
use chessdb_core::loss::{FormatLimit, LossSet};
use chessdb_core::text::CharsetPrior;
use chessdb_core::{Charset, FileSet, Format, LossKind, MemorySet, Result};

use crate::raw::{Base, FileHeader, Index, IndexHeader, MoveRecord, Record};
use crate::roles::{
    CBA_FILE, CBC_FILE, CBE_FILE, CBG_FILE, CBH_FILE, CBJ_FILE, CBL_FILE, CBM_FILE, CBP_FILE,
    CBS_FILE, CBT_FILE, CBTT_FILE, DERIVED, FLAGS_FILE,
};
use crate::table_writers::MAX_NAMES;
use crate::writer::GAMES;
use crate::writer::change::GameChanger;
use crate::{Store, Writer, check, map};

/// The format of ChessBase 6 and later.
pub static CBH: Format = Format::new(
    "cbh",
    "ChessBase CBH",
    probe,
    |files, options| Ok(Box::new(Store::open(files, options)?)),
    check::check,
)
.with_files(
    &[
        CBH_FILE, CBG_FILE, CBA_FILE, CBP_FILE, CBT_FILE, CBC_FILE, CBS_FILE, CBE_FILE, CBL_FILE,
        CBJ_FILE, CBTT_FILE, CBM_FILE, FLAGS_FILE,
    ],
    &[CBH_FILE, CBG_FILE],
)
.with_losses(LOSSES)
.with_limits(LIMITS)
.with_extras(crate::extras::FIELDS)
.with_salvage()
.with_charsets(Charsets::Undeclared)
.with_charset_prior(CharsetPrior::ChessBaseWindows, Some(Charset::WINDOWS_1252))
.with_derived(&DERIVED)
.with_create(|sink, options| Ok(Box::new(Writer::create(sink, options)?)))
.with_append(|base, options| {
    let changer = GameChanger::open_to_append(base, options)?;
    Ok(changer.map(|changer| Box::new(changer) as _))
})
.with_change(|base, options| {
    let changer = GameChanger::open(base, options)?;
    Ok(changer.map(|changer| Box::new(changer) as _))
})
.with_dump(map::dump)
.with_raw(rewrite_raw)
.with_texts(crate::info::readable_texts);

/// The losses possible in this format (docs/formats/cbh.md, section 20).
const LOSSES: LossSet = LossSet::COMMON.without(&[
    LossKind::NullMove,
    LossKind::CommentMerged,
    LossKind::Annotator,
    LossKind::Source,
    LossKind::DeletedFlag,
]);

const LIMITS: &[FormatLimit] = &[
    FormatLimit::own("games", GAMES as u64),
    FormatLimit::own("bytes of a game's moves", MoveRecord::MOST as u64),
    FormatLimit::own("bytes of an annotation", u16::MAX as u64),
    FormatLimit::own("names of each kind", MAX_NAMES as u64),
    FormatLimit::own("bytes of a family name", 29),
    FormatLimit::own("bytes of a first name", 19),
    FormatLimit::own("bytes of an event", 39),
    FormatLimit::own("bytes of a site", 29),
    FormatLimit::own("bytes of an annotator", 44),
    FormatLimit::own("bytes of a source", 15),
    FormatLimit::own("rounds", 255),
    FormatLimit::own("years of a date", 4095),
    FormatLimit::own("NAG", 255),
    FormatLimit::own("pieces of a start position", 32),
    FormatLimit::own("the number of a start position's first move", 255),
];

fn rewrite_raw(files: &dyn FileSet) -> Result<MemorySet> {
    Base::parse(files).map(|base| base.to_files())
}

/// Scores the files by the header of the index, which states its own size and the size of its
/// records.
fn probe(files: &dyn FileSet) -> Score {
    let Some(bytes) = files.get(CBH_FILE) else {
        // Games can be searched for without their index.
        let games = files.get(CBG_FILE).map(FileHeader::parse);
        return match games {
            Some(FileHeader(Some(_))) => Score::Likely,
            _ => Score::No,
        };
    };
    // The header and the first record suffice.
    let start = bytes
        .get(..IndexHeader::SIZE + Record::SIZE)
        .unwrap_or(bytes);
    let Some(index_header) = Index::parse(start).index_header else {
        return Score::No;
    };
    let sizes = index_header.zero == 0 && usize::from(index_header.record_size) == Record::SIZE;
    let count = (bytes.len() - IndexHeader::SIZE) / Record::SIZE;
    match (
        sizes,
        matches!(index_header.used, 36 | 44),
        index_header.next_game as usize == count + 1,
    ) {
        (true, true, true) => Score::Certain,
        (true, true, _) | (true, _, true) => Score::Likely,
        (true, ..) => Score::Maybe,
        _ => Score::No,
    }
}
