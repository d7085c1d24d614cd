//! Several games in one answer, for programs that read a database game by game.

use std::fmt::{Display, Write};

use chessdb::core::rules::san;
use chessdb::core::{Board, PackedMove, Severity};
use chessdb::{Database, Game, Problem};
use serde_json::{Value, json};

use crate::failure::{RequestFields, Result};
use crate::tokens::{fen, fen_after, result, tokens};

/// The maximum number of tokens of a game. No game that was actually played has so many.
const MOST_TOKENS: usize = 1 << 20;

/// The number of bytes after which an answer ends.
const ENOUGH_BYTES: usize = 1 << 19;

/// The maximum number of games in an answer.
const MOST_GAMES: usize = 1 << 10;

/// Returns `{ games: [{ game, tags, result, start, isSetup, tokens, problems }] }` for the indices
/// in the member `games` of the request, or for `count` games from `from`. An answer may contain
/// fewer games than requested; it contains at least one if the first one exists.
///
/// `tokens` is as in the answer to `game`, but successive moves are one token: `["m",
/// "e4,e2e4|e5,e7e5"]`, for each move its SAN and UCI, and the FEN of the position after it if the
/// request has `positions`. An array per move takes twice as long. `problems` lists what was found
/// while reading the game: `{ severity, code, detail, text, ply }`. If the moves cannot be read, the
/// last problem has the severity `error`, and `tokens` is empty.
pub(crate) fn games(db: &Database, game: &mut Game, request: &Value) -> Result<Value> {
    let len = db.len()?;
    let mut games = Vec::new();
    let mut bytes = 0;
    for index in indices(request)?.into_iter().take(MOST_GAMES) {
        // At least one game, however large; the caller asks for the rest.
        if bytes >= ENOUGH_BYTES || index >= len {
            break;
        }
        let (value, size) = one(db, index, request.flag("positions"), game)?;
        bytes += size;
        games.push(value);
    }
    Ok(json!({ "games": games }))
}

/// Returns the indices of the requested games.
fn indices(request: &Value) -> Result<Vec<u32>> {
    if let Some(listed) = request.numbers("games")? {
        return Ok(listed);
    }
    let (from, count) = (request.number("from")?, request.number("count")?);
    let count = count.min(MOST_GAMES as u32);
    Ok((from..from.saturating_add(count)).collect())
}

/// Returns a game, and approximately the number of its bytes.
fn one(db: &Database, index: u32, with_positions: bool, game: &mut Game) -> Result<(Value, usize)> {
    let error = match db.game_into(index, game) {
        Ok(()) => None,
        Err(error) if error.game().is_some() => {
            // The header may be intact.
            db.header_into(index, game)?;
            Some(error)
        }
        Err(error) => return Err(error.into()),
    };
    let mut problems: Vec<Value> = game
        .diagnostics()
        .iter()
        .map(|diagnostic| {
            json!({
                "severity": diagnostic.severity.to_string(),
                "code": diagnostic.kind.code(),
                "detail": diagnostic.kind.detail(),
                "text": diagnostic.kind.to_string(),
                "ply": diagnostic.at.ply,
            })
        })
        .collect();
    let (tokens, is_cut) = match error {
        None => tokens(game, MOST_TOKENS, |tokens, board, mv, uci| {
            add_move(tokens, board, mv, uci, with_positions);
        })?,
        Some(_) => (Vec::new(), false),
    };
    if is_cut {
        let text = format!("only the first {MOST_TOKENS} parts of the game are here");
        problems.push(
            json!({ "severity": Severity::Lost.to_string(), "code": "limit",
            "detail": "", "text": text, "ply": null }),
        );
    }
    if let Some(error) = error {
        let (code, detail) = match error.problem() {
            Problem::Format(inner) => (inner.kind().code(), inner.kind().detail()),
            _ => ("other", ""),
        };
        problems.push(json!({ "severity": "error", "code": code, "detail": detail,
            "text": error.to_string(), "ply": error.ply() }));
    }
    let tags: Vec<Value> = game
        .tags()
        .map(|(name, value)| json!([name, value]))
        .collect();
    let setup = game.start();
    let size = tokens.iter().map(size).sum::<usize>() + 64 * tags.len();
    let value = json!({
        "game": index,
        "tags": tags,
        "result": result(game.result()),
        "start": fen(&setup.board),
        "isSetup": !setup.is_standard(),
        "tokens": tokens,
        "problems": problems,
    });
    Ok((value, size))
}

/// Adds a move to the last token if that has moves, and otherwise to a new one.
fn add_move(
    tokens: &mut Vec<Value>,
    board: &Board,
    mv: PackedMove,
    uci: &dyn Display,
    with_position: bool,
) {
    let has_moves = tokens
        .last()
        .is_some_and(|token| token.get(0) == Some(&"m".into()));
    if !has_moves {
        tokens.push(json!(["m", ""]));
    }
    let Some(Value::String(moves)) = tokens.last_mut().and_then(|token| token.get_mut(1)) else {
        return;
    };
    if !moves.is_empty() {
        moves.push('|');
    }
    moves.push_str(&san(board, mv));
    // Writing to a string cannot fail.
    let _ = write!(moves, ",{uci}");
    if with_position {
        let _ = write!(moves, ",{}", fen_after(board, mv));
    }
}

/// Returns approximately how many bytes a token has as JSON.
fn size(token: &Value) -> usize {
    let text = token.get(1).and_then(Value::as_str);
    16 + text.map_or(0, str::len)
}
