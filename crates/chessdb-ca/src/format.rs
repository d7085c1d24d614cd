//! The format description that the facade uses.

use chessdb_core::files::Role;
use chessdb_core::format::{Charsets, Score};
use chessdb_core::loss::{FormatLimit, LossSet};
use chessdb_core::text::CharsetPrior;
use chessdb_core::{FileSet, Format, LossKind};

use crate::raw::{Cdp, EmbHeader, NameRecord, RawHeader, RecordBytes};
use crate::roles::{A02_FILE, CDP_FILE, D00_FILE, D02_FILE, EMB_FILE, SIDE_FILES};
use crate::text::PAGES;
use crate::writer::GameChanger;
use crate::{Store, Writer, check, map};

/// The Chess Assistant format.
pub static CA: Format = Format::new(
    crate::extras::FORMAT,
    "Chess Assistant",
    probe,
    |files, options| Ok(Box::new(Store::open(files, options)?)),
    check::check,
)
.with_files(ROLES, &[D00_FILE, A02_FILE, D02_FILE])
.with_losses(LOSSES)
.with_limits(LIMITS)
.with_extras(crate::extras::FIELDS)
.with_charsets(Charsets::Choice)
.with_charset_prior(CharsetPrior::AnyProgram, None)
.with_pages(PAGES)
.with_create(|sink, options| Ok(Box::new(Writer::create(sink, options)?)))
.with_append(|base, options| {
    let changer = GameChanger::open_to_append(base, options)?;
    Ok(changer.map(|changer| Box::new(changer) as _))
})
.with_change(|base, options| {
    let changer = GameChanger::open(base, options)?;
    Ok(changer.map(|changer| Box::new(changer) as _))
})
.with_salvage()
.with_dump(map::dump)
.with_raw(|files| {
    Ok(crate::raw::Base::parse(files)?
        .to_bytes()
        .into_iter()
        .collect())
});

const ROLES: &[Role] = &[
    CDP_FILE,
    D00_FILE,
    A02_FILE,
    D02_FILE,
    EMB_FILE,
    SIDE_FILES[0],
    SIDE_FILES[1],
    SIDE_FILES[2],
    SIDE_FILES[3],
    SIDE_FILES[4],
    SIDE_FILES[5],
];

/// The losses of this format (docs/formats/chess-assistant.md, section 16).
const LOSSES: LossSet = LossSet::COMMON.with(&[LossKind::NagChanged]).without(&[
    LossKind::NullMove,
    LossKind::VariationMoved,
    LossKind::CommentMerged,
    LossKind::CommentCut,
    LossKind::NameLeftOut,
    LossKind::TagCut,
    LossKind::Annotator,
    LossKind::Source,
]);

const LIMITS: &[FormatLimit] = &[
    FormatLimit::own("bytes of a file", i32::MAX as u64),
    FormatLimit::own("bytes of a game", RecordBytes::MAX_LENGTH as u64),
    FormatLimit::own("names of a list", 0xFF_FFFF),
    FormatLimit::own("bytes of a name", NameRecord::MAX as u64),
    FormatLimit::own("bytes of a title", NameRecord::MAX as u64),
    FormatLimit::own("round", 127),
    FormatLimit::own("pieces of one side", 18),
    FormatLimit::own("half-moves before a start position", u16::MAX as u64),
];

fn probe(files: &dyn FileSet) -> Score {
    if files.get(CDP_FILE).is_some_and(Cdp::fits)
        || files.get(EMB_FILE).is_some_and(EmbHeader::fits)
    {
        return Score::Certain;
    }
    // These three files have no signature; the values of the headers must decide.
    let (Some(d00), Some(a02), Some(d02)) = (
        files.get(D00_FILE),
        files.get(A02_FILE),
        files.get(D02_FILE),
    ) else {
        return Score::No;
    };
    let (raw_headers, tail) = d00.as_chunks();
    let looked_at = raw_headers.get(..PROBED).unwrap_or(raw_headers);
    let fits = |bytes: &[u8; RawHeader::SIZE]| {
        let raw_header = RawHeader::parse(bytes);
        let entry = a02.as_chunks::<4>().0.get(raw_header.game as usize);
        let offset = entry.map(|bytes| i32::from_le_bytes(*bytes));
        // An alias is no evidence either way.
        matches!(raw_header.outcome, 1..=16)
            && offset.is_some_and(|offset| offset < 0 || (offset as usize) < d02.len())
    };
    match (
        looked_at.iter().all(fits),
        tail.is_empty() && !raw_headers.is_empty(),
    ) {
        (true, true) => Score::Likely,
        (true, false) => Score::Maybe,
        (false, _) => Score::No,
    }
}

/// Number of headers that a probe examines.
const PROBED: usize = 16;
