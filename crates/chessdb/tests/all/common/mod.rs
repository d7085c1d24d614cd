//! Two games, and a SCID database of them.
#![allow(dead_code, reason = "each test file uses its part")]

use std::path::Path;

use chessdb::core::{Game, ReadOptions, Scratch};
use chessdb::formats::Files;
use chessdb::fs::find;
use chessdb::{Database, Error};

pub(crate) const GAMES: &str = "[Event \"Bled\"]\n[Site \"?\"]\n[Date \"1959.09.07\"]\n[Round \"1\"]\n\
    [White \"Tal, Mihail\"]\n[Black \"Smyslov, Vasily\"]\n[Result \"1-0\"]\n\n\
    1. e4 c6 2. d3 d5 {a comment} 3. Nd2 1-0\n\n\
    [Event \"Bled\"]\n[Site \"?\"]\n[Date \"1959.09.08\"]\n[Round \"2\"]\n\
    [White \"Keres, Paul\"]\n[Black \"Fischer, Robert\"]\n[Result \"0-1\"]\n\n1. e4 e5 0-1\n";

/// Creates a folder with `base.si4`, `base.sg4`, `base.sn4`.
pub(crate) fn scid_folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    write_scid(&folder.path().join("base.si4"), GAMES);
    folder
}

pub(crate) fn write_scid(path: &Path, pgn: &str) {
    let db = Database::from_reader(std::io::Cursor::new(pgn.to_owned())).unwrap();
    chessdb::Converter::to(path)
        .add_database(&db)
        .run()
        .unwrap();
}

/// Opens the files of a database by path.
pub(crate) fn open(path: impl AsRef<Path>) -> Result<Files, Error> {
    find(path)?.read()
}

/// Returns White's name in the first game, and the number of games.
pub(crate) fn first(path: &Path) -> (String, u32) {
    let base = open(path).unwrap_or_else(|error| panic!("{error}"));
    let store = base.store(ReadOptions::default()).unwrap();
    let mut game = Game::new();
    store
        .header_into(0, &mut game, &mut Scratch::new())
        .unwrap();
    (
        game.text(game.header.white.name.text).decode().into_owned(),
        store.len(),
    )
}

pub(crate) fn tal() -> (String, u32) {
    ("Tal, Mihail".to_owned(), 2)
}

pub(crate) fn problem(path: &Path) -> Error {
    find(path)
        .map(|found| found.format().id)
        .expect_err("must not be found")
}
