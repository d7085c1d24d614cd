//! Rows of the list.

use chessdb::Game;
use chessdb::columns::Column;
use chessdb::core::model::GameFlags;
use chessdb::core::{Color, Event};
use serde_json::{Value, json};

use crate::failure::{Failure, RequestFields, Result};
use crate::page::open_database::OpenDatabase;
use crate::tokens::result;

/// The maximum number of rows per request. For each row a whole game is read.
const MOST: u32 = 500;

/// The maximum number of further columns per request.
const MOST_COLUMNS: usize = 64;

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
/// The game was changed or added since the last save.
const UNSAVED: u32 = 32;

/// Returns `{ rows: [[game, white, elo, black, elo, result, date, eco, event, moves, marks, fault,
/// hit, round, more]] }`, where `more` are the values of the `columns` of the request.
pub(crate) fn rows(base: &mut OpenDatabase, request: &Value) -> Result<Value> {
    let (from, count) = (request.number("from")?, request.number("count")?);
    let columns = columns_of(request)?;
    let last = from.saturating_add(count.min(MOST));
    let mut rows = Vec::new();
    for place in from..last {
        let Some(index) = base.game_at(place) else {
            break;
        };
        rows.push(row_with(base, index, &columns));
    }
    Ok(json!({ "from": from, "listed": base.listed(), "rows": rows }))
}

/// Returns the columns that a request names.
fn columns_of(request: &Value) -> Result<Vec<Column>> {
    let names = request.get("columns").and_then(Value::as_array);
    let names = names.into_iter().flatten().take(MOST_COLUMNS);
    names
        .map(|name| name.as_str().unwrap_or_default().parse::<Column>())
        .collect::<std::result::Result<_, String>>()
        .map_err(|error| Failure::new("request", error))
}

/// Returns one row, even for a game that cannot be read.
pub(crate) fn row(base: &mut OpenDatabase, index: u32) -> Value {
    row_with(base, index, &[])
}

fn row_with(base: &mut OpenDatabase, index: u32, columns: &[Column]) -> Value {
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
        // A name may be as long as its file, and a request has hundreds of rows.
        short(&game.white()),
        game.elo(Color::White),
        short(&game.black()),
        game.elo(Color::Black),
        result(game.result()),
        game.effective_date().to_string(),
        game.eco().map(|eco| eco.to_string()),
        short(&game.event()),
        game.plies().div_ceil(2),
        marks(&game)
            | if fault.is_some() { DAMAGED } else { 0 }
            | if base.is_unsaved(index) { UNSAVED } else { 0 },
        fault,
        hit,
        short(&game.round()),
        values(&game, base.name(), columns),
    ]);
    base.game = game;
    row
}

fn values(game: &Game, database: &str, columns: &[Column]) -> Vec<String> {
    let mut value = Vec::new();
    let texts = columns.iter().map(|column| {
        value.clear();
        column.append(database, game, &mut value);
        short(&String::from_utf8_lossy(&value))
    });
    texts.collect()
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

/// Shortens a name to the length that a row needs. An unknown name becomes empty.
pub(crate) fn short(name: &str) -> String {
    let name = name.trim();
    match name {
        "?" => String::new(),
        _ => name.chars().take(200).collect(),
    }
}
