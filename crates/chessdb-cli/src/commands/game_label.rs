//! A game named on one line or as JSON.

use std::path::Path;

use chessdb::core::Board;
use chessdb::formats::shown;
use chessdb::query::stats::GameLabel;
use chessdb::{Database, Game};

use crate::json::{Json, list, object};
use crate::output::plain;

/// Returns the label of a game of a database; a pipe is called `-`.
pub(super) fn new(db: &Database, game: &Game) -> GameLabel {
    let base = db.path().map(|path| path.display().to_string());
    GameLabel::new(game, base.as_deref().unwrap_or("-"), game.number())
}

/// Returns a move with its number: `1.e4`, `1...c5`.
pub(super) fn numbered(board: &Board, san: &str) -> String {
    let dots = board.turn().pick(".", "...");
    format!("{}{dots}{san}", board.fullmove_number())
}

/// Returns a rating with parentheses after a blank; empty if unknown.
fn rated(rating: Option<u16>) -> String {
    rating.map_or(String::new(), |rating| format!(" ({rating})"))
}

/// Returns the players with their ratings, the result, the event and the date.
pub(super) fn text(game: &GameLabel) -> String {
    let [white, black] = &game.players;
    let [of_white, of_black] = game.ratings.map(rated);
    let mut text = format!(
        "{white}{of_white} – {black}{of_black} {}",
        game.result.as_pgn()
    );
    // PGN writes `?` for an unknown value.
    if !matches!(game.event.trim(), "" | "?") {
        text += &format!(", {}", game.event);
    }
    // A date that is known in part is shown without its unknown parts.
    if !game.date.is_unknown() {
        text += &format!(", {}", game.date.to_string().replace(".??", ""));
    }
    plain(&text)
}

/// Returns the number of a game and its database.
pub(super) fn place(game: &GameLabel) -> String {
    format!("game {} of {}", game.number, shown(Path::new(&game.base)))
}

/// Returns a game as `ls` describes it, with its database.
pub(super) fn json(game: &GameLabel) -> Json {
    let [white, black] = &game.players;
    let [of_white, of_black] = game.ratings;
    object! {
        "base": game.base.as_str(), "game": game.number, "date": game.date.to_string(),
        "white": white.as_str(), "whiteElo": of_white, "black": black.as_str(),
        "blackElo": of_black, "result": game.result.as_pgn(), "event": game.event.as_str(),
    }
}

/// Returns several games.
pub(super) fn json_list(games: &[GameLabel]) -> Json {
    list(games.iter().map(json))
}
