//! The format descriptions of SCID 3, 4 and 5 for the facade.

use chessdb_core::format::{Charsets, Score};
use chessdb_core::loss::{FormatLimit, LossSet};
use chessdb_core::text::CharsetPrior;
use chessdb_core::{FileSet, Format, LossKind, MemorySet, Result};

use crate::info::EXTRAS;
use crate::raw::{self, FileHeader, NameHeader, si5};
use crate::text::FALLBACK;
use crate::writer::GameChanger;
use crate::{Generation, Store, Writer, check, map};

/// Defines the [`Format`] of one generation; only the arguments differ.
macro_rules! describe {
    ($(#[$doc:meta])* $name:ident, $generation:expr, $id:literal, $title:literal, $limits:expr) => {
        $(#[$doc])*
        pub static $name: Format = Format::new($id, $title, |files| probe($generation, files), |files, options| Ok(Box::new(Store::open_as($generation, files, options)?)), |files, options, sink| check::check($generation, files, options, sink)).with_files($generation.files(), $generation.files()).with_losses(LOSSES).with_limits($limits).with_extras(EXTRAS).with_charsets(Charsets::Choice).with_charset_prior(CharsetPrior::AnyProgram, Some(FALLBACK)).with_create(|sink, options| Ok(Box::new(Writer::create($generation, sink, options)?))).with_append(|base, options| Ok(GameChanger::open_to_append($generation, base, options)?.map(|writer| Box::new(writer) as _))).with_change(|base, options| Ok(GameChanger::open($generation, base, options)?.map(|changer| Box::new(changer) as _))).with_salvage().with_dump(|files, tell| map::dump($generation, files, tell)).with_raw(|files| raw_again($generation, files));
    };
}

describe!(
    /// SCID 4.
    SI4, Generation::Si4, "si4", "SCID 4", SI4_LIMITS
);
describe!(
    /// SCID 5.
    SI5, Generation::Si5, "si5", "SCID 5", SI5_LIMITS
);
describe!(
    /// SCID 3.
    SI3, Generation::Si3, "si3", "SCID 3", SI3_LIMITS
);

/// The losses of a SCID database (docs/formats/scid.md, section 13).
const LOSSES: LossSet = LossSet::COMMON.without(&[
    LossKind::NullMove,
    LossKind::VariationMoved,
    LossKind::CommentCut,
    LossKind::Title,
    LossKind::FideId,
    LossKind::Rating,
    LossKind::RatingType,
    LossKind::Result,
    LossKind::Annotator,
    LossKind::Source,
    LossKind::DeletedFlag,
    LossKind::StartCounters,
    LossKind::BaseKind,
]);

const SI4_LIMITS: &[FormatLimit] = &[
    FormatLimit::own("games", FileHeader::MAX_GAMES as u64),
    FormatLimit::own("bytes of a game", 131_071),
    FormatLimit::own("bytes of all games", u32::MAX as u64),
    FormatLimit::own("players", NameHeader::MAX_COUNTS[0] as u64),
    FormatLimit::own("events", NameHeader::MAX_COUNTS[1] as u64),
    FormatLimit::own("sites", NameHeader::MAX_COUNTS[2] as u64),
    FormatLimit::own("rounds", NameHeader::MAX_COUNTS[3] as u64),
    FormatLimit::own("bytes of a name", 255),
    TAG_NAME,
    TAG_VALUE,
    FormatLimit::own("bytes of the description", 107),
    FormatLimit::own("bytes of a custom flag's name", 8),
    YEARS,
    PIECES,
    NAGS,
    TAG_EXPORT,
    RATING,
];

const SI3_LIMITS: &[FormatLimit] = &[
    FormatLimit::own("games", FileHeader::MAX_GAMES as u64),
    FormatLimit::own("bytes of a game", 32_767),
    FormatLimit::own("bytes of all games", u32::MAX as u64),
    FormatLimit::own("players", NameHeader::MAX_COUNTS[0] as u64),
    FormatLimit::own("events", NameHeader::MAX_COUNTS[1] as u64),
    FormatLimit::own("sites", NameHeader::MAX_COUNTS[2] as u64),
    FormatLimit::own("rounds", NameHeader::MAX_COUNTS[3] as u64),
    FormatLimit::own("bytes of a name", 255),
    TAG_NAME,
    TAG_VALUE,
    FormatLimit::own("bytes of the description", 107),
    YEARS,
    PIECES,
    NAGS,
    TAG_EXPORT,
    RATING,
];

const SI5_LIMITS: &[FormatLimit] = &[
    FormatLimit::own("games", si5::Entry::MAX_GAMES as u64),
    FormatLimit::own("bytes of a game", 131_071),
    FormatLimit::own("bytes of all games", si5::Entry::MAX_OFFSET),
    FormatLimit::own("players", si5::Names::MAX_COUNTS[0] as u64),
    FormatLimit::own("events", si5::Names::MAX_COUNTS[1] as u64),
    FormatLimit::own("sites", si5::Names::MAX_COUNTS[2] as u64),
    FormatLimit::own("rounds", si5::Names::MAX_COUNTS[3] as u64),
    TAG_NAME,
    TAG_VALUE,
    YEARS,
    PIECES,
    NAGS,
    TAG_EXPORT,
    RATING,
];

const TAG_NAME: FormatLimit = FormatLimit::own("bytes of a tag's name", 240);
const TAG_VALUE: FormatLimit = FormatLimit::own("bytes of a tag's value", 255);
const YEARS: FormatLimit = FormatLimit::own("years of a date", 2047);
const PIECES: FormatLimit = FormatLimit::own("pieces of one side", 16);
const NAGS: FormatLimit = FormatLimit::new(
    "NAGs at one position; Scid cannot read a game with more",
    7,
    "Scid",
);
pub(crate) const TAG_EXPORT: FormatLimit = FormatLimit::new(
    "bytes of a tag's name and value together; the PGN export aborts on longer tags",
    249,
    "Scid",
);
const RATING: FormatLimit = FormatLimit::new("rating in the index", 4000, "Scid");

fn raw_again(generation: Generation, files: &dyn FileSet) -> Result<MemorySet> {
    // After a fault in the name file, the bytes that follow the last whole name are kept.
    let bytes = match generation {
        Generation::Si3 => raw::Base::parse_si3(files)?.0.to_bytes(),
        Generation::Si4 => raw::Base::parse(files)?.0.to_bytes(),
        Generation::Si5 => si5::Base::parse(files)?.0.to_bytes(),
    };
    Ok(generation.files().iter().copied().zip(bytes).collect())
}

fn probe(generation: Generation, files: &dyn FileSet) -> Score {
    match generation {
        Generation::Si3 | Generation::Si4 => probe_header(generation, files),
        Generation::Si5 => probe_log(files),
    }
}

/// Detects SCID 3 and SCID 4 by the header of the index. SCID 3 files may have the names of SCID 4.
fn probe_header(generation: Generation, files: &dyn FileSet) -> Score {
    let [index, _, names] = *generation.files();
    let index = files.get(index).map(|index| index.split_first_chunk::<8>());
    let version = |version: u16, rest: &[u8]| rest.starts_with(&version.to_be_bytes());
    match (index, generation) {
        (Some(Some((FileHeader::MAGIC, rest))), Generation::Si3) => {
            if version(FileHeader::SI3_VERSION, rest) {
                Score::Certain
            } else {
                Score::Maybe
            }
        }
        (Some(Some((FileHeader::MAGIC, rest))), _) => {
            // Scid 4.7 also reads files of SCID 3 that were renamed (section 9).
            let versions = [FileHeader::VERSION, FileHeader::SI3_VERSION];
            let is_known = versions.into_iter().any(|number| version(number, rest));
            if is_known { Score::Certain } else { Score::Maybe }
        }
        (Some(_), _) => Score::No,
        // Without the index, the names still tell what salvage can recover.
        (None, _) => match files.get(names) {
            Some(names) if names.starts_with(NameHeader::MAGIC) => Score::Likely,
            _ => Score::No,
        },
    }
}

/// The number of records examined.
const PROBED: usize = 64;

/// Detects SCID 5. Its files have no magic bytes, so the records of the first entries must be
/// inside the games file, and the first names must parse.
fn probe_log(files: &dyn FileSet) -> Score {
    let [index, games, names] = *Generation::Si5.files();
    let Some(index) = files.get(index) else {
        return Score::No;
    };
    let names = files.get(names);
    let foreign = names.is_some_and(|names| names.starts_with(NameHeader::MAGIC));
    if index.starts_with(FileHeader::MAGIC) || foreign {
        return Score::No;
    }
    if let Some(names) = names {
        let mut log = si5::Names::new(names);
        let sound = (0..PROBED).all(|_| log.read().is_ok());
        // A damaged log begins with some whole names; a file of another kind fails at once.
        if !sound && log.offset() == 0 {
            return Score::No;
        }
    }
    let (entries, tail) = index.as_chunks();
    let size = files.get(games).map_or(0, |games| games.len() as u64);
    let inside = |entry: si5::Entry| entry.offset + u64::from(entry.length) <= size;
    let fitting = entries
        .iter()
        .take(PROBED)
        .map(si5::Entry::parse)
        .all(inside);
    // Files without magic bytes cannot be ruled out by damage alone.
    if entries.is_empty() || !fitting || !tail.is_empty() || names.is_none() {
        return Score::Maybe;
    }
    Score::Likely
}
