//! Conversions from every format into every format and back.

use std::collections::BTreeMap;

use chessdb::core::FileSet;
use chessdb::{Database, FORMATS, Format, LossKind, Losses};
use chessdb_testkit::fixtures;

use crate::hop::{Model, Outcome, hop, into_format, there_and_back};
use crate::made;

/// The results for one pair of source and target format.
#[derive(Clone, Default, Debug)]
pub struct Cell {
    /// The conversion into the target.
    pub there: Outcome,
    /// The conversion back.
    pub back: Outcome,
}

impl Cell {
    fn add(&mut self, (outbound, back): (Outcome, Outcome)) {
        self.there.merge(outbound);
        self.back.merge(back);
    }
}

/// The table of all conversions.
#[derive(Default, Debug)]
pub struct Matrix {
    /// The cells by the ids of source and target. The source [`MODEL`] is not a format.
    pub cells: BTreeMap<(&'static str, &'static str), Cell>,
}

/// Losses that no conversion of the table has.
const ELSEWHERE: [LossKind; 3] = [
    // It needs more names than a format has numbers; tested in chessdb-scid (`limits`).
    LossKind::NameLeftOut,
    // The writer must be asked to transliterate; tested in chessdb-cli.
    LossKind::Transliterated,
    // Tables of headers have no reader; tested in chessdb-arrow (`files`).
    LossKind::Moves,
];

/// Declared losses that no conversion of the table shows, with the ids of the formats; `*` is all.
const UNSHOWN: &[(LossKind, &str)] = &[
    // They need more names than a format has numbers, or more columns than SQLite permits.
    (LossKind::NameLeftOut, "*"),
    (LossKind::Round, "si4 si5 si3"),
    (LossKind::Title, "lucaschess ocgdb"),
    (LossKind::FideId, "lucaschess ocgdb"),
    (LossKind::Rating, "lucaschess"),
    (LossKind::Eco, "lucaschess ocgdb"),
    (LossKind::Annotator, "lucaschess ocgdb"),
    (LossKind::Source, "lucaschess ocgdb"),
    // The same, or a copy of stored records into another generation of SCID.
    (LossKind::EventDate, "si4 si5 si3 lucaschess ocgdb"),
    (LossKind::Flags, "si4 si5 lucaschess ocgdb"),
    // A text that is not valid in its own encoding has the same characters before and after.
    (LossKind::CommentText, "cbh dcx encroissant"),
    (LossKind::NameText, "encroissant"),
    (LossKind::TagText, "si4 si5 si3"),
    // Tables of headers have no reader.
    (LossKind::Moves, "*"),
    // Books join the games, which are therefore converted one by one, without tables of names.
    (LossKind::NameDetails, "fbk"),
    // The writers count them, but no game or database of the table is odd enough.
    (LossKind::Game, "cbf"),
    (LossKind::GhostEnPassant, "cbh"),
    (LossKind::UnnumberedPiece, "scidb"),
    (LossKind::NameCut, "si5"),
    (LossKind::Tag, "scidb parquet"),
    (LossKind::TagCut, "cbh"),
    (LossKind::FideId, "scidb"),
    (LossKind::Rating, "scidb"),
    (LossKind::Date, "encroissant jose jose-sql scidb"),
    (LossKind::Eco, "encroissant"),
    (LossKind::Chess960, "si5 cbh"),
    (LossKind::Description, "si5 ocgdb"),
    (LossKind::OpenFirst, "si5"),
];

/// The id of the row for games constructed in code, which have no format.
pub const MODEL: &str = "(model)";

/// Returns the formats that can be written.
pub fn targets() -> impl Iterator<Item = &'static Format> {
    FORMATS
        .iter()
        .copied()
        .filter(|format| format.create.is_some())
}

/// Returns the formats of the rows: all that can be written or have fixtures.
pub fn sources() -> impl Iterator<Item = &'static Format> {
    FORMATS
        .iter()
        .copied()
        .filter(|format| format.create.is_some() || !own_bases(format).is_empty())
}

/// Returns the paths of the repository's databases of a format.
///
/// ChessBase archives are left out because they contain one of these databases again, and so are
/// inputs of fuzzing that cannot be opened.
pub fn own_bases(format: &'static Format) -> Vec<std::path::PathBuf> {
    let survey = chessdb::fs::survey(fixtures::root(), Some(format));
    let mut bases = survey.unwrap_or_else(|error| panic!("{error}")).bases;
    let inputs = fixtures::root().join("fuzz");
    bases.retain(|path| {
        let suffix = path.extension();
        let is_archive = suffix.is_some_and(|suffix| suffix == "cbv" || suffix == "cbz");
        let is_usable = !path.starts_with(&inputs) || Database::open(path).is_ok();
        !is_archive && is_usable
    });
    bases
}

impl Matrix {
    /// Builds the table; with `only`, just the row and the column of that format.
    pub fn build(only: Option<&'static Format>) -> Matrix {
        let mut matrix = Matrix::default();
        let (model, odd) = (made::model(), made::odd_model());
        let wanted = |a: &str, b: &str| only.is_none_or(|only| only.id == a || only.id == b);
        for source in sources() {
            let files = made_in(source, &model);
            for target in targets().filter(|target| wanted(source.id, target.id)) {
                let cell = matrix.cells.entry((source.id, target.id)).or_default();
                if let Some(files) = &files {
                    cell.add(there_and_back("games made in code", files, source, target));
                }
                // Games made in code contain everything; these contain what other programs write.
                for path in own_bases(source) {
                    cell.add(base_there_and_back(&path, target));
                }
            }
        }
        for target in targets().filter(|target| wanted(MODEL, target.id)) {
            let cell = matrix.cells.entry((MODEL, target.id)).or_default();
            let place = format!("games made in code to {}", target.id);
            cell.there.merge(into_format(&place, &model, target));
            let place = format!("odd games to {}", target.id);
            cell.there.merge(into_format(&place, &odd, target));
        }
        matrix
    }

    /// Returns all problems, each with its row and column.
    pub fn problems(&self) -> Vec<String> {
        let mut problems = Vec::new();
        for ((source, target), cell) in &self.cells {
            for outcome in [&cell.there, &cell.back] {
                let named = outcome.problems.iter();
                problems.extend(named.map(|problem| format!("{source} x {target}: {problem}")));
                let more = outcome.problem_count - outcome.problems.len() as u64;
                if more > 0 {
                    problems.push(format!("{source} x {target}: {more} more"));
                }
            }
        }
        problems
    }

    /// Returns the kinds that the formats declare but that no conversion into them shows, except
    /// those of the table `UNSHOWN`, and the entries of that table that a conversion does show.
    pub fn superfluous(&self) -> Vec<String> {
        let mut problems = Vec::new();
        for target in targets() {
            let mut shown = Losses::new();
            for ((source, other), cell) in &self.cells {
                if *other == target.id {
                    shown.merge(&cell.there.losses);
                } else if *source == target.id {
                    shown.merge(&cell.back.losses);
                }
            }
            for kind in target.losses.iter() {
                let excuse = UNSHOWN.iter().any(|(excused, ids)| {
                    *excused == kind && ids.split(' ').any(|id| id == target.id || id == "*")
                });
                let (id, code) = (target.id, kind.code());
                match (shown.count(kind) > 0, excuse) {
                    (false, false) => problems.push(format!("{id} declares {code}: never seen")),
                    (true, true) => problems.push(format!("UNSHOWN has {code} of {id}: seen")),
                    _ => {}
                }
            }
        }
        problems
    }

    /// Returns the kinds of loss that should occur in some cell but do not.
    pub fn unseen(&self) -> Vec<LossKind> {
        let is_lost = |outcome: &Outcome, kind| outcome.losses.count(kind) > 0;
        let is_seen = |kind| {
            let mut cells = self.cells.values();
            cells.any(|cell| is_lost(&cell.there, kind) || is_lost(&cell.back, kind))
        };
        let kinds = LossKind::ALL.iter().copied();
        kinds
            .filter(|kind| !ELSEWHERE.contains(kind) && !is_seen(*kind))
            .collect()
    }
}

/// Converts the games constructed in code into a format, without the parts that it cannot express.
///
/// Returns `None` if the format cannot be written or the result does not open.
fn made_in(format: &'static Format, model: &Model) -> Option<chessdb::core::MemorySet> {
    format.create?;
    let converted = hop("", model, None, format);
    let files: &dyn FileSet = &converted.files;
    (format.open)(files, chessdb::core::ReadOptions::default()).ok()?;
    Some(converted.files)
}

/// Converts a database on disk into a format and back.
pub fn base_there_and_back(path: &std::path::Path, target: &'static Format) -> (Outcome, Outcome) {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    match chessdb::fs::find(path).and_then(chessdb::fs::FoundDatabase::read) {
        Ok(base) => there_and_back(&name, &base, base.format(), target),
        // Some fixtures must be rejected; the table of databases covers these.
        Err(_) => (Outcome::default(), Outcome::default()),
    }
}
