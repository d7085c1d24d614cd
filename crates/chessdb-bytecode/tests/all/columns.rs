//! Cells of a row and the fields they become, each with its own copy of the numbers
//! (docs/formats/bytecode.md, section 7).

use chessdb_bytecode::JOSE_SQL;
use chessdb_core::files::Role;
use chessdb_core::model::GameFlags;
use chessdb_core::{ErrorKind, Game, MemorySet, Outcome, ReadOptions, Scratch, WriteOptions};
use chessdb_testkit::identity;

/// Returns the game of a row with this additional cell, and the number of diagnostics.
fn read(column: &str, value: i64) -> (Game, usize) {
    let mut set = MemorySet::new();
    let script =
        format!("INSERT INTO Game (Id, GameText, {column}) VALUES (1, 0x13FF, {value});\n");
    set.insert(Role("sql"), script);
    let (mut game, mut scratch) = (Game::new(), Scratch::new());
    let store = (JOSE_SQL.open)(&set, ReadOptions::default()).unwrap();
    store.game_into(0, &mut game, &mut scratch).unwrap();
    (game, scratch.diagnostics.len())
}

/// The bits 10, 20, 40 and 80. Old tables have one signed byte.
#[test]
fn attributes_are_flags() {
    let (first, second, third) = (
        GameFlags::CUSTOM_1,
        GameFlags::CUSTOM_2,
        GameFlags::CUSTOM_3,
    );
    for (stored, flags, diagnostics) in [
        (0x10, first, 0),
        (0x20, second, 0),
        (0x40, third, 0),
        (0x80, GameFlags::DELETED, 0),
        (-128, GameFlags::DELETED, 0),
        (-0x70, GameFlags::DELETED | first, 0),
        (-0x20, GameFlags::DELETED | second | third, 0),
        (0x1_0010, first, 1),
    ] {
        let (game, count) = read("Attributes", stored);
        assert_eq!((game.header.flags, count), (flags, diagnostics), "{stored}");
    }
}

/// Attributes without a meaning go along with their game.
#[test]
fn unknown_attributes_are_written_again() {
    let (game, _) = read("Attributes", 0x210);
    let mut extras = game.header.extras.iter();
    assert!(extras.any(|extra| *extra.bytes == [2, 0]));
    let (set, losses) = identity::write_all(&JOSE_SQL, [&game], WriteOptions::default()).unwrap();
    assert!(losses.is_empty(), "{losses:?}");
    let back = identity::open_all(&JOSE_SQL, &set).remove(0);
    assert_eq!(back.header.extras, game.header.extras);
    assert_eq!(back.header.flags, GameFlags::CUSTOM_1);
}

#[test]
fn results_are_numbers() {
    for (stored, outcome, diagnostics) in [
        (-1, Outcome::Unknown, 0),
        (0, Outcome::BlackWins, 0),
        (1, Outcome::Draw, 0),
        (2, Outcome::WhiteWins, 0),
        (3, Outcome::Unknown, 1),
    ] {
        let (game, count) = read("Result", stored);
        assert_eq!((game.result(), count), (outcome, diagnostics), "{stored}");
    }
}

/// Only a folder of MyISAM files can lack the file of one table.
#[test]
fn a_script_without_moves_lacks_no_file() {
    let mut set = MemorySet::new();
    set.insert(
        Role("sql"),
        "CREATE TABLE Game (Id INT, WhiteId INT, BlackId INT);\nINSERT INTO Game VALUES (1, 0, 0);\n",
    );
    let opened = (JOSE_SQL.open)(&set, ReadOptions::default());
    let error = opened.err().unwrap();
    let is_unsupported = matches!(error.kind(), ErrorKind::Unsupported(_));
    assert!(is_unsupported, "{error}");
}
