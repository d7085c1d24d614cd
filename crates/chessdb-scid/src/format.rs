//! What the facade knows about the format.

use chessdb_core::{
    FileSet, FileSink, Format, FormatLimit, GameStore, GameWrite, LossKind, MemorySet, ReadOptions,
    Result, Score, WriteOptions,
};

use crate::raw::{Base, Header, NameHeader};
use crate::{SG4_FILE, SI4_FILE, SN4_FILE, Store, Writer};

/// SCID 4.
pub static SI4: Format = Format {
    id: "si4",
    name: "SCID 4",
    roles: &[SI4_FILE, SG4_FILE, SN4_FILE],
    required: &[SI4_FILE, SG4_FILE, SN4_FILE],
    losses: LOSSES,
    limits: LIMITS,
    probe,
    open,
    stream: None,
    create: Some(create),
    check: crate::check,
    dump: Some(crate::dump),
    raw: Some(raw_again),
};

/// What a base cannot hold (docs/formats/scid.md, section 13).
const LOSSES: &[LossKind] = &[
    LossKind::Game,
    LossKind::MovesCut,
    LossKind::GhostEnPassant,
    LossKind::IllegalMove,
    LossKind::Variation,
    LossKind::VariationBeforeMove,
    LossKind::Comment,
    LossKind::CommentMerged,
    LossKind::CommentMoved,
    LossKind::CommentText,
    LossKind::Nag,
    LossKind::NagMoved,
    LossKind::Clock,
    LossKind::Eval,
    LossKind::Shapes,
    LossKind::MoveResult,
    LossKind::Fault,
    LossKind::NameCut,
    LossKind::NameText,
    LossKind::Tag,
    LossKind::TagText,
    LossKind::EmptyTag,
    LossKind::TagCut,
    LossKind::Date,
    LossKind::Eco,
    LossKind::StartPosition,
    LossKind::BaseTitle,
    LossKind::Description,
    LossKind::FlagNames,
    LossKind::OpenFirst,
    LossKind::NameTable,
    LossKind::NameDetails,
    LossKind::Collection,
    LossKind::BaseExtra,
    LossKind::GameExtra,
];

const LIMITS: &[FormatLimit] = &[
    limit("games", Header::MAX_GAMES as u64),
    limit("bytes of a game", 131_071),
    limit("bytes of all games", u32::MAX as u64),
    limit("players", NameHeader::MAX_COUNTS[0] as u64),
    limit("events", NameHeader::MAX_COUNTS[1] as u64),
    limit("sites", NameHeader::MAX_COUNTS[2] as u64),
    limit("rounds", NameHeader::MAX_COUNTS[3] as u64),
    limit("bytes of a name", 255),
    limit("bytes of a tag's name", 240),
    limit("bytes of a tag's value", 255),
    limit("bytes of the description", 107),
    limit("bytes of a custom flag's name", 8),
    limit("years of a date", 2047),
    limit("men of one side", 16),
    FormatLimit {
        what: "NAGs at one place; Scid cannot read a game with more",
        limit: 7,
        of: "Scid",
    },
    FormatLimit {
        what: "bytes of a tag's name and value together; more and the PGN export of 4.7.4 aborts",
        limit: 249,
        of: "Scid",
    },
    FormatLimit {
        what: "rating in the index",
        limit: 4000,
        of: "Scid",
    },
];

const fn limit(what: &'static str, limit: u64) -> FormatLimit {
    FormatLimit {
        what,
        limit,
        of: "the format",
    }
}

fn raw_again(files: &dyn FileSet) -> Result<MemorySet> {
    // A fault among the names is kept as the bytes behind the last whole one.
    let (base, _) = Base::parse(files)?;
    Ok(SI4.roles.iter().copied().zip(base.to_bytes()).collect())
}

fn probe(files: &dyn FileSet) -> Score {
    let version = Header::VERSION.to_be_bytes();
    match files
        .get(SI4_FILE)
        .and_then(|index| index.split_first_chunk::<8>())
    {
        Some((Header::MAGIC, rest)) if rest.starts_with(&version) => Score::Certain,
        Some((Header::MAGIC, _)) => Score::Maybe,
        Some(_) => Score::No,
        None => match files.get(SN4_FILE) {
            Some(names) if names.starts_with(NameHeader::MAGIC) => Score::Likely,
            _ => Score::No,
        },
    }
}

fn open<'a>(files: &'a dyn FileSet, options: ReadOptions) -> Result<Box<dyn GameStore + 'a>> {
    Ok(Box::new(Store::open(files, options)?))
}

fn create<'a>(
    sink: &'a mut dyn FileSink,
    options: WriteOptions,
) -> Result<Box<dyn GameWrite + 'a>> {
    Ok(Box::new(Writer::create(sink, options)?))
}
