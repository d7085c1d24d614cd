//! Cross-tables of events. The classes are in `python/chessdb/_crosstables.py`.

use chessdb::query::stats::crosstable::{
    Crosstable, Crosstables, TableEntry, TableKind, TablePlayer, TieBreak,
};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::analysis::open_sources;
use crate::args::query;
use crate::errors::{invalid_argument, to_exception};

/// Returns the cross-tables of events.
#[pyfunction]
#[pyo3(signature = (sources, r#where, kind, tie_breaks, factor, limit))]
pub(crate) fn crosstables<'py>(
    py: Python<'py>,
    sources: &Bound<'py, PyAny>,
    r#where: Option<&str>,
    kind: Option<&str>,
    tie_breaks: Vec<String>,
    factor: Option<u32>,
    limit: usize,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let kind = kind.map(|name| {
        let message = "kind is \"grid\", \"rounds\", \"pairs\" or None";
        TableKind::from_name(name).ok_or_else(|| invalid_argument(py, message))
    });
    let kind = kind.transpose()?;
    let ranked_by = tie_breaks.iter().map(|name| name.parse::<TieBreak>());
    let ranked_by: Result<Vec<TieBreak>, String> = ranked_by.collect();
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
    tables
        .iter()
        .map(|table| to_python(py, table, factor))
        .collect()
}

/// Returns a table as the classes of the Python package.
fn to_python<'py>(
    py: Python<'py>,
    table: &Crosstable,
    factor: Option<u32>,
) -> PyResult<Bound<'py, PyAny>> {
    let module = py.import("chessdb._crosstables")?;
    let half = |half_points: u32| f64::from(half_points) / 2.0;
    let player_class = module.getattr("TablePlayer")?;
    let game_class = module.getattr("TableGame")?;
    let player = |(rank, player): (usize, &TablePlayer)| {
        let tie_breaks = PyDict::new(py);
        for tie_break in TieBreak::ALL {
            let quarters = player.tie_breaks.quarters(tie_break).map(f64::from);
            tie_breaks.set_item(tie_break.name(), quarters.map(|quarters| quarters / 4.0))?;
        }
        let games = player.games.iter().map(|game| {
            game_class.call1((
                game.opponent.map(|opponent| opponent + 1),
                game.side.pick("white", "black"),
                game.half_points.map(half),
                &game.round,
                game.round_number,
                game.date.to_string(),
            ))
        });
        let change = player.rating_change(&table.players, factor);
        player_class.call1((
            rank + 1,
            &player.name,
            player.rating,
            half(player.half_points),
            tie_breaks,
            player.score.performance(),
            change.map(|change| change.expected),
            change.map(|change| change.points),
            change.map(|change| change.factor),
            games.collect::<PyResult<Vec<_>>>()?,
        ))
    };
    let players = table.players.iter().enumerate().map(player);
    let players = players.collect::<PyResult<Vec<_>>>()?;
    let ranked_by = table.ranked_by.iter().map(|tie_break| tie_break.name());
    let ranked_by: Vec<&str> = ranked_by.collect();
    let dates = table
        .dates
        .map(|(first, last)| [first, last].map(|date| date.to_string()));
    module.getattr("Crosstable")?.call1((
        &table.event,
        &table.site,
        dates.as_ref().map(|[first, _]| first),
        dates.as_ref().map(|[_, last]| last),
        table.kind.name(),
        table.games,
        table.byes,
        table.repeated,
        ranked_by,
        players,
    ))
}
