//! Games as trees of moves: several games as one, the lines of a game, a repertoire, opening books.
//! The classes of the answers are in `python/chessdb/_trees.py`.

use std::path::{Path, PathBuf};

use chessdb::book::{BookMaker, BookWeights, MadeBook, MakeOptions, polyglot, to_polyglot};
use chessdb::core::model::{GameTree, TreeComments};
use chessdb::core::{Color, Scratch};
use chessdb::fs::{BookFiles, write_polyglot};
use chessdb::query::repertoire::{MissingMove, Repertoire};
use chessdb::query::stats::GameLabel;
use pyo3::prelude::*;

use crate::analysis::{GamePlace, open_sources};
use crate::args::query;
use crate::edit;
use crate::errors::{invalid_argument, to_exception};
use crate::game::Game;

/// Returns a game for each line of a game, the mainline first.
#[pyfunction]
pub(crate) fn lines(py: Python<'_>, game: &Bound<'_, PyAny>) -> PyResult<Vec<Game>> {
    let game = edit::model(py, game)?;
    Ok(game.lines().map(Game::from_model).collect())
}

/// Returns a game from a move number on; None if it is shorter.
#[pyfunction]
pub(crate) fn from_move(
    py: Python<'_>,
    game: &Bound<'_, PyAny>,
    number: u16,
) -> PyResult<Option<Game>> {
    let game = edit::model(py, game)?;
    Ok(game.from_move(number).map(Game::from_model))
}

/// Returns games joined into one game with variations, or one for each start position.
#[pyfunction]
#[pyo3(signature = (games, r#where, counts, sources))]
pub(crate) fn one_game(
    py: Python<'_>,
    games: &Bound<'_, PyAny>,
    r#where: Option<&str>,
    counts: bool,
    sources: bool,
) -> PyResult<Vec<Game>> {
    let (games, query) = (open_sources(py, games)?, query(py, r#where)?);
    let join = || -> chessdb::Result<_> {
        let mut models = Vec::new();
        let copy = |_: usize, game: &mut chessdb::Game| game.clone().into_model();
        games.each(query.as_ref(), false, copy, |game| models.push(game))?;
        let trees = GameTree::by_start(&models, TreeComments { counts, sources });
        Ok(trees
            .into_iter()
            .flat_map(|(_, tree)| tree.into_games())
            .collect::<Vec<_>>())
    };
    let joined = py.detach(join).map_err(to_exception)?.into_iter();
    let joined = joined.map(|game| match game {
        Ok(game) => Ok(Game::from_model(game)),
        Err(limit) => Err(invalid_argument(py, &format!("too many {}", limit.what()))),
    });
    joined.collect()
}

/// A missing move: the moves before it, the position, the move, its games, those of the position, the
/// score of White, and the moves of the repertoire there.
type MissingParts = (String, String, String, u64, u64, Option<f64>, Vec<String>);

/// A game and where it left the repertoire: its place, the half-moves, the moves, the colour that
/// left, and its move.
type FollowedParts = (GamePlace, u32, String, Option<&'static str>, Option<String>);

/// The colour, the numbers of games (all, to the end, left by the opponent, left by the side), gaps,
/// deviations and games.
type RepertoireParts = (
    &'static str,
    (u64, u64, u64, u64),
    Vec<MissingParts>,
    Vec<MissingParts>,
    Vec<FollowedParts>,
);

/// Compares a repertoire with games.
#[pyfunction]
#[pyo3(signature = (lines, sources, color, r#where, min_games, top))]
pub(crate) fn repertoire(
    py: Python<'_>,
    lines: &Bound<'_, PyAny>,
    sources: &Bound<'_, PyAny>,
    color: Option<&str>,
    r#where: Option<&str>,
    min_games: u64,
    top: usize,
) -> PyResult<RepertoireParts> {
    let color = side(py, color)?;
    let (lines, sources) = (open_sources(py, lines)?, open_sources(py, sources)?);
    let query = query(py, r#where)?;
    let mut repertoire = Repertoire::default().limit(top);
    let read = || {
        let copy = |_: usize, game: &mut chessdb::Game| game.clone().into_model();
        lines.each(None, false, copy, |game| repertoire.add_lines(&game))
    };
    py.detach(read).map_err(to_exception)?;
    let unclear = "the color of the repertoire is not clear; set it to \"white\" or \"black\"";
    let side = repertoire
        .begin(color)
        .ok_or_else(|| invalid_argument(py, unclear))?;
    let search = repertoire.search();
    let compare = || {
        let matches = |index: usize, game: &mut chessdb::Game| {
            let matches = search.matches(game, false);
            // The label carries the index of the source.
            let label = || GameLabel::new(game, &index.to_string(), game.number());
            (!matches.is_empty()).then(|| (matches, label()))
        };
        sources.each(query.as_ref(), false, matches, |compared| {
            if let Some((matches, label)) = compared {
                repertoire.add(&matches, || label.clone());
            }
        })
    };
    py.detach(compare).map_err(to_exception)?;
    let counts = repertoire.counts();
    let followed = repertoire.followed().iter().map(|followed| {
        let index = followed.game.base.parse().unwrap_or_default();
        let (color, san) = followed.left.clone().unzip();
        (
            (index, followed.game.number),
            followed.plies,
            repertoire.line(followed),
            color.map(|color: Color| color.pick("white", "black")),
            san,
        )
    });
    let moves = |moves: Vec<MissingMove>| moves.into_iter().take(top).map(missing).collect();
    Ok((
        side.pick("white", "black"),
        (
            counts.games,
            counts.to_the_end,
            counts.left_by_opponent,
            counts.left_by_side,
        ),
        moves(repertoire.gaps(min_games)),
        moves(repertoire.deviations(min_games)),
        followed.collect(),
    ))
}

fn missing(missing: MissingMove) -> MissingParts {
    (
        missing.line,
        missing.board.to_string(),
        missing.san,
        missing.tally.games,
        missing.all,
        missing.tally.score(),
        missing.known,
    )
}

fn side(py: Python<'_>, color: Option<&str>) -> PyResult<Option<Color>> {
    match color {
        None => Ok(None),
        Some("white") => Ok(Some(Color::White)),
        Some("black") => Ok(Some(Color::Black)),
        Some(_) => Err(invalid_argument(
            py,
            "color is \"white\", \"black\" or None",
        )),
    }
}

/// A book: its moves, positions and games, the moves that were left out, and the scaled weights.
type BookParts = (u64, u64, u64, u64, u64);

/// Writes a Polyglot book of games.
#[pyfunction]
#[pyo3(signature = (sources, target, r#where, conditions, max_ply, color, weights, replace))]
#[expect(
    clippy::too_many_arguments,
    reason = "called by name in python/chessdb/_trees.py"
)]
pub(crate) fn make_book(
    py: Python<'_>,
    sources: &Bound<'_, PyAny>,
    target: PathBuf,
    r#where: Option<&str>,
    conditions: (u32, f64, f64),
    max_ply: u32,
    color: Option<&str>,
    weights: &str,
    replace: bool,
) -> PyResult<BookParts> {
    let (min_games, min_score, min_share) = conditions;
    let options = MakeOptions {
        max_ply,
        min_games,
        min_score,
        min_share,
        side: side(py, color)?,
        weights: match weights {
            "points" => BookWeights::Points,
            "weighted" => BookWeights::RatingAndDate,
            "uniform" => BookWeights::Uniform,
            _ => {
                let message = "weights are \"points\", \"weighted\" or \"uniform\"";
                return Err(invalid_argument(py, message));
            }
        },
    };
    let (sources, query) = (open_sources(py, sources)?, query(py, r#where)?);
    let mut maker = BookMaker::new(options);
    let count = || {
        let line = |_: usize, game: &mut chessdb::Game| options.line(game);
        sources.each(query.as_ref(), false, line, |line| maker.add_line(line))
    };
    py.detach(count).map_err(to_exception)?;
    write_book(maker.finish(), &target, replace)
}

/// Writes a Polyglot book with the moves of several books.
#[pyfunction]
pub(crate) fn merge_books(
    books: Vec<PathBuf>,
    target: PathBuf,
    replace: bool,
) -> PyResult<BookParts> {
    let mut entries = Vec::new();
    for path in books {
        let files = BookFiles::read(&path).map_err(to_exception)?;
        let mut scratch = Scratch::new();
        let book = files.open(&mut scratch).map_err(to_exception)?;
        let converted = to_polyglot(&book, &mut scratch);
        entries.extend(converted.map_err(|error| to_exception(error.into()))?.0);
    }
    write_book(MadeBook::merged(entries), &target, replace)
}

fn write_book(mut book: MadeBook, target: &Path, replace: bool) -> PyResult<BookParts> {
    let bytes = polyglot::to_bytes(&mut book.entries);
    write_polyglot(target, &bytes, replace).map_err(to_exception)?;
    let moves = book.entries.len() as u64;
    Ok((
        moves,
        book.positions,
        book.games,
        book.left_out,
        book.scaled,
    ))
}
