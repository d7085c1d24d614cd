//! Tests of what the page states about names and losses.

use serde_json::{Value, json};

use crate::test_session::TestSession;

#[test]
fn a_game_that_loses_two_kinds_counts_once_in_their_column() {
    let text = "[White \"A\"]\n\n1. e4 {one} (1. d4 {two}) e5 *\n\n\
                [White \"B\"]\n\n1. e4 {one} e5 $200 {two} *\n\n\
                [White \"C\"]\n\n1. e4 e5 *\n\n";
    for format in ["cbf", "si3", "ca", "dcx", "si4", "pgn"] {
        let mut session = TestSession::of_pgn(text);
        let report = session.task(json!({ "task": "losses", "format": format }), 2);
        let columns = report["columns"].as_object().unwrap();
        let lossy = report["lossy"].as_u64().unwrap();
        // Each game on its own has the same kinds.
        let mut sums = serde_json::Map::new();
        for game in 0..3 {
            let request =
                json!({ "task": "losses", "format": format, "scope": "game", "game": game });
            let one = session.task(request, 1);
            for (column, games) in one["columns"].as_object().unwrap() {
                assert!(games.as_u64() <= Some(1), "{format}, game {game}: {column}");
                let sum = sums.get(column).and_then(Value::as_u64).unwrap_or(0);
                sums.insert(column.clone(), (sum + games.as_u64().unwrap()).into());
            }
        }
        assert_eq!(*columns, sums, "{format}");
        assert!(
            columns.values().all(|games| games.as_u64() <= Some(lossy)),
            "{format}"
        );
    }
}

#[test]
fn abbreviated_names_list_the_names_found() {
    let names = ["Birch,N", "Birch, Nils", "Birch, Nora", "Cedar, N"];
    let games = names.map(|name| format!("[White \"{name}\"]\n\n1. e4 *\n\n"));
    let mut session = TestSession::of_pgn(&games.concat());
    let task = json!({ "task": "filter", "query": "player:\"Birch,N\"" });
    let answer = session.task(task, 2);
    let spellings = answer["spellings"].as_array().unwrap();
    assert_eq!(
        (spellings.len(), &answer["found"]),
        (1, &json!(3)),
        "{answer}"
    );
    for name in spellings[0]["names"].as_array().unwrap() {
        let task = json!({ "task": "filter", "query": name[2], "count": true });
        assert_eq!(session.task(task, 2)["found"], name[1], "{name}");
    }
    let answer = session.task(json!({ "task": "filter", "query": "Cedar" }), 2);
    assert_eq!(answer["spellings"], json!([]));
}

#[test]
fn similar_names_are_found_for_few_games() {
    let names = ["Kasparov, Garry", "Kasparov, Gary", "Kasparov, Gary"];
    let games = names.map(|name| format!("[White \"{name}\"]\n\n1. e4 *\n\n"));
    let mut session = TestSession::of_pgn(&games.concat());
    let query = "\"Kasparov, Garry\"";
    let near = |answer: Value| -> Vec<Value> {
        let proposals = answer.as_array().unwrap().iter();
        proposals
            .filter(|one| one["kind"] == "spelling")
            .map(|one| one["text"].clone())
            .collect()
    };
    let plain = session.task(json!({ "task": "advice", "query": query }), 2);
    assert_eq!(near(plain), [] as [Value; 0]);
    let rare = session.task(json!({ "task": "advice", "query": query, "rare": true }), 2);
    assert_eq!(near(rare), ["Kasparov, Gary"]);
}

#[test]
fn preview_of_encodings_tells_no_names_from_plain_ones() {
    for (name, has_names) in [("?", false), ("", false), ("-", false), ("Tal", true)] {
        let game = format!("[White \"{name}\"]\n[Event \"?\"]\n\n1. e4 *\n");
        let preview = TestSession::of_pgn(&game).ask(json!({ "op": "encodings" }));
        assert_eq!(
            (&preview["hasNames"], &preview["judged"]),
            (&json!(has_names), &json!(0)),
            "{name}"
        );
    }
}
