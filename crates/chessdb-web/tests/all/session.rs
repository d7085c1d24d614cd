//! Tests of opening, listing and querying.

use serde_json::{Value, json};

use crate::test_session::TestSession;

#[test]
fn a_set_is_one_base_and_says_what_it_is() {
    let mut session = TestSession::with("scid/annotated");
    session.add("readme.txt", b"nothing".to_vec());
    let bases = session.ask(json!({ "op": "bases" }));
    assert_eq!(bases["bases"][0]["format"], "si4");
    assert_eq!(bases["bases"][0]["files"].as_array().unwrap().len(), 3);
    let info = session.ask(json!({ "op": "open", "base": 0 }));
    assert_eq!(info["games"], 70);
    assert_eq!(info["format"]["id"], "si4");
    assert_eq!(info["name"], "annotated.si4");
    let formats = info["abilities"]["formats"].as_array().unwrap();
    assert!(formats.iter().any(|format| format["id"] == "pgn"));
}

#[test]
fn several_bases_are_listed_and_each_can_be_opened() {
    for wanted in [0, 1] {
        let mut session = TestSession::with("scid/romantics");
        session.add("folder/a.pgn", b"[White \"Tal\"]\n\n1. e4 *\n".to_vec());
        let bases = session.ask(json!({ "op": "bases" }));
        assert_eq!(bases["bases"].as_array().unwrap().len(), 2, "{bases}");
        let info = session.ask(json!({ "op": "open", "base": wanted }));
        let format = &bases["bases"][wanted]["format"];
        assert_eq!(info["format"]["id"], *format);
    }
}

#[test]
fn what_cannot_be_opened_is_told_with_a_code() {
    let mut session = TestSession::default();
    session.add("letter.doc", b"\xd0\xcf\x11\xe0 nothing of ours".to_vec());
    session.ask(json!({ "op": "bases" }));
    let answer = session.ask(json!({ "op": "open", "base": 0 }));
    assert_eq!(answer["error"]["code"], "unknown", "{answer}");

    let mut session = TestSession::default();
    let lonely =
        chessdb_testkit::fixtures::read(chessdb_testkit::fixtures::path("scid/romantics.si4"));
    session.add("romantics.si4", lonely);
    session.ask(json!({ "op": "bases" }));
    let answer = session.ask(json!({ "op": "open", "base": 0 }));
    assert_eq!(answer["error"]["code"], "missing", "{answer}");

    for request in [
        "",
        "[]",
        "{}",
        "{\"op\":\"rows\"}",
        "{\"op\":\"open\",\"base\":-1}",
    ] {
        let answer = chessdb_web::Session::new().call(request);
        assert!(answer.contains("\"error\""), "{request}: {answer}");
    }
}

#[test]
fn rows_follow_filter_and_order() {
    let mut session = TestSession::opened("scid/annotated");
    let filtered = session.task(json!({ "task": "filter", "query": "year:..1899" }), 7);
    let whole = session.task(
        json!({ "task": "filter", "query": "year:..1899", "count": true }),
        1000,
    );
    assert_eq!(filtered["found"], whole["found"]);
    session.task(json!({ "task": "sort", "column": "date", "down": true }), 9);
    let rows = session.ask(json!({ "op": "rows", "from": 0, "count": 100 }));
    let rows = rows["rows"].as_array().unwrap().clone();
    assert_eq!(json!(rows.len()), filtered["found"]);
    let years: Vec<&str> = rows.iter().map(|row| row[6].as_str().unwrap()).collect();
    assert!(years.is_sorted_by(|a, b| a >= b), "{years:?}");
    let game = rows[2][0].clone();
    let place = session.ask(json!({ "op": "place", "game": game }));
    assert_eq!(place["place"], 2);
    // Without a query all games are listed in the same order. Unknown names, also `-`, come last in
    // either direction.
    session.task(json!({ "task": "filter", "query": "" }), 7);
    for down in [false, true] {
        session.task(
            json!({ "task": "sort", "column": "white", "down": down }),
            1,
        );
        let rows = session.ask(json!({ "op": "rows", "from": 0, "count": 100 }));
        assert_eq!(rows["rows"].as_array().unwrap().len(), 70);
        let last = rows["rows"][69][1].as_str().unwrap();
        let unknown = rows["rows"]
            .as_array()
            .unwrap()
            .iter()
            .any(|row| row[1] == "");
        assert!(!unknown || matches!(last, "" | "-" | "?"), "{last}");
    }
    let beyond = session.ask(json!({ "op": "rows", "from": 4_000_000_000_u32, "count": 100 }));
    assert_eq!(beyond["rows"], json!([]));
}

#[test]
fn a_bad_query_is_told_at_its_place() {
    let mut session = TestSession::opened("scid/romantics");
    let answer = session.ask(json!({ "op": "query", "text": "é elo:x" }));
    assert_eq!(answer["ok"], false);
    assert_eq!((&answer["from"], &answer["to"]), (&json!(6), &json!(7)));
    let answer = session.task(json!({ "task": "filter", "query": "elo:x" }), 5);
    assert_eq!(answer["error"]["code"], "query");
}

#[test]
fn a_position_is_found_where_it_stands() {
    let mut session = TestSession::opened("scid/romantics");
    let game = session.ask(json!({ "op": "game", "game": 0 }));
    let moves: Vec<_> = game["tokens"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|token| token[0] == "m")
        .cloned()
        .collect();
    let fen = moves[6][5].as_str().unwrap();
    let board: Vec<&str> = fen.split(' ').take(2).collect();
    let query = format!("fen:\"{}\"", board.join(" "));
    session.task(json!({ "task": "filter", "query": query }), 3);
    let rows = session.ask(json!({ "op": "rows", "from": 0, "count": 9 }));
    assert_eq!(rows["rows"][0][0], 0);
    assert_eq!(rows["rows"][0][12], 7);
    let again = session.ask(json!({ "op": "game", "game": 0 }));
    assert_eq!(again["hit"], 7);
}

#[test]
fn the_tree_counts_what_was_played() {
    let mut session = TestSession::opened("scid/romantics");
    let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let tree = session.task(json!({ "task": "tree", "fen": fen }), 4);
    let moves = tree["moves"].as_array().unwrap();
    let played: u64 = moves.iter().map(|mv| mv["games"].as_u64().unwrap()).sum();
    assert_eq!(json!(played), tree["reached"]);
    assert_eq!(moves[0]["san"], "e4");
    let after = moves[0]["fen"].as_str().unwrap();
    assert!(
        after.starts_with("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b"),
        "{after}"
    );
    let bad = session.task(json!({ "task": "tree", "fen": "no position" }), 4);
    assert_eq!(bad["error"]["code"], "request");
}

#[test]
fn statistics_health_and_losses_add_up() {
    let mut session = TestSession::opened("scid/annotated");
    let stats = session.task(json!({ "task": "stats" }), 11);
    let results: u64 = stats["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|n| n.as_u64().unwrap())
        .sum();
    assert_eq!((results, &stats["games"]), (70, &json!(70)));
    let health = session.task(json!({ "task": "health" }), 11);
    assert_eq!(
        (&health["damaged"], &health["games"]),
        (&json!(0), &json!(70))
    );
    assert_eq!(health["deleted"], stats["deleted"]);
    let losses = session.task(json!({ "task": "losses", "format": "si4" }), 11);
    assert_eq!(
        (&losses["lossy"], &losses["hasLosses"]),
        (&json!(0), &json!(false))
    );
}

#[test]
fn a_damaged_game_is_shown_up_to_the_damage() {
    let mut session = TestSession::of_pgn("[White \"Tal\"]\n\n1. e4 e5 2. Qxh8 *\n\n1. d4 *\n");
    let rows = session.ask(json!({ "op": "rows", "from": 0, "count": 9 }));
    assert_eq!(rows["rows"][0][10].as_u64().unwrap() & 2, 2, "{rows}");
    assert_eq!(rows["rows"][1][10].as_u64().unwrap() & 2, 0, "{rows}");
    let game = session.ask(json!({ "op": "game", "game": 0 }));
    assert!(game["fault"].is_string());
    let health = session.task(json!({ "task": "health" }), 1);
    assert_eq!(health["damaged"], 1);
    assert_eq!(health["ofGames"][0]["first"], json!([0]), "{health}");
}

#[test]
fn doubtful_names_are_shown_in_several_charsets() {
    let mut text = Vec::new();
    for name in ["Botvinnik", "Petrosian", "Smyslov", "Tal"] {
        text.extend_from_slice(format!("[White \"{name} ").as_bytes());
        // "Ботвинник" in Windows-1251.
        text.extend_from_slice(&[0xC1, 0xEE, 0xF2, 0xE2, 0xE8, 0xED, 0xED, 0xE8, 0xEA]);
        text.extend_from_slice(b"\"]\n\n1. e4 *\n\n");
    }
    let mut session = TestSession::default();
    session.add("names.pgn", text.clone());
    session.ask(json!({ "op": "bases" }));
    session.ask(json!({ "op": "open", "base": 0, "encoding": "windows-1251" }));
    let game = session.ask(json!({ "op": "game", "game": 0 }));
    assert_eq!(game["white"], "Botvinnik Ботвинник");
    let preview = session.ask(json!({ "op": "encodings" }));
    let pages = preview["pages"].as_array().unwrap();
    let page = pages.iter().find(|page| {
        page["page"]
            .as_str()
            .unwrap()
            .eq_ignore_ascii_case("windows-1251")
    });
    let page = page.unwrap();
    assert_eq!(page["names"][0], "Botvinnik Ботвинник");
    assert_eq!((&page["odd"], &preview["judged"]), (&json!(0), &json!(4)));
    let koi = pages.iter().find(|page| page["page"] == "IBM866");
    assert!(
        koi.is_none_or(|page| page["odd"].as_u64().unwrap() > 0),
        "{preview}"
    );
}

#[test]
fn openings_have_names_in_games_and_in_the_tree() {
    let mut session = TestSession::of_pgn("[White \"A\"]\n\n1. Nf3 c5 2. e4 d6 *\n\n1. a3 *\n");
    let game = session.ask(json!({ "op": "game", "game": 0 }));
    assert_eq!(game["opening"], "Sicilian Defense: Modern Variations");
    let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let tree = session.task(json!({ "task": "tree", "fen": fen }), 4);
    let names: Vec<&str> = tree["moves"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|mv| mv["name"].as_str())
        .collect();
    assert!(names.contains(&"Anderssen's Opening"), "{names:?}");
}

#[test]
fn losses_of_a_filter_and_of_one_game_are_told() {
    let mut session = TestSession::of_pgn(
        "[White \"A\"]\n\n1. e4 {a word} *\n\n[White \"B\"]\n[Zebra \"stripes\"]\n\n1. e4 *\n\n[White \"C\"]\n\n1. e4 *\n",
    );
    let games = |answer: serde_json::Value| answer["lossy"].as_u64().unwrap();
    let all = json!({ "task": "losses", "format": "cbf" });
    let all = games(session.task(all, 1));
    session.task(
        json!({ "task": "filter", "query": "white:B or white:C" }),
        9,
    );
    let listed = json!({ "task": "losses", "format": "cbf", "scope": "view" });
    let listed = games(session.task(listed, 1));
    assert!(listed <= all && listed >= 1, "{listed} of {all}");
    for (game, wanted) in [(1, 1), (2, 0)] {
        let request = json!({ "task": "losses", "format": "cbf", "scope": "game", "game": game });
        assert_eq!(games(session.task(request, 9)), wanted, "game {game}");
    }
    for bad in [
        json!({ "scope": "game", "format": "cbf" }),
        json!({ "format": "none" }),
    ] {
        let mut bad = bad;
        bad["task"] = "losses".into();
        assert_eq!(session.task(bad, 9)["error"]["code"], "request");
    }
}

#[test]
fn a_locked_archive_says_so_until_the_password_is_right() {
    let plain = chessdb::cbh::archive::pack(
        [(&b"games.pgn"[..], &b"[White \"Tal\"]\n\n1. e4 *\n"[..])],
        chessdb::cbh::archive::Packing::Smallest,
    );
    let key = chessdb::cbh::archive::Key::new(b"Riga");
    let locked = chessdb::cbh::archive::lock(plain.unwrap(), key);
    let mut session = TestSession::default();
    for password in ["", "Moscow"] {
        session.add("base.cbz", locked.clone());
        let answer = session.ask(json!({ "op": "bases", "password": password }));
        assert_eq!(answer["locked"], "base.cbz", "{answer}");
    }
    session.add("base.cbz", locked);
    let answer = session.ask(json!({ "op": "bases", "password": "Riga" }));
    assert!(answer["locked"].is_null());
    assert_eq!(answer["bases"].as_array().unwrap().len(), 1, "{answer}");
    let info = session.ask(json!({ "op": "open", "base": 0 }));
    assert_eq!(info["games"], 1);
}

#[test]
fn a_locked_or_damaged_archive_does_not_hide_the_other_databases() {
    let plain = chessdb::cbh::archive::pack(
        [(&b"games.pgn"[..], &b"1. e4 *\n"[..])],
        chessdb::cbh::archive::Packing::Smallest,
    );
    let key = chessdb::cbh::archive::Key::new(b"Riga");
    let locked = chessdb::cbh::archive::lock(plain.unwrap(), key);
    let mut session = TestSession::default();
    session.add("old/locked.cbz", locked);
    session.add(
        "old/torn.pgn.gz",
        b"\x1f\x8b\x08\0\0\0\0\0\0\0torn".to_vec(),
    );
    session.add("old/open.pgn", b"[White \"Tal\"]\n\n1. e4 *\n".to_vec());
    let answer = session.ask(json!({ "op": "bases" }));
    assert_eq!(answer["bases"].as_array().unwrap().len(), 1, "{answer}");
    assert_eq!(answer["unread"][0]["name"], "old/locked.cbz", "{answer}");
    assert_eq!(answer["unread"][0]["locked"], true, "{answer}");
    assert_eq!(answer["unread"][1]["locked"], false, "{answer}");
    let info = session.ask(json!({ "op": "open", "base": 0 }));
    assert_eq!(info["games"], 1);
}

/// Games with rounds and annotators, in an order that is none of theirs.
const ROUNDS: &[(&str, &str, &str)] = &[
    ("10", "Zukertort", "2. Nf3"),
    ("9", "", "2. d4"),
    ("2", "anderssen", "2. f4"),
    ("?", "Lasker", "2. Nc3"),
];

/// Returns a session with these games, and the answer to `open`.
fn session_with_rounds() -> (TestSession, Value) {
    let game = |(round, annotator, move_): &(&str, &str, &str)| {
        let annotator = match annotator {
            &"" => String::new(),
            name => format!("[Annotator \"{name}\"]\n"),
        };
        format!("[Event \"E\"]\n[Round \"{round}\"]\n{annotator}\n1. e4 e5 {move_} *\n\n")
    };
    let text: String = ROUNDS.iter().map(game).collect();
    let mut session = TestSession::default();
    session.add("rounds.pgn", text.into());
    session.ask(json!({ "op": "bases" }));
    let info = session.ask(json!({ "op": "open", "base": 0 }));
    (session, info)
}

fn values(session: &mut TestSession, column: &str) -> Vec<String> {
    let rows = session.ask(json!({ "op": "rows", "from": 0, "count": 9, "columns": [column] }));
    let rows = rows["rows"].as_array().unwrap().clone();
    let value = |row: &Value| row[14][0].as_str().unwrap().to_owned();
    rows.iter().map(value).collect()
}

#[test]
fn rows_have_the_columns_of_the_request() {
    let (mut session, _) = session_with_rounds();
    assert_eq!(values(&mut session, "round"), ["10", "9", "2", ""]);
    assert_eq!(
        values(&mut session, "annotator"),
        ["Zukertort", "", "anderssen", "Lasker"]
    );
    assert_eq!(values(&mut session, "tag:Annotator")[0], "Zukertort");
    assert_eq!(values(&mut session, "plycount"), ["3"; 4]);
    assert_eq!(values(&mut session, "openingname")[2], "King's Gambit");
    let plain = session.ask(json!({ "op": "rows", "from": 0, "count": 1 }));
    assert_eq!(plain["rows"][0][14], json!([]));
    let wrong =
        session.ask(json!({ "op": "rows", "from": 0, "count": 1, "columns": ["nonsense"] }));
    assert_eq!(wrong["error"]["code"], "request");
}

#[test]
fn the_list_is_sorted_by_each_column() {
    let (mut session, info) = session_with_rounds();
    let columns = info["abilities"]["columns"].as_array().unwrap().clone();
    assert!(columns.len() > 15, "{columns:?}");
    for column in columns {
        let name = column[0].as_str().unwrap();
        let mut orders = Vec::new();
        for down in [false, true] {
            let sorted = session.task(json!({ "task": "sort", "column": name, "down": down }), 2);
            assert_eq!(sorted["found"], 4, "{name}");
            let values = values(&mut session, name);
            let known_values: Vec<String> = values
                .iter()
                .filter(|value| !["", "?"].contains(&value.as_str()))
                .cloned()
                .collect();
            assert!(
                known_values
                    .iter()
                    .zip(&values)
                    .all(|(known_value, value)| known_value == value),
                "unknown last: {name} {values:?}"
            );
            orders.push(known_values);
        }
        let [up, mut down] = orders.try_into().unwrap();
        down.reverse();
        assert_eq!(up, down, "{name}");
        match name {
            "round" => assert_eq!(up, ["2", "9", "10"]),
            "Annotator" => assert_eq!(up, ["anderssen", "Lasker", "Zukertort"]),
            _ => {}
        }
    }
}

#[test]
fn a_tree_file_that_is_not_used_is_reported() {
    let fen = chessdb::core::Board::standard().to_string();
    for (tree, is_unused) in [(None, false), (Some(&b"chessdb tree 02\n"[..]), true)] {
        let mut session = TestSession::default();
        session.add("games.pgn", b"1. e4 e5 1-0\n\n1. d4 *\n".to_vec());
        if let Some(tree) = tree {
            session.add("games.pgn.chessdb-tree", tree.to_vec());
        }
        let bases = session.ask(json!({ "op": "bases" }));
        assert_eq!(bases["bases"].as_array().unwrap().len(), 1, "{bases}");
        let info = session.ask(json!({ "op": "open", "base": 0 }));
        assert!(info["error"].is_null(), "{info}");
        let answer = session.task(json!({ "task": "tree", "fen": fen }), 1);
        assert_eq!(answer["unusedFile"], is_unused);
        assert_eq!(answer["reached"], 2);
    }
}
