//! Tests with difficult games.

use serde_json::json;

use crate::test_session::TestSession;

/// Returns the letters of the tokens of a game, in order.
fn letters(session: &mut TestSession, game: u32) -> String {
    let game = session.ask(json!({ "op": "game", "game": game }));
    let tokens = game["tokens"].as_array().unwrap();
    tokens
        .iter()
        .map(|token| token[0].as_str().unwrap())
        .collect()
}

#[test]
fn moves_carry_the_position_after_them() {
    let mut session = TestSession::of_pgn(
        "[White \"A\"]\n\n{first} 1. e4 $1 (1. d4 {solid} d5 (1... Nf6)) e5 {[%clk 0:01:00] [%eval 0.35]} {[%csl Gd4] [%cal Ge2e4]} 2. Nf3 1-0\n",
    );
    let game = session.ask(json!({ "op": "game", "game": 0 }));
    let tokens = game["tokens"].as_array().unwrap();
    let moves: Vec<_> = tokens.iter().filter(|token| token[0] == "m").collect();
    let sans: Vec<&str> = moves
        .iter()
        .map(|token| token[3].as_str().unwrap())
        .collect();
    assert_eq!(sans, ["e4", "d4", "d5", "Nf6", "e5", "Nf3"]);
    assert_eq!(
        moves[5][5],
        "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2"
    );
    assert_eq!(
        (&moves[1][1], &moves[1][2], &moves[1][4]),
        (&json!(1), &json!(false), &json!("d2d4"))
    );
    let kinds = letters(&mut session, 0);
    assert!(kinds.contains("omcmomxx"), "{kinds}");
    assert!(tokens.contains(&json!(["k", 60_000, false])), "{tokens:?}");
    assert!(tokens.contains(&json!(["e", 35, null, null])));
    assert!(tokens.contains(&json!(["s", [["G", "d4", null]]])));
    assert!(tokens.contains(&json!(["s", [["G", "e2", "e4"]]])));
}

#[test]
fn hostile_texts_arrive_as_they_are() {
    let name = "<img src=x onerror=alert(1)>\u{202e}\u{0007}";
    let mut session =
        TestSession::of_pgn(&format!("[White \"{name}\"]\n\n1. e4 {{</script><b>}} *\n"));
    let game = session.ask(json!({ "op": "game", "game": 0 }));
    assert_eq!(game["white"], name);
    let long = "x".repeat(1 << 20);
    let mut session = TestSession::of_pgn(&format!("[White \"{long}\"]\n\n1. e4 {{{long}}} *\n"));
    let rows = session.ask(json!({ "op": "rows", "from": 0, "count": 1 }));
    assert!(rows.to_string().len() < 2_000, "a row is short");
    assert!(letters(&mut session, 0).starts_with('m'));
}

#[test]
fn deep_and_long_games_end() {
    let deep = format!(
        "[White \"A\"]\n\n1. e4 {}{} *\n",
        "(1. d4 ".repeat(50_000),
        ")".repeat(50_000)
    );
    let mut session = TestSession::of_pgn(&deep);
    assert!(letters(&mut session, 0).starts_with('m'));
    let long = format!("[White \"A\"]\n\n{} *\n", "Nf3 Nf6 Ng1 Ng8 ".repeat(20_000));
    let mut session = TestSession::of_pgn(&long);
    let game = session.ask(json!({ "op": "game", "game": 0 }));
    assert!(game["tokens"].as_array().unwrap().len() <= 60_000);
}
