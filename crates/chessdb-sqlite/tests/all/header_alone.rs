//! The header alone equals the header of the whole game, for any bytes and results in the movetext.

use chessdb_core::files::Role;
use chessdb_core::{Charset, Format, Game, MemorySet, ReadOptions, Scratch};
use chessdb_sqlite::lucaschess::LCDB;
use chessdb_sqlite::ocgdb::OCGDB_FILE;
use chessdb_sqlite::{LUCAS_CHESS, OCGDB};
use chessdb_testkit::readings;
use proptest::prelude::*;
use rusqlite::{Connection, params};

use crate::made;

/// The name of the tag column, as long as the names that replace it.
const COLUMN: &[u8] = b"Zqqqqz";

/// Names of a column, of six bytes: ASCII, UTF-8, windows-1252, U+FFFD, half a letter.
const NAMES: [&[u8]; 5] = [
    b"Reihen",
    b"Zug\xC3\xA4z",
    b"Reih\xEAn",
    b"S\xEF\xBF\xBDte",
    b"Pla\xC3ts",
];

/// Parts of texts: the same kinds, and letters with several readings.
const TEXTS: [&[u8]; 9] = [
    b"Koln",
    b"K\xC3\xB6ln",
    b"K\xF6ln",
    b"K\xEF\xBF\xBDln",
    b"K\xC3 ln",
    b"K\xC3\x83\xC2\xB6ln",
    b"\xC3\xA9t\xE9",
    b"Wei\xDF\x93",
    b"\xEF\xBF",
];

/// Movetexts in which a result, a tag or a game may count that is not at the end.
const MOVES: [&str; 14] = [
    "1. e4 e5 1-0",
    "1. e4 e5",
    "",
    "1. e4 0-1 e5 1-0",
    "1. e4 0:1 2. e5 1-0",
    "1. e4 \u{bd}-\u{bd} 2. e5 1-0",
    "1. e4 1/2 2. e5 1-0",
    "1. e4 0\u{2013}1 1-0",
    "1. e4 * 1-0",
    "1. e4 (1. d4 0-1) {0-1} 1-0",
    "1. e4 {1-0",
    "[Site \"elsewhere\"] 1. e4 1-0",
    "1. e4\n\n[Event \"other\"]\n\n1. d4 1-0",
    "1. e4 0-0 1 - 0",
];

/// A database with one game.
fn database(format: &Format, name: &[u8], value: &[u8], movetext: &[u8]) -> MemorySet {
    let mut connection = Connection::open_in_memory().unwrap();
    let (role, schema, insert): (Role, _, _) = match format.id {
        "lucaschess" => (
            LCDB,
            "CREATE TABLE Games(XPV VARCHAR, _DATA_ BLOB, PLYCOUNT INT, RESULT VARCHAR,
                 SITE VARCHAR, \"Zqqqqz\" VARCHAR)",
            "INSERT INTO Games(_DATA_, RESULT, SITE, \"Zqqqqz\") VALUES (?1, '1-0', ?2, ?2)",
        ),
        _ => (
            OCGDB_FILE,
            "CREATE TABLE Info (Name TEXT UNIQUE NOT NULL, Value TEXT);
             CREATE TABLE Events (ID INTEGER PRIMARY KEY, Name TEXT UNIQUE);
             CREATE TABLE Sites (ID INTEGER PRIMARY KEY, Name TEXT UNIQUE);
             CREATE TABLE Players (ID INTEGER PRIMARY KEY, Name TEXT UNIQUE, Elo INTEGER);
             CREATE TABLE Games (ID INTEGER PRIMARY KEY, EventID INTEGER, SiteID INTEGER, Date TEXT,
                 Round TEXT, WhiteID INTEGER, WhiteElo INTEGER, BlackID INTEGER, BlackElo INTEGER,
                 Result TEXT, Moves TEXT, \"Zqqqqz\" TEXT)",
            "INSERT INTO Games(Moves, Result, Round, \"Zqqqqz\") VALUES (?1, '1-0', ?2, ?2)",
        ),
    };
    connection.execute_batch(schema).unwrap();
    let prefix: &[u8] = if role == LCDB { b"BODY " } else { b"" };
    let movetext = [prefix, movetext].concat();
    connection
        .execute(insert, params![movetext, value])
        .unwrap();
    let mut files = made::file(role, &mut connection);
    let bytes = files.get_mut(role).unwrap();
    let places = bytes.windows(COLUMN.len()).enumerate();
    let places = places.filter(|(_, window)| *window == COLUMN);
    let places: Vec<_> = places.map(|(at, _)| at).collect();
    assert_eq!(places.len(), 1);
    bytes[places[0]..places[0] + name.len()].copy_from_slice(name);
    files
}

fn check(name: &[u8], value: &[u8], movetext: &[u8]) {
    for format in [&LUCAS_CHESS, &OCGDB] {
        let files = database(format, name, value, movetext);
        for charset in [None, Some(Charset::UTF_8), Some(Charset::WINDOWS_1251)] {
            let options = ReadOptions::default().with_charset(charset);
            assert_eq!((format.open)(&files, options.clone()).unwrap().len(), 1);
            readings::check(format, &files, &options);
        }
    }
}

#[test]
fn bytes_that_are_not_utf_8() {
    for name in NAMES {
        assert_eq!(name.len(), COLUMN.len());
        for value in TEXTS {
            for comment in TEXTS {
                check(name, value, &[b"1. e4 {", comment, b"} e5 1-0"].concat());
            }
        }
    }
}

#[test]
fn results_and_tags_among_the_moves() {
    for movetext in MOVES {
        check(NAMES[0], TEXTS[0], movetext.as_bytes());
        check(NAMES[3], TEXTS[2], movetext.as_bytes());
    }
}

/// The values are not only equal, but right: bytes that are not UTF-8 are in windows-1252.
#[test]
fn control_characters_do_not_change_the_charset() {
    let files = database(&LUCAS_CHESS, NAMES[0], b"K\xF6ln\x01", b"1. e4 1-0");
    let store = (LUCAS_CHESS.open)(&files, ReadOptions::default()).unwrap();
    let mut game = Game::new();
    store
        .header_into(0, &mut game, &mut Scratch::new())
        .unwrap();
    assert_eq!(game.tag("Site").unwrap(), "K\u{f6}ln\u{1}");
}

fn piece() -> impl Strategy<Value = Vec<u8>> {
    let known = prop::sample::select(TEXTS.to_vec()).prop_map(<[u8]>::to_vec);
    let any = prop::collection::vec(1..=255u8, 0..6);
    let text = prop_oneof![known, any];
    let moves = [
        "1. e4",
        " ",
        "\n",
        "{",
        "}",
        "(",
        ")",
        "1-0",
        "0-1",
        "1/2",
        "*",
        "[Event \"x\"]",
    ];
    let moves = prop::sample::select(moves.to_vec()).prop_map(|word| word.as_bytes().to_vec());
    prop_oneof![text, moves]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn header_alone_equals_header_of_game(
        name in prop::sample::select(NAMES.to_vec()),
        value in prop::collection::vec(piece(), 0..3),
        movetext in prop::collection::vec(piece(), 0..12),
    ) {
        check(name, &value.concat(), &movetext.concat());
    }
}
