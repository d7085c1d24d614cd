//! Tables of jose under other names of tables and columns.
#![cfg(all(
    feature = "pgn",
    feature = "scid",
    feature = "sqlite-write",
    feature = "archives"
))]

use chessdb::bytecode::raw::Naming;
use chessdb::core::compare::first_difference;
use chessdb::core::format::Score;
use chessdb::core::{FileSet, Game, GameStore, MemorySet, ReadOptions, Scratch};
use chessdb::formats::jose::JOSE;
use chessdb::formats::jose::sqlite::{SQLITE_FILE, create_as, open_as};
use chessdb_testkit::{fixtures, identity};

use crate::jose::{everything, file, random_games, write};

/// Byte code in the column of the published text, without headers; and the same with inline texts,
/// as the setting writes it.
#[test]
fn a_file_with_ids_and_byte_code_alone_is_read() {
    for definition in [
        "Game (Id integer primary key, GameText blob)",
        "game (gametext blob)",
        "\"Game\" (\"GameText\" BLOB NOT NULL, \"Id\" INTEGER)",
    ] {
        let temporary = tempfile::NamedTempFile::new().unwrap();
        let connection = rusqlite::Connection::open(temporary.path()).unwrap();
        let columns = "INSERT INTO Game (GameText) VALUES (x'1313E0686900D2FF'), (x'0FFF')";
        let script = format!("CREATE TABLE {definition}; {columns};");
        connection.execute_batch(&script).unwrap();
        drop(connection);
        let set = file(SQLITE_FILE, temporary.path());
        assert_eq!((JOSE.probe)(&set), Score::Certain, "{definition}");
        let games = identity::open_all(&JOSE, &set);
        let moves: Vec<_> = games.iter().map(|game| game.moves.plies()).collect();
        assert_eq!(moves, [2, 1], "{definition}");
        let texts: Vec<_> = games[0]
            .texts
            .iter()
            .map(|(_, text)| text.decode())
            .collect();
        assert_eq!(texts, ["hi"], "{definition}");
    }
    let games = random_games(10);
    let options = everything().with_setting("texts", "inline");
    let (inline, _) = identity::write_all(&JOSE, &games, options).unwrap();
    let (separate, _) = write(&JOSE, &games);
    let all = |set: &MemorySet| identity::open_all(&JOSE, set);
    assert_eq!(all(&inline), all(&separate));
}

/// Other table and column names, and texts inside the byte code.
#[test]
fn tables_of_other_names_can_be_read() {
    let games = random_games(1);
    let encoded = chessdb::bytecode::encode_as(
        &games[0],
        chessdb::bytecode::Layout::Inline,
        chessdb::bytecode::JoseNumbering::default(),
    )
    .unwrap();
    let temporary = tempfile::NamedTempFile::new().unwrap();
    let connection = rusqlite::Connection::open(temporary.path()).unwrap();
    connection
        .execute_batch(
            "CREATE TABLE Partien (WhiteId int, BlackId int, FEN text, Result int, Zuege blob)",
        )
        .unwrap();
    let fen = match &games[0].header.start {
        chessdb::core::model::Start::Setup(setup) => Some(setup.board.to_string()),
        chessdb::core::model::Start::Standard => None,
    };
    let insert = "INSERT INTO Partien VALUES (0, 0, ?1, NULL, ?2)";
    connection.execute(insert, (fen, &encoded.bin)).unwrap();
    drop(connection);
    let naming = Naming {
        games: "Partien".into(),
        bin: "Zuege".into(),
        ..Naming::inline()
    };
    let bytes = fixtures::read(temporary.path());
    let store = open_as(&bytes, naming, ReadOptions::default()).unwrap();
    let (mut game, mut scratch) = (Game::new(), Scratch::new());
    store.game_into(0, &mut game, &mut scratch).unwrap();
    assert!(scratch.diagnostics.is_empty(), "{:?}", scratch.diagnostics);
    assert_eq!(
        chessdb::core::compare::moves_difference(&games[0], &game),
        None
    );
}

/// Writing with other names: both layouts, one row or two.
#[test]
fn tables_of_other_names_can_be_written() {
    let games = random_games(10);
    let (usual, _) = write(&JOSE, &games);
    let expected = identity::open_all(&JOSE, &usual);
    let renamed = Naming {
        games: "Köpfe \"1\"".into(),
        moves: Some(("Züge".into(), "Kopf".into())),
        bin: "Code".into(),
        comments: Some("Texte".into()),
        prefix: "x_".into(),
    };
    for naming in [Naming::jose(), Naming::archive(), Naming::inline(), renamed] {
        let mut set = MemorySet::new();
        let mut writer = create_as(&mut set, &naming, everything()).unwrap();
        for game in &games {
            writer.write(game).unwrap();
        }
        writer.finish().unwrap();
        let bytes = set.get(SQLITE_FILE).unwrap();
        let store = open_as(bytes, naming.clone(), ReadOptions::default()).unwrap();
        let (mut game, mut scratch) = (Game::new(), Scratch::new());
        for (n, expected) in expected.iter().enumerate() {
            store.game_into(n as u32, &mut game, &mut scratch).unwrap();
            assert!(scratch.diagnostics.is_empty(), "{:?}", scratch.diagnostics);
            assert_eq!(first_difference(&game, expected), None, "{naming:?}");
        }
        assert_eq!(store.len() as usize, expected.len());
        if naming == Naming::jose() {
            assert_eq!(identity::first_difference(&set, &usual), None);
        }
    }
}
