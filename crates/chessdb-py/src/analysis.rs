//! Questions about the games of databases: copies, differences, statistics, novelties. The classes of
//! the answers are in `python/chessdb/_commands.py`.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::PathBuf;

use chessdb::Database;
use chessdb::convert::{Converter, SalvageObserver};
use chessdb::core::salvage::Found;
use chessdb::diff::{Diff, Matching, Pair};
use chessdb::formats::portable_name;
use chessdb::query::novelty::Novelties;
use chessdb::query::stats::GameLabel;
use chessdb::query::stats::groups::{GroupKey, Groups};
use pyo3::prelude::*;

use crate::args::{open_options, query};
use crate::choice::{OpenSources, duplicate_rule};
use crate::edit;
use crate::errors::{invalid_argument, to_exception};
use crate::report::Report;
use crate::sources::native_sources;

/// Opens the sources of a question.
pub(crate) fn open_sources(py: Python<'_>, sources: &Bound<'_, PyAny>) -> PyResult<OpenSources> {
    let inputs = native_sources(sources)?;
    let options = open_options(None, "auto", false);
    let opened = py.detach(|| OpenSources::open(&inputs, &options));
    opened.map_err(to_exception)
}

/// The index of a source and the number of a game in it.
pub(crate) type GamePlace = (usize, u32);

/// Returns the copies among games: the place of each, the place of the game that is kept for it, and
/// the evidence.
#[pyfunction]
#[pyo3(signature = (sources, by, r#where))]
pub(crate) fn duplicates(
    py: Python<'_>,
    sources: &Bound<'_, PyAny>,
    by: &str,
    r#where: Option<&str>,
) -> PyResult<Vec<(GamePlace, GamePlace, Vec<String>)>> {
    let rule = duplicate_rule(py, by)?;
    let (sources, query) = (open_sources(py, sources)?, query(py, r#where)?);
    let copies = py.detach(|| sources.duplicates(query.as_ref(), rule, None));
    let removed = copies.map_err(to_exception)?.removed.into_iter();
    let removed = removed.map(|duplicate| {
        let evidence = duplicate.evidence.iter().map(ToString::to_string);
        (duplicate.place, duplicate.kept, evidence.collect())
    });
    Ok(removed.collect())
}

/// A group of games: the value, the number of games, wins, draws and losses, the score, the rating and
/// the performance.
type GroupRow = (
    String,
    u64,
    (u64, u64, u64),
    Option<f64>,
    (Option<u64>, Option<i64>),
);

/// Returns the scores of games by a value of each.
#[pyfunction]
#[pyo3(signature = (sources, by, r#where, limit))]
pub(crate) fn stats(
    py: Python<'_>,
    sources: &Bound<'_, PyAny>,
    by: &str,
    r#where: Option<&str>,
    limit: Option<usize>,
) -> PyResult<Vec<GroupRow>> {
    let key = by
        .parse()
        .map_err(|message: String| invalid_argument(py, &message))?;
    let (sources, query) = (open_sources(py, sources)?, query(py, r#where)?);
    let mut groups = Groups::new(key);
    let count = || -> chessdb::Result<()> {
        let counter = groups.clone();
        let is_headers = !groups.key().needs_moves();
        let entry = |_: usize, game: &mut chessdb::Game| counter.entry(game);
        sources.each(query.as_ref(), is_headers, entry, |entry| groups.add(entry))?;
        groups.join_persons();
        Ok(())
    };
    py.detach(count).map_err(to_exception)?;
    let rows = groups.most(limit.unwrap_or(usize::MAX)).into_iter();
    let is_of_players = groups.key().is_of_players();
    let rows = rows.map(|(value, score)| {
        let value = value.to_owned();
        if is_of_players {
            let results = (score.wins(), score.draws(), score.losses());
            let ratings = (score.rating(), score.performance());
            return (value, score.games(), results, score.share(), ratings);
        }
        // Both sides of each game were counted.
        let white = &score.white;
        let results = (white.white, white.draws, white.black);
        (
            value,
            white.games,
            results,
            white.score(),
            (white.rating(), None),
        )
    });
    Ok(rows.collect())
}

/// Returns the numbers of the games with each value, in the order of the values.
#[pyfunction]
pub(crate) fn group_numbers(
    py: Python<'_>,
    source: &Bound<'_, PyAny>,
    by: &str,
) -> PyResult<BTreeMap<String, Vec<u32>>> {
    let key: GroupKey = by
        .parse()
        .map_err(|message: String| invalid_argument(py, &message))?;
    let sources = open_sources(py, source)?;
    let mut numbers: BTreeMap<String, Vec<u32>> = BTreeMap::new();
    let values = |_: usize, game: &mut chessdb::Game| (key.values(game), game.number());
    let group = || {
        sources.each(None, !key.needs_moves(), values, |(values, number)| {
            for value in values {
                numbers.entry(value).or_default().push(number);
            }
        })
    };
    py.detach(group).map_err(to_exception)?;
    Ok(numbers)
}

/// Returns a file name without a suffix that every system accepts, made of a value of games.
#[pyfunction]
pub(crate) fn file_name(value: &str) -> String {
    let name = value.replace(['/', '\\'], "_");
    match name.trim_matches([' ', '.']) {
        "" => "unknown".to_owned(),
        name => portable_name(name.as_ref()).display().to_string(),
    }
}

/// A novelty: the common half-moves, the moves up to it, the position, the new move, the number of
/// other games, the moves of the others with their games, and the numbers of the latest games.
type NoveltyParts = (
    u32,
    String,
    String,
    Option<String>,
    u64,
    Vec<(String, u64)>,
    Vec<GamePlace>,
);

/// Returns where a game left all others.
#[pyfunction]
#[pyo3(signature = (sources, game, earlier))]
pub(crate) fn novelty(
    py: Python<'_>,
    sources: &Bound<'_, PyAny>,
    game: &Bound<'_, PyAny>,
    earlier: bool,
) -> PyResult<NoveltyParts> {
    let game = edit::model(py, game)?;
    if !(game.has_standard_rules() && game.has_known_start()) {
        return Err(invalid_argument(
            py,
            "a variant with other rules has no novelty",
        ));
    }
    let sources = open_sources(py, sources)?;
    let mut novelties = Novelties::new([(*game).clone()], earlier);
    let search = novelties.search();
    let compare = || {
        let matches = |index: usize, game: &mut chessdb::Game| {
            let matches = search.matches(game);
            // The label carries the index of the source.
            let label = || GameLabel::new(game, &index.to_string(), game.number());
            (!matches.is_empty()).then(|| (matches, label()))
        };
        sources.each(None, false, matches, |compared| {
            if let Some((matches, label)) = compared {
                novelties.add(&matches, || label.clone());
            }
        })
    };
    py.detach(compare).map_err(to_exception)?;
    let missing = || invalid_argument(py, "the game has no moves to compare");
    let novelty = novelties.of(0).ok_or_else(missing)?;
    let replies = novelty.replies().into_iter();
    let latest = novelty.latest.iter().map(|label| {
        let index = label.base.parse().unwrap_or_default();
        (index, label.number)
    });
    Ok((
        novelty.ply,
        novelty.line(),
        novelty.board().to_string(),
        novelty.san(),
        novelty.games(),
        replies
            .map(|(san, score)| (san, score.white.games))
            .collect(),
        latest.collect(),
    ))
}

/// A pair of games that differ: their numbers, if both are there, and the differences.
type Difference = (Option<u32>, Option<u32>, Vec<String>);

/// Compares two databases. Returns the number of equal games, the differences, and whether something
/// could not be read.
#[pyfunction]
#[pyo3(signature = (left, right, in_order))]
pub(crate) fn diff(
    py: Python<'_>,
    left: &Bound<'_, PyAny>,
    right: &Bound<'_, PyAny>,
    in_order: bool,
) -> PyResult<(u64, Vec<Difference>, bool)> {
    let one = |source| -> PyResult<_> {
        let mut opened = open_sources(py, source)?.0;
        match (opened.pop(), opened.is_empty()) {
            (Some((db, selection)), true) if selection.is_all() => Ok(db),
            _ => Err(invalid_argument(
                py,
                "compare one whole database with another",
            )),
        }
    };
    let (left, right) = (one(left)?, one(right)?);
    let mut differences = Vec::new();
    let compare = || {
        let mut diff = Diff::new(&left, &right);
        if in_order {
            diff = diff.matching(Matching::Order);
        }
        diff.run(|pair| {
            match pair {
                Pair::Changed(left, right, changes) => {
                    let changes = changes.iter().map(ToString::to_string).collect();
                    differences.push((Some(left.number()), Some(right.number()), changes));
                }
                Pair::OnlyLeft(game) => differences.push((Some(game.number()), None, Vec::new())),
                Pair::OnlyRight(game) => differences.push((None, Some(game.number()), Vec::new())),
                _ => {}
            }
            ControlFlow::Continue(())
        })
    };
    let summary = py.detach(compare).map_err(to_exception)?;
    let of_base = summary.base.iter().map(ToString::to_string);
    let of_base: Vec<String> = of_base.collect();
    if !of_base.is_empty() {
        differences.push((None, None, of_base));
    }
    Ok((summary.equal, differences, summary.is_incomplete()))
}

/// The report, the number of games in each state, and the number of bytes without games.
type SalvageParts = (Report, Vec<(&'static str, u64)>, u64);

/// Recovers the games of a damaged database. Returns the report, the number of games in each state,
/// and the number of bytes in which no game was found.
#[pyfunction]
#[pyo3(signature = (path, target, format, source_format, encoding, replace))]
pub(crate) fn salvage(
    py: Python<'_>,
    path: PathBuf,
    target: PathBuf,
    format: Option<&str>,
    source_format: Option<&str>,
    encoding: &str,
    replace: bool,
) -> PyResult<SalvageParts> {
    let options = open_options(source_format, encoding, false).salvage(true);
    let mut observer = SalvageObserver::default();
    let recover = || {
        let db: Database = options.open(&path)?;
        let mut converter = Converter::to(&target).replace(replace).add_database(&db);
        if let Some(format) = format {
            converter = converter.format(format);
        }
        converter.observer(&mut observer).run()
    };
    let report = py.detach(recover).map_err(to_exception)?;
    let salvaged = observer.end();
    let states = Found::ALL
        .iter()
        .map(|&state| (state.code(), salvaged.count(Some(state))));
    Ok((
        Report::new(report),
        states.collect(),
        salvaged.barren_bytes(),
    ))
}
