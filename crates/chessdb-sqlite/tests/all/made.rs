//! Databases made with SQLite in the schemas of other programs.

use chessdb_core::files::Role;
use chessdb_core::{FileSet, Format, Game, MemorySet, ReadOptions, Scratch};
use chessdb_pgn::{Layout, write_game};
use rusqlite::Connection;

/// Returns the file of a database.
pub(crate) fn file(role: Role, connection: &mut Connection) -> MemorySet {
    let mut files = MemorySet::new();
    files.insert(role, connection.serialize("main").unwrap().to_vec());
    files
}

/// Returns a game as PGN, and the findings of reading it.
pub(crate) fn game(format: &Format, files: &dyn FileSet, n: u32) -> (String, Vec<String>) {
    let store = (format.open)(files, ReadOptions::default()).unwrap();
    assert!(store.diagnostics().is_empty());
    let (mut game, mut scratch) = (Game::new(), Scratch::new());
    store.game_into(n, &mut game, &mut scratch).unwrap();
    let mut text = Vec::new();
    write_game(&game, &Layout::default(), &mut text);
    let findings = scratch.diagnostics.iter().map(ToString::to_string);
    (String::from_utf8(text).unwrap(), findings.collect())
}

/// Returns the movetext of a game as one line, and the findings of reading it.
pub(crate) fn moves(format: &Format, files: &dyn FileSet, n: u32) -> (String, Vec<String>) {
    let (text, findings) = game(format, files, n);
    let (_, moves) = text.rsplit_once("]\n\n").unwrap();
    let moves = moves.split_whitespace().collect::<Vec<_>>().join(" ");
    (moves, findings)
}

/// Compares movetext and findings, of which parts are given, and all ways of reading.
pub(crate) fn expect(format: &Format, files: &MemorySet, rows: &[(&str, &[&str])]) {
    chessdb_testkit::readings::check(format, files, &ReadOptions::default());
    for (n, (wanted, findings)) in rows.iter().enumerate() {
        let (found, all) = moves(format, files, n as u32);
        assert_eq!(found, *wanted, "game {}: {all:?}", n + 1);
        assert_eq!(all.len(), findings.len(), "game {}: {all:?}", n + 1);
        for (finding, part) in all.iter().zip(*findings) {
            assert!(finding.contains(part), "game {}: {finding}", n + 1);
            assert!(finding.contains(&format!("game {}", n + 1)), "{finding}");
        }
    }
}

/// Reads many damaged variants of a database, which must end within the limits.
pub(crate) fn survive(format: &Format, files: &MemorySet) {
    let damaged = chessdb_testkit::corrupt::Corruptor::new(files, 7);
    let mut opened = 0;
    for variant in damaged.usual(120, 400) {
        let options = ReadOptions::default();
        let survived = chessdb_testkit::identity::survive(format, &variant, &options, 8);
        opened += u32::from(survived.opened);
    }
    assert!(opened > 100, "{opened}");
}
