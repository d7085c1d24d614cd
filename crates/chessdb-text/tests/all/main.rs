//! A single test program, so that it is linked once and slow tests run in parallel.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    missing_docs
)]

mod damaged;
mod epd;
mod golden;
mod lichess;
mod probes;
mod samples;
mod tables;

use chessdb_core::{Diagnostic, FileSet, Format, Game, MemorySet, ReadOptions, Scratch, Severity};

/// Returns a database of one file.
fn set(format: &Format, bytes: impl Into<Vec<u8>>) -> MemorySet {
    let mut set = MemorySet::new();
    set.insert(format.roles[0], bytes);
    set
}

/// Reads all games leniently; the error of a game that is none, or its findings.
fn read(format: &Format, text: impl Into<Vec<u8>>) -> Vec<Result<(Game, Vec<Diagnostic>), String>> {
    let set = set(format, text);
    let store = (format.open)(&set as &dyn FileSet, ReadOptions::default()).unwrap();
    let mut games = Vec::new();
    for n in 0..store.len() {
        let (mut game, mut scratch) = (Game::new(), Scratch::new());
        let read = store.game_into(n, &mut game, &mut scratch);
        let read = read.map(|()| (game, scratch.diagnostics));
        games.push(read.map_err(|error| error.to_string()));
    }
    games
}

/// Reads the only game, in which nothing is lost.
fn read_one(format: &Format, text: &str) -> Game {
    let mut games = read(format, text);
    assert_eq!(games.len(), 1, "{text}");
    let (game, found) = games.remove(0).unwrap();
    let lost = found.iter().find(|found| found.severity > Severity::Note);
    assert!(lost.is_none(), "{text}: {found:?}");
    game
}

/// Returns the mainline.
fn sans(game: &Game) -> String {
    game.sans().into_iter().collect::<Vec<_>>().join(" ")
}
