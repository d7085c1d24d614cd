//! Cross-tables of events. The classes are in `python/chessdb/_crosstables.py`.

use chessdb::query::stats::crosstable::{Crosstable, Crosstables, TableEntry, TableKind, TieBreak};
use pyo3::prelude::*;

use crate::analysis::open_sources;
use crate::args::query;
use crate::errors::{invalid_argument, to_exception};

/// A game of a table: the opponent, the color, the points, the round, its number and the date.
type TableGameParts = (
    Option<usize>,
    &'static str,
    Option<f64>,
    String,
    usize,
    String,
);

/// A player of a table: the name, the rating, the points, the tie-breaks, the performance, the expected
/// points with the rating change and its factor, and the games.
type TablePlayerParts = (
    String,
    Option<u16>,
    f64,
    Vec<(&'static str, Option<f64>)>,
    Option<i64>,
    Option<(f64, f64, u32)>,
    Vec<TableGameParts>,
);

/// A table: event, place, first and last date, kind, the numbers of games, byes and repeated games, the
/// tie-breaks of its ranking, and the players.
type CrosstableParts = (
    String,
    String,
    Option<(String, String)>,
    &'static str,
    (usize, usize, usize),
    Vec<&'static str>,
    Vec<TablePlayerParts>,
);

/// Returns the cross-tables of events.
#[pyfunction]
#[pyo3(signature = (sources, r#where, kind, tie_breaks, factor, limit))]
pub(crate) fn crosstables(
    py: Python<'_>,
    sources: &Bound<'_, PyAny>,
    r#where: Option<&str>,
    kind: Option<&str>,
    tie_breaks: Vec<String>,
    factor: Option<u32>,
    limit: usize,
) -> PyResult<Vec<CrosstableParts>> {
    let kind = kind.map(|name| {
        TableKind::from_name(name).ok_or_else(|| {
            let message = "kind is \"grid\", \"rounds\", \"pairs\" or None";
            invalid_argument(py, message)
        })
    });
    let kind = kind.transpose()?;
    let ranked_by: Result<Vec<TieBreak>, String> =
        tie_breaks.iter().map(|name| name.parse()).collect();
    let ranked_by = ranked_by.map_err(|message| invalid_argument(py, &message))?;
    let (sources, query) = (open_sources(py, sources)?, query(py, r#where)?);
    let mut tables = Crosstables::new(limit).ranked_by(ranked_by);
    let count = || {
        let entry = |_: usize, game: &mut chessdb::Game| TableEntry::from_game(game);
        sources.each(query.as_ref(), false, entry, |entry| {
            entry.into_iter().for_each(|entry| tables.add(entry));
        })
    };
    py.detach(count).map_err(to_exception)?;
    let tables = tables.tables(kind).map_err(|events| {
        let message = format!(
            "{} events match, and limit is {limit}; select fewer with a query such as \
             event:\"Linares\" year:1993",
            events.len()
        );
        invalid_argument(py, &message)
    })?;
    Ok(tables
        .iter()
        .map(|table| table_parts(table, factor))
        .collect())
}

fn table_parts(table: &Crosstable, factor: Option<u32>) -> CrosstableParts {
    let half = |half_points: u32| f64::from(half_points) / 2.0;
    let players = table.players.iter().map(|player| {
        let tie_breaks = TieBreak::ALL.map(|tie_break| {
            let quarters = player.tie_breaks.quarters(tie_break);
            (
                tie_break.name(),
                quarters.map(|quarters| f64::from(quarters) / 4.0),
            )
        });
        let change = player.rating_change(&table.players, factor);
        let games = player.games.iter().map(|game| {
            (
                game.opponent.map(|opponent| opponent + 1),
                game.side.pick("white", "black"),
                game.half_points.map(half),
                game.round.clone(),
                game.round_number,
                game.date.to_string(),
            )
        });
        (
            player.name.clone(),
            player.rating,
            half(player.half_points),
            tie_breaks.to_vec(),
            player.score.performance(),
            change.map(|change| (change.expected, change.points, change.factor)),
            games.collect(),
        )
    });
    (
        table.event.clone(),
        table.site.clone(),
        table
            .dates
            .map(|(first, last)| (first.to_string(), last.to_string())),
        table.kind.name(),
        (table.games, table.byes, table.repeated),
        table
            .ranked_by
            .iter()
            .map(|tie_break| tie_break.name())
            .collect(),
        players.collect(),
    )
}
