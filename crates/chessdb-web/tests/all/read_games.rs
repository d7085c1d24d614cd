//! The request `games`, and searches whose result is a list of indices.

use serde_json::{Value, json};

use crate::test_session::TestSession;

const GAME: &str = "[White \"a\"]\n[Result \"1-0\"]\n\n1. e4 {x} (1. d4 d5) 1... e5 $1 1-0\n\n";

fn games(session: &mut TestSession, request: Value) -> Vec<Value> {
    let answer = session.ask(request);
    answer["games"]
        .as_array()
        .unwrap_or_else(|| panic!("{answer}"))
        .clone()
}

#[test]
fn several_games_come_in_one_answer() {
    let mut session = TestSession::of_pgn(&GAME.repeat(3));
    let read = games(
        &mut session,
        json!({ "op": "games", "from": 1, "count": 9 }),
    );
    let indices: Vec<_> = read
        .iter()
        .map(|game| game["game"].as_u64().unwrap())
        .collect();
    assert_eq!(indices, [1, 2]);
    let game = &read[0];
    assert_eq!(game["result"], "1-0");
    assert_eq!(game["isSetup"], false);
    assert_eq!(game["problems"], json!([]));
    assert!(
        game["tags"]
            .as_array()
            .unwrap()
            .contains(&json!(["White", "a"]))
    );
    assert_eq!(
        game["tokens"],
        json!([
            ["m", "e4,e2e4"],
            ["c", "x", false],
            ["o"],
            ["m", "d4,d2d4|d5,d7d5"],
            ["x"],
            ["m", "e5,e7e5"],
            ["n", 1]
        ])
    );
    let chosen = json!({ "op": "games", "games": [2, 0], "positions": true });
    let read = games(&mut session, chosen);
    assert_eq!((&read[0]["game"], &read[1]["game"]), (&json!(2), &json!(0)));
    let fen = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1";
    assert_eq!(read[0]["tokens"][0], json!(["m", format!("e4,e2e4,{fen}")]));
}

#[test]
fn long_answers_are_divided() {
    let mut session = TestSession::of_pgn(&GAME.repeat(10_000));
    let (mut next, mut answers) = (0, 0);
    while next < 10_000 {
        let read = games(
            &mut session,
            json!({ "op": "games", "from": next, "count": 10_000 }),
        );
        assert!(!read.is_empty() && read.len() < 10_000);
        for game in read {
            assert_eq!(game["game"], next);
            next += 1;
        }
        answers += 1;
    }
    assert!(answers > 5);
}

#[test]
fn bad_requests_are_refused() {
    let mut session = TestSession::of_pgn(GAME);
    for request in [
        json!({ "op": "games" }),
        json!({ "op": "games", "games": ["x"] }),
        json!({ "op": "games", "games": [-1] }),
    ] {
        assert_eq!(session.ask(request)["error"]["code"], "request");
    }
    assert!(games(&mut session, json!({ "op": "games", "games": [7] })).is_empty());
    assert!(games(&mut session, json!({ "op": "games", "games": 3 })).is_empty());
}

#[test]
fn a_damaged_game_has_its_problems() {
    let mut session = TestSession::of_pgn("[White \"a\"]\n\n1. e4 e5 2. Ke5 *\n");
    let read = games(
        &mut session,
        json!({ "op": "games", "from": 0, "count": 1 }),
    );
    let problems = read[0]["problems"].as_array().unwrap();
    assert!(
        problems.iter().any(|problem| problem["severity"] == "lost"),
        "{problems:?}"
    );
    let moves = read[0]["tokens"][0][1].as_str().unwrap();
    assert!(moves.starts_with("e4,e2e4|e5,e7e5"), "{moves}");
}

#[test]
fn a_search_can_answer_with_indices() {
    let text = GAME.to_owned() + &GAME.replace("\"a\"", "\"b\"") + GAME;
    let mut session = TestSession::of_pgn(&text);
    let search = json!({ "task": "filter", "query": "white:a", "indices": true });
    let found = session.task(search, 1);
    assert_eq!(found, json!({ "games": [0, 2], "plies": [null, null] }));
    let search = json!({ "task": "filter", "query": "line:\"1.e4 e5\"", "indices": true });
    let found = session.task(search, 2);
    assert_eq!(found, json!({ "games": [0, 1, 2], "plies": [2, 2, 2] }));
    // The list is unchanged.
    let rows = session.ask(json!({ "op": "rows", "from": 0, "count": 9 }));
    assert_eq!(rows["listed"], 3);
}
