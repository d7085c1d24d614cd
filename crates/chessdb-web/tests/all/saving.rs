//! Tests that saving writes the same bytes as `chessdb convert`.

use chessdb::core::MemorySet;
use chessdb::{Converter, Database, FORMATS};
use chessdb_testkit::fixtures;
use serde_json::json;

use crate::test_session::{Files, TestSession};

fn plain(stem: &str, suffixes: &[&str]) -> Database {
    let files = suffixes.iter().map(|suffix| {
        let name = format!("{stem}.{suffix}");
        let bytes = fixtures::read(fixtures::path(&name));
        (name.split('/').next_back().unwrap().to_owned(), bytes)
    });
    Database::options().open_files(files).unwrap()
}

#[test]
fn every_format_gets_the_same_bytes() {
    let mut session = TestSession::opened("scid/annotated");
    let db = plain("scid/annotated", &["si4", "sg4", "sn4"]);
    let written = FORMATS.iter().filter(|format| format.create.is_some());
    // The bytes of a SQLite file contain the time.
    for format in written.map(|format| format.id).filter(|id| *id != "jose") {
        let mut wanted = MemorySet::new();
        let report = Converter::to_sink(&mut wanted)
            .format(format)
            .add_database(&db)
            .run()
            .unwrap();
        let (answer, files) = session.save(json!({ "format": format, "scope": "all" }));
        assert_eq!(
            answer["report"]["written"],
            report.written(),
            "{format}: {answer}"
        );
        let mut got = MemorySet::new();
        for (suffix, bytes) in files.files {
            let role = wanted
                .iter()
                .map(|(role, _)| role)
                .find(|role| role.0 == suffix);
            got.insert(role.unwrap(), bytes);
        }
        assert!(wanted.iter().eq(got.iter()), "{format}: other bytes");
        assert_eq!(
            answer["report"]["losses"].as_array().unwrap().is_empty(),
            report.losses().next().is_none()
        );
    }
}

#[test]
fn a_filter_and_a_single_game_are_saved_alone() {
    let mut session = TestSession::opened("scid/annotated");
    let filtered = session.task(json!({ "task": "filter", "query": "player:Morphy" }), 5);
    session.task(
        json!({ "task": "sort", "column": "white", "down": true }),
        50,
    );
    let (answer, files) = session.save(json!({ "format": "pgn", "scope": "view" }));
    assert_eq!(answer["report"]["written"], filtered["found"]);
    let text = String::from_utf8(files.files[0].1.clone()).unwrap();
    assert_eq!(json!(text.matches("[White ").count()), filtered["found"]);
    let row = session.ask(json!({ "op": "rows", "from": 0, "count": 1 }))["rows"][0].clone();
    let (answer, _) = session.save(json!({ "format": "pgn", "scope": "game", "game": row[0] }));
    assert_eq!(answer["report"]["written"], 1);
    // An empty list cannot be saved.
    session.task(json!({ "task": "filter", "query": "player:Nobody" }), 500);
    let (answer, _) = session.save(json!({ "format": "pgn", "scope": "view" }));
    assert_eq!(answer["error"]["code"], "refused", "{answer}");
    let (answer, _) = session.save(json!({ "format": "none", "scope": "all" }));
    assert_eq!(answer["error"]["code"], "request");
}

#[test]
fn long_work_tells_how_far_it_is() {
    let text = "[White \"Tal\"]\n\n1. e4 *\n\n".repeat(2_000);
    let mut session = TestSession::of_pgn(&text);
    let (_, files) = session.save(json!({ "format": "si4", "scope": "all" }));
    assert!(files.progress.len() >= 4);
    assert!(files.progress.is_sorted());
}

#[test]
fn who_has_had_enough_gets_no_more() {
    let text = "[White \"Tal\"]\n\n1. e4 *\n\n".repeat(20_000);
    let mut session = TestSession::of_pgn(&text);
    let hasty = Files {
        is_hasty: true,
        ..Files::default()
    };
    let (answer, files) = session.save_into(json!({ "format": "pgn", "scope": "all" }), hasty);
    assert_eq!(answer["error"]["code"], "interrupted", "{answer}");
    assert_eq!(files.progress.len(), 1);
    // The session is unchanged.
    let rows = session.ask(json!({ "op": "rows", "from": 19_999, "count": 9 }));
    assert_eq!(rows["rows"].as_array().unwrap().len(), 1);
}

/// The first screen is shown before the engine is loaded, so its list is written by hand.
#[test]
fn the_first_screen_names_every_format() {
    let path = fixtures::root().with_file_name("web").join("src/drop.js");
    let page = String::from_utf8(fixtures::read(path)).unwrap();
    let list = page.split_once("const KNOWN = [").unwrap().1;
    let list = list.split_once("];").unwrap().0;
    // jose's tables are files of a server, which have no suffix of their own.
    for format in FORMATS
        .iter()
        .filter(|format| !format.roles[0].is_whole_name())
    {
        let suffix = format!(".{}", format.roles[0]);
        let is_named = list.split([' ', '\'']).any(|word| word == suffix);
        assert!(is_named, "{}: add {suffix} to KNOWN in drop.js", format.id);
    }
}
