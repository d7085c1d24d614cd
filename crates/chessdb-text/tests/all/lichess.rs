//! Games as JSON, against the PGN of the same games.

use chessdb_core::Game;
use chessdb_text::NDJSON;

use crate::{read_one, sans};

fn tag(game: &Game, name: &str) -> String {
    game.tag(name)
        .map(|value| value.into_owned())
        .unwrap_or_default()
}

#[test]
fn the_result_follows_from_winner_and_status() {
    for (members, result, termination) in [
        ("\"winner\":\"white\",\"status\":\"mate\"", "1-0", "Normal"),
        (
            "\"winner\":\"black\",\"status\":\"outoftime\"",
            "0-1",
            "Time forfeit",
        ),
        ("\"status\":\"draw\"", "1/2-1/2", "Normal"),
        ("\"status\":\"stalemate\"", "1/2-1/2", "Normal"),
        ("\"status\":\"outoftime\"", "1/2-1/2", "Time forfeit"),
        ("\"status\":\"aborted\"", "*", "Abandoned"),
        ("\"status\":\"started\"", "*", "Unterminated"),
        ("\"status\":\"new\"", "*", ""),
    ] {
        let game = read_one(&NDJSON, &format!("{{\"moves\":\"e4\",{members}}}\n"));
        let found = (game.result().as_pgn(), tag(&game, "Termination"));
        assert_eq!(found, (result, termination.to_owned()), "{members}");
    }
}

#[test]
fn players_and_events_have_names() {
    for (members, event, white) in [
        (
            "\"players\":{\"white\":{\"user\":{\"name\":\"A\"}}}",
            "?",
            "A",
        ),
        (
            "\"players\":{\"white\":{\"aiLevel\":8}}",
            "?",
            "lichess AI level 8",
        ),
        (
            "\"rated\":true,\"speed\":\"blitz\"",
            "rated blitz game",
            "Anonymous",
        ),
        ("\"swissTour\":{\"name\":\"Open\"}", "Open", "Anonymous"),
        (
            "\"players\":{\"white\":{\"name\":\"Imported\"}}",
            "?",
            "Imported",
        ),
    ] {
        let game = read_one(&NDJSON, &format!("{{\"moves\":\"e4\",{members}}}\n"));
        assert_eq!(
            (tag(&game, "Event"), tag(&game, "White")),
            (event.into(), white.into())
        );
    }
}

#[test]
fn every_value_is_kept() {
    let text = "{\"id\":\"x\",\"moves\":\"e4\",\"new_key\":{\"a\":[1,{\"b\":2}],\"c\":\"d\"},\"none\":null}\n";
    let game = read_one(&NDJSON, text);
    assert_eq!(tag(&game, "LichessNewKeyA"), "[1,{\"b\":2}]");
    assert_eq!(tag(&game, "LichessNewKeyC"), "d");
    assert_eq!(tag(&game, "GameId"), "x");
}

#[test]
fn objects_may_have_any_layout() {
    let line = "{\"id\":\"x\",\"moves\":\"e4 e5 Nf3\"}";
    let pretty = line
        .replace(',', ",\n  ")
        .replace('{', "{\n  ")
        .replace('}', "\n}");
    for text in [
        line.to_owned(),
        format!("\u{FEFF}{line}\r\n"),
        format!("[{line}]"),
        format!("[\n{line}\n]\n"),
        pretty.clone(),
        format!("[\n{pretty}\n]\n"),
    ] {
        let game = read_one(&NDJSON, &text);
        assert_eq!(
            (sans(&game), tag(&game, "GameId")),
            ("e4 e5 Nf3".into(), "x".into()),
            "{text}"
        );
        let two = match text.strip_suffix("]\n").or_else(|| text.strip_suffix(']')) {
            Some(start) => format!("{start},{}", text.trim_start_matches('[')),
            None => format!("{text}\n{}", text.trim_start_matches('\u{FEFF}')),
        };
        assert_eq!(crate::read(&NDJSON, two.clone()).len(), 2, "{two}");
    }
}
