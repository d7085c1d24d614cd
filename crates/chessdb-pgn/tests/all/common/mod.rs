//! Helpers shared by the tests of this crate.
#![allow(dead_code)]

use chessdb_core::utf16::utf_8;
use chessdb_core::{Diagnostic, Game, GameRead, ReadOptions, Scratch};
use chessdb_pgn::Reader;

/// Reads all games of a text leniently. Returns the diagnostics too.
pub(crate) fn read_all(bytes: &[u8]) -> (Vec<Game>, Vec<Diagnostic>) {
    read_with(bytes, &ReadOptions::default())
}

/// Like [`read_all`], with these options.
pub(crate) fn read_with(bytes: &[u8], options: &ReadOptions) -> (Vec<Game>, Vec<Diagnostic>) {
    let mut reader = Reader::new(bytes, options.clone());
    let mut scratch = Scratch::new();
    let mut games = Vec::new();
    let mut game = Game::new();
    while reader.read_into(&mut game, &mut scratch).expect("lenient") {
        games.push(game.clone());
    }
    assert_eq!(reader.offset(), utf_8(bytes).0.len() as u64);
    let mut found = scratch.diagnostics;
    found.extend(reader.take_diagnostics());
    (games, found)
}

/// Reads the only game of a text.
pub(crate) fn read_one(bytes: &[u8]) -> (Game, Vec<Diagnostic>) {
    let (mut games, findings) = read_all(bytes);
    let text = String::from_utf8_lossy(bytes);
    assert_eq!(games.len(), 1, "{text}");
    (games.remove(0), findings)
}
