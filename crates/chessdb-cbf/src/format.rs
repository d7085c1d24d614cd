//! The description of the format for the facade.

use chessdb_core::format::{Charsets, Score};
use chessdb_core::loss::{FormatLimit, LossSet};
use chessdb_core::text::CharsetPrior;
use chessdb_core::{Charset, FileSet, Format, LossKind, MemorySet, Result};

use crate::raw::{Base, Index, RawHeader};
use crate::rebuild::rebuild_index;
use crate::roles::{CBF_FILE, CBI_FILE};
use crate::writer::GameChanger;
use crate::{Store, Writer, check, map};

/// The DOS code pages in use when ChessBase's DOS programs were current, ChessBase's own first.
const DOS_CODE_PAGES: &[Charset] = &[
    Charset::CHESSBASE,
    Charset::CP437,
    Charset::CP850,
    Charset::CP852,
    Charset::IBM866,
    Charset::CP737,
    Charset::CP857,
    Charset::CP862,
];

/// The format of ChessBase for the Atari ST, DOS and early Windows.
pub static CBF: Format = Format::new(
    "cbf",
    "ChessBase CBF",
    probe,
    |files, options| Ok(Box::new(Store::open(files, options)?)),
    check::check,
)
.with_files(&[CBI_FILE, CBF_FILE], &[CBF_FILE])
.with_losses(LOSSES)
.with_extras(crate::extras::FIELDS)
.with_limits(&LIMITS)
.with_charsets(Charsets::Undeclared)
.with_charset_prior(CharsetPrior::ChessBaseDos, Some(Charset::CHESSBASE))
.with_pages(DOS_CODE_PAGES)
.with_create(|sink, options| Ok(Box::new(Writer::create(sink, options)?)))
.with_append(|base, options| {
    Ok(GameChanger::open_to_append(base, options)?.map(|writer| Box::new(writer) as _))
})
.with_change(|base, options| {
    Ok(GameChanger::open(base, options)?.map(|changer| Box::new(changer) as _))
})
.with_salvage()
.with_dump(map::dump)
.with_raw(rewrite_raw);

/// The losses possible in this format (docs/formats/cbf.md, section 16).
const LOSSES: LossSet = LossSet::COMMON
    .with(&[
        LossKind::CommentLayout,
        LossKind::NagChanged,
        LossKind::SiteMerged,
        LossKind::RatingRounded,
    ])
    .without(&[
        LossKind::VariationMoved,
        LossKind::NameLeftOut,
        LossKind::TagCut,
        LossKind::DeletedFlag,
        LossKind::NameTable,
    ]);

// The names of the limited quantities.
pub(crate) const TEXT: &str = "bytes of the players, or of the source";
pub(crate) const MOVES: &str = "moves of a game";
pub(crate) const BYTES_OF_MOVES: &str = "bytes of the moves";
pub(crate) const BYTES_OF_COMMENTS: &str = "bytes of the comments of a game";
pub(crate) const GAMES: &str = "games in a database";

/// The limits of the format, followed by the limits of old programs (section 10).
static LIMITS: [FormatLimit; 16] = [
    FormatLimit::own("bytes of all games, and one of each game", u32::MAX as u64),
    FormatLimit::own(TEXT, RawHeader::MAX_TEXT as u64),
    FormatLimit::own(BYTES_OF_MOVES, RawHeader::MAX_MOVES as u64),
    FormatLimit::own(BYTES_OF_COMMENTS, RawHeader::MAX_COMMENTS as u64),
    FormatLimit::own("the number of a move in the list of possible moves", 127),
    FormatLimit::own("the number of a move with a comment", 126),
    FormatLimit::own("year", 2026),
    FormatLimit::own("Elo", 2875),
    FormatLimit::own("the number of a start position's first move", 256),
    FormatLimit::own("moves that the header counts", 255),
    limit(TEXT, 47, "ChessBase for DOS"),
    limit(MOVES, 180, "ChessBase for DOS (CBASCII 1.6c)"),
    limit(MOVES, 250, "ChessBase (H. Aurisch)"),
    limit(BYTES_OF_MOVES, 1024, "ChessBase library 1.0"),
    limit(BYTES_OF_COMMENTS, 16_384, "ChessBase library 1.0"),
    limit(GAMES, 4000, "Knight Stalker (Fritz 1)"),
];

/// Returns the limits of old programs.
pub(crate) fn old_limits() -> impl Iterator<Item = &'static FormatLimit> {
    LIMITS
        .iter()
        .filter(|limit| limit.of != FormatLimit::FORMAT)
}

const fn limit(what: &'static str, limit: u64, of: &'static str) -> FormatLimit {
    FormatLimit::new(what, limit, of)
}

fn rewrite_raw(files: &dyn FileSet) -> Result<MemorySet> {
    let base = Base::parse(files)?;
    Ok(CBF.roles.iter().copied().zip(base.to_bytes()).collect())
}

/// The files have no signature, so the format is recognized by its structure: the arithmetic of the
/// index and the check byte of the first game.
fn probe(files: &dyn FileSet) -> Score {
    let Some(games) = files.get(CBF_FILE) else {
        return Score::No;
    };
    let is_game = |offset: usize| {
        let bytes = games.get(offset..).and_then(|bytes| bytes.first_chunk());
        bytes
            .map(RawHeader::parse)
            .filter(|raw_header| offset + raw_header.record_len() <= games.len())
    };
    let by_games = || {
        // The first records suffice to recognize a file of any size.
        let start = games.get(..1 << 16).unwrap_or(games);
        match rebuild_index(start).offsets.first() {
            Some(0) => Score::Likely,
            Some(_) => Score::Maybe,
            None => Score::No,
        }
    };
    let Some(index) = files.get(CBI_FILE) else {
        return by_games();
    };
    let (words, tail) = Index::split(index);
    let word = |index: usize| words.get(index).map(|word| u32::from_be_bytes(*word));
    let Some(count) = word(0).and_then(|count| count.checked_sub(1)) else {
        return by_games();
    };
    // The last longword may be missing (section 2).
    let fits = matches!(words.len().checked_sub(count as usize), Some(1 | 2));
    let offset = word(1).and_then(|word| Index::offset(1, word));
    let first = offset
        .and_then(|first| usize::try_from(first).ok())
        .and_then(is_game);
    match (fits && tail.is_empty(), first) {
        (true, Some(raw_header)) if raw_header.is_checked() => Score::Certain,
        (true, Some(_)) => Score::Likely,
        (true, None) if count == 0 => Score::Likely,
        (false, Some(raw_header)) if raw_header.is_checked() => by_games().max(Score::Maybe),
        _ => by_games(),
    }
}
