//! The header of a game.

use std::fmt::Write as _;

use chessdb_core::{Color, Date, Game};

use crate::diagrams::Diagrams;
use crate::moves;
use crate::page::escaped;

/// The parts of the header of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum GameHeading {
    /// Everything, on a page of games from anywhere.
    Complete,
    /// Without the event, its place and the round, which the headings of a bulletin have.
    OfRound,
}

/// Returns the players, and the result if it is known, in HTML.
pub(crate) fn title_of(game: &Game) -> String {
    let result = game.result().as_pgn();
    let result = if result == "*" { String::new() } else { format!(" <b>{result}</b>") };
    let players = format!(
        "{} – {}",
        player(game, Color::White),
        player(game, Color::Black)
    );
    players + &result
}

fn player(game: &Game, color: Color) -> String {
    let name = match color {
        Color::White => game.white(),
        Color::Black => game.black(),
    };
    let title = game.title(color).map(|title| escaped(&title));
    let rating = game.rating(color).map(|rating| rating.value.to_string());
    let details: Vec<String> = title.into_iter().chain(rating).collect();
    let name = escaped(&name);
    if details.is_empty() {
        return name;
    }
    format!("{name} <small>({})</small>", details.join(" "))
}

/// Appends everything between the tags of the article of a game, except its PGN.
pub(crate) fn push_game(
    game: &Game,
    heading: GameHeading,
    diagrams: &Diagrams,
    title: &str,
    out: &mut String,
) {
    let is_complete = heading == GameHeading::Complete;
    let level = if is_complete { "h2" } else { "h3" };
    // Writing to a string cannot fail.
    let _ = write!(out, "<header><{level}>{title}</{level}>");
    let mut facts: Vec<String> = Vec::new();
    let mut add = |text: &str| {
        let text = text.trim();
        if !matches!(text, "" | "?" | "-") {
            facts.push(escaped(text));
        }
    };
    if is_complete {
        add(&game.event());
        add(&game.site());
        let round = game.round();
        if !matches!(&*round, "" | "?" | "-") {
            add(&format!("round {round}"));
        }
    }
    add(&date(game.effective_date()));
    let opening = game.tag("Opening").unwrap_or_default();
    let code = game.eco().map_or(String::new(), |eco| eco.to_string());
    add(&format!("{code} {opening}"));
    if let Some(annotator) = game.annotator() {
        add(&format!("annotated by {annotator}"));
    }
    let _ = writeln!(out, "<p>{}</p></header>", facts.join(" · "));
    moves::push_moves(game, diagrams, out);
}

/// Returns the known parts of a date: `1972-07-11`, `1972-07`, `1972` or nothing.
fn date(date: Date) -> String {
    let Date { year, month, day } = date;
    match (year, month, day) {
        (0, ..) => String::new(),
        (_, 0, _) => format!("{year}"),
        (.., 0) => format!("{year}-{month:02}"),
        _ => format!("{year}-{month:02}-{day:02}"),
    }
}
