//! Genuine files: every game is read, and games equal the PGN of the same games.

use chessdb_core::{Format, Game, ReadOptions, Severity};
use chessdb_pgn::PGN;
use chessdb_testkit::{fixtures, identity, readings};
use chessdb_text::{CSV, EPD, NDJSON};
use serde_json::Value;

use crate::{read, set};

fn sample(path: &str) -> Option<Vec<u8>> {
    Some(fixtures::read(
        fixtures::testdata("fixtures-real/other")?.join(path),
    ))
}

/// Reads a genuine file, in which nothing is lost or repaired.
fn clean(format: &Format, path: &str) -> Option<Vec<Game>> {
    let bytes = sample(path)?;
    let set = set(format, bytes.clone());
    assert_eq!(
        (format.probe)(&set),
        chessdb_core::format::Score::Certain,
        "{path}"
    );
    readings::check(format, &set, &ReadOptions::default());
    let games = read(format, bytes).into_iter().map(|read| {
        let (game, found) = read.unwrap();
        assert!(
            found.iter().all(|found| found.severity == Severity::Note),
            "{path}: {found:?}"
        );
        game
    });
    Some(games.collect())
}

#[test]
fn puzzles_have_legal_moves_that_mate_where_they_say_so() {
    let mut mates = 0;
    for (path, count, columns) in [
        ("lichess-puzzles/darlinx-lichess_db_puzzle.csv", 1499, 11),
        ("lichess-puzzles/eguneys-9columns.csv", 39, 9),
    ] {
        let Some(games) = clean(&CSV, path) else {
            return;
        };
        assert_eq!(games.len(), count, "{path}");
        for game in &games {
            assert!(
                game.plies() > 0 && game.plies().is_multiple_of(2),
                "{}",
                identity::line(game)
            );
            let url = game.tag("GameUrl").unwrap();
            assert!(url.starts_with(&*game.tag("Site").unwrap()), "{url}");
            let is_mate = game
                .tag("Themes")
                .is_some_and(|themes| themes.split(' ').any(|word| word == "mate"));
            let last = game.sans().into_iter().last().unwrap();
            assert!(!is_mate || last.ends_with('#'), "{}", identity::line(game));
            mates += usize::from(is_mate);
        }
        assert_eq!(
            games.iter().any(|game| game.tag("OpeningTags").is_some()),
            columns == 11
        );
    }
    assert_eq!(mates, 917);
}

#[test]
fn suites_have_positions_with_all_operations() {
    let Some(games) = clean(&EPD, "epd/40H-Openings.epd") else {
        return;
    };
    assert_eq!(games.len(), 5564);
    assert!(
        games
            .iter()
            .all(|game| game.plies() == 0 && !game.header.start.is_standard())
    );
    let games = clean(&EPD, "epd/arasan.epd").unwrap();
    assert_eq!(games.len(), 200);
    for game in &games {
        let id = game.tag("id").unwrap();
        assert!(id.starts_with("arasan20.") && game.tag("Event").as_deref() == Some(&*id));
        assert!(game.tag("bm").is_some() || game.tag("am").is_some(), "{id}");
    }
    let of = |tag: &str| {
        let tags = games.iter().flat_map(Game::tags);
        tags.filter(|(name, _)| name == tag).count()
    };
    // One line has the operation id twice instead of c0.
    assert_eq!((of("id"), of("c0")), (201, 198));
}

/// Returns the content of an example of Lichess's API. The examples are YAML, in which a comma may
/// end a list.
fn example(name: &str) -> Option<String> {
    let text = String::from_utf8(sample(&format!("lichess-json/{name}.yaml"))?).unwrap();
    let body = text.split_once('\n').unwrap().1;
    let lines = body
        .lines()
        .map(|line| line.strip_prefix("  ").unwrap_or(line));
    let body = lines.collect::<Vec<_>>().join("\n");
    let mut out = String::new();
    for (at, c) in body.char_indices() {
        let rest = body[at + c.len_utf8()..].trim_start();
        if !(name.ends_with(".json") && c == ',' && rest.starts_with(['}', ']'])) {
            out.push(c);
        }
    }
    Some(out)
}

/// Removes what only PGN with the option `literate` contains: comments with the opening, the end of
/// the game, and both evaluations of a judgment.
fn without_literate_comments(pgn: &str) -> String {
    let mut out = String::new();
    let (tags, moves) = pgn.split_once("\n\n").unwrap();
    for part in moves.split_inclusive('}') {
        let (before, comment) = part.split_once("{ ").unwrap_or((part, ""));
        out.push_str(before);
        let is_literate = comment.contains("resigns")
            || comment.contains("is a draw")
            || comment.starts_with(|c: char| c.is_ascii_uppercase())
                && comment.as_bytes()[1].is_ascii_digit();
        if is_literate || comment.is_empty() {
            continue;
        }
        let comment = match comment.strip_prefix('(') {
            Some(rest) => rest.split_once(") ").unwrap().1,
            None => comment,
        };
        // The PGN reader keeps a number with one decimal as text, to write it so again.
        let decimals = comment.rsplit_once('.').map(|(_, end)| end.find(']'));
        let comment = match decimals {
            Some(Some(1)) => comment.replace(']', "0]"),
            _ => comment.to_owned(),
        };
        out.push_str(&format!("{{ {comment}"));
    }
    format!("{tags}\n\n{out}")
}

#[test]
fn json_and_pgn_of_a_game_are_equal() {
    for (json, pgn) in [
        ("games-apiGamesUserJson.json", "games-apiGamesUserPgn.pgn"),
        ("games-exportOneGame.json", "games-exportOneGame.pgn"),
        ("games-gamesExportIds.json", "games-gamesExportIds.pgn"),
    ] {
        let name = json;
        let (Some(json), Some(pgn)) = (example(json), example(pgn)) else {
            return;
        };
        let mut value: Value = serde_json::from_str(&json).unwrap();
        // PGN has the better line only with a judgment.
        for entry in value
            .get_mut("analysis")
            .and_then(Value::as_array_mut)
            .into_iter()
            .flatten()
        {
            if entry.get("judgment").is_none() {
                entry.as_object_mut().unwrap().remove("variation");
                entry.as_object_mut().unwrap().remove("best");
            }
        }
        let pgn = without_literate_comments(&pgn);
        let expected = crate::read_one(&PGN, &pgn);
        for json in [
            format!("{value}\n"),
            serde_json::to_string_pretty(&value).unwrap(),
        ] {
            let game = crate::read_one(&NDJSON, &json);
            // Lichess writes blanks within braces.
            let movetext = |game: &Game| identity::line(game).replace(' ', "");
            assert_eq!(movetext(&game), movetext(&expected), "{name}");
            for (tag, value) in expected.tags() {
                // The JSON has no berserk, and PGN names an annotator for every computer analysis.
                if !["Annotator", "WhiteBerserk", "Opening"].contains(&&*tag) {
                    assert_eq!(game.tag(&tag).as_deref(), Some(&*value), "{name} {tag}");
                }
            }
            let added = game
                .tags()
                .filter(|(tag, _)| !expected.tags().any(|(known, _)| known == *tag));
            let added: Vec<_> = added.map(|(tag, _)| tag.to_string()).collect();
            assert!(
                added
                    .iter()
                    .all(|tag| tag.starts_with("Lichess") || tag == "Opening"),
                "{added:?}"
            );
        }
    }
}
