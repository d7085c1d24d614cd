//! Tests of edits: requests that change games, undo and redo, and what other requests then see.

use chessdb::Database;
use serde_json::{Value, json};

use crate::test_session::TestSession;

const GAMES: &str = "[White \"Tal\"]\n[Date \"1960.03.15\"]\n\n1. e4 e5 2. Nf3 *\n\n\
    [White \"Botvinnik\"]\n[Date \"1961.03.15\"]\n\n1. d4 d5 *\n\n\
    [White \"Petrosian\"]\n\n1. c4 *\n";

impl TestSession {
    fn edit(&mut self, game: u32, node: u32, change: &str, mut more: Value) -> Value {
        more["op"] = "edit".into();
        more["game"] = game.into();
        more["node"] = node.into();
        more["change"] = change.into();
        let answer = self.ask(more);
        assert!(answer["error"].is_null(), "{answer}");
        answer
    }

    fn movetext(&mut self, game: u32) -> String {
        let answer = self.ask(json!({ "op": "pgn", "game": game }));
        let text = answer["text"].as_str().unwrap().to_owned();
        text.rsplit_once("]\n\n")
            .unwrap()
            .1
            .trim()
            .replace('\n', " ")
    }

    fn whites(&mut self) -> Vec<String> {
        let rows = self.ask(json!({ "op": "rows", "from": 0, "count": 50 }));
        let rows = rows["rows"].as_array().unwrap().clone();
        rows.iter()
            .map(|row| row[1].as_str().unwrap().to_owned())
            .collect()
    }

    fn unsaved(&mut self) -> Vec<u32> {
        let rows = self.ask(json!({ "op": "rows", "from": 0, "count": 50 }));
        let rows = rows["rows"].as_array().unwrap().clone();
        rows.iter()
            .filter(|row| row[10].as_u64().unwrap() & 32 != 0)
            .map(|row| row[0].as_u64().unwrap() as u32)
            .collect()
    }
}

#[test]
fn moves_and_annotations_are_entered_and_undone() {
    let mut session = TestSession::of_pgn(GAMES);
    let mut texts = vec![session.movetext(0)];
    for (node, change, more, current, text) in [
        (
            3,
            "move",
            json!({ "text": "2... Nc6" }),
            4,
            "1. e4 e5 2. Nf3 Nc6 *",
        ),
        (
            1,
            "move",
            json!({ "text": "c7c5" }),
            3,
            "1. e4 e5 (1... c5) 2. Nf3 Nc6 *",
        ),
        (
            3,
            "annotate",
            json!({ "after": " the Sicilian ", "nags": [1, 14] }),
            3,
            "1. e4 e5 (1... c5 $1 $14 {the Sicilian}) 2. Nf3 Nc6 *",
        ),
        (
            3,
            "shapes",
            json!({ "shapes": [["G", "d2", "d4"], ["R", "c5", null]] }),
            3,
            "1. e4 e5 (1... c5 $1 $14 {[%csl Rc5] [%cal Gd2d4] the Sicilian}) 2. Nf3 Nc6 *",
        ),
        (
            3,
            "promote",
            json!({}),
            2,
            "1. e4 c5 $1 $14 {[%csl Rc5] [%cal Gd2d4] the Sicilian} (1... e5 2. Nf3 Nc6) *",
        ),
        (
            3,
            "delete-variation",
            json!({}),
            1,
            "1. e4 c5 $1 $14 {[%csl Rc5] [%cal Gd2d4] the Sicilian} *",
        ),
        (2, "delete", json!({}), 1, "1. e4 *"),
        (1, "move", json!({ "text": "--" }), 2, "1. e4 -- *"),
    ] {
        let answer = session.edit(0, node, change, more);
        assert_eq!(answer["node"], current, "{text}");
        let movetext = session.movetext(0);
        let is_same = movetext == text
            || movetext.replace("[%cal Gd2d4] [%csl Rc5]", "[%csl Rc5] [%cal Gd2d4]") == text;
        assert!(is_same, "{movetext} instead of {text}");
        texts.push(movetext);
    }
    // A known move is only gone to.
    let answer = session.edit(0, 0, "move", json!({ "text": "e4" }));
    assert_eq!(
        (&answer["node"], &answer["same"]),
        (&json!(1), &json!(true))
    );
    for text in texts.iter().rev().skip(1) {
        let answer = session.ask(json!({ "op": "undo" }));
        assert_eq!(answer["game"], 0);
        assert_eq!(session.movetext(0), *text);
    }
    assert_eq!(session.ask(json!({ "op": "undo" }))["same"], true);
    assert!(session.unsaved().is_empty());
    for text in &texts[1..] {
        let answer = session.ask(json!({ "op": "redo" }));
        assert_eq!(answer["edits"]["unsaved"], 1);
        assert_eq!(session.movetext(0), *text);
    }
    assert_eq!(session.ask(json!({ "op": "redo" }))["same"], true);
    // A new change forgets what was undone.
    session.ask(json!({ "op": "undo" }));
    session.edit(0, 1, "move", json!({ "text": "e6" }));
    assert_eq!(session.ask(json!({ "op": "redo" }))["same"], true);
    assert_eq!(session.movetext(0), "1. e4 e6 *");
}

#[test]
fn wrong_requests_change_nothing() {
    let mut session = TestSession::of_pgn(GAMES);
    for (request, code) in [
        (json!({ "change": "move", "text": "Ke2" }), "move"),
        (json!({ "change": "move", "text": "" }), "move"),
        (
            json!({ "change": "move", "text": "e4", "node": 99 }),
            "edit",
        ),
        (json!({ "change": "promote", "node": 1 }), "edit"),
        (json!({ "change": "delete" }), "edit"),
        (json!({ "change": "nothing" }), "request"),
        (
            json!({ "change": "shapes", "shapes": [["G", "z9", null]] }),
            "request",
        ),
        (json!({ "change": "tags", "flags": "DD" }), "request"),
        (
            json!({ "change": "tags", "tags": [["Date", "1999.13.01"]] }),
            "tag",
        ),
        (
            json!({ "change": "tags", "tags": [["Date", "1999.02.29"]] }),
            "tag",
        ),
        (
            json!({ "change": "tags", "tags": [["Date", "yesterday"]] }),
            "tag",
        ),
        (
            json!({ "change": "tags", "tags": [["EventDate", "99"]] }),
            "tag",
        ),
        (
            json!({ "change": "tags", "tags": [["Result", "won"]] }),
            "tag",
        ),
        (
            json!({ "change": "tags", "tags": [["WhiteElo", "2700?"]] }),
            "tag",
        ),
        (
            json!({ "change": "tags", "tags": [["BlackElo", "27000"]] }),
            "tag",
        ),
        (json!({ "change": "tags", "tags": [["ECO", "Z99"]] }), "tag"),
        (
            json!({ "change": "tags", "tags": [["FEN", "8/8/8/8/8/8/8/K1k5 w - - 0 1"]] }),
            "tag",
        ),
        (
            json!({ "change": "tags", "tags": [["No blanks", "x"]] }),
            "tag",
        ),
        (json!({ "change": "tags", "tags": [["", "x"]] }), "tag"),
    ] {
        let mut request = request;
        request["op"] = "edit".into();
        request["game"] = 0.into();
        let answer = session.ask(request.clone());
        assert_eq!(answer["error"]["code"], code, "{request} {answer}");
    }
    let unknown = session.ask(json!({ "op": "edit", "game": 3, "change": "move", "text": "e4" }));
    assert!(!unknown["error"].is_null());
    for text in ["hello", "8/8/8/8/8/8/8/8 w - - 0 1", "8/8/8/8/8/8/8/8/8 w"] {
        let answer = session.ask(json!({ "op": "add", "text": text }));
        assert!(!answer["error"].is_null(), "{text}: {answer}");
    }
    assert!(session.unsaved().is_empty());
    let info = session.ask(json!({ "op": "undo" }));
    assert_eq!(
        (&info["edits"]["games"], &info["edits"]["undo"]),
        (&json!(3), &json!(false))
    );
}

#[test]
fn tags_and_flags_are_set_and_removed() {
    let mut session = TestSession::of_pgn(GAMES);
    let tags = json!([
        ["White", " Tal,  Mihail "],
        ["Date", "1960.??.??"],
        ["Result", "1-0"],
        ["WhiteElo", "2650"],
        ["ECO", "C20"],
        ["Team", "Riga"],
        ["Annotator", "me"],
    ]);
    session.edit(0, 0, "tags", json!({ "tags": tags, "flags": "?D" }));
    let game = session.ask(json!({ "op": "game", "game": 0 }));
    let tags = game["tags"].as_array().unwrap();
    let tag = |name: &str| {
        tags.iter()
            .find(|tag| tag[0] == name)
            .map(|tag| tag[1].clone())
    };
    for (name, value) in [
        ("White", "Tal, Mihail"),
        ("Date", "1960.??.??"),
        ("Result", "1-0"),
        ("WhiteElo", "2650"),
        ("ECO", "C20"),
        ("Team", "Riga"),
        ("Annotator", "me"),
        ("ScidFlags", "D?"),
    ] {
        assert_eq!(tag(name), Some(json!(value)), "{name}");
    }
    assert_eq!(
        (&game["flags"], &game["isUnsaved"]),
        (&json!("D?"), &json!(true))
    );
    let filtered = session.task(json!({ "task": "filter", "query": "deleted:yes" }), 10);
    assert_eq!(filtered["found"], 1);
    let gone = json!([["Team", ""], ["ECO", null], ["Date", ""]]);
    session.edit(0, 0, "tags", json!({ "tags": gone, "flags": "" }));
    let game = session.ask(json!({ "op": "game", "game": 0 }));
    let names: Vec<&str> = game["tags"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tag| tag[0].as_str().unwrap())
        .collect();
    assert!(
        !names.contains(&"Team") && !names.contains(&"ECO") && !names.contains(&"ScidFlags"),
        "{names:?}"
    );
    assert_eq!(game["flags"], "");
    // The list of the query follows.
    assert_eq!(
        session.ask(json!({ "op": "rows", "from": 0, "count": 9 }))["listed"],
        0
    );
    session.ask(json!({ "op": "undo" }));
    assert_eq!(session.whites(), ["Tal, Mihail"]);
}

#[test]
fn games_are_added_and_removed_again() {
    let mut session = TestSession::of_pgn(GAMES);
    session.task(
        json!({ "task": "sort", "column": "white", "down": false }),
        10,
    );
    assert_eq!(session.whites(), ["Botvinnik", "Petrosian", "Tal"]);
    let text = "[White \"Anand\"]\n\n1. e4 *\n\n[White \"Carlsen\"]\n\n1. d4 *\n";
    let answer = session.ask(json!({ "op": "add", "text": text }));
    assert_eq!(
        (&answer["game"], &answer["added"], &answer["sort"]),
        (&json!(3), &json!(2), &json!(true))
    );
    assert_eq!(session.unsaved(), [3, 4]);
    session.task(
        json!({ "task": "sort", "column": "white", "down": false }),
        10,
    );
    assert_eq!(
        session.whites(),
        ["Anand", "Botvinnik", "Carlsen", "Petrosian", "Tal"]
    );
    let more = session.ask(json!({ "op": "add", "text": "1. g4 e5 *", "join": true }));
    assert_eq!(more["game"], 5);
    let fen = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1";
    let new = session.ask(json!({ "op": "add", "text": fen }));
    assert_eq!(new["game"], 6);
    assert_eq!(
        session.ask(json!({ "op": "game", "game": 6 }))["start"],
        fen
    );
    session.edit(6, 0, "move", json!({ "text": "e4" }));
    assert_eq!(session.movetext(6), "1. e4 *");
    let new = session.ask(json!({ "op": "add", "text": "" }));
    assert_eq!(
        (&new["game"], &new["edits"]["games"]),
        (&json!(7), &json!(8))
    );
    // Everything sees them.
    assert_eq!(session.task(json!({ "task": "stats" }), 3)["games"], 8);
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let tree = session.task(json!({ "task": "tree", "fen": start }), 3);
    assert_eq!(tree["moves"].as_array().unwrap().len(), 4);
    assert_eq!(
        session.task(
            json!({ "task": "losses", "format": "si4", "scope": "all" }),
            3
        )["read"],
        8
    );
    assert_eq!(session.task(json!({ "task": "health" }), 3)["games"], 8);
    for games in [7, 7, 6, 3] {
        let answer = session.ask(json!({ "op": "undo" }));
        assert!(answer["error"].is_null(), "{answer}");
        assert_eq!(answer["edits"]["games"], games);
    }
    assert_eq!(session.whites().len(), 3);
    assert!(session.unsaved().is_empty());
    let answer = session.ask(json!({ "op": "redo" }));
    assert_eq!(answer["edits"]["games"], 6);
}

#[test]
fn the_list_follows_query_and_order() {
    let mut session = TestSession::of_pgn(GAMES);
    session.task(json!({ "task": "filter", "query": "year>=1960" }), 10);
    session.task(
        json!({ "task": "sort", "column": "date", "down": true }),
        10,
    );
    assert_eq!(session.whites(), ["Botvinnik", "Tal"]);
    let answer = session.edit(2, 0, "tags", json!({ "tags": [["Date", "1963.03.22"]] }));
    assert_eq!(
        (&answer["edits"]["listed"], &answer["sort"]),
        (&json!(3), &json!(true))
    );
    assert_eq!(session.whites(), ["Botvinnik", "Tal", "Petrosian"]);
    session.task(
        json!({ "task": "sort", "column": "date", "down": true }),
        10,
    );
    assert_eq!(session.whites(), ["Petrosian", "Botvinnik", "Tal"]);
    // A comment changes no order.
    let answer = session.edit(2, 1, "annotate", json!({ "after": "x" }));
    assert_eq!(answer["sort"], false);
    assert_eq!(session.whites(), ["Petrosian", "Botvinnik", "Tal"]);
    let answer = session.edit(0, 0, "tags", json!({ "tags": [["Date", "1950.01.01"]] }));
    assert_eq!(answer["edits"]["listed"], 2);
    assert_eq!(session.whites(), ["Petrosian", "Botvinnik"]);
    assert!(session.ask(json!({ "op": "place", "game": 0 }))["place"].is_null());
    session.ask(json!({ "op": "undo" }));
    assert_eq!(session.whites().len(), 3);
    // A position found in a game that changes is found again.
    let mut session = TestSession::of_pgn(GAMES);
    session.task(json!({ "task": "filter", "query": "line:\"1.e4 e5\"" }), 10);
    assert_eq!(session.ask(json!({ "op": "game", "game": 0 }))["hit"], 2);
    session.edit(0, 2, "delete", json!({}));
    assert_eq!(session.whites().len(), 0);
    assert!(session.ask(json!({ "op": "game", "game": 0 }))["hit"].is_null());
}

#[test]
fn saving_settles_what_it_saves() {
    let mut session = TestSession::of_pgn(GAMES);
    for game in 0..3 {
        session.edit(game, 0, "tags", json!({ "tags": [["Site", "Moscow"]] }));
    }
    let (answer, _) = session.save(json!({ "format": "pgn", "scope": "game", "game": 1 }));
    assert_eq!(answer["settled"], json!([[1, 1]]));
    assert_eq!(session.unsaved(), [0, 2]);
    session.task(json!({ "task": "filter", "query": "Tal" }), 10);
    session.save(json!({ "format": "pgn", "scope": "view" }));
    session.task(json!({ "task": "filter", "query": "" }), 10);
    assert_eq!(session.unsaved(), [2]);
    let (answer, files) = session.save(json!({ "format": "pgn", "scope": "all" }));
    assert_eq!(
        (&answer["settled"], &answer["edits"]["unsaved"]),
        (&json!([[2, 2]]), &json!(0))
    );
    let saved = Database::options()
        .open_files([("a.pgn", files.files[0].1.clone())])
        .unwrap();
    assert!(saved.games().all(|game| game.unwrap().site() == "Moscow"));
    // Going back behind the save is a change.
    let answer = session.ask(json!({ "op": "undo" }));
    assert_eq!(answer["edits"]["unsaved"], 1);
    assert_eq!(session.unsaved(), [2]);
    session.ask(json!({ "op": "redo" }));
    assert!(session.unsaved().is_empty());
    // The page makes the same changes in a new session.
    session.edit(0, 0, "annotate", json!({ "after": "x" }));
    let answer = session.ask(json!({ "op": "settle", "games": [[0, 0]] }));
    assert_eq!(answer["edits"]["unsaved"], 0);
}

#[test]
fn edits_end_tasks_that_they_would_mix_up() {
    let mut session = TestSession::of_pgn(GAMES);
    let start = |session: &mut TestSession, task: &str| {
        let begun = session.ask(json!({ "op": "start", "task": task, "query": "Tal" }));
        session.ask(json!({ "op": "step", "task": begun["task"], "most": 1 }));
        begun["task"].clone()
    };
    let (filter, health) = (start(&mut session, "filter"), start(&mut session, "health"));
    session.edit(0, 0, "annotate", json!({ "after": "x" }));
    let answer = session.ask(json!({ "op": "step", "task": filter, "most": 9 }));
    assert_eq!(answer["error"]["code"], "stopped");
    let answer = session.ask(json!({ "op": "step", "task": health, "most": 9 }));
    assert_eq!(answer["done"], true);
}

#[test]
fn legal_moves_name_the_squares_to_drag_to() {
    let mut session = TestSession::default();
    let mut moves =
        |fen: &str, text: &str| session.ask(json!({ "op": "moves", "fen": fen, "text": text }));
    let targets = |answer: &Value, san: &str| {
        let all = answer["moves"].as_array().unwrap().clone();
        all.iter()
            .filter(|mv| mv["san"] == san)
            .map(|mv| mv["to"].clone())
            .collect::<Vec<Value>>()
    };
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    assert_eq!(moves(start, "")["moves"].as_array().unwrap().len(), 20);
    let castling = moves("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "");
    assert_eq!(targets(&castling, "O-O"), [json!(["g1", "h1"])]);
    assert_eq!(targets(&castling, "O-O-O"), [json!(["c1", "a1"])]);
    // In Chess960 the king may also just walk, or stay where it is.
    let walk = moves("7k/8/8/8/8/8/8/1RK2R2 w FB - 0 1", "");
    assert_eq!(targets(&walk, "O-O"), [json!(["g1", "f1"])]);
    assert_eq!(targets(&walk, "O-O-O"), [json!(["b1"])]);
    let near = moves("1k6/8/8/8/8/8/8/5KR1 w G - 0 1", "");
    assert_eq!(targets(&near, "O-O"), [json!(["g1"])]);
    let pawn = moves("8/P6k/8/8/8/8/8/K7 w - - 0 1", "");
    let promotions = pawn["moves"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|mv| mv["from"] == "a7");
    assert_eq!(
        promotions.filter(|mv| !mv["promotion"].is_null()).count(),
        4
    );
    for (text, san) in [("e2e4", "e4"), ("Nf3", "Nf3"), ("--", "--")] {
        assert_eq!(moves(start, text)["moves"][0]["san"], san);
    }
    assert_eq!(moves(start, "e5")["error"]["code"], "move");
    assert!(!moves("rubbish", "")["error"].is_null());
}
