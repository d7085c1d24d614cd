//! Statements of the published text about jose's byte code (docs/seeds.md), one test each.

use chessdb_bytecode::JOSE_SQL;
use chessdb_core::files::Role;
use chessdb_core::format::Score;
use chessdb_core::options::Mode;
use chessdb_core::{Event, Game, MemorySet, Outcome, ReadOptions, Scratch};

/// Returns the game of this byte code, read as a row of a table, and whether strict mode accepts
/// it.
fn read(code: &str) -> (Game, bool) {
    let code: String = code.split_whitespace().collect();
    let script = format!(
        "CREATE TABLE Game (Id INT, GameText MEDIUMBLOB);\nINSERT INTO Game VALUES (1, 0x{code});\n"
    );
    let mut set = MemorySet::new();
    set.insert(Role("sql"), script);
    let (mut game, mut scratch) = (Game::new(), Scratch::new());
    let strict = ReadOptions::default().with_mode(Mode::Strict);
    let store = (JOSE_SQL.open)(&set, strict).unwrap();
    let is_right = store.game_into(0, &mut game, &mut scratch).is_ok();
    let store = (JOSE_SQL.open)(&set, ReadOptions::default()).unwrap();
    store.game_into(0, &mut game, &mut scratch).unwrap();
    (game, is_right)
}

/// Returns moves and marks in one line.
fn shown(code: &str) -> String {
    let (game, _) = read(code);
    let words = game.events().map(|event| match event {
        Event::Move(mv) => mv.to_string(),
        Event::Nag(nag) => format!("${nag}"),
        Event::Comment(_, text) => format!("{{{}}}", text.decode()),
        Event::Open(_) => "(".to_owned(),
        Event::Close => ")".to_owned(),
        Event::Fault(kind, text) => format!("{kind:?} {}", text.decode()),
        other => format!("{other:?}"),
    });
    words.collect::<Vec<_>>().join(" ")
}

/// FF ends the data of a game, also in a text without its NUL: it is never part of UTF-8.
#[test]
fn a_text_ends_before_the_end_of_the_data() {
    for (code, expected) in [
        ("13 E0 FF", "e2e4"),
        ("13 E0 6F 6B FF", "e2e4 {ok}"),
        ("13 E0 6F 00 13 E0 C3 BC FF", "e2e4 {o} e7e5 {ü}"),
        ("13 E1 78 FF", "e2e4 UnreadableMove x"),
        ("13 E0 6F 6B", "e2e4 {ok}"),
    ] {
        assert_eq!(shown(code), expected, "{code}");
        assert!(!read(code).1, "{code}");
    }
}

/// Statements that list their columns need no table before them.
#[test]
fn rows_with_named_columns_need_no_table() {
    for (script, plies) in [
        (
            "INSERT INTO Game (Id, GameText) VALUES (1, 0x13132eff);",
            &[3][..],
        ),
        (
            "insert into `Game` (`GameText`) values (0x13ff), (0x1313ff);",
            &[1, 2],
        ),
        (
            "INSERT INTO Game (GameText) VALUES (0x13ff); INSERT INTO Game (FEN, GameText) \
             VALUES (NULL, 0x1313ff);",
            &[1, 2],
        ),
    ] {
        let mut set = MemorySet::new();
        set.insert(Role("sql"), script);
        assert_eq!((JOSE_SQL.probe)(&set), Score::Certain, "{script}");
        let store = (JOSE_SQL.open)(&set, ReadOptions::default()).unwrap();
        assert!(store.diagnostics().is_empty(), "{:?}", store.diagnostics());
        let (mut game, mut scratch) = (Game::new(), Scratch::new());
        let read = (0..store.len()).map(|n| {
            store.game_into(n, &mut game, &mut scratch).unwrap();
            game.plies()
        });
        assert_eq!(read.collect::<Vec<_>>(), plies, "{script}");
    }
}

#[test]
fn the_first_codes_of_each_piece() {
    for (code, expected) in [
        ("00 FF", "a2a3"),
        ("03 FF", "a2a4"),
        ("07 07 FF", "b2b4 b7b5"),
        ("0B FF", "c2c4"),
        ("0F FF", "d2d4"),
        ("10 10 FF", "e2e3 e7e6"),
        ("17 FF", "f2f4"),
        ("1B FF", "g2g4"),
        ("1F FF", "h2h4"),
        ("27 22 FF", "b1c3 b8c6"),
        ("2E 2B FF", "g1f3 g8f6"),
        ("07 07 39 FF", "b2b4 b7b5 c1b2"),
        ("13 13 4B FF", "e2e4 e7e5 f1c4"),
        ("03 03 52 FF", "a2a4 a7a5 a1a3"),
        ("1F 1F 62 FF", "h2h4 h7h5 h1h3"),
        ("13 13 74 FF", "e2e4 e7e5 d1h5"),
        ("13 13 96 FF", "e2e4 e7e5 e1e2"),
        ("9A 13 FF", "0000 e7e5"),
    ] {
        assert_eq!(shown(code), expected, "{code}");
    }
}

/// Pawns capture to both sides: 1 and 2, from their own point of view.
#[test]
fn pawns_have_four_directions() {
    assert_eq!(shown("13 0F 12 FF"), "e2e4 d7d5 e4d5");
    assert_eq!(shown("0F 13 0D FF"), "d2d4 e7e5 d4e5");
    assert_eq!(shown("13 17 11 FF"), "e2e4 f7f5 e4f5");
}

#[test]
fn castling_has_two_codes() {
    assert_eq!(
        shown("13 13 2E 22 4C 43 98 FF"),
        "e2e4 e7e5 g1f3 b8c6 f1b5 f8b4 e1g1"
    );
    let long = "0F 2B 0B 18 27 0F 34 4E 81 22 99 FF";
    assert!(shown(long).ends_with("e1c1"), "{}", shown(long));
}

/// Promotions and moves of promoted pieces have a second byte that is never 0.
#[test]
fn promotions_have_two_bytes() {
    let code = "07 03 06 07 05 52 05 59 A1 24 95 1F 1B 1E 1F 1D 92 1C 92 A7 2B 58 AF 32 5E D0 FF";
    let line = shown(code);
    assert!(
        line.contains("c7d8n") && line.contains("h7g8q") && line.contains("g8g3"),
        "{line}"
    );
    let (game, is_right) = read(code);
    assert!(is_right);
    assert_eq!(game.header.outcome, Outcome::BlackWins);
}

#[test]
fn nags_have_one_byte_or_two() {
    assert_eq!(shown("13 B1 FF"), "e2e4 $1");
    assert_eq!(shown("13 CF FF"), "e2e4 $31");
    assert_eq!(shown("13 B0 92 FF"), "e2e4 $146");
}

#[test]
fn results_have_four_codes() {
    for (code, outcome) in [
        ("D0", Outcome::BlackWins),
        ("D1", Outcome::Draw),
        ("D2", Outcome::WhiteWins),
        ("D3", Outcome::Unknown),
    ] {
        let (game, is_right) = read(&format!("13 {code} FF"));
        assert!(is_right);
        assert_eq!(game.header.outcome, outcome);
    }
}

/// A text follows its code, in UTF-8, terminated by 00; variations follow the move they replace.
#[test]
fn texts_and_variations_follow_their_codes() {
    assert_eq!(shown("13 E0 68C3B6 00 FF"), "e2e4 {hö}");
    assert_eq!(
        shown("13 F0 0F F0 0B F1 F1 13 FF"),
        "e2e4 ( d2d4 ( c2c4 ) ) e7e5"
    );
    for (code, kind) in [
        ("E1", "UnreadableMove"),
        ("E2", "IllegalMove"),
        ("E3", "AmbiguousMove"),
        ("E4", "UnrecognisedInput"),
    ] {
        assert_eq!(
            shown(&format!("13 {code} 78 00 FF")),
            format!("e2e4 {kind} x")
        );
    }
}

#[test]
fn reserved_codes_are_refused_strictly() {
    for code in ["9B", "9F", "D4", "DF", "E6", "EF", "F2", "FE"] {
        let (_, is_right) = read(&format!("13 {code} 00 FF"));
        assert!(!is_right, "{code}");
    }
    // Without the end mark.
    assert!(!read("13").1);
}
