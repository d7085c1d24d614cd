//! Text files with a game in each line, and their map.

use chessdb::Format;
use chessdb::core::{Game, MemorySet};
use chessdb::pgn::{GameText, Layout};

use super::map::{Map, printed};

/// The formats with a game in each line. What they are written as (tables and positions) holds less
/// than a game.
pub(crate) const TEXT_LINES: [&str; 4] = ["csv", "ndjson", "epd", "fen"];

/// Makes a file of these games; `None` for other formats. The writers of tables are not in every
/// build, and positions are written without the other moves of their game.
pub(super) fn made(format: &Format, games: &[Game]) -> Option<MemorySet> {
    let line: fn(&Game) -> String = match format.id {
        "csv" => |game| {
            let quoted = |text: String| format!("\"{}\"", text.replace('"', "\"\""));
            cells(game).map(|(_, text)| quoted(text)).join(",")
        },
        "ndjson" => |game| {
            let quoted = |text: String| text.replace('\\', "\\\\").replace('"', "\\\"");
            let pair = |(name, text)| format!("\"{name}\":\"{}\"", quoted(text));
            format!("{{{}}}", cells(game).map(pair).join(","))
        },
        "epd" => |game| {
            let start = game.start().to_string();
            let position: Vec<_> = start.split(' ').take(4).collect();
            format!("{} pv {};", position.join(" "), game.sans().join(" "))
        },
        "fen" => |game| {
            format!(
                "{}|{}|{}",
                game.start(),
                name(&game.white()),
                movetext(game)
            )
        },
        _ => return None,
    };
    let mut text = match format.id {
        "csv" => cells(&Game::new()).map(|(name, _)| name).join(",") + "\n",
        _ => String::new(),
    };
    for game in games {
        text += &line(game);
        text.push('\n');
    }
    Some([(format.roles[0], text.into_bytes())].into_iter().collect())
}

/// Returns the columns of a table, with their values for a game.
fn cells(game: &Game) -> [(&'static str, String); 5] {
    [
        ("White", name(&game.white())),
        ("Black", name(&game.black())),
        ("Result", game.header.outcome.as_pgn().to_owned()),
        ("FEN", game.start().to_string()),
        ("movetext", movetext(game)),
    ]
}

fn name(name: &str) -> String {
    name.replace(|c: char| c.is_control() || c == '|', " ")
}

fn movetext(game: &Game) -> String {
    let mut text = Vec::new();
    GameText::new(Layout::with_width(0)).append_moves(game, &mut text);
    String::from_utf8(text).unwrap().replace(['\n', '|'], " ")
}

/// Maps a file as its format prints it. The line break before a game belongs to it as well: without
/// the break, the game is the rest of the line before.
pub(super) fn of(format: &Format, set: &MemorySet) -> Map {
    let mut map = printed(format, set);
    for (_, range) in map.own.iter_mut().flatten() {
        range.start = range.start.saturating_sub(1);
    }
    map
}
