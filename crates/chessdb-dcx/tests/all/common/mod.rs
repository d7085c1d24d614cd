//! Helpers shared by the tests of this crate.
#![allow(dead_code, reason = "each test file uses only some helpers")]

use std::path::{Path, PathBuf};

use chessdb_core::options::Allow;
use chessdb_core::{Game, MemorySet, WriteOptions};
use chessdb_dcx::raw::{FileKind, Magic};
use chessdb_dcx::{DCG_FILE, DCI_FILE, DCX};
use chessdb_testkit::strategy::{GameOptions, game};
use chessdb_testkit::{fixtures, identity};

/// Returns all sets of the external test data; if there are none, prints a line and returns
/// nothing.
pub(crate) fn all_sets() -> Vec<PathBuf> {
    let Some(real) = fixtures::testdata("fixtures-real/dcx") else {
        return Vec::new();
    };
    let mut sets = Vec::new();
    for folder in [
        "jerry-data",
        "lichess-sample",
        "own-crafted",
        "own-features",
        "python-chess-data",
        "reference-old-35",
        "scid-gtest",
    ] {
        sets.extend(fixtures::bases(real.join(folder), DCI_FILE));
    }
    let made = fixtures::testdata("fixtures-made/dcx").unwrap();
    sets.extend(fixtures::bases(made, DCI_FILE));
    assert!(sets.len() >= 50, "{}", sets.len());
    sets
}

/// Returns the name of a set with its folder.
pub(crate) fn name(stem: &Path) -> String {
    let mut parts = stem.iter().rev().map(|part| part.to_str().unwrap());
    let (file, folder) = (parts.next().unwrap(), parts.next().unwrap());
    format!("{folder}/{file}")
}

pub(crate) fn load(stem: &Path) -> MemorySet {
    fixtures::load_set(stem, DCX.roles)
}

/// Returns a database of random games.
pub(crate) fn random_base(games: u64, options: &GameOptions) -> (Vec<Game>, MemorySet) {
    let games: Vec<Game> = (0..games).map(|seed| game(seed, options)).collect();
    let mut write = WriteOptions::default();
    write.allow = Allow::Everything;
    let (set, _) = identity::write_all(&DCX, &games, write).unwrap();
    (games, set)
}

/// Returns a database of games without names that have these records.
pub(crate) fn base_of_records(records: &[Vec<u8>]) -> MemorySet {
    let games = vec![Game::new(); records.len()];
    let (mut set, _) = identity::write_all(&DCX, &games, WriteOptions::default()).unwrap();
    let mut bytes = Magic::new(FileKind::Games).as_bytes().to_vec();
    for (n, record) in records.iter().enumerate() {
        // The status is before the offset.
        let entry = &mut set.get_mut(DCI_FILE).unwrap()[19 + 39 * n..];
        entry[1..9].copy_from_slice(&(bytes.len() as u64).to_be_bytes());
        bytes.extend(record);
    }
    set.insert(DCG_FILE, bytes);
    set
}
