//! The session of the lean build, compared with the session of the page.

use std::fs;
use std::path::PathBuf;

use chessdb_testkit::fixtures;
use chessdb_web::{ReadingSession, Session};
use serde_json::{Value, json};

use crate::test_session::TestSession;

/// The members of a description that only the page's session has.
const OF_PAGE: &[&str] = &["abilities", "bytes", "isNew", "stores"];

/// Returns the answer to a request.
fn ask(session: &mut ReadingSession, request: &Value) -> Value {
    serde_json::from_str(&session.call(&request.to_string())).unwrap()
}

/// Returns the names of all files below a folder of the fixtures, and their contents.
fn files(folder: &str) -> Vec<(String, Vec<u8>)> {
    let paths = fixtures::files(&fixtures::root().join(folder));
    let named = |path: &PathBuf| {
        let name = path.strip_prefix(fixtures::root()).unwrap();
        (name.to_string_lossy().into_owned(), fs::read(path).unwrap())
    };
    paths.iter().map(named).collect()
}

#[test]
fn both_sessions_read_the_same() {
    for folder in ["2cbh", "cbf", "cbh", "pgn", "scid", "scid3", "scid5"] {
        let files = files(folder);
        let is_packed = |name: &str| name.ends_with(".cbv") || name.ends_with(".cbz");
        let files = files.iter().filter(|(name, _)| !is_packed(name));
        let start = || {
            let (mut lean, mut full) = (ReadingSession::new(), TestSession::of(Session::new()));
            for (name, bytes) in files.clone() {
                lean.add_file(name, bytes.clone());
                full.add(name, bytes.clone());
            }
            let request = json!({ "op": "bases" });
            let bases = (ask(&mut lean, &request), full.ask(request));
            assert_eq!(bases.0, bases.1, "{folder}");
            let count = bases.0["bases"].as_array().unwrap().len();
            (lean, full, count)
        };
        for base in 0..start().2 {
            let (mut lean, mut full, _) = start();
            let request = json!({ "op": "open", "base": base, "salvage": base % 2 == 1 });
            let (info, mut expected) = (ask(&mut lean, &request), full.ask(request));
            if let Some(members) = expected.as_object_mut() {
                members.retain(|name, _| !OF_PAGE.contains(&name.as_str()));
            }
            assert_eq!(info, expected, "{folder}");
            for request in [
                json!({ "op": "games", "from": 0, "count": 1000, "positions": true }),
                json!({ "op": "games", "games": [1, 0] }),
                json!({ "op": "pgn", "game": 0 }),
                json!({ "op": "pgn", "game": 100_000 }),
            ] {
                assert_eq!(
                    ask(&mut lean, &request),
                    full.ask(request),
                    "{}",
                    info["name"]
                );
            }
        }
    }
}

#[test]
fn other_requests_are_refused() {
    let mut session = ReadingSession::new();
    let games = json!({ "op": "games", "from": 0, "count": 1 });
    assert_eq!(ask(&mut session, &games)["error"]["code"], "closed");
    let open = json!({ "op": "open", "base": 0 });
    assert_eq!(ask(&mut session, &open)["error"]["code"], "request");
    let find = json!({ "op": "start", "task": "filter" });
    assert_eq!(ask(&mut session, &find)["error"]["code"], "request");
    session.add_file("made.pgn", b"[White \"a\"]\n\n1. e4 *\n".to_vec());
    assert_eq!(
        ask(&mut session, &json!({ "op": "bases" }))["bases"][0]["format"],
        "pgn"
    );
    assert_eq!(ask(&mut session, &open)["games"], 1);
    // The files of an open database are not kept.
    assert_eq!(ask(&mut session, &open)["error"]["code"], "request");
    assert_eq!(ask(&mut session, &games)["error"]["code"], "closed");
}
