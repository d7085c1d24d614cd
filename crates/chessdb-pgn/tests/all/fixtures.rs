//! Tests with every PGN of fixtures/, and the annotated games made for testing.

use std::path::{Path, PathBuf};

use chessdb_core::files::Role;
use chessdb_core::format::Score;
use chessdb_core::options::Mode;
use chessdb_core::{FileSet, Game, MemorySet, ReadOptions, Scratch};
use chessdb_pgn::{PGN, Store};
use chessdb_testkit::expected::CompareOptions;
use chessdb_testkit::{expected, fixtures, golden, identity, readings};

use crate::common::read_all;

/// An entry of fixtures/MANIFEST.toml.
struct Entry {
    path: String,
    games: String,
}

/// Returns the PGN files listed in the manifest.
fn entries() -> Vec<Entry> {
    let manifest = String::from_utf8(fixtures::read(fixtures::path("MANIFEST.toml"))).unwrap();
    let value = |block: &str, key: &str| -> String {
        let line = block.lines().find(|line| line.starts_with(key)).unwrap();
        let value = line.split_once('=').unwrap().1.trim();
        value.trim_matches('"').to_owned()
    };
    let blocks = manifest.split("[[file]]").skip(1);
    let entries: Vec<_> = blocks
        .map(|block| Entry {
            path: value(block, "path ="),
            games: if block.contains("games =") {
                value(block, "games =")
            } else {
                "any".to_owned()
            },
        })
        .filter(|entry| entry.path.ends_with(".pgn"))
        .collect();
    assert!(entries.len() > 60);
    entries
}

fn set_of(path: &Path) -> MemorySet {
    let mut set = MemorySet::new();
    set.insert(Role("pgn"), fixtures::read(path));
    set
}

/// Checks whether strict reading accepts the whole file.
fn is_strict(set: &MemorySet) -> Result<(), String> {
    let mut options = ReadOptions::default();
    options.mode = Mode::Strict;
    let bytes = set.get(Role("pgn")).unwrap();
    let store = Store::open(bytes, options).map_err(|error| error.to_string())?;
    let (mut game, mut scratch) = (Game::new(), Scratch::new());
    for n in 0..chessdb_core::GameStore::len(&store) {
        chessdb_core::GameStore::game_into(&store, n, &mut game, &mut scratch)
            .map_err(|error| error.to_string())?;
    }
    Ok(())
}

#[test]
fn every_file_has_as_many_games_as_the_manifest_says() {
    for entry in entries() {
        let (games, _) = read_all(&fixtures::read(fixtures::path(&entry.path)));
        if entry.games != "any" {
            assert_eq!(games.len().to_string(), entry.games, "{}", entry.path);
        }
    }
}

#[test]
fn strict_reading_takes_what_is_clean_and_refuses_what_is_broken() {
    for entry in entries() {
        let strict = is_strict(&set_of(&fixtures::path(&entry.path)));
        if entry.path == "pgn/clean/spelling.pgn" {
            // Clean for Scid, which ignores move numbers; this crate reports wrong ones.
            assert!(strict.is_err_and(|error| error.contains("move number")));
        } else if entry.path.starts_with("pgn/clean/") {
            assert_eq!(strict, Ok(()), "{}", entry.path);
        } else if entry.path.starts_with("pgn/broken/") {
            assert!(strict.is_err(), "{}", entry.path);
        }
    }
}

#[test]
fn all_ways_of_reading_agree() {
    for entry in entries() {
        let set = set_of(&fixtures::path(&entry.path));
        readings::check(&PGN, &set, &ReadOptions::default());
    }
}

#[test]
fn every_file_with_tags_is_recognised() {
    for entry in entries() {
        let set = set_of(&fixtures::path(&entry.path));
        let score = (PGN.probe)(&set);
        let bytes = set.get(Role("pgn")).unwrap();
        if bytes.starts_with(b"[Event \"") {
            assert_eq!(score, Score::Certain, "{}", entry.path);
        }
    }
    assert_eq!((PGN.probe)(&MemorySet::new()), Score::No);
}

/// Compares each game and its diagnostics with tests/golden.
#[test]
fn games_look_as_the_golden_files_say() {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    for folder in ["edge", "broken"] {
        for path in fixtures::files(&fixtures::path(format!("pgn/{folder}"))) {
            let name = path.file_stem().unwrap().to_str().unwrap();
            let set = set_of(&path);
            let store = identity::open(&PGN, &set);
            if name.ends_with("deep") {
                // Thousands of uninformative lines; tests/any_bytes.rs tests the limits.
                continue;
            }
            golden::check(
                golden.join(format!("{folder}-{name}.txt")),
                &golden::dump(store.as_ref()),
            );
        }
    }
}

#[test]
fn annotated_games_are_the_expected_ones() {
    let Some(folder) = fixtures::testdata("fixtures-made/scid4") else {
        return;
    };
    let mut compared = 0;
    for base in expected::bases(&folder) {
        let source: PathBuf = base.source.expect("made from PGN");
        let (games, findings) = read_all(&fixtures::read(&source));
        assert_eq!(findings.len(), 0, "{findings:?}");
        // Flags are not part of the expected data, except for the mark of deleted games.
        let options = CompareOptions::default().ignoring("ScidFlags");
        assert_eq!(games.len(), base.games.len());
        for (n, (game, expected)) in games.iter().zip(&base.games).enumerate() {
            if let Err(difference) = expected::compare(game, expected, &options) {
                panic!("{} game {}: {difference}", source.display(), n + 1);
            }
            compared += 1;
        }
    }
    println!("{compared} games compared");
    assert!(compared >= 160);
}
