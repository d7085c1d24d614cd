//! Tests of several open databases, and of the tools for whole databases.

use std::collections::BTreeSet;

use chessdb::convert::SalvageObserver;
use chessdb::core::salvage::Found;
use chessdb::{Converter, Database};
use chessdb_testkit::fixtures;
use serde_json::{Value, json};

use crate::test_session::{Files, TestSession};

/// Opens PGN texts next to each other. Returns the numbers of the databases.
fn opened(session: &mut TestSession, texts: &[(&str, &str)]) -> Vec<u64> {
    for (name, text) in texts {
        session.add(name, text.as_bytes().to_vec());
    }
    session.ask(json!({ "op": "bases" }));
    let open = |n| json!({ "op": "open", "base": n, "keep": true });
    let infos: Vec<Value> = (0..texts.len()).map(|n| session.ask(open(n))).collect();
    infos
        .iter()
        .map(|info| {
            assert!(info["error"].is_null(), "{info}");
            info["in"].as_u64().unwrap()
        })
        .collect()
}

fn players(session: &mut TestSession, database: u64) -> Vec<String> {
    let request = json!({ "op": "rows", "in": database, "from": 0, "count": 99 });
    let rows = session.ask(request);
    let rows = rows["rows"].as_array().unwrap_or_else(|| panic!("{rows}"));
    let white = rows.iter().map(|row| row[1].as_str().unwrap().to_owned());
    white.collect()
}

const TAL: &str = "[White \"Tal\"]\n[Black \"B\"]\n\n1. e4 c6 2. d3 d5 3. Nd2 {deep} *\n\n";
const TAL_BARE: &str = "[White \"Tal\"]\n[Black \"B\"]\n\n1. e4 c6 2. d3 d5 3. Nd2 *\n\n";
const KERES: &str = "[White \"Keres\"]\n[Black \"B\"]\n\n1. d4 d5 2. c4 e6 3. Nc3 *\n\n";
const SHORT: &str = "[White \"Short\"]\n[Black \"B\"]\n\n1. c4 e5 2. g3 *\n\n";

#[test]
fn each_open_database_has_its_own_list_tasks_and_end() {
    let mut session = TestSession::default();
    let first = [TAL, KERES, SHORT].concat();
    let two = opened(&mut session, &[("a.pgn", &first), ("b.pgn", KERES)]);
    let [a, b] = two[..] else { panic!() };
    assert_ne!(a, b);
    session.task(json!({ "task": "filter", "in": a, "query": "Keres" }), 9);
    let sort = json!({ "task": "sort", "in": b, "column": "white", "down": true });
    session.task(sort, 9);
    assert_eq!(players(&mut session, a), ["Keres"]);
    assert_eq!(players(&mut session, b), ["Keres"]);
    // A task goes on in its database, whichever is asked about meanwhile.
    let begun = session.ask(json!({ "op": "start", "task": "stats", "in": a }));
    session.ask(json!({ "op": "rows", "in": b, "from": 0, "count": 1 }));
    let step = json!({ "op": "step", "task": begun["task"], "most": 9 });
    assert_eq!(session.ask(step)["total"], 1);
    // Without a number a request is about the one that was opened last.
    let game = session.ask(json!({ "op": "game", "game": 0 }));
    assert_eq!(game["white"], "Keres");
    let listed = session.ask(json!({ "op": "opened" }));
    assert_eq!(listed["open"].as_array().unwrap().len(), 2);
    assert_eq!(listed["bytes"], first.len() + KERES.len());
    assert_eq!(listed["current"], b);
    // Closing ends the tasks.
    let begun = session.ask(json!({ "op": "start", "task": "health", "in": b }));
    let after_close = session.ask(json!({ "op": "close", "in": b }));
    assert_eq!(
        (&after_close["current"], &after_close["bytes"]),
        (&json!(a), &json!(first.len()))
    );
    let step = json!({ "op": "step", "task": begun["task"], "most": 9 });
    assert_eq!(session.ask(step)["error"]["code"], "stopped");
    let gone = session.ask(json!({ "op": "rows", "in": b, "from": 0, "count": 1 }));
    assert_eq!(gone["error"]["code"], "closed");
    assert_eq!(players(&mut session, a), ["Keres"]);
    for odd in [
        json!(0),
        json!(-1),
        json!("1"),
        json!(1u64 << 40),
        json!([1]),
    ] {
        let answer = session.ask(json!({ "op": "rows", "in": odd, "from": 0, "count": 1 }));
        assert_eq!(answer["error"]["code"], "closed", "{answer}");
    }
}

#[test]
fn a_database_is_replaced_in_its_place_and_files_that_are_not_kept_are_dropped() {
    let mut session = TestSession::default();
    let two = opened(&mut session, &[("a.pgn", TAL), ("b.pgn", KERES)]);
    session.add("a.pgn", [TAL, SHORT].concat().into_bytes());
    session.ask(json!({ "op": "unload" }));
    let answer = session.ask(json!({ "op": "open", "base": 0 }));
    assert_eq!(answer["error"]["code"], "request", "{answer}");
    session.add("a.pgn", [TAL, SHORT].concat().into_bytes());
    session.ask(json!({ "op": "bases" }));
    let info = session.ask(json!({ "op": "open", "base": 0, "in": two[0] }));
    assert_eq!((&info["in"], &info["games"]), (&json!(two[0]), &json!(2)));
    assert_eq!(players(&mut session, two[1]), ["Keres"]);
    assert!(session.ask(json!({ "op": "open", "base": 0 }))["error"].is_object());
    // The number of open databases is bounded.
    for n in 3..=17 {
        session.add("c.pgn", SHORT.into());
        session.ask(json!({ "op": "bases" }));
        let info = session.ask(json!({ "op": "open", "base": 0 }));
        match n {
            17 => assert_eq!(info["error"]["code"], "full", "{info}"),
            _ => assert!(info["error"].is_null(), "{info}"),
        }
    }
}

#[test]
fn games_are_copied_into_a_new_database_and_into_it_again() {
    let mut session = TestSession::opened("scid/annotated");
    session.task(json!({ "task": "filter", "query": "player:Morphy" }), 99);
    let source = session.ask(json!({ "op": "opened" }))["current"].clone();
    let wanted = players(&mut session, source.as_u64().unwrap());
    let view = json!({ "in": source, "scope": "view" });
    let into = json!({ "name": "New.pgn", "bytes": true });
    let (answer, files) = session.save(json!({ "from": [view], "into": into }));
    assert!(answer["error"].is_null(), "{answer}");
    let new = answer["info"]["in"].as_u64().unwrap();
    assert_eq!(answer["info"]["name"], "New.pgn");
    assert_eq!(answer["report"]["written"], wanted.len());
    assert_eq!(players(&mut session, new), wanted);
    let [(suffix, bytes)] = &files.files[..] else {
        panic!()
    };
    assert_eq!(suffix, "pgn");
    let again = Database::options()
        .open_files([("a.pgn", bytes.clone())])
        .unwrap();
    assert_eq!(again.len().unwrap() as usize, wanted.len());
    // The user stays where the games come from.
    assert_eq!(session.ask(json!({ "op": "opened" }))["current"], source);
    let one = json!({ "in": source, "scope": "game", "game": 3 });
    let (answer, _) = session.save(json!({ "from": [one], "into": { "in": new } }));
    assert_eq!(answer["info"]["in"], new, "{answer}");
    assert_eq!(answer["games"], wanted.len() + 1);
    let added = session.ask(json!({ "op": "game", "in": new, "game": wanted.len() }));
    let own = session.ask(json!({ "op": "game", "in": source, "game": 3 }));
    for member in [
        "white", "black", "date", "event", "result", "moves", "tokens",
    ] {
        assert_eq!(added[member], own[member], "{member}");
    }
    // A database that was not made here is never changed.
    let into_source = json!({ "from": [{ "in": new }], "into": { "in": source } });
    assert_eq!(session.save(into_source).0["error"]["code"], "request");
    for odd in [json!({ "in": 99 }), json!({ "scope": "game" }), json!(7)] {
        let (answer, _) = session.save(json!({ "from": [odd], "into": { "in": 99 } }));
        assert!(answer["error"].is_object(), "{answer}");
    }
    let (answer, _) = session.save(json!({ "from": [], "into": { "name": "x" } }));
    assert!(answer["error"].is_object(), "{answer}");
    assert_eq!(players(&mut session, new).len(), wanted.len() + 1);
}

#[test]
fn a_merge_leaves_out_what_merge_dedupe_leaves_out() {
    let mut session = TestSession::default();
    let a = [TAL_BARE, KERES].concat();
    let b = [TAL, SHORT, KERES].concat();
    let two = opened(&mut session, &[("a.pgn", &a), ("b.pgn", &b)]);
    let from = json!([{ "in": two[0], "scope": "all" }, { "in": two[1], "scope": "all" }]);
    for (dedupe, games, removed) in [("", 5, 0), ("sure", 3, 2)] {
        let request = json!({ "from": from, "dedupe": dedupe, "into": { "name": "m.pgn" } });
        let (answer, _) = session.save(request);
        assert_eq!(
            (&answer["games"], &answer["removed"]),
            (&json!(games), &json!(removed)),
            "{answer}"
        );
        if removed > 0 {
            let new = answer["info"]["in"].as_u64().unwrap();
            // The copy with the comment is kept.
            assert_eq!(players(&mut session, new), ["Keres", "Tal", "Short"]);
            let pgn = session.ask(json!({ "op": "pgn", "in": new, "game": 1 }));
            assert!(pgn["text"].as_str().unwrap().contains("deep"));
        }
    }
    let odd = json!({ "from": from, "dedupe": "colour", "into": { "name": "m" } });
    assert_eq!(session.save(odd).0["error"]["code"], "request");
}

#[test]
fn duplicates_are_listed_by_group_and_left_out_of_a_copy() {
    let mut session = TestSession::of_pgn(&[TAL_BARE, KERES, SHORT, TAL, KERES, TAL_BARE].concat());
    let none = session.task(json!({ "task": "duplicates", "rule": "odd" }), 2);
    assert_eq!(none["error"]["code"], "request");
    let duplicates = session.task(json!({ "task": "duplicates", "rule": "sure" }), 2);
    assert_eq!(duplicates, json!({ "groups": 2, "removed": 3, "found": 5 }));
    let rows = session.ask(json!({ "op": "rows", "from": 0, "count": 9 }));
    let order: Vec<&Value> = rows["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| &row[0])
        .collect();
    // The game to keep comes first: of the games of Tal the one with a comment.
    assert_eq!(order, [1, 4, 3, 0, 5]);
    let (answer, files) = session.save(json!({ "format": "pgn", "scope": "unique" }));
    assert_eq!(answer["report"]["written"], 3);
    let text = String::from_utf8(files.files[0].1.clone()).unwrap();
    assert_eq!(text.matches("[White ").count(), 3);
    assert!(text.contains("deep"));
    let request = json!({ "task": "losses", "format": "cbf", "scope": "unique" });
    let losses = without_columns(session.task(request, 1));
    let (answer, _) = session.save(json!({ "format": "cbf", "scope": "unique" }));
    assert_eq!(losses, answer["report"]);
    // Without duplicates the list stays.
    let mut session = TestSession::of_pgn(&[TAL, KERES].concat());
    let duplicates = session.task(json!({ "task": "duplicates", "rule": "likely" }), 9);
    assert_eq!(duplicates["removed"], 0);
    let rows = session.ask(json!({ "op": "rows", "from": 0, "count": 9 }));
    assert_eq!(rows["listed"], 2);
}

#[test]
fn the_order_of_the_list_is_saved() {
    let mut session = TestSession::of_pgn(&[TAL, KERES, SHORT].concat());
    session.task(
        json!({ "task": "sort", "column": "white", "down": false }),
        9,
    );
    let request = json!({ "format": "pgn", "scope": "view", "order": true });
    let (_, files) = session.save(request);
    let text = String::from_utf8(files.files[0].1.clone()).unwrap();
    let offset = |name: &str| text.find(&format!("[White \"{name}\"]")).unwrap();
    assert!(
        offset("Keres") < offset("Short") && offset("Short") < offset("Tal"),
        "{text}"
    );
    session.task(json!({ "task": "filter", "query": "Keres or Tal" }), 9);
    let losses = json!({ "task": "losses", "format": "si4", "scope": "view", "order": true });
    let losses = without_columns(session.task(losses, 1));
    let request = json!({ "format": "si4", "scope": "view", "order": true });
    let (answer, _) = session.save(request);
    assert_eq!(answer["report"]["written"], 2);
    assert_eq!(losses, answer["report"]);
}

#[test]
fn chosen_spellings_are_saved_and_the_others_stay() {
    let game = |white: &str, year: u16| {
        format!("[White \"{white}\"]\n[Black \"B\"]\n[Date \"{year}.01.01\"]\n\n1. e4 *\n\n")
    };
    let text = [
        game("Kasparov, Garry", 1985),
        game("Kasparov, Garry", 1990),
        game("Kasparov, G", 1988),
        game("Karpov, Anatoly", 1988),
    ]
    .concat();
    let mut session = TestSession::of_pgn(&text);
    let names = session.task(json!({ "task": "names", "of": "players" }), 2);
    assert_eq!(names["found"], 1, "{names}");
    let one = &names["suggestions"][0];
    assert_eq!(
        (&one["name"], &one["better"], &one["ambiguous"]),
        (
            &json!("Kasparov, G"),
            &json!("Kasparov, Garry"),
            &json!(false)
        )
    );
    let names = json!([{ "of": "players", "pairs": [[one["name"], one["better"]]] }]);
    for format in ["pgn", "si4", "cbh"] {
        let request = json!({ "format": format, "scope": "all", "names": names });
        let mut wanted = request.clone();
        wanted["task"] = "losses".into();
        let losses = without_columns(session.task(wanted, 1));
        let (answer, files) = session.save(request);
        assert_eq!(losses, answer["report"], "{format}");
        let files = files.files.into_iter();
        let files = files.map(|(suffix, bytes)| (format!("a.{suffix}"), bytes));
        let db = Database::options().open_files(files).unwrap();
        let white = db.games().map(|game| game.unwrap().white().into_owned());
        let white: BTreeSet<String> = white.collect();
        assert_eq!(
            white.into_iter().collect::<Vec<_>>(),
            ["Karpov, Anatoly", "Kasparov, Garry"],
            "{format}"
        );
    }
    let circle = json!([{ "of": "players", "pairs": [["A", "B"], ["B", "A"]] }]);
    let request = json!({ "format": "pgn", "scope": "all", "names": circle });
    assert_eq!(session.save(request).0["error"]["code"], "names");
    let request = json!({ "format": "pgn", "names": [{ "of": "cities", "pairs": [] }] });
    assert_eq!(session.save(request).0["error"]["code"], "request");
    assert!(session.task(json!({ "task": "names", "of": "" }), 1)["error"].is_object());
}

#[test]
fn a_salvage_reports_what_the_program_reports() {
    // The index lacks its last entries, so that games are only in the games file.
    let mut files: Vec<(String, Vec<u8>)> = ["si4", "sg4", "sn4"]
        .iter()
        .map(|suffix| {
            let path = fixtures::path(format!("scid/annotated.{suffix}"));
            (format!("annotated.{suffix}"), fixtures::read(path))
        })
        .collect();
    let half = files[0].1.len() / 2;
    files[0].1.truncate(half);
    let mut session = TestSession::default();
    for (name, bytes) in &files {
        session.add(name, bytes.clone());
    }
    let bases = session.ask(json!({ "op": "bases" }));
    assert_eq!(bases["bases"][0]["salvages"], true);
    let before = session.ask(json!({ "op": "open", "base": 0 }));
    assert_eq!(
        (&before["salvages"], &before["isSalvaged"]),
        (&json!(true), &json!(false))
    );
    for (name, bytes) in &files {
        session.add(name, bytes.clone());
    }
    session.ask(json!({ "op": "bases" }));
    let place = before["in"].clone();
    let after = session.ask(json!({ "op": "open", "base": 0, "salvage": true, "in": place }));
    assert_eq!(
        (&after["salvages"], &after["isSalvaged"]),
        (&json!(false), &json!(true))
    );
    assert!(
        after["games"].as_u64() > before["games"].as_u64(),
        "{after}"
    );
    let report = session.task(json!({ "task": "salvage" }), 7);

    let db = Database::options().salvage(true).open_files(files).unwrap();
    let mut observer = SalvageObserver::default();
    let mut out = Vec::new();
    let converter = Converter::to_writer(&mut out).format("pgn");
    converter
        .add_database(&db)
        .observer(&mut observer)
        .run()
        .unwrap();
    let wanted = observer.end();
    for kind in Found::ALL {
        assert_eq!(report["counts"][kind.code()], wanted.count(Some(kind)));
    }
    assert_eq!(report["leftOut"], wanted.count(None));
    assert_eq!(report["barrenBytes"], wanted.barren_bytes());
    assert_eq!(report["faults"], json!(wanted.faults));
    assert_eq!(report["games"], after["games"]);

    // PGN has no index that could lack games.
    let mut session = TestSession::default();
    session.add("a.pgn", TAL.into());
    assert_eq!(
        session.ask(json!({ "op": "bases" }))["bases"][0]["salvages"],
        false
    );
    assert_eq!(
        session.ask(json!({ "op": "open", "base": 0 }))["salvages"],
        false
    );
}

#[test]
fn copying_can_be_stopped() {
    let mut session = TestSession::of_pgn(&SHORT.repeat(2000));
    let files = Files {
        is_hasty: true,
        ..Files::default()
    };
    let request = json!({ "from": [{ "scope": "all" }], "into": { "name": "new.pgn" } });
    let (answer, _) = session.save_into(request, files);
    assert_eq!(answer["error"]["code"], "interrupted", "{answer}");
    let open = session.ask(json!({ "op": "opened" }));
    assert_eq!(open["open"].as_array().unwrap().len(), 1);
}

/// Returns the answer to the question for losses without its columns, which a report of a saved
/// database does not have.
fn without_columns(mut losses: Value) -> Value {
    let columns = losses.as_object_mut().unwrap().remove("columns");
    assert!(columns.is_some(), "{losses}");
    losses
}
