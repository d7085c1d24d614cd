//! Rows of the list.

use chessdb::Game;
use chessdb::core::model::GameFlags;
use chessdb::core::{Color, Event, Outcome};
use serde_json::{Value, json};

use crate::failure::Result;
use crate::open_database::OpenDatabase;

/// The maximum number of rows per request. For each row a whole game is read.
const MOST: u32 = 500;

/// The game is marked as deleted.
const DELETED: u32 = 1;
/// Part of the game is missing.
const DAMAGED: u32 = 2;
/// The game has variations.
const VARIATIONS: u32 = 4;
/// The game has comments.
const COMMENTS: u32 = 8;
/// The game has a start position other than the standard one.
const SETUP: u32 = 16;

/// Returns `{ rows: [[game, white, elo, black, elo, result, date, eco, event, moves, marks, fault,
/// hit, round]] }`.
pub(crate) fn rows(base: &mut OpenDatabase, from: u32, count: u32) -> Result<Value> {
    let last = from.saturating_add(count.min(MOST));
    let mut rows = Vec::new();
    for place in from..last {
        let Some(index) = base.at(place) else {
            break;
        };
        rows.push(row(base, index));
    }
    Ok(json!({ "from": from, "listed": base.listed(), "rows": rows }))
}

/// Returns one row, even for a game that cannot be read.
pub(crate) fn row(base: &mut OpenDatabase, index: u32) -> Value {
    let mut game = std::mem::take(&mut base.game);
    let read = base.db().game_into(index, &mut game);
    let fault = match read {
        Ok(()) => game.fault(),
        Err(error) => {
            // The header may be intact.
            let _ = base.db().header_into(index, &mut game);
            Some(error.problem().to_string())
        }
    };
    let hit = base.hits.get(&index);
    let row = json!([
        index,
        short(&game.white()),
        game.elo(Color::White),
        short(&game.black()),
        game.elo(Color::Black),
        result(game.result()),
        game.date().to_string(),
        game.eco().map(|eco| eco.to_string()),
        short(&game.event()),
        game.plies().div_ceil(2),
        marks(&game) | if fault.is_some() { DAMAGED } else { 0 },
        fault,
        hit,
        short(&game.round()),
    ]);
    base.game = game;
    row
}

fn marks(game: &Game) -> u32 {
    let mut marks = 0;
    if game.header.flags.contains(GameFlags::DELETED) {
        marks |= DELETED;
    }
    if game.moves.has_variations() {
        marks |= VARIATIONS;
    }
    let is_comment = |event| matches!(event, Event::Comment(_, text) if !text.is_empty());
    if game.events().any(is_comment) {
        marks |= COMMENTS;
    }
    if !game.start().is_standard() {
        marks |= SETUP;
    }
    marks
}

/// Returns the result as in PGN.
pub(crate) fn result(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Unknown => "*",
        Outcome::WhiteWins => "1-0",
        Outcome::BlackWins => "0-1",
        Outcome::Draw => "1/2-1/2",
    }
}

/// Shortens a name to the length that a row needs. An unknown name becomes empty.
pub(crate) fn short(name: &str) -> String {
    let name = name.trim();
    match name {
        "?" => String::new(),
        _ => name.chars().take(200).collect(),
    }
}
