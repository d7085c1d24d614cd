//! Two games, and a SCID base of them.
#![allow(dead_code, reason = "each test file uses its part")]

use std::path::Path;

use chessdb::convert::{Source, convert};
use chessdb::fs::{PathError, find, open};
use chessdb::{BaseInfo, ConvertOptions, Game, ReadOptions, Scratch, create, format_by_id};

pub(crate) const GAMES: &str = "[Event \"Bled\"]\n[Site \"?\"]\n[Date \"1959.09.07\"]\n[Round \"1\"]\n\
    [White \"Tal, Mihail\"]\n[Black \"Smyslov, Vasily\"]\n[Result \"1-0\"]\n\n\
    1. e4 c6 2. d3 d5 {a comment} 3. Nd2 1-0\n\n\
    [Event \"Bled\"]\n[Site \"?\"]\n[Date \"1959.09.08\"]\n[Round \"2\"]\n\
    [White \"Keres, Paul\"]\n[Black \"Fischer, Robert\"]\n[Result \"0-1\"]\n\n1. e4 e5 0-1\n";

/// A folder with `base.si4`, `base.sg4`, `base.sn4`.
pub(crate) fn scid_folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    write_scid(&folder.path().join("base.si4"), GAMES);
    folder
}

pub(crate) fn write_scid(path: &Path, pgn: &str) {
    let stream = format_by_id("pgn").unwrap().stream.unwrap();
    let games = stream(Box::new(pgn.as_bytes()), ReadOptions::default()).unwrap();
    let format = format_by_id("si4").unwrap();
    let mut sink = create(path, format, false).unwrap();
    let (base, options) = (BaseInfo::default(), ConvertOptions::default());
    convert(
        Source::stream(games),
        base,
        format,
        &mut sink,
        options,
        &mut (),
    )
    .unwrap();
}

/// White's name in the first game, and how many games there are.
pub(crate) fn first(path: &Path) -> (String, u32) {
    let base = open(path).unwrap_or_else(|error| panic!("{error}"));
    let store = base.store(ReadOptions::default()).unwrap();
    let mut game = Game::new();
    store.head_into(0, &mut game, &mut Scratch::new()).unwrap();
    (
        game.text(game.head.white.name.text).decode().into_owned(),
        store.len(),
    )
}

pub(crate) fn tal() -> (String, u32) {
    ("Tal, Mihail".to_owned(), 2)
}

pub(crate) fn problem(path: &Path) -> PathError {
    find(path)
        .map(|found| found.format().id)
        .expect_err("must not be found")
}
