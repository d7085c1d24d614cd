//! The request `change`, and requests about chosen games, which programs use.

use serde_json::{Value, json};

use crate::test_session::TestSession;

const GAMES: &str = "[White \"Tal\"]\n[Annotator \"x\"]\n\n1. e4 e5 2. Nf3 *\n\n\
    [White \"Botvinnik\"]\n\n1. d4 d5 *\n\n\
    [White \"Petrosian\"]\n\n1. c4 Ke4 *\n";

fn change(session: &mut TestSession, edits: Value) -> Value {
    session.ask(json!({ "op": "change", "edits": edits }))
}

fn pgn(session: &mut TestSession, game: u32) -> String {
    let answer = session.ask(json!({ "op": "pgn", "game": game }));
    answer["text"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn several_edits_are_one_step() {
    let mut session = TestSession::of_pgn(GAMES);
    let old: Vec<String> = (0..4).map(|game| pgn(&mut session, game)).collect();
    let edits = json!([
        [
            "tags",
            0,
            [
                ["White", "Tal, Mihail"],
                ["Annotator", null],
                ["Black", null]
            ]
        ],
        ["flags", 0, "brilliancy,deleted", ""],
        ["replace", 1, "[White \"Keres\"]\n\n1. Nf3 *"],
        ["tags", 2, [["Round", "3"]]],
        ["append", "1. g3 Ke5 *\n\n1. a3 *"],
        ["append-one", "1. b3 *"],
    ]);
    let answer = change(&mut session, edits);
    assert_eq!(answer["changed"], 3, "{answer}");
    assert_eq!(answer["added"], 3);
    assert_eq!(answer["edits"]["games"], 6);
    let found = answer["found"].as_array().unwrap();
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0]["severity"], "lost");
    assert_eq!(found[0]["first"], json!([3]));
    let first = pgn(&mut session, 0);
    assert!(first.contains("[White \"Tal, Mihail\"]"), "{first}");
    assert!(first.contains("[ScidFlags \"D!\"]"), "{first}");
    assert!(!first.contains("Annotator"), "{first}");
    assert!(pgn(&mut session, 1).contains("[White \"Keres\"]"));
    assert!(pgn(&mut session, 2).contains("[Round \"3\"]"));
    assert!(pgn(&mut session, 5).contains("1. b3 *"));
    // What is missing in the source of an edited game stays known.
    let read = session.ask(json!({ "op": "games", "from": 2, "count": 1 }));
    assert_eq!(read["games"][0]["problems"][0]["severity"], "lost");
    session.ask(json!({ "op": "undo" }));
    for (game, old) in (0..).zip(old) {
        assert_eq!(pgn(&mut session, game), old);
    }
    session.ask(json!({ "op": "redo" }));
    assert_eq!(pgn(&mut session, 0), first);
}

#[test]
fn an_impossible_edit_prevents_all() {
    let impossible = [
        json!(["tags", 9, [["White", "x"]]]),
        json!(["tags", 0, [["Date", "never"]]]),
        json!(["tags", 0, [["FEN", "8/8/8/8/8/8/8/8 w - - 0 1"]]]),
        json!(["flags", 0, "unknown", ""]),
        json!(["replace", 0, "1. e4 Ke4 *"]),
        json!(["replace", 0, "1. e4 * 1. d4 *"]),
        json!(["replace", 0, ""]),
        json!(["append-one", "1. e4 e9 *"]),
        json!(["nonsense", 0]),
        json!([]),
        json!(7),
    ];
    for edit in impossible {
        let mut session = TestSession::of_pgn(GAMES);
        let old = pgn(&mut session, 1);
        let good = json!(["tags", 1, [["White", "changed"]]]);
        let answer = change(&mut session, json!([good, edit]));
        assert_eq!(answer["error"]["code"], "edit", "{edit}: {answer}");
        let text = answer["error"]["text"].as_str().unwrap();
        assert!(text.starts_with("edit 2: "), "{text}");
        assert_eq!(pgn(&mut session, 1), old, "{edit}");
        let undone = session.ask(json!({ "op": "undo" }));
        assert_eq!(undone["same"], true, "{edit}");
    }
}

#[test]
fn chosen_games_are_saved_in_their_order() {
    let mut session = TestSession::of_pgn(GAMES);
    change(
        &mut session,
        json!([["tags", 0, [["Round", "1"]]], ["tags", 1, [["Round", "2"]]]]),
    );
    let (answer, files) = session.save(json!({ "format": "pgn", "games": [2, 0] }));
    assert_eq!(answer["games"], 2, "{answer}");
    // Only the games that were written count as saved.
    assert_eq!(answer["settled"], json!([[0, 0]]));
    let text = String::from_utf8(files.files[0].1.clone()).unwrap();
    let whites: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with("[White "))
        .collect();
    assert_eq!(whites, ["[White \"Petrosian\"]", "[White \"Tal\"]"]);
    let (wrong, _) = session.save(json!({ "format": "pgn", "games": ["x"] }));
    assert_eq!(wrong["error"]["code"], "request");
}

#[test]
fn tree_of_chosen_games_counts_no_others() {
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let mut session = TestSession::of_pgn(GAMES);
    // The second run uses what the first one has learned of all games.
    for _ in 0..2 {
        for (games, moves) in [(json!([0, 2]), vec!["c4", "e4"]), (json!([]), vec![])] {
            let tree = session.task(json!({ "task": "tree", "fen": start, "games": games }), 1);
            let mut sans: Vec<&str> = tree["moves"]
                .as_array()
                .unwrap()
                .iter()
                .map(|line| line["san"].as_str().unwrap())
                .collect();
            sans.sort_unstable();
            assert_eq!(sans, moves);
            assert_eq!(tree["reached"], moves.len());
        }
        let all = session.task(json!({ "task": "tree", "fen": start }), 1);
        assert_eq!(all["reached"], 3);
    }
}

#[test]
fn missing_files_of_a_database_are_listed() {
    for (name, missing) in [
        ("a.si4", json!(["sg4", "sn4"])),
        ("a.sn4", json!(["si4", "sg4"])),
        ("A.D00", json!(["a02", "d02"])),
        ("a.pgn", json!([])),
    ] {
        let mut session = TestSession::default();
        session.add(name, b"bytes".to_vec());
        let bases = session.ask(json!({ "op": "bases" }));
        assert_eq!(bases["bases"][0]["missing"], missing, "{bases}");
    }
}
