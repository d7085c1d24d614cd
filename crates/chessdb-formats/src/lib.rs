#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]
#[cfg(feature = "bytecode")]
pub mod jose;

use chessdb_core::format::{Charsets, Score};
use chessdb_core::sorting::sort_by_key;
use chessdb_core::{Charset, FileSet, Format, ReadOptions};

/// The crates of the formats, each under the name of its feature.
pub mod crates {
    #[cfg(feature = "book")]
    pub use chessdb_book as book;
    #[cfg(feature = "bytecode")]
    pub use chessdb_bytecode as bytecode;
    #[cfg(feature = "ca")]
    pub use chessdb_ca as ca;
    #[cfg(feature = "cbf")]
    pub use chessdb_cbf as cbf;
    #[cfg(feature = "cbh")]
    pub use chessdb_cbh as cbh;
    #[cfg(feature = "dcx")]
    pub use chessdb_dcx as dcx;
    #[cfg(feature = "html")]
    pub use chessdb_html as html;
    #[cfg(feature = "parquet")]
    pub use chessdb_parquet as parquet;
    #[cfg(feature = "pgn")]
    pub use chessdb_pgn as pgn;
    #[cfg(feature = "scid")]
    pub use chessdb_scid as scid;
    #[cfg(feature = "scidb")]
    pub use chessdb_scidb as scidb;
    #[cfg(feature = "sqlite")]
    pub use chessdb_sqlite as sqlite;
    #[cfg(feature = "text")]
    pub use chessdb_text as text;
}

/// Text formats that are read by one crate and written by another.
#[cfg(feature = "text")]
mod text {
    macro_rules! tables {
        ($($name:ident)*) => {$(
            #[cfg(feature = "tables")]
            pub(super) static $name: chessdb_core::Format =
                chessdb_text::$name.with_export(&chessdb_arrow::$name);
            #[cfg(not(feature = "tables"))]
            pub(super) use chessdb_text::$name;
        )*};
    }

    tables! { CSV NDJSON }
}

/// A reference to a format as this build has it: without the feature `write` to its reader alone.
#[allow(unused_macros, reason = "a build may have no format")]
macro_rules! of_build {
    ($format:path) => {
        if cfg!(feature = "dump") {
            &$format
        } else if cfg!(feature = "write") {
            static WITHOUT_DUMP: Format = $format.without_dump();
            &WITHOUT_DUMP
        } else {
            static READER: Format = $format.only_reading();
            &READER
        }
    };
}

/// All formats of this build. The order decides between formats with equal probe scores, so formats
/// with magic bytes come before plain text.
pub static FORMATS: &[&Format] = &[
    #[cfg(feature = "scid")]
    of_build!(chessdb_scid::SI4),
    #[cfg(feature = "scid")]
    of_build!(chessdb_scid::SI5),
    #[cfg(feature = "scid")]
    of_build!(chessdb_scid::SI3),
    #[cfg(feature = "cbf")]
    of_build!(chessdb_cbf::CBF),
    #[cfg(feature = "cbf")]
    of_build!(chessdb_cbf::FBK),
    #[cfg(feature = "cbh")]
    of_build!(chessdb_cbh::CBH),
    #[cfg(feature = "cbh")]
    of_build!(chessdb_cbh::CBH2),
    #[cfg(feature = "dcx")]
    of_build!(chessdb_dcx::DCX),
    #[cfg(feature = "ca")]
    of_build!(chessdb_ca::CA),
    #[cfg(feature = "sqlite")]
    of_build!(chessdb_sqlite::EN_CROISSANT),
    #[cfg(feature = "sqlite")]
    of_build!(chessdb_sqlite::LUCAS_CHESS),
    #[cfg(feature = "sqlite")]
    of_build!(chessdb_sqlite::OCGDB),
    #[cfg(feature = "sqlite")]
    of_build!(jose::JOSE),
    #[cfg(feature = "bytecode")]
    of_build!(chessdb_bytecode::JOSE_MYISAM),
    #[cfg(feature = "bytecode")]
    of_build!(chessdb_bytecode::JOSE_IO),
    #[cfg(all(feature = "bytecode", feature = "archives"))]
    of_build!(jose::JOSE_ARCHIVE),
    #[cfg(feature = "bytecode")]
    of_build!(chessdb_bytecode::JOSE_SQL),
    #[cfg(feature = "scidb")]
    of_build!(chessdb_scidb::SCIDB),
    #[cfg(feature = "parquet")]
    of_build!(chessdb_parquet::PARQUET),
    #[cfg(feature = "text")]
    of_build!(text::CSV),
    #[cfg(feature = "text")]
    of_build!(text::NDJSON),
    #[cfg(feature = "text")]
    of_build!(chessdb_text::EPD),
    #[cfg(feature = "text")]
    of_build!(chessdb_text::FEN),
    #[cfg(feature = "pgn")]
    of_build!(chessdb_pgn::PGN),
];

/// The formats of this build that can only be written, not read back. None of them is in
/// [`FORMATS`].
#[cfg(feature = "write")]
pub static TARGETS: &[&Format] = &[
    #[cfg(feature = "tables")]
    &chessdb_arrow::ARROW,
    #[cfg(all(feature = "tables", not(feature = "text")))]
    &chessdb_arrow::CSV,
    #[cfg(all(feature = "tables", not(feature = "text")))]
    &chessdb_arrow::NDJSON,
    #[cfg(all(feature = "pgn", not(feature = "text")))]
    &chessdb_pgn::EPD,
    #[cfg(all(feature = "pgn", not(feature = "text")))]
    &chessdb_pgn::FEN,
    #[cfg(feature = "pgn")]
    &chessdb_pgn::UCI,
    #[cfg(feature = "html")]
    &chessdb_html::HTML,
];

/// No format: without the feature `write` nothing is written.
#[cfg(not(feature = "write"))]
pub static TARGETS: &[&Format] = &[];

/// Returns the names of the columns of tables: of all, or of a set of columns such as `headers`,
/// `text`, `lichess`, `moves` and `all`. An unknown set has none.
#[cfg(feature = "tables")]
pub fn table_columns(set: Option<&str>) -> Vec<&'static str> {
    let all = chessdb_arrow::Column::ALL.iter().copied();
    let chosen: Option<Result<chessdb_arrow::Columns, _>> = set.map(str::parse);
    let is_chosen = |column: &chessdb_arrow::Column| match &chosen {
        Some(columns) => columns
            .as_ref()
            .is_ok_and(|columns| columns.contains(*column)),
        None => true,
    };
    all.filter(is_chosen).map(|column| column.name()).collect()
}

/// Returns the format with this id, such as `pgn`, ignoring case.
pub fn by_id(id: &str) -> Option<&'static Format> {
    let mut all = FORMATS.iter().chain(TARGETS).copied();
    all.find(|format| format.id.eq_ignore_ascii_case(id))
}

/// Returns the format in [`TARGETS`] with this suffix, ignoring case.
pub fn target_of_suffix(extension: &str) -> Option<&'static Format> {
    let mut all = TARGETS.iter().copied();
    let is = |role: &chessdb_core::files::Role| role.0.eq_ignore_ascii_case(extension);
    all.find(|format| format.roles.iter().any(is))
}

/// Alternative suffixes for files of a format, each with the standard one.
const SUFFIXES: &[(&str, &str)] = &[
    ("db", "sqlite"),
    ("sqlite3", "sqlite"),
    ("fns", "fen"),
    ("json", "ndjson"),
    ("jsonl", "ndjson"),
    ("htm", "html"),
];

/// Returns the standard suffix for an alternative one, and any other suffix unchanged.
pub fn main_suffix(extension: &str) -> &str {
    SUFFIXES
        .iter()
        .find(|(other, _)| other.eq_ignore_ascii_case(extension))
        .map_or(extension, |&(_, common)| common)
}

/// Returns the format with a file of this suffix, given without the dot, ignoring case.
pub fn by_extension(extension: &str) -> Option<&'static Format> {
    let extension = main_suffix(extension);
    FORMATS.iter().copied().find(|format| {
        format
            .roles
            .iter()
            .any(|role| !role.is_whole_name() && role.0.eq_ignore_ascii_case(extension))
    })
}

/// Returns the options for reading games that will be written in this format.
///
/// If the format stores comments byte by byte, as DC*'s own writer does, the whitespace of comments
/// is preserved. If it writes SAN, the facts about each move that SAN needs are computed while the
/// moves are read.
pub fn reading_for(target: &Format, mut options: ReadOptions) -> ReadOptions {
    options.preserve_comment_whitespace |= target.keeps_comment_whitespace;
    options.facts |= target.needs_facts;
    options
}

/// Returns the charset for texts in the target if the caller specified `named` as the charset of
/// the sources. If neither the sources nor the target declare their charset (as with ChessBase),
/// texts are written in the code page in which they were read, and every byte is preserved.
pub fn writing_charset(
    sources: &[&Format],
    target: &Format,
    named: Option<Charset>,
) -> Option<Charset> {
    let undeclared = |format: &Format| format.charsets == Charsets::Undeclared;
    named.filter(|_| undeclared(target) && sources.iter().all(|source| undeclared(source)))
}

/// Returns the format that matches the content of these files best, or `None` if none matches.
pub fn probe(files: &dyn FileSet) -> Option<&'static Format> {
    best(
        FORMATS
            .iter()
            .map(|&format| (format, (format.probe)(files))),
    )
}

/// Returns the candidate that matches best, by content and suffix.
///
/// Candidates are databases that may consist of the same files. A suffix outweighs the score unless
/// the content rules it out. If nothing matches, the format of the suffix is returned, which
/// reports what it misses.
pub fn likeliest<T, E>(
    candidates: impl IntoIterator<Item = (T, bool)>,
    mut probe: impl FnMut(&mut T) -> Result<Score, E>,
) -> Result<Option<T>, E> {
    let mut by_suffix = Vec::new();
    let mut by_content = Vec::new();
    for (mut candidate, suffix) in candidates {
        // If a suffix matches, other formats are probed only if its content does not.
        if suffix || by_suffix.iter().all(|&(_, score)| score == Score::No) {
            let score = probe(&mut candidate)?;
            if suffix { &mut by_suffix } else { &mut by_content }.push((candidate, score));
        }
    }
    // A suffix with possible content outweighs any content without a suffix.
    if by_suffix.iter().any(|&(_, score)| score > Score::No) || by_content.is_empty() {
        by_content.clear();
    }
    // Against a suffix only strong evidence counts.
    let bar = if by_suffix.is_empty() { Score::Maybe } else { Score::Likely };
    by_content.retain(|&(_, score)| score >= bar);
    if let Some(candidate) = best(by_content) {
        return Ok(Some(candidate));
    }
    // Nothing matches; the format of the suffix reports what is wrong.
    sort_by_key(&mut by_suffix, |&(_, score)| std::cmp::Reverse(score));
    Ok(by_suffix.into_iter().next().map(|(candidate, _)| candidate))
}

/// Returns the format with this id, suffix or common name, ignoring case.
pub fn named(name: &str) -> Option<&'static Format> {
    let common = COMMON_NAMES
        .iter()
        .find(|(common, _)| common.eq_ignore_ascii_case(name));
    by_id(name)
        .or_else(|| by_extension(name))
        .or_else(|| by_id(common?.1))
}

/// Common names of formats, with their ids.
const COMMON_NAMES: &[(&str, &str)] = &[
    ("scid", "si4"),
    ("scid3", "si3"),
    ("scid4", "si4"),
    ("scid5", "si5"),
    ("chessbase", "cbf"),
    ("chess-assistant", "ca"),
    ("mysql", "jose-sql"),
    ("puzzles", "csv"),
    ("lichess", "ndjson"),
];

/// Returns the names other than its id by which [`named`] finds a format.
pub fn other_names(format: &'static Format) -> Vec<&'static str> {
    let suffixes = format.roles.iter().filter(|role| !role.is_whole_name());
    let suffixes = suffixes.map(|role| role.0);
    let others = SUFFIXES.iter().chain(COMMON_NAMES).map(|(name, _)| *name);
    let mut names: Vec<_> = suffixes.chain(others).collect();
    names.retain(|name| {
        // Several formats may share a suffix; the name leads to one of them.
        let names_format = named(name).is_some_and(|other| other.id == format.id);
        names_format && !name.eq_ignore_ascii_case(format.id)
    });
    names
}

/// A feature of this crate with formats.
#[derive(Debug)]
pub struct Feature {
    name: &'static str,
    is_built: bool,
    /// The suffixes of the files that it reads: at least the main file of each format.
    suffixes: &'static [&'static str],
    description: &'static str,
}

impl Feature {
    /// Returns the description of a file that needs the feature, for a build without it.
    pub fn description(&self) -> &'static str {
        self.description
    }
}

macro_rules! features {
    ($($name:tt: $($suffix:literal)*;)*) => {
        &[$(Feature {
            name: $name,
            is_built: cfg!(feature = $name),
            suffixes: &[$($suffix),*],
            description: concat!(
                "a database that this build cannot read; missing feature `", $name, "`"
            ),
        },)*]
    };
}

const FEATURES: &[Feature] = features! {
    "archives": "cbv" "cbz";
    "bytecode": "sql" "myd" "jose";
    "ca": "d00" "a02" "d02" "cdp" "emb";
    "cbf": "cbf" "cbi" "fbk";
    "cbh": "cbh" "cbg" "2cbh" "2cbg";
    "dcx": "dci" "dcn" "dcs" "dce" "dcg";
    "parquet": "parquet";
    "pgn": "pgn";
    "scid": "si4" "sg4" "sn4" "si5" "si3" "sg3" "sn3";
    "scidb": "sci" "scg" "scn";
    "sqlite": "sqlite" "sqlite3" "db3" "lcdb" "ocgdb";
    "text": "csv" "ndjson" "epd" "fen";
};

/// Returns the feature that this build lacks to read a file with this suffix.
pub fn lacking(extension: &str) -> Option<&'static Feature> {
    let is = |other: &&str| other.eq_ignore_ascii_case(extension);
    let mut lacking = FEATURES.iter().filter(|feature| !feature.is_built);
    lacking.find(|feature| feature.suffixes.iter().any(is))
}

/// Returns the feature that is required to read a file with this suffix (without the
/// dot) and these first bytes. Returns `None` if this build has all required features or the file
/// is of another kind.
pub fn missing_feature(extension: &str, start: &[u8]) -> Option<&'static str> {
    if start.starts_with(b"SQLite format 3\0") {
        return (!cfg!(feature = "sqlite")).then_some("sqlite");
    }
    lacking(extension).map(|feature| feature.name)
}

/// Returns a description of a SQLite database that is in no format, from the beginning of its file;
/// `None` for another file, and in a build without SQLite.
pub fn foreign_sqlite(start: &[u8]) -> Option<String> {
    #[cfg(feature = "sqlite")]
    if let Ok(pages) = chessdb_sqlite::file::Pages::new(start, None) {
        return Some(chessdb_sqlite::file::Schema::read(&pages).to_string());
    }
    let _ = start;
    None
}

/// Returns the format of an opening book, which has no games, from its content or at least the first
/// mebibyte: `CTG`, `Polyglot` or `ABK`. `None` for another file, and in a build without books.
pub fn opening_book(start: &[u8]) -> Option<&'static str> {
    #[cfg(feature = "book")]
    if let Some(format) = chessdb_book::BookFormat::of_content(start) {
        return Some(format.name());
    }
    let _ = start;
    None
}

/// Returns the first item with the highest score above [`Score::No`].
pub fn best<T>(scored: impl IntoIterator<Item = (T, Score)>) -> Option<T> {
    let mut best: Option<(T, Score)> = None;
    for (item, score) in scored {
        let bar = best.as_ref().map_or(Score::No, |&(_, score)| score);
        if score > bar {
            best = Some((item, score));
        }
    }
    best.map(|(item, _)| item)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_of_equal_scores_wins() {
        assert_eq!(
            best([
                ('a', Score::Maybe),
                ('b', Score::Likely),
                ('c', Score::Likely)
            ]),
            Some('b')
        );
        assert_eq!(best([('a', Score::No)]), None);
    }

    #[test]
    fn each_format_has_a_feature() {
        for format in FORMATS {
            let main = format.roles[0];
            let mut features = FEATURES.iter().filter(|feature| feature.is_built);
            let is_listed = features.any(|feature| feature.suffixes.contains(&main.0));
            let id = format.id;
            assert!(
                main.is_whole_name() || is_listed,
                "{id}: add .{main} to FEATURES"
            );
        }
        #[cfg(not(feature = "cbh"))]
        assert_eq!(
            lacking("CBH").map(|feature| feature.description),
            Some("a database that this build cannot read; missing feature `cbh`")
        );
    }

    #[test]
    fn ids_and_suffixes_select_their_format() {
        for &format in FORMATS {
            assert!(by_id(&format.id.to_uppercase()).is_some_and(|f| f.id == format.id));
            for role in format.roles {
                let of_suffix = by_extension(role.0).map(|other| other.id);
                assert_eq!(
                    of_suffix,
                    (!role.is_whole_name()).then_some(format.id),
                    "{role}"
                );
            }
        }
        #[cfg(feature = "sqlite")]
        assert!(by_extension("DB").is_some_and(|f| f.id == "jose"));
        assert!(by_id("doc").is_none());
        assert!(by_extension("").is_none());
    }
}
