//! Adding games: pasted PGN, and new games from a position.

use std::sync::Arc;

use chessdb::Database;
use chessdb::core::{Board, Color, Game, Setup};
use serde_json::{Value, json};

use super::{make, state};
use crate::failure::{Failure, RequestFields, Result};
use crate::page::edit_history::{GameChange, Step};
use crate::page::open_database::OpenDatabase;

/// The maximum number of bytes of a text.
pub(super) const MOST_TEXT: usize = 32 << 20;

/// Adds the games of the PGN in `text`, or a new game from the FEN in `text`, or from the standard
/// start position if it is empty. With `join` they are undone together with the step before.
pub(super) fn add(base: &mut OpenDatabase, request: &Value) -> Result<Value> {
    let text = request.text("text").trim();
    if text.len() > MOST_TEXT {
        let what = "the text exceeds 32 MiB; save it as a file and open that";
        return Err(Failure::new("full", what));
    }
    let (games, damaged) = if looks_like_fen(text) || text.is_empty() {
        (vec![new_game(text)?], 0)
    } else {
        pasted(text)?
    };
    let first = base.len();
    let numbers = first..;
    let changes = games
        .into_iter()
        .zip(numbers)
        .map(|(game, index)| GameChange {
            index,
            before: None,
            after: Some(Arc::new(game)),
        });
    let games: Vec<GameChange> = changes.collect();
    let added = games.len();
    let step = Step {
        games,
        half_moves: [0, 0],
        keeps_order: false,
    };
    let sort = make(base, step)?;
    if request.flag("join") {
        base.edits.join_last();
    }
    Ok(json!({
        "game": first, "node": 0, "added": added, "damaged": damaged, "sort": sort,
        "edits": state(base),
    }))
}

/// Returns whether the first word has the form of the pieces in a FEN.
fn looks_like_fen(text: &str) -> bool {
    let first = text.split_whitespace().next().unwrap_or_default();
    // `~` marks a promoted piece.
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'/' || byte == b'~';
    first.matches('/').count() == 7 && first.bytes().all(is_part)
}

fn new_game(fen: &str) -> Result<Game> {
    if fen.is_empty() {
        return Ok(Game::default());
    }
    let failed = |text: String| Failure::new("fen", text);
    let setup = fen.parse::<Setup>();
    let setup = setup.map_err(|fault| failed(fault.to_string()))?;
    // The board of the page cannot make moves without kings.
    if !has_kings(&setup.board) {
        return Err(failed("each side needs one king".to_owned()));
    }
    if setup.is_standard() {
        return Ok(Game::default());
    }
    let game = Game::builder().fen(fen);
    Ok(game.map_err(|error| failed(error.to_string()))?.build())
}

fn has_kings(board: &Board) -> bool {
    Color::ALL.iter().all(|&color| board.king(color).is_some())
}

/// Reads PGN. Returns the games and the number of damaged ones.
fn pasted(text: &str) -> Result<(Vec<Game>, u32)> {
    let options = Database::options().encoding("UTF-8");
    let db = options.open_files([("pasted.pgn", text.as_bytes().to_vec())])?;
    let (mut games, mut damaged) = (Vec::new(), 0);
    for game in db.games() {
        let game = game?;
        damaged += u32::from(game.is_damaged());
        // Prose is read as one damaged game without moves.
        let is_empty = game.moves.is_empty() && game.header.tags.is_empty();
        if !is_empty || !game.is_damaged() {
            games.push(game.into_model());
        }
    }
    // The seven tags of the roster are there even if the text has none.
    let has_content = |game: &Game| game.plies() > 0 || game.tags().count() > 7;
    let is_titled = text.starts_with('[');
    if !games.iter().any(has_content) && !is_titled {
        return Err(Failure::new(
            "paste",
            "the text contains neither games nor a FEN",
        ));
    }
    Ok((games, damaged))
}
