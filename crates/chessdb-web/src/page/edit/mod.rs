//! Changes to the open database in memory: an edited copy with undo and redo.

mod add;
mod changes;
mod tags;

use std::sync::Arc;

use chessdb::core::commands::{Shape, ShapeColor};
use chessdb::core::model::Place;
use chessdb::core::rules::read_san;
use chessdb::core::tree::MovesEdit;
use chessdb::core::{Game, Square};
use serde_json::{Value, json};

use crate::failure::{Failure, RequestFields, Result};
use crate::page::edit_history::{Direction, GameChange, Step};
use crate::page::open_database::OpenDatabase;

/// The number of unsaved games that are listed.
const LISTED: usize = 200;
/// The maximum number of bytes of a comment.
const MOST_COMMENT: usize = 64 << 10;

/// Answers the requests `edit`, `change`, `add`, `undo`, `redo` and `settle`.
pub(crate) fn answer(base: &mut OpenDatabase, request: &Value) -> Result<Value> {
    match request.text("op") {
        "edit" => edit(base, request),
        "change" => changes::change(base, request),
        "add" => add::add(base, request),
        "undo" => step_back(base, Direction::Undo),
        "redo" => step_back(base, Direction::Redo),
        _ => mark_saved(base, request),
    }
}

/// Changes a game.
fn edit(base: &mut OpenDatabase, request: &Value) -> Result<Value> {
    let index = request.number("game")?;
    let half_move = request.number("node").unwrap_or(0);
    let old = base.db().game(index)?.into_model();
    let mut game = old.clone();
    let after = change(&mut game, half_move, request)?;
    // A change without effect makes no step to undo.
    if pgn(&game) == pgn(&old) {
        return Ok(json!({ "game": index, "node": after, "same": true, "edits": state(base) }));
    }
    // Columns show the header and the number of moves.
    let keeps_order = game.header == old.header && game.plies() == old.plies();
    let before = base.db().edited_game(index).cloned();
    let step = Step {
        games: vec![GameChange {
            index,
            before,
            after: Some(Arc::new(game)),
        }],
        half_moves: [half_move, after],
        keeps_order,
    };
    let sort = make(base, step)?;
    Ok(json!({ "game": index, "node": after, "sort": sort, "edits": state(base) }))
}

/// Applies a change to a game and returns the half-move that is current afterwards.
fn change(game: &mut Game, half_move: u32, request: &Value) -> Result<u32> {
    let failed = |error: chessdb::core::Error| Failure::new("edit", error.to_string());
    let mut moves = |edit: MovesEdit<'_>| game.edit_moves(half_move, edit).map_err(failed);
    match request.text("change") {
        "move" => {
            let none = || Failure::new("edit", "the game has no such move");
            let board = game.position_after(half_move).ok_or_else(none)?;
            let text = request.text("text");
            let mv = read_san(&board, without_number(text).as_bytes()).map_err(|fault| {
                Failure::with("move", format!("{text}: {fault}"), json!({ "text": text }))
            })?;
            game.edit_moves(half_move, MovesEdit::Play(mv))
                .map_err(failed)
        }
        "delete" => moves(MovesEdit::DeleteFrom),
        "delete-variation" => moves(MovesEdit::DeleteVariation),
        "promote" => moves(MovesEdit::PromoteVariation),
        "mainline" => moves(MovesEdit::MakeMainline),
        "annotate" => {
            for (name, place) in [("before", Place::Before), ("after", Place::After)] {
                if let Some(text) = request.get(name).and_then(Value::as_str) {
                    let text = text.trim().replace('\r', "");
                    if text.len() > MOST_COMMENT {
                        return Err(Failure::new("edit", "the comment exceeds 64 KiB"));
                    }
                    moves(MovesEdit::Comment(place, &text))?;
                }
            }
            if let Some(nags) = request.get("nags").and_then(Value::as_array) {
                let nags = nags.iter().filter_map(Value::as_u64);
                let mut nags: Vec<u16> = nags.filter_map(|nag| u16::try_from(nag).ok()).collect();
                nags.truncate(16);
                moves(MovesEdit::Nags(&nags))?;
            }
            Ok(half_move)
        }
        "shapes" => {
            let shapes = request.get("shapes").and_then(Value::as_array);
            let shapes: Option<Vec<Shape>> = shapes.into_iter().flatten().map(shape).collect();
            let shapes = shapes.ok_or_else(|| Failure::new("request", "wrong shapes"))?;
            let limit = chessdb::core::commands::MAX_SHAPES;
            moves(MovesEdit::Shapes(shapes.get(..limit).unwrap_or(&shapes)))
        }
        "tags" => {
            if let Some(letters) = request.get("flags").and_then(Value::as_str) {
                tags::set_flags(game, letters)?;
            }
            tags::set_tags(game, request.get("tags").unwrap_or(&Value::Null))?;
            Ok(half_move)
        }
        other => Err(Failure::new("request", format!("unknown change `{other}`"))),
    }
}

/// Removes a move number such as `12.` or `12...`.
fn without_number(text: &str) -> &str {
    let text = text.trim();
    let rest = text.trim_start_matches(|letter: char| letter.is_ascii_digit());
    match rest.trim_start().strip_prefix(['.', '…']) {
        Some(rest) => rest.trim_start_matches(['.', '…', ' ']),
        None => text,
    }
}

fn shape(value: &Value) -> Option<Shape> {
    let text = |n: usize| value.get(n).and_then(Value::as_str);
    let square = |text: &str| Square::from_ascii(text.as_bytes());
    let color = text(0).and_then(|color| color.bytes().next());
    Some(Shape {
        color: color.and_then(ShapeColor::from_letter)?,
        from: square(text(1)?)?,
        to: match text(2) {
            Some(to) => Some(square(to)?),
            None => None,
        },
    })
}

fn pgn(game: &Game) -> Vec<u8> {
    let mut text = Vec::new();
    chessdb::pgn::write_game(game, &chessdb::pgn::Layout::default(), &mut text);
    text
}

/// Makes a new step. Returns whether the list must be sorted again.
fn make(base: &mut OpenDatabase, step: Step) -> Result<bool> {
    if base.edits.is_too_large(&step) {
        let text = "the changes take more than 256 MB; save the database and open the saved one";
        return Err(Failure::new("full", text));
    }
    let sort = base.apply(&step, Direction::Redo)?;
    base.edits.push(step);
    Ok(sort)
}

fn step_back(base: &mut OpenDatabase, direction: Direction) -> Result<Value> {
    let Some(step) = base.edits.take_step(direction) else {
        return Ok(json!({ "same": true, "edits": state(base) }));
    };
    let applied = base.apply(&step, direction);
    let [before, after] = step.half_moves;
    let half_move = match direction {
        Direction::Undo => before,
        Direction::Redo => after,
    };
    let game = step.games.first().map(|change| change.index);
    let game = game.filter(|&index| index < base.len());
    // Also after a failure, so that the step is not lost.
    base.edits.put_back(step, direction);
    let sort = applied?;
    Ok(json!({ "game": game, "node": half_move, "sort": sort, "edits": state(base) }))
}

/// Notes that these games were saved: `[[first, last]]`.
fn mark_saved(base: &mut OpenDatabase, request: &Value) -> Result<Value> {
    let ranges = request.get("games").and_then(Value::as_array);
    for range in ranges.into_iter().flatten() {
        let end = |n: usize| range.get(n).and_then(Value::as_u64).unwrap_or(u64::MAX);
        let (first, last) = (end(0), end(1));
        let inside = |index: &u32| (first..=last).contains(&u64::from(*index));
        let games: Vec<u32> = base
            .edits
            .unsaved()
            .iter()
            .copied()
            .filter(inside)
            .collect();
        base.mark_saved(&games);
    }
    Ok(json!({ "edits": state(base) }))
}

/// Returns ascending numbers as ranges, `[[first, last]]`.
pub(crate) fn ranges(games: &[u32]) -> Value {
    let mut ranges: Vec<[u32; 2]> = Vec::new();
    for &game in games {
        match ranges.last_mut() {
            Some([_, last]) if last.checked_add(1) == Some(game) => *last = game,
            _ => ranges.push([game, game]),
        }
    }
    json!(ranges)
}

/// Returns the state of the edited copy: the number of `unsaved` games and the `first` of them, and
/// whether `undo` and `redo` are possible. `edited` is whether any game differs from the files;
/// `games` and `listed` are the numbers of games.
pub(crate) fn state(base: &OpenDatabase) -> Value {
    let unsaved = base.edits.unsaved();
    let first: Vec<u32> = unsaved.iter().copied().take(LISTED).collect();
    json!({
        "unsaved": unsaved.len(),
        "first": first,
        "edited": base.db().edited_games().next().is_some(),
        "undo": base.edits.can_undo(),
        "redo": base.edits.can_redo(),
        "games": base.len(),
        "listed": base.listed(),
    })
}
