//! Tests of opening books next to databases.

use std::path::PathBuf;

use chessdb::Database;
use chessdb::book::polyglot::to_bytes;
use chessdb::book::{BookMaker, MakeOptions};
use chessdb::options::OpenOptions;
use chessdb_testkit::fixtures;
use serde_json::{Value, json};

use crate::test_session::TestSession;

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
const AFTER_E4: &str = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1";
const GAMES: &str = "1. e4 e5 1-0\n\n1. e4 c5 1/2-1/2\n\n1. d4 d5 1/2-1/2\n\n";

/// Returns the bytes of a Polyglot book of these games.
fn polyglot(pgn: &str) -> Vec<u8> {
    let files = vec![(PathBuf::from("games.pgn"), pgn.as_bytes().to_vec())];
    let db: Database = OpenOptions::default().open_files(files).unwrap();
    let options = MakeOptions::default();
    let mut maker = BookMaker::new(options);
    for number in 0..db.len().unwrap() {
        maker.add_line(options.line(&db.game(number).unwrap()));
    }
    to_bytes(&mut maker.finish().entries)
}

fn names(books: &Value) -> Vec<&str> {
    let books = books.as_array().unwrap().iter();
    books.map(|book| book["name"].as_str().unwrap()).collect()
}

#[test]
fn a_book_shows_its_moves_and_is_closed() {
    let mut session = TestSession::default();
    session.add("opening.bin", polyglot(GAMES));
    let found = session.ask(json!({ "op": "bases" }));
    assert_eq!(found["bases"], json!([]));
    assert_eq!(names(&found["books"]), ["opening.bin"]);
    let books = session.ask(json!({ "op": "books", "fen": START }));
    assert_eq!(books[0]["format"], "Polyglot");
    assert_eq!(books[0]["finding"], Value::Null);
    let moves = books[0]["moves"].as_array().unwrap();
    let moves: Vec<_> = moves
        .iter()
        .map(|one| (one["san"].as_str().unwrap(), one["share"].as_f64().unwrap()))
        .collect();
    // e4 has a win and a draw, three half points; d4 has a draw.
    assert_eq!(moves, [("e4", 0.75), ("d4", 0.25)]);
    let moves = &books[0]["moves"][0];
    assert_eq!(
        (&moves["uci"], &moves["games"]),
        (&json!("e2e4"), &Value::Null)
    );
    assert!(
        moves["fen"]
            .as_str()
            .unwrap()
            .starts_with("rnbqkbnr/pppppppp/8/8/4P3")
    );
    let elsewhere = session.ask(json!({ "op": "books", "fen": "8/8/8/8/8/k7/8/K7 w - - 0 1" }));
    assert_eq!(elsewhere[0]["moves"], Value::Null);
    let wrong = session.ask(json!({ "op": "books", "fen": "nothing" }));
    assert_eq!(wrong["error"]["code"], "request");
    session.ask(json!({ "op": "closebook", "book": books[0]["book"] }));
    assert_eq!(
        session.ask(json!({ "op": "books", "fen": START })),
        json!([])
    );
}

#[test]
fn books_stay_beside_databases_that_are_opened_and_closed() {
    let mut session = TestSession::default();
    session.add("a.pgn", GAMES.into());
    session.add("folder/b.BIN", polyglot("1. c4 1-0\n\n"));
    let found = session.ask(json!({ "op": "bases" }));
    assert_eq!(found["bases"].as_array().unwrap().len(), 1, "{found}");
    assert_eq!(names(&found["books"]), ["folder/b.BIN"]);
    let info = session.ask(json!({ "op": "open", "base": 0 }));
    assert_eq!(info["games"], 3);
    session.ask(json!({ "op": "close" }));
    session.ask(json!({ "op": "unload" }));
    session.add("c.bin", polyglot("1. b3 1-0\n\n"));
    let found = session.ask(json!({ "op": "bases" }));
    assert_eq!(names(&found["books"]), ["c.bin"], "only the new ones");
    let books = session.ask(json!({ "op": "books", "fen": START }));
    assert_eq!(names(&books), ["folder/b.BIN", "c.bin"]);
    session.ask(json!({ "op": "clear" }));
    assert_eq!(
        session.ask(json!({ "op": "books", "fen": START })),
        json!([])
    );
}

/// A file of another program with the suffix of a book is no book, and a damaged book is named.
#[test]
fn other_files_and_damaged_books_are_reported() {
    let mut session = TestSession::default();
    session.add("firmware.bin", b"some other program's 16".repeat(9));
    session.add("empty.ctg", Vec::new());
    session.add("short.abk", b"\x03ABK".to_vec());
    session.add("a.pgn", GAMES.into());
    let found = session.ask(json!({ "op": "bases" }));
    assert_eq!(found["bases"].as_array().unwrap().len(), 1, "{found}");
    assert_eq!(names(&found["books"]), ["short.abk"]);
    let finding = found["books"][0]["finding"].as_str().unwrap();
    assert!(finding.starts_with("lost: abk file"), "{finding}");
    let unread = found["unread"].as_array().unwrap();
    let unread: Vec<_> = unread
        .iter()
        .map(|one| one["name"].as_str().unwrap())
        .collect();
    assert_eq!(unread, ["empty.ctg"]);
}

/// Books with counts: a genuine CTG book with its side files in any order, and an ABK book.
#[test]
fn genuine_books_have_their_games_from_the_view_of_both_sides() {
    let Some(root) = fixtures::testdata("fixtures-real/books/perfect2021/Perfect_2021") else {
        return;
    };
    let mut session = TestSession::default();
    for name in [
        "CTG/Perfect2021.cto",
        "CTG/Perfect2021.ctg",
        "CTG/Perfect2021.ctb",
        "ABK/Perfect2021.abk",
    ] {
        session.add(name, std::fs::read(root.join(name)).unwrap());
    }
    let found = session.ask(json!({ "op": "bases" }));
    assert_eq!(
        names(&found["books"]),
        ["CTG/Perfect2021.ctg", "ABK/Perfect2021.abk"],
        "{found}"
    );
    assert_eq!(found["books"][0]["positions"], 104_224);
    for fen in [START, AFTER_E4] {
        let books = session.ask(json!({ "op": "books", "fen": fen }));
        for book in books.as_array().unwrap() {
            let moves = book["moves"].as_array().unwrap();
            assert!(!moves.is_empty(), "{book}");
            let shares: f64 = moves.iter().map(|one| one["share"].as_f64().unwrap()).sum();
            assert!((shares - 1.0).abs() < 1e-9, "{shares}");
            for one in moves {
                let results = ["white", "draws", "black"].map(|key| one[key].as_u64().unwrap());
                assert!(results.iter().sum::<u64>() <= one["games"].as_u64().unwrap());
            }
        }
    }
}
